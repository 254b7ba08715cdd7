//! The checker on a device supplied by the caller, with frames that stay on the device.

use crate::base::config::Config;
use crate::base::error::{Error, Result};
use crate::base::waiting::Waiting;
use crate::checker::Checker;
use crate::device::adapters;
use crate::device::context::request_device;
use crate::engine::gpu::engine::GpuEngine;
use crate::engine::gpu::frame_rules::{FrameRules, RulesOf};
use crate::engine::gpu::recorded::{
    Capacity, FrameQuery, Recorded, RecordedAdjacency, RecordedContacts, RecordedEvents,
};
use crate::engine::gpu::sweeps::{RecordedSweep, SweepQuery};
use crate::engine::gpu::timer::{FrameTimer, FrameTimings, TimedBy};
use crate::outputs::adjacency_cpu::Direction;
use crate::regions::room::Room;
use crate::shapes::bodies::counts::BodyCounts;
use crate::shapes::bodies::set::Bodies;

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
            checker: Checker::on_gpu(engine, "the caller's device was asked for".to_owned()),
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

    /// Records a check into the caller's encoder. [`FrameQuery`] describes the boxes to check.
    ///
    /// Nothing is submitted, waited for, or read back. The boxes may be written by kernels recorded
    /// before, and the results, in the buffers of [`Recorded`], may be read by kernels recorded
    /// after. Any number of frames may go into one encoder or submission, each overwriting the
    /// results of the previous one. A frame with the same number of boxes in the same buffer as an
    /// earlier one creates no new buffers.
    ///
    /// Results that do not fit are cut off, and [`Outcome`](crate::gpu::Outcome) gives the sizes
    /// that were needed. Read it occasionally, and [`GpuChecker::reserve`] more.
    ///
    /// ```
    /// use obbligato::gpu::{FrameQuery, GpuChecker, Outcome};
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
    pub fn record(&mut self, encoder: &mut wgpu::CommandEncoder, query: FrameQuery<'_>) -> Result<Recorded> {
        self.engine()?.record(encoder, query)
    }

    /// Records a sweep into the caller's encoder: the pairs of boxes, capsules and spheres that may
    /// meet during a step, their times of impact, and the earliest time of each body. Nothing is
    /// submitted or waited for.
    ///
    /// The sweep misses nothing: every pair that [`Checker::sweep`] lists for the same numbers,
    /// with `dt` as `f64`, is among the impacts, at a time that is not later. The earliest time of
    /// a body is not later than that of its first impact there. Pairs that `f32` cannot decide are
    /// listed, too.
    ///
    /// If neither body turns, accelerates or is uncertain, the sweep distinguishes all pairs except
    /// those that pass each other within a 10,000th of the bodies' sizes and paths. Otherwise the
    /// time is that of enlarged bodies that contain the turning ones
    /// ([`ImpactRecord::CURVED`](crate::gpu::ImpactRecord::CURVED)).
    /// [`time_of_impact`](crate::time_of_impact) gives the true answer for a pair.
    ///
    /// [`Outcome::suspects`](crate::gpu::Outcome::suspects) counts bodies that are invalid or have
    /// invalid motions. The precision of the configuration has no effect. Takes 96 bytes per body
    /// in addition to the memory of a frame, and 16 for each pair of the capacity.
    ///
    /// ```
    /// use obbligato::gpu::{EarliestImpact, GpuChecker, SweepQuery};
    /// use obbligato::{Config, Motion, Obb, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let mut checker = GpuChecker::open(Config::default())?;
    /// let boxes = [0.0, 6.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
    /// let boxes = checker.upload(&boxes)?;
    /// let motions = checker.upload(&[Motion::linear(Vec3::new(8.0, 0.0, 0.0)), Motion::REST])?;
    ///
    /// let mut encoder = checker.device().create_command_encoder(&Default::default());
    /// let found = checker.record_sweep(&mut encoder, SweepQuery::new(&boxes, &motions, 2, 1.0))?;
    /// // Kernels that are recorded here can move each box up to its earliest impact.
    /// checker.queue().submit([encoder.finish()]);
    ///
    /// let earliest: Vec<EarliestImpact> = checker.read(&found.earliest, 2)?;
    /// assert_eq!([earliest[0].partner, earliest[1].partner], [1, 0]);
    /// assert!(earliest[0].time <= 0.5 && earliest[0].time > 0.499);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`GpuChecker::record`]; [`Error::InvalidStep`] if the step is not finite or negative,
    /// [`Error::Unavailable`] with a margin, and without [`Output::Pairs`](crate::Output::Pairs).
    /// All records of a sweep must fit one binding (96 bytes per body of any kind).
    pub fn record_sweep(&mut self, encoder: &mut wgpu::CommandEncoder, query: SweepQuery<'_>) -> Result<RecordedSweep> {
        self.engine()?.record_sweep(encoder, query)
    }

    /// Records a sort of the pairs of a frame by (a, b), in place in [`Recorded::pairs`].
    ///
    /// Goes into the encoder after the frame, and before the next one. Nothing is submitted or
    /// waited for. All stored pairs are sorted, even if not all pairs fit; undecided pairs stay in
    /// their own list. Takes as much memory again as the pairs, and 2 MiB. The first call creates
    /// the kernels and the memory, which are kept.
    ///
    /// A radix sort: its time grows with the number of pairs and with the digits of the number of
    /// boxes, six passes for a million.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) without
    /// [`Output::Pairs`](crate::Output::Pairs), and if contacts or closest points have been
    /// recorded for the pairs in their current order;
    /// [`Error::LimitExceeded`](crate::Error::LimitExceeded) beyond the device's limits,
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) beyond its memory.
    pub fn record_sort(&mut self, encoder: &mut wgpu::CommandEncoder, recorded: &Recorded) -> Result<()> {
        self.engine()?.record_sort(encoder, recorded)
    }

    /// Records a search for every box's partners among the pairs of a frame. It sorts the pairs
    /// first, as [`GpuChecker::record_sort`] does.
    ///
    /// For a frame of [`FrameQuery::against`], [`Direction::AToB`] gives a row to each box at rest,
    /// and [`Direction::BToA`] one to each mover. The number of partners of a box is the end of its
    /// row minus its begin, so pairs, marks and degrees are all available from one frame. If not
    /// all pairs fit ([`Outcome::complete`](crate::gpu::Outcome::complete) returns `false`), the
    /// rows hold the stored pairs.
    ///
    /// Takes 16 bytes for each pair of the capacity and 8 per row, in addition to the memory of the
    /// sort. In WGSL, the partners of box 7, and its contacts with them if
    /// [`GpuChecker::record_contacts`] comes after this call:
    ///
    /// ```wgsl
    /// for (var k = offsets[7]; k < offsets[8]; k++) { meet(7u, neighbours[k], manifolds[pairs[k]]); }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) without
    /// [`Output::Pairs`](crate::Output::Pairs), if contacts or closest points have been recorded
    /// for the pairs in another order, and for [`Direction::Both`] if the pairs are of two sets;
    /// [`Error::LimitExceeded`](crate::Error::LimitExceeded) beyond the device's limits,
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) beyond its memory.
    pub fn record_adjacency(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        direction: Direction,
    ) -> Result<RecordedAdjacency> {
        self.engine()?.record_adjacency(encoder, recorded, direction)
    }

    /// Records a comparison of a frame's pairs with those of the frame of the previous call: the
    /// pairs that begin and end, and with `persisting` also those that persist. For the first call,
    /// the previous frame has no pairs. It sorts the pairs first, as [`GpuChecker::record_sort`]
    /// does, and keeps a copy of them for the next frame.
    ///
    /// Goes into the encoder after the frame, and before the next one. Nothing is submitted or
    /// waited for. Boxes are identified from frame to frame by their positions. If not all pairs of
    /// a frame fit ([`Outcome::complete`](crate::gpu::Outcome::complete) returns `false`), the
    /// stored ones count. Undecided pairs stay in their own list and do not count. All events fit.
    /// If an encoder is dropped without being submitted, the next difference is from the last
    /// submitted frame.
    ///
    /// Takes 8 bytes for each pair of the capacity, and 24 for their events, in addition to the
    /// memory of the sort. Pairs are looked up by binary search: O(p log p).
    ///
    /// # Errors
    /// As [`GpuChecker::record_sort`].
    pub fn record_events(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        persisting: bool,
    ) -> Result<RecordedEvents> {
        self.engine()?.record_events(encoder, recorded, persisting)
    }

    /// Records the computation of the contact manifold of every pair of a frame of boxes, capsules
    /// and spheres: [`BodyRef::manifold`](crate::BodyRef::manifold) in `f32`.
    ///
    /// Goes into the encoder after the frame, and before the next one. Nothing is submitted or
    /// waited for. `max_points` is the capacity for points: a pair of boxes has up to eight,
    /// usually four, and any other pair one or two. Manifolds whose points do not fit have none,
    /// and [`RecordedContacts::counts`] gives the number that was needed. Undecided pairs stay in
    /// their own list and have no manifold. In frames with a margin, pairs that are apart have a
    /// manifold with [`ManifoldRecord::UNDECIDED`](crate::gpu::ManifoldRecord::UNDECIDED).
    ///
    /// Normal, depth, features and points are those of
    /// [`BodyRef::manifold`](crate::BodyRef::manifold) if `f32` can decide them. Its tolerance, the
    /// *slop*, is larger by about 2e-6 of the sum of the centers' distance and all half extents,
    /// half lengths and radii, and so are the errors of lengths. Edges of boxes at an angle of less
    /// than a 4,000th are treated as parallel, so the depth may exceed the minimum by that part of
    /// the size. For a pair with a round body, cores count as meeting if they are within about 1e-5
    /// of the size of each other.
    ///
    /// Takes 24 bytes for each pair of the capacity and 20 for each point. The first call creates
    /// the kernels and the memory, which are kept. Pairs of two boxes have one kernel and all other
    /// pairs another; a kernel runs only if it has pairs.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) without
    /// [`Output::Pairs`](crate::Output::Pairs), and for pairs of bounds or triangles;
    /// [`Error::LimitExceeded`](crate::Error::LimitExceeded) beyond the device's limits,
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) beyond its memory.
    pub fn record_contacts(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        max_points: u32,
    ) -> Result<RecordedContacts> {
        self.engine()?.record_contacts(encoder, recorded, max_points)
    }

    /// Records the computation of the distance and the closest points of every pair of a frame of
    /// boxes, capsules and spheres: [`BodyRef::closest_points`](crate::BodyRef::closest_points) in
    /// `f32`, a [`ClosestRecord`](crate::gpu::ClosestRecord) for each stored pair, in the order of
    /// [`Recorded::pairs`].
    ///
    /// This is useful after frames with a [`Config::margin`](crate::Config::margin), whose pairs
    /// may be apart. Goes into the encoder after the frame, and before the next one. Nothing is
    /// submitted or waited for. The returned buffer can be bound as a storage buffer and copied
    /// from. It belongs to the checker, and the next call overwrites it. Takes 32 bytes for each
    /// pair of the capacity. The first call creates the kernel and the memory, which are kept.
    ///
    /// # Errors
    /// As [`GpuChecker::record_contacts`].
    pub fn record_closest_points(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
    ) -> Result<wgpu::Buffer> {
        self.engine()?.record_closest_points(encoder, recorded)
    }

    /// Records a test of boxes, capsules and spheres against a room into the caller's encoder.
    /// Nothing is submitted or waited for.
    ///
    /// `bodies` holds the bodies of each kind, one kind after the other, as for
    /// [`FrameQuery::bodies`]; a plain number counts boxes. Absent kinds cost nothing.
    ///
    /// The returned buffer has a `u32` for each body, which
    /// [`Enclosure::from_bits`](crate::Enclosure::from_bits) decodes. The result is as exact as
    /// `f32` allows, and misses nothing: if it is undecided, the body has
    /// [`Enclosure::UNDECIDED`](crate::Enclosure::UNDECIDED), the walls that may be reached are in
    /// the mask, and the body is crossing unless it is certainly outside. [`Room::enclosure`] gives
    /// the true answer. Bodies that may be invalid have
    /// [`Enclosure::INVALID`](crate::Enclosure::INVALID).
    ///
    /// The buffer can be bound as a storage buffer and copied from. It belongs to the checker, and
    /// the next test against a room, recorded or not, overwrites it.
    ///
    /// # Errors
    /// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if the buffer is too short or cannot
    /// be bound, [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the device's limits are
    /// too low for 4 bytes per body in one buffer,
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) if its memory is too small,
    /// [`Error::TooManyBoxes`](crate::Error::TooManyBoxes).
    pub fn record_enclosures(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        room: &Room,
        bodies: &wgpu::Buffer,
        counts: impl Into<BodyCounts>,
    ) -> Result<wgpu::Buffer> {
        self.engine()?.record_enclosures(encoder, room, bodies, counts.into())
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
    /// use obbligato::gpu::{FrameQuery, GpuChecker, TimedBy};
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
    /// println!("{:.3} ms, of which {:.3} ms beside the kernels", timings.total, timings.other());
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

    fn engine(&mut self) -> Result<&mut GpuEngine> {
        self.checker.gpu().ok_or(Error::Unavailable {
            what: "a recorded frame",
            hint: "this checker runs on the CPU",
        })
    }
}
