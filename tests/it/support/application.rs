//! An application with a device, on which boxes and results stay.

use std::sync::{Mutex, PoisonError};

use obbligato::unstable::gpu::beside;
use obbligato::{Config, GpuChecker, Obb, wgpu};

use super::gpu::gpu_checker;

/// A device with the application's boxes on it.
pub struct Application {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    first: Mutex<GpuChecker>,
}

impl Application {
    /// An application on the device of the tests.
    pub fn new() -> Self {
        Self::of(gpu_checker(Config::default()))
    }

    /// An application on a device of its own.
    pub fn on((device, queue): (wgpu::Device, wgpu::Queue)) -> Self {
        Self::of(GpuChecker::new(&device, &queue, Config::default()).expect("a checker"))
    }

    fn of(first: GpuChecker) -> Self {
        let (device, queue) = (first.device().clone(), first.queue().clone());
        let first = Mutex::new(first);
        Self { device, queue, first }
    }

    /// A checker on the application's device.
    pub fn checker(&self, config: Config) -> GpuChecker {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        beside(&mut first, config).expect("a checker")
    }

    pub fn buffer(&self, contents: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("the application's"),
            size: contents.len().max(48) as u64,
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&buffer, 0, contents);
        buffer
    }

    pub fn boxes(&self, boxes: &[Obb]) -> wgpu::Buffer {
        self.buffer(bytemuck::cast_slice(boxes), wgpu::BufferUsages::STORAGE)
    }

    pub fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&Default::default())
    }

    /// A copy of a buffer with its contents at this place in the encoder.
    pub fn copy(&self, encoder: &mut wgpu::CommandEncoder, source: &wgpu::Buffer) -> wgpu::Buffer {
        let target = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("a copy"),
            size: source.size(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        encoder.copy_buffer_to_buffer(source, 0, &target, 0, source.size());
        target
    }

    pub fn read<T: bytemuck::Pod>(&self, buffer: &wgpu::Buffer) -> Vec<T> {
        buffer.map_async(wgpu::MapMode::Read, .., |result| result.expect("a mapped buffer"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("an end");
        bytemuck::pod_collect_to_vec(&buffer.get_mapped_range(..).expect("a mapped range"))
    }
}
