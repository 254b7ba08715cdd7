//! A device with the limits and features that the engine uses, and the only place where its errors
//! and waits are handled.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use futures_intrusive::channel::shared::oneshot_channel;

use crate::base::config::GpuConfig;
use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::base::waiting::Waiting;
use crate::device::adapters::{driver, kind};
use crate::device::limits::{DeviceLimits, FILLING_WORKGROUPS, max_buffer_bytes, too_low};
use crate::device::pipeline_cache::PipelineCache;
use crate::device::requests::{one_line, request_device};
use crate::device::shared_pipelines::SharedPipelines;
use crate::device::tuning::{self, PIPELINE};

/// The pending result of an error scope.
struct Verdict(
    #[cfg(not(target_arch = "wasm32"))] Pin<Box<dyn Future<Output = Option<wgpu::Error>> + Send>>,
    #[cfg(target_arch = "wasm32")] Pin<Box<dyn Future<Output = Option<wgpu::Error>>>>,
);

impl Verdict {
    fn new(scope: impl Future<Output = Option<wgpu::Error>> + wgpu::WasmNotSend + 'static) -> Self {
        Self(Box::pin(scope))
    }

    /// Polls without waiting. Natively the result is always ready.
    fn poll(&mut self) -> Poll<Option<wgpu::Error>> {
        self.0.as_mut().poll(&mut std::task::Context::from_waker(Waker::noop()))
    }
}

/// The additional wait for a device that has timed out, before it is given up.
const GRACE: Duration = Duration::from_secs(1);

/// A device and its capabilities.
pub(crate) struct Context {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub engine: Engine,
    /// Distinguishes this context from all others.
    pub identity: Arc<()>,
    /// The largest buffer created, in bytes.
    pub max_buffer_bytes: u64,
    /// The largest part of a buffer that can be bound, in bytes.
    pub max_binding_bytes: u64,
    /// The maximum number of workgroups per dimension.
    pub max_workgroups: u32,
    /// The number of workgroups of 256 that fill the device.
    filling_workgroups: u32,
    /// Set to append to lists once per subgroup instead of once per workgroup. Not on a GPU,
    /// because barriers cost less there than atomics on one address, and because SPIR-V does not
    /// guarantee that the invocations of a subgroup reconverge.
    pub appends_by_subgroups: bool,
    /// Set to sort pairs by subgroups.
    pub sorts_by_subgroups: bool,
    /// Set if shaders can compute in `f64`.
    pub f64: bool,
    /// Set if kernels whose dispatch sizes the device computes may read those sizes. Not on DX12,
    /// where they are 0 unless wgpu validates the dispatch.
    pub sizes_on_device: bool,
    pub timestamps: bool,
    /// Set if timestamps can also be written between compute passes.
    pub timestamps_between_passes: bool,
    pub shader_checks: bool,
    /// Set if the device is a program whose memory is the host's.
    pub software: bool,
    /// The kernels compiled for this device, by this checker and by others that share them.
    pub shared_pipelines: Arc<SharedPipelines>,
    /// The file of compiled shaders.
    pub pipeline_cache: Option<PipelineCache>,
    timeout: Duration,
    /// Set once a wait has exceeded the timeout.
    overdue: AtomicBool,
    /// Set if the device was opened here, not by the caller.
    own: bool,
    waiting: Waiting,
    /// The reason for the loss of the device, or its error outside all error scopes; only for a
    /// device opened here.
    trouble: Arc<Mutex<Option<String>>>,
    /// Error scopes that have not been resolved yet: only in browsers.
    open_verdicts: Mutex<Vec<Verdict>>,
    /// Set once frames have been recorded into encoders of the caller.
    pub recorded: AtomicBool,
    #[cfg(feature = "unstable")]
    pub watched: crate::device::faults::Watched,
}

impl Context {
    /// Opens a device owned by the context.
    pub async fn open(adapter: &wgpu::Adapter, config: &GpuConfig) -> Result<Self> {
        let (device, queue) = request_device(adapter).await?;
        let mut context = Self::new(&device, &queue, config)?;
        context.own = true;
        let lost = Arc::clone(&context.trouble);
        device.set_device_lost_callback(move |reason, message| record(&lost, format!("{reason:?}: {message}")));
        let uncaptured = Arc::clone(&context.trouble);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            record(&uncaptured, error.to_string())
        }));
        Ok(context)
    }

    /// Uses the caller's device, and leaves its handlers alone.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, config: &GpuConfig) -> Result<Self> {
        let (info, limits, features) = (device.adapter_info(), device.limits(), device.features());
        if let Some(reason) = too_low(&limits) {
            return Err(Error::Device {
                adapter: info.name,
                reason,
            });
        }
        let by_subgroups = config.subgroups && features.contains(wgpu::Features::SUBGROUP);
        let software = info.device_type == wgpu::DeviceType::Cpu;
        Ok(Self {
            device: device.clone(),
            queue: queue.clone(),
            engine: Engine::Gpu {
                driver: driver(&info),
                kind: kind(info.device_type),
                adapter: info.name,
            },
            identity: Arc::default(),
            max_buffer_bytes: max_buffer_bytes(limits.max_storage_buffer_binding_size, limits.max_buffer_size, config),
            max_binding_bytes: limits.max_storage_buffer_binding_size,
            max_workgroups: config
                .max_workgroups_per_dimension
                .map_or(limits.max_compute_workgroups_per_dimension, |most| {
                    most.clamp(1, limits.max_compute_workgroups_per_dimension)
                }),
            filling_workgroups: tuning::number(PIPELINE, "looping_workgroups").unwrap_or(FILLING_WORKGROUPS),
            appends_by_subgroups: by_subgroups
                && tuning::number(PIPELINE, "appends_by_subgroups").map_or(software, |wanted| wanted > 0),
            sorts_by_subgroups: by_subgroups && features.contains(wgpu::Features::SUBGROUP_BARRIER),
            f64: config.shader_f64 && features.contains(wgpu::Features::SHADER_F64),
            sizes_on_device: info.backend != wgpu::Backend::Dx12,
            timestamps: config.timestamps && features.contains(wgpu::Features::TIMESTAMP_QUERY),
            timestamps_between_passes: features.contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS),
            shader_checks: config.shader_checks,
            software,
            shared_pipelines: Arc::default(),
            pipeline_cache: None,
            timeout: config.timeout,
            overdue: AtomicBool::new(false),
            own: false,
            waiting: Waiting::Blocking,
            trouble: Arc::default(),
            open_verdicts: Mutex::default(),
            recorded: AtomicBool::new(false),
            #[cfg(feature = "unstable")]
            watched: Default::default(),
        })
    }

    /// Uses the same device, which belongs to the caller, and the same compiled kernels.
    #[cfg(any(test, feature = "unstable"))]
    pub fn beside(&self, config: &GpuConfig) -> Result<Self> {
        let mut context = Self::new(&self.device, &self.queue, config)?;
        context.shared_pipelines = Arc::clone(&self.shared_pipelines);
        Ok(context)
    }

    /// Returns the bytes of the largest buffer and binding whose entries, of four bytes or more,
    /// can be numbered in 32 bits.
    pub fn numbered_bytes(&self) -> u64 {
        self.limits().numbered_bytes()
    }

    pub fn limits(&self) -> DeviceLimits {
        DeviceLimits {
            max_buffer_bytes: self.max_buffer_bytes,
            looping_workgroups: self.max_workgroups.min(self.filling_workgroups),
            f64: self.f64,
        }
    }

    /// Chooses the way that later calls wait.
    pub fn set_waiting(&mut self, waiting: Waiting) {
        self.waiting = waiting;
    }

    /// Calls `work` and turns wgpu's errors into one error. `what` is the object created, of size
    /// `bytes`.
    ///
    /// This never waits, so that frames can be recorded in a browser. There the result of an error
    /// scope comes later, and the next call that checks for trouble returns it.
    pub fn scoped<T>(&self, what: &str, bytes: u64, work: impl FnOnce() -> T) -> Result<T> {
        #[cfg(feature = "unstable")]
        let refused = self.watched.call(&self.device);
        #[cfg(not(feature = "unstable"))]
        let refused = false;
        let (value, errors) = {
            let scopes = [
                wgpu::ErrorFilter::Validation,
                wgpu::ErrorFilter::Internal,
                wgpu::ErrorFilter::OutOfMemory,
            ]
            .map(|filter| self.device.push_error_scope(filter));
            let value = work();
            // Scopes are a stack: the last one pushed is the first to pop.
            let [validation, internal, memory] = scopes;
            let memory = memory.pop();
            let internal = internal.pop();
            (
                value,
                [
                    Verdict::new(memory),
                    Verdict::new(internal),
                    Verdict::new(validation.pop()),
                ],
            )
        };
        let no_memory = || Error::OutOfDeviceMemory {
            what: what.to_owned(),
            needed: bytes,
        };
        if refused {
            return Err(no_memory());
        }
        for mut verdict in errors {
            match verdict.poll() {
                Poll::Ready(None) => {}
                Poll::Ready(Some(wgpu::Error::OutOfMemory { .. })) => return Err(no_memory()),
                Poll::Ready(Some(error)) => return Err(self.rejected(what, &error)),
                Poll::Pending => self.open_verdicts().push(verdict),
            }
        }
        Ok(value)
    }

    fn open_verdicts(&self) -> std::sync::MutexGuard<'_, Vec<Verdict>> {
        self.open_verdicts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a buffer.
    pub fn buffer(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let descriptor = wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes,
            usage,
            mapped_at_creation: false,
        };
        self.new_buffer(&descriptor, |_| ())
    }

    /// Creates a buffer with contents.
    pub fn buffer_with(&self, label: &str, contents: &[u8], usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        let descriptor = wgpu::BufferDescriptor {
            label: Some(label),
            size: (contents.len() as u64).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT),
            usage,
            mapped_at_creation: true,
        };
        let fill = |buffer: &wgpu::Buffer| {
            if let Ok(mut view) = buffer.get_mapped_range_mut(..) {
                view.slice(..contents.len()).copy_from_slice(contents);
            }
            buffer.unmap();
        };
        self.new_buffer(&descriptor, fill)
    }

    fn new_buffer(
        &self,
        descriptor: &wgpu::BufferDescriptor<'_>,
        prepare: impl FnOnce(&wgpu::Buffer),
    ) -> Result<wgpu::Buffer> {
        #[cfg(feature = "unstable")]
        self.watched.buffers.fetch_add(1, Ordering::Relaxed);
        self.scoped(descriptor.label.unwrap_or_default(), descriptor.size, || {
            let buffer = self.device.create_buffer(descriptor);
            prepare(&buffer);
            buffer
        })
    }

    /// Creates an encoder.
    pub fn encoder(&self, label: &str) -> Result<wgpu::CommandEncoder> {
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some(label) };
        self.scoped(label, 0, || self.device.create_command_encoder(&descriptor))
    }

    /// Submits commands, waits for them, and passes the first `bytes` of `staging` to `read`.
    pub async fn submit_and_read<T>(
        &self,
        commands: wgpu::CommandEncoder,
        staging: &wgpu::Buffer,
        bytes: u64,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T> {
        #[cfg(feature = "unstable")]
        self.watched.submissions.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot_channel();
        let submission = self.scoped("the submission", 0, || {
            let submission = self.queue.submit([commands.finish()]);
            staging.map_async(wgpu::MapMode::Read, ..bytes, move |result| drop(sender.send(result)));
            submission
        })?;
        self.wait(submission).await?;
        self.check_trouble()?;
        match receiver.receive().await {
            Some(Ok(())) => {}
            Some(Err(error)) => {
                return Err(Error::DeviceLost {
                    reason: one_line(&error.to_string()),
                });
            }
            None => {
                return Err(Error::DeviceLost {
                    reason: "a read-back was dropped".to_owned(),
                });
            }
        }
        let value = {
            let view = staging.get_mapped_range(..bytes);
            read(&view.map_err(|error| self.rejected("a read-back", &error))?)
        };
        staging.unmap();
        Ok(value)
    }

    /// Submits commands and waits for them.
    #[cfg(feature = "unstable")]
    pub async fn submit_and_wait(&self, commands: wgpu::CommandEncoder) -> Result<()> {
        let submission = self.scoped("the submission", 0, || self.queue.submit([commands.finish()]))?;
        self.wait(submission).await?;
        self.check_trouble()
    }

    async fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<()> {
        let poll = wgpu::PollType::Wait {
            submission_index: Some(submission),
            timeout: Some(self.timeout),
        };
        let result = match self.waiting {
            Waiting::Blocking => self.device.poll(poll),
            // A page cannot wait: the browser processes the submission and calls back.
            #[cfg(target_arch = "wasm32")]
            Waiting::Background => return Ok(()),
            #[cfg(not(target_arch = "wasm32"))]
            Waiting::Background => {
                let (sender, receiver) = oneshot_channel();
                let (device, thread) = (self.device.clone(), std::thread::Builder::new());
                let wait = poll.clone();
                match thread.spawn(move || drop(sender.send(device.poll(wait)))) {
                    Ok(_) => receiver.receive().await.unwrap_or(Err(wgpu::PollError::Timeout)),
                    // No thread can be started: this one waits.
                    Err(_) => self.device.poll(poll),
                }
            }
        };
        match result {
            Ok(_) => Ok(()),
            Err(wgpu::PollError::Timeout) => {
                self.overdue.store(true, Ordering::Relaxed);
                self.check_trouble()?;
                Err(Error::Timeout {
                    seconds: self.timeout.as_secs_f64(),
                })
            }
            Err(wgpu::PollError::WrongSubmissionIndex(..)) => Err(lost_before_submission()),
        }
    }

    /// Returns the error for a call that wgpu rejected: either the device is lost, or there is a
    /// bug.
    fn rejected(&self, what: &str, error: &dyn std::fmt::Display) -> Error {
        let lost = self.check_trouble().and_then(|()| self.check_presence());
        lost.err().unwrap_or_else(|| Error::Gpu {
            what: what.to_owned(),
            reason: one_line(&error.to_string()),
        })
    }

    /// Returns an error if the device no longer accepts submissions. Does not wait. This is the
    /// only way to detect the loss of a caller's device, which has no callback of this crate.
    pub fn check_presence(&self) -> Result<()> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        self.queue.submit([]);
        // A wait with a timeout of 0 would tell as well, but wgpu panics if a wait times out while
        // another thread polls the device.
        let probe = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("a probe of the device"),
            size: wgpu::COPY_BUFFER_ALIGNMENT,
            usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        });
        if let Poll::Ready(Some(_)) = Verdict::new(scope.pop()).poll() {
            return Err(Error::OutOfDeviceMemory {
                what: "a probe of the device".to_owned(),
                needed: wgpu::COPY_BUFFER_ALIGNMENT,
            });
        }
        let range = probe.get_mapped_range(..);
        range.map(drop).map_err(|_| lost_before_submission())
    }

    /// Returns an error if the device was lost or reported an error, either outside all error
    /// scopes or in one resolved late.
    pub fn check_trouble(&self) -> Result<()> {
        self.open_verdicts().retain_mut(|verdict| match verdict.poll() {
            Poll::Pending => true,
            Poll::Ready(error) => {
                if let Some(error) = error {
                    record(&self.trouble, error.to_string());
                }
                false
            }
        });
        match &*self.trouble.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(reason) => Err(Error::DeviceLost { reason: reason.clone() }),
            None => Ok(()),
        }
    }
}

impl Drop for Context {
    /// wgpu waits without limit for a queue that it drops, and a driver may never finish. A device
    /// that is still busy is leaked instead. The caller waits for the caller's device, unless that
    /// device has timed out here.
    fn drop(&mut self) {
        let timeout = match (*self.overdue.get_mut(), self.own) {
            (true, _) => GRACE,
            (false, true) => self.timeout,
            (false, false) => return,
        };
        let idle = wgpu::PollType::Wait {
            submission_index: None,
            timeout: Some(timeout),
        };
        if matches!(self.device.poll(idle), Err(wgpu::PollError::Timeout)) {
            let _leaked = std::mem::ManuallyDrop::new(self.queue.clone());
        }
    }
}

/// Returns the error for a device that was lost before a submission. wgpu reports the loss of a
/// device only to its callback, and returns an invalid index for a submission that it refused; all
/// other errors of a submission are caught in an error scope.
fn lost_before_submission() -> Error {
    Error::DeviceLost {
        reason: "it accepts no more work".to_owned(),
    }
}

/// Keeps the first of several errors.
fn record(trouble: &Mutex<Option<String>>, reason: String) {
    trouble
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert(one_line(&reason));
}
