//! The checker on a device supplied by the caller, with frames that stay on the device.

use crate::base::config::Config;
use crate::base::error::{Error, Result};
use crate::base::waiting::Waiting;
use crate::checker::Checker;
use crate::device::adapters;
use crate::device::requests::request_device;
use crate::engine::gpu::engine::GpuEngine;
use crate::engine::gpu::frame_rules::{FrameRules, RulesOf};
use crate::engine::gpu::recorded::Capacity;
use crate::engine::gpu::timer::{FrameTimer, FrameTimings, TimedBy};
use crate::questions::recording::{Recordable, Recorder};
use crate::shapes::bodies::set::Bodies;
#[cfg(doc)]
use crate::{
    engine::gpu::recorded::FrameQuery,
    engine::gpu::sweeps::SweepQuery,
    questions::recording::{
        AdjacencyOf, ClosestPointsOf, ContactsOf, EnclosuresOf, EventsOf, NearestOf, OverlapsOf, SortPairs,
    },
};

/// Finds every colliding pair on a device supplied by the caller.
///
/// Frames that it records stay on the device. [`GpuChecker::checker`] provides everything else that
/// a [`Checker`] does, on the same device. The device needs none of the optional features;
/// [`required_features`](crate::gpu::required_features) and
/// [`required_limits`](crate::gpu::required_limits) list those that make it faster and allow larger
/// scenes. Handlers that the caller has set on the device stay in place. Recording never waits for
/// the device.
///
/// Applications that have no device yet can [open](GpuChecker::open) one with the checker.
pub struct GpuChecker {
    checker: Checker,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl GpuChecker {
    /// Compiles the shaders for `device`.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if the device cannot run them,
    /// [`Error::InvalidMargin`](crate::Error::InvalidMargin) if [`Config::margin`] is not a
    /// distance.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, config: Config) -> Result<Self> {
        let engine = GpuEngine::on_device(device, queue, config)?;
        Ok(Self {
            checker: Checker::on_gpu(engine, "the caller supplied the device".to_owned()),
            device: device.clone(),
            queue: queue.clone(),
        })
    }

    /// Opens a device for the application, with every feature and limit that a checker uses, and
    /// compiles the shaders for it.
    ///
    /// The adapter is the one that [`Config::adapter`](crate::Config::adapter) names, or else the
    /// best one, which may be a software adapter. [`Config::backend`](crate::Config::backend) is
    /// ignored. The caller is responsible for the handlers of the device. An application that draws
    /// needs an adapter that suits its window, and passes its device to [`GpuChecker::new`].
    ///
    /// # Errors
    /// [`Error::NoAdapter`](crate::Error::NoAdapter) if there is no adapter, or none of that name;
    /// otherwise as [`GpuChecker::new`].
    pub fn open(config: Config) -> Result<Self> {
        pollster::block_on(Self::open_async(config))
    }

    /// Performs [`GpuChecker::open`] without blocking.
    pub async fn open_async(config: Config) -> Result<Self> {
        let (device, queue) = request_device(&adapters::choose_gpu(&config).await?).await?;
        Self::new(&device, &queue, config)
    }

    /// Returns the device.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// Returns the queue of the device.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Returns a checker on the same device that returns its results to the host. It shares its
    /// memory with recorded frames.
    pub fn checker(&mut self) -> &mut Checker {
        &mut self.checker
    }

    /// Reserves memory for recorded frames, so that they need no new buffers and store all their
    /// results.
    ///
    /// Without it, [`GpuChecker::record`] reserves memory for its boxes, for
    /// [`GpuConfig::initial_candidates`] candidate pairs, and for [`Config::max_pairs`] or
    /// [`GpuConfig::initial_pairs`] colliding ones. Buffers never shrink. Buffers that must grow
    /// are replaced; frames recorded before keep the old ones.
    ///
    /// # Errors
    /// [`Error::LimitExceeded`](crate::Error::LimitExceeded) beyond the device's limits,
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) beyond its memory,
    /// [`Error::DeviceLost`](crate::Error::DeviceLost) if the device is lost.
    ///
    /// [`Config::max_pairs`]: crate::Config::max_pairs
    /// [`GpuConfig::initial_candidates`]: crate::GpuConfig::initial_candidates
    /// [`GpuConfig::initial_pairs`]: crate::GpuConfig::initial_pairs
    pub fn reserve(&mut self, capacity: Capacity) -> Result<()> {
        self.engine()?.reserve(capacity)
    }

    /// Uploads rules for frames. [`RulesOf`] names the sets they apply to.
    ///
    /// # Errors
    /// [`Error::TooManyBoxes`](crate::Error::TooManyBoxes) if they apply to more boxes than 32 bits
    /// can number, [`Error::InvalidRule`](crate::Error::InvalidRule) if their lengths do not match
    /// the number of boxes, [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the excluded
    /// pairs are too many for a buffer, [`Error::ForeignScene`](crate::Error::ForeignScene) if a
    /// scene is of another device, [`Error::OutOfMemory`](crate::Error::OutOfMemory) and
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory).
    pub fn upload_rules(&mut self, rules: RulesOf<'_>) -> Result<FrameRules> {
        FrameRules::upload(&self.engine()?.context, rules)
    }

    /// Records a question into the caller's encoder: a check ([`FrameQuery`]), a sweep
    /// ([`SweepQuery`]), or one about a frame that has been recorded ([`SortPairs`],
    /// [`AdjacencyOf`], [`NearestOf`], [`EventsOf`], [`ContactsOf`], [`ClosestPointsOf`],
    /// [`OverlapsOf`]) or about a room ([`EnclosuresOf`]).
    ///
    /// Nothing is submitted, waited for, or read back. The boxes may be written by kernels recorded
    /// before, and the results, in the buffers of [`Recorded`](crate::gpu::Recorded), may be read
    /// by kernels recorded after. Any number of frames may go into one encoder or submission, each
    /// overwriting the results of the previous one. A frame with the same number of boxes in the
    /// same buffer as an earlier one creates no new buffers.
    ///
    /// Results that do not fit are cut off, and [`Outcome`](crate::gpu::Outcome) gives the sizes
    /// that were needed. Read it occasionally, and [`GpuChecker::reserve`] more.
    ///
    /// ```
    /// use obbligato::{gpu::{FrameQuery, Outcome}, GpuChecker};
    /// use obbligato::{Config, Obb, Pair, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let mut checker = GpuChecker::open(Config::default())?;
    /// let (device, queue) = (checker.device().clone(), checker.queue().clone());
    /// let boxes = [0.0, 1.5, 9.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
    /// // Any storage buffer will do; kernels of the application's may write it.
    /// let buffer = checker.upload(&boxes)?;
    ///
    /// let mut encoder = device.create_command_encoder(&Default::default());
    /// let found = checker.record(&mut encoder, FrameQuery::boxes(&buffer, 3))?;
    /// // Kernels that are recorded here can read `found.pairs`, and be dispatched by `found.outcome`.
    /// queue.submit([encoder.finish()]);
    ///
    /// // Only to look at them.
    /// let outcome: Outcome = checker.read(&found.outcome, 1)?[0];
    /// assert_eq!(outcome.complete, 1);
    /// let pairs: Vec<Pair> = checker.read(&found.pairs, outcome.pairs)?;
    /// assert_eq!(pairs, [Pair::new(0, 1)]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Checks that return to the host split their work into submissions of half a second. A
    /// recorded frame is never split. If the driver kills GPU work that takes seconds, use a check
    /// to measure how long such a scene takes.
    ///
    /// # Errors
    /// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if the buffer is too short or cannot
    /// be bound; [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the device's limits are
    /// too low for this many boxes (recorded frames are not checked in parts),
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) if its memory is too small;
    /// [`Error::InvalidRule`](crate::Error::InvalidRule) if rules do not apply to such a frame,
    /// [`Error::ForeignScene`](crate::Error::ForeignScene) if a scene is of another device.
    pub fn record<Q: Recordable>(&mut self, encoder: &mut wgpu::CommandEncoder, question: Q) -> Result<Q::Recorded> {
        question.record(Recorder(self.engine()?), encoder)
    }

    /// Creates a buffer with these records, which frames and kernels can read, kernels can write,
    /// and [`GpuChecker::read`] can copy. It is a storage buffer that can be copied from and to. A
    /// buffer of no records has the size of one.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) if the device has no memory
    /// for it, [`Error::LimitExceeded`](crate::Error::LimitExceeded) if it exceeds the device's
    /// largest buffer size.
    pub fn upload<T: bytemuck::Pod>(&mut self, records: &[T]) -> Result<wgpu::Buffer> {
        self.engine()?.upload(records)
    }

    /// Creates a buffer of bodies in the layout that [`FrameQuery::bodies`] and
    /// [`SweepQuery::bodies`] read, as [`GpuChecker::upload`] does.
    ///
    /// # Errors
    /// As [`GpuChecker::upload`]; [`Error::OutOfMemory`](crate::Error::OutOfMemory), because they
    /// are assembled on the host.
    pub fn upload_bodies<'a>(&mut self, bodies: impl Into<Bodies<'a>>) -> Result<wgpu::Buffer> {
        self.engine()?.upload_bodies(bodies.into())
    }

    /// Copies the first `count` records of a buffer to the host. Waits until all submitted work is
    /// done.
    ///
    /// Intended for tests and for an occasional look at results; frames that stay on the device do
    /// not need it.
    ///
    /// # Errors
    /// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if the buffer is too short, lacks the
    /// usage `COPY_SRC`, or if the size of the records in bytes is not a multiple of 4;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory),
    /// [`Error::DeviceLost`](crate::Error::DeviceLost), [`Error::Timeout`](crate::Error::Timeout)
    /// and [`Error::Gpu`](crate::Error::Gpu) if memory runs out or the device fails.
    pub fn read<T: bytemuck::Pod>(&mut self, buffer: &wgpu::Buffer, count: u32) -> Result<Vec<T>> {
        pollster::block_on(self.engine()?.waiting(Waiting::Blocking).read(buffer, count))
    }

    /// Performs [`GpuChecker::read`] without blocking the thread.
    pub async fn read_async<T: bytemuck::Pod>(&mut self, buffer: &wgpu::Buffer, count: u32) -> Result<Vec<T>> {
        self.engine()?.waiting(Waiting::Background).read(buffer, count).await
    }

    /// Creates a timer for up to 64 recorded frames, or 21 if each kernel is timed. Pass it to
    /// [`FrameQuery::timed`], and read it with [`GpuChecker::timings`].
    ///
    /// ```
    /// use obbligato::{gpu::{FrameQuery, TimedBy}, GpuChecker};
    /// use obbligato::{Config, Obb, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let mut checker = GpuChecker::open(Config::default())?;
    /// let boxes = checker.upload(&[0.0, 1.5].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE)))?;
    /// # if !checker.device().features().contains(obbligato::wgpu::Features::TIMESTAMP_QUERY) { return Ok(()); }
    /// let timer = checker.timer(TimedBy::Kernel)?;
    /// let mut encoder = checker.device().create_command_encoder(&Default::default());
    /// checker.record(&mut encoder, FrameQuery::boxes(&boxes, 2).timed(&timer))?;
    /// checker.queue().submit([encoder.finish()]);
    ///
    /// let timings = checker.timings(&timer)?;
    /// println!("{:.3} ms, of which {:.3} ms outside the kernels", timings.total, timings.other());
    /// for kernel in &timings.kernels {
    ///     println!("{} {:.3} ms", kernel.kernel, kernel.time);
    /// }
    /// # assert!(timings.kernels.iter().any(|kernel| kernel.kernel == "grid_pairs"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Frames without a timer write no timestamps.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) without timestamps: the device has none,
    /// or [`GpuConfig::timestamps`](crate::GpuConfig::timestamps) is off.
    pub fn timer(&mut self, by: TimedBy) -> Result<FrameTimer> {
        self.engine()?.timer(by)
    }

    /// Returns the GPU times of the frames of a timer. Waits until they are done; the timer can
    /// then be reused. Frames that have not been submitted have times of 0.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) if the timer belongs to another checker;
    /// as [`GpuChecker::read`] if the device fails.
    pub fn timings(&mut self, timer: &FrameTimer) -> Result<FrameTimings> {
        pollster::block_on(self.engine()?.waiting(Waiting::Blocking).timings(timer))
    }

    /// Performs [`GpuChecker::timings`] without blocking the thread.
    pub async fn timings_async(&mut self, timer: &FrameTimer) -> Result<FrameTimings> {
        self.engine()?.waiting(Waiting::Background).timings(timer).await
    }

    /// Creates another checker on the same device, which shares the compiled shaders.
    #[cfg(any(test, feature = "unstable"))]
    pub(crate) fn beside(&mut self, config: Config) -> Result<Self> {
        let engine = self.engine()?.beside(config)?;
        Ok(Self {
            checker: Checker::on_gpu(engine, "the caller supplied the device".to_owned()),
            device: self.device.clone(),
            queue: self.queue.clone(),
        })
    }

    fn engine(&mut self) -> Result<&mut GpuEngine> {
        self.checker.gpu().ok_or(Error::Unavailable {
            what: "a recorded frame",
            hint: "this checker runs on the CPU",
        })
    }
}

/// The checker that returns its results to the host, without the recording of frames.
impl From<GpuChecker> for Checker {
    fn from(checker: GpuChecker) -> Self {
        checker.checker
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::config::GpuConfig;

    #[test]
    fn checkers_that_share_kernels_compile_each_once() {
        let mut first = GpuChecker::open(Config::default()).expect("an adapter");
        let mut beside = |gpu| {
            let config = Config {
                gpu,
                ..Config::default()
            };
            let mut checker = first.beside(config).expect("a checker");
            checker.engine().expect("a GPU").context.shared_pipelines.len()
        };
        let compiled = beside(GpuConfig::default());
        assert!(compiled > 0);
        assert_eq!(beside(GpuConfig::default()), compiled);
        // Bounds checks are compiled in.
        let checked = GpuConfig {
            shader_checks: true,
            ..GpuConfig::default()
        };
        assert_eq!(beside(checked), 2 * compiled);
        let mut alone = GpuChecker::open(Config::default()).expect("an adapter");
        assert_eq!(alone.engine().expect("a GPU").context.shared_pipelines.len(), compiled);
    }
}
