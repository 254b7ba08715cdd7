//! A device that is opened and watched like the engine's, for other work on a GPU.

use crate::base::config::{Config, GpuConfig};
use crate::base::engine::Engine;
use crate::base::error::Result;
use crate::device::adapters::{Choice, choose};
use crate::device::context::Context;

/// A device, and its queue.
///
/// Its methods block, and return errors for refused allocations, lost devices and timeouts.
pub struct Device(Context);

impl Device {
    /// Opens the adapter that `config` chooses, or returns `None` if it chooses the CPU.
    ///
    /// # Errors
    /// Those of devices and adapters.
    pub fn open(config: &Config) -> Result<Option<Self>> {
        pollster::block_on(async {
            match choose(config).await? {
                Choice::Gpu(adapter, _) => Ok(Some(Self(Context::open(&adapter, &config.gpu).await?))),
                Choice::Cpu(_) => Ok(None),
            }
        })
    }

    /// Wraps the caller's device.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if its limits are too low.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Self> {
        Ok(Self(Context::new(device, queue, &GpuConfig::default())?))
    }

    /// Returns the device's name and kind.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// Returns the wgpu device.
    pub fn wgpu(&self) -> &wgpu::Device {
        &self.0.device
    }

    /// Creates an object labelled `what` that takes `bytes` of the device's memory.
    ///
    /// # Errors
    /// If the device refuses it.
    pub fn scoped<T>(&self, what: &str, bytes: u64, make: impl FnOnce() -> T) -> Result<T> {
        self.0.scoped(what, bytes, make)
    }

    /// Creates a buffer.
    ///
    /// # Errors
    /// If the device refuses it.
    pub fn buffer(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        self.0.buffer(label, bytes, usage)
    }

    /// Creates a buffer with contents.
    ///
    /// # Errors
    /// If the device refuses it.
    pub fn buffer_with(&self, label: &str, contents: &[u8], usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        self.0.buffer_with(label, contents, usage)
    }

    /// Creates an encoder.
    ///
    /// # Errors
    /// If the device refuses it.
    pub fn encoder(&self, label: &str) -> Result<wgpu::CommandEncoder> {
        self.0.encoder(label)
    }

    /// Submits commands and waits for them.
    ///
    /// # Errors
    /// If the device fails.
    pub fn submit(&self, commands: wgpu::CommandEncoder) -> Result<()> {
        pollster::block_on(self.0.submit_and_wait(commands))
    }

    /// Submits commands, waits for them, and passes the first `bytes` of `staging` to `read`.
    ///
    /// # Errors
    /// If the device fails.
    pub fn submit_and_read<T>(
        &self,
        commands: wgpu::CommandEncoder,
        staging: &wgpu::Buffer,
        bytes: u64,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T> {
        pollster::block_on(self.0.submit_and_read(commands, staging, bytes, read))
    }
}
