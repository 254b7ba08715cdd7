//! The checker on a device of the caller's, with frames that stay on it.

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

/// Finds every colliding pair on a device of the caller's.
///
/// Frames that it records stay on the device; [`GpuChecker::checker`] does all else that a [`Checker`] does, there. The device
/// needs none of the optional features; [`required_features`](crate::gpu::required_features) and
/// [`required_limits`](crate::gpu::required_limits) name what makes it faster and its scenes larger. Handlers that the caller
/// has set on the device stay in place. Recording never waits for the device.
///
/// Applications that have no device yet [open](GpuChecker::open) one with the checker.
pub struct GpuChecker {
    checker: Checker,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl GpuChecker {
    /// Compiles the shaders for `device`.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if the device cannot run them, [`Error::InvalidMargin`](crate::Error::InvalidMargin) if [`Config::margin`] is not a distance.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, config: Config) -> Result<Self> {
        let engine = GpuEngine::on_device(device, queue, config)?;
        Ok(Self {
            checker: Checker::on_gpu(engine, "the caller's device was asked for".to_owned()),
            device: device.clone(),
            queue: queue.clone(),
        })
    }

    /// Opens a device for the application, with all that a checker makes use of, and compiles the shaders for it.
    ///
    /// The adapter is the one that [`Config::adapter`](crate::Config::adapter) names, else the best, which may be a software
    /// one; [`Config::backend`](crate::Config::backend) has no say. Handlers of the device are left to the caller. An
    /// application that draws needs an adapter that suits its window, and hands its device to [`GpuChecker::new`].
    ///
    /// # Errors
    /// [`Error::NoAdapter`](crate::Error::NoAdapter) if there is no adapter, or none of that name; else as [`GpuChecker::new`].
    pub fn open(config: Config) -> Result<Self> {
        pollster::block_on(Self::open_async(config))
    }

    /// [`GpuChecker::open`] without blocking.
    pub async fn open_async(config: Config) -> Result<Self> {
        let (device, queue) = request_device(&adapters::choose_gpu(&config).await?).await?;
        Self::new(&device, &queue, config)
    }

    /// The device.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// Its queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Checks on the same device that return to the host. They share their memory with recorded frames.
    pub fn checker(&mut self) -> &mut Checker {
        &mut self.checker
    }

    /// Makes room for recorded frames, so that they need no new buffers and store all they find.
    ///
    /// Without it, [`GpuChecker::record`] makes room for its boxes, for [`GpuConfig::initial_candidates`] candidate pairs,
    /// and for [`Config::max_pairs`] or [`GpuConfig::initial_pairs`] colliding ones. Nothing ever shrinks. Buffers that have to grow
    /// are replaced: what was recorded before keeps the old ones.
    ///
    /// # Errors
    /// [`Error::LimitExceeded`](crate::Error::LimitExceeded) beyond the device's limits, [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) beyond its memory,
    /// [`Error::DeviceLost`](crate::Error::DeviceLost) if the device is lost.
    ///
    /// [`Config::max_pairs`]: crate::Config::max_pairs
    /// [`GpuConfig::initial_candidates`]: crate::GpuConfig::initial_candidates
    /// [`GpuConfig::initial_pairs`]: crate::GpuConfig::initial_pairs
    pub fn reserve(&mut self, capacity: Capacity) -> Result<()> {
        self.engine()?.reserve(capacity)
    }

    /// Uploads rules for frames; [`RulesOf`] says about what.
    ///
    /// # Errors
    /// [`Error::TooManyBoxes`](crate::Error::TooManyBoxes) if they are about more than 32 bits number,
    /// [`Error::InvalidRule`](crate::Error::InvalidRule) if they do not fit so many boxes, [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the excluded pairs are too many
    /// for a buffer, [`Error::ForeignScene`](crate::Error::ForeignScene) if a scene is of another device, [`Error::OutOfMemory`](crate::Error::OutOfMemory) and
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory).
    pub fn upload_rules(&mut self, rules: RulesOf<'_>) -> Result<FrameRules> {
        FrameRules::upload(&self.engine()?.context, rules)
    }

    /// Records a check into the caller's encoder; [`FrameQuery`] says of what.
    ///
    /// Nothing is submitted, waited for, or read back: the boxes may be written by kernels recorded before, and the
    /// results, in the buffers of [`Recorded`], be read by kernels recorded after. Any number of frames may go into one
    /// encoder or submission, each overwriting the results of the one before. A frame of as many boxes in the same
    /// buffer as one before makes no new buffers.
    ///
    /// Results that do not fit are cut off, and [`Outcome`](crate::gpu::Outcome) tells what was needed: read it now and then, and
    /// [`GpuChecker::reserve`] more.
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
    /// Checks that return to the host cut their work into submissions of half a second. A recorded frame is never cut: if drivers end
    /// what keeps the GPU for seconds, let the checker find out with a check how long such a scene takes.
    ///
    /// # Errors
    /// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if the buffer is too short or cannot be bound; [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the device's limits
    /// are too low for so many boxes (recorded frames are not checked in parts), [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) if its
    /// memory is; [`Error::InvalidRule`](crate::Error::InvalidRule) if rules are not about such a frame, [`Error::ForeignScene`](crate::Error::ForeignScene) if a scene is of another
    /// device.
    pub fn record(&mut self, encoder: &mut wgpu::CommandEncoder, query: FrameQuery<'_>) -> Result<Recorded> {
        self.engine()?.record(encoder, query)
    }

    /// Records a sweep into the caller's encoder: the pairs of boxes, capsules and balls that may meet during a step, when, and the earliest
    /// time of each body. Nothing is submitted or waited for.
    ///
    /// It misses nothing: every pair that [`Checker::sweep`] lists for the same numbers, with `dt` as `f64`, is among the impacts, at a
    /// time that is not later, and the earliest time of a body is not later than that of its first impact there. What `f32` cannot tell
    /// apart is listed, too. If neither body turns, accelerates or is uncertain, it tells apart all but what passes within a 10,000th
    /// of sizes and ways; else the time is that of bodies so large that they hold what turns ([`ImpactRecord::CURVED`](crate::gpu::ImpactRecord::CURVED)).
    /// [`time_of_impact`](crate::time_of_impact) has the true answer for a pair.
    ///
    /// [`Outcome::suspects`](crate::gpu::Outcome::suspects) counts bodies that are not valid, or whose motions are not; the precision of the
    /// configuration does not matter. Takes 96 bytes a body beside what a frame takes, and 16 for each pair that there is room for.
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
    /// As [`GpuChecker::record`]; [`Error::InvalidStep`] if the step is not finite or negative, [`Error::Unavailable`] with a margin, and
    /// without [`Output::Pairs`](crate::Output::Pairs). All records of a sweep must fit one binding (96 bytes a body of any kind).
    pub fn record_sweep(&mut self, encoder: &mut wgpu::CommandEncoder, query: SweepQuery<'_>) -> Result<RecordedSweep> {
        self.engine()?.record_sweep(encoder, query)
    }

    /// Records what sorts the pairs of a frame by (a, b): the same pairs, where they are, in [`Recorded::pairs`].
    ///
    /// Goes into the encoder after the frame, and before the next one. Nothing is submitted or waited for. The pairs that are
    /// stored are sorted, also if there was not room for all; those that are undecided stay in their list. Takes as much
    /// memory again as the pairs, and 2 MiB; kernels and memory are made by the first call, and kept.
    ///
    /// A radix sort: its time grows with the pairs that there are, and with the digits of the number of boxes, six passes
    /// for a million.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) without [`Output::Pairs`](crate::Output::Pairs), and if contacts or closest points
    /// have been recorded for the pairs in the order in which they are; [`Error::LimitExceeded`](crate::Error::LimitExceeded) beyond the device's
    /// limits, [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) beyond its memory.
    pub fn record_sort(&mut self, encoder: &mut wgpu::CommandEncoder, recorded: &Recorded) -> Result<()> {
        self.engine()?.record_sort(encoder, recorded)
    }

    /// Records what finds every box's partners among the pairs of a frame. It sorts the pairs first, as
    /// [`GpuChecker::record_sort`] does.
    ///
    /// Of a frame of [`FrameQuery::against`], [`Direction::AToB`] gives a row to each box at rest, [`Direction::BToA`] one
    /// to each mover. How many partners a box has is where its row ends less where it begins, so that pairs, marks and degrees
    /// can be had from one frame. If there was not room for all pairs, which [`Outcome::complete`](crate::gpu::Outcome::complete) tells, the
    /// rows hold those that are stored.
    ///
    /// Takes 16 bytes a pair there is room for and 8 a row, beside what sorting takes. The partners of box 7, and its contacts with
    /// them if [`GpuChecker::record_contacts`] comes after this call, in WGSL:
    ///
    /// ```wgsl
    /// for (var k = offsets[7]; k < offsets[8]; k++) { meet(7u, neighbours[k], manifolds[pairs[k]]); }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) without [`Output::Pairs`](crate::Output::Pairs), if contacts or closest points have been
    /// recorded for the pairs in another order, and for [`Direction::Both`] if the pairs are of
    /// two sets; [`Error::LimitExceeded`](crate::Error::LimitExceeded) beyond the device's limits, [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) beyond its memory.
    pub fn record_adjacency(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        direction: Direction,
    ) -> Result<RecordedAdjacency> {
        self.engine()?.record_adjacency(encoder, recorded, direction)
    }

    /// Records what finds the pairs that begin and end with a frame, and with `persisting` those that persist, too: the difference from the
    /// frame for which it was recorded before, of which there is none at first. It sorts the pairs first, as [`GpuChecker::record_sort`] does, and
    /// keeps a copy of them for the next frame.
    ///
    /// Goes into the encoder after the frame, and before the next one; nothing is submitted or waited for. Boxes are the same from frame to
    /// frame if their positions are. Of frames without room for all pairs, which [`Outcome::complete`](crate::gpu::Outcome::complete) tells, those that are stored count; those
    /// that are undecided stay in their list, and are no pairs. There is room for all events. If an encoder is dropped without being submitted,
    /// the next difference is from the last frame that was.
    ///
    /// Takes 8 bytes for each pair there is room for, and 24 for their events, beside what sorting takes. A pair is looked up by halving: O(p log p).
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

    /// Records what finds the contact manifold of every pair of a frame of boxes, capsules and balls:
    /// [`BodyRef::manifold`](crate::BodyRef::manifold) in `f32`.
    ///
    /// Goes into the encoder after the frame, and before the next one; nothing is submitted or waited for. There is room for
    /// `max_points` points, of which a pair of boxes has up to eight, four as a rule, and any other one or two; manifolds whose points do not fit have none, and
    /// [`RecordedContacts::counts`] tells what was needed. Pairs that are undecided stay in their list and have no manifold. Of frames
    /// with a margin, pairs that are apart have a manifold that says [`ManifoldRecord::UNDECIDED`](crate::gpu::ManifoldRecord::UNDECIDED).
    ///
    /// Normal, depth, features and points are those of [`BodyRef::manifold`](crate::BodyRef::manifold) where `f32` can tell; its tolerance, the *slop*, is larger
    /// by some 2e-6 of the distance of the centers and all half extents, half lengths and radii together, and so are the errors of lengths. Edges of boxes
    /// at an angle of less than a 4,000th are taken as parallel, so the depth may be larger than the least by that part of the size. Of a body that is
    /// round, cores count as meeting if they are within some 1e-5 of the size of each other.
    ///
    /// Takes 24 bytes a pair there is room for and 20 a point; kernels and memory are made by the first call, and kept. Pairs of two boxes and all
    /// others have a kernel each, of which those run that have pairs.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) without [`Output::Pairs`](crate::Output::Pairs), and for pairs of bounds or triangles; [`Error::LimitExceeded`](crate::Error::LimitExceeded)
    /// beyond the device's limits, [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) beyond its memory.
    pub fn record_contacts(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        max_points: u32,
    ) -> Result<RecordedContacts> {
        self.engine()?.record_contacts(encoder, recorded, max_points)
    }

    /// Records what finds the distance and the closest points of every pair of a frame of boxes, capsules and balls:
    /// [`BodyRef::closest_points`](crate::BodyRef::closest_points) in `f32`, a [`ClosestRecord`](crate::gpu::ClosestRecord) for each stored pair, in the order of [`Recorded::pairs`].
    ///
    /// It is of use after frames with a [`Config::margin`](crate::Config::margin), whose pairs may be apart. Goes into the
    /// encoder after the frame, and before the next one; nothing is submitted or waited for. The buffer that is returned can be bound as
    /// a storage buffer and copied from; it belongs to the checker, and the next call writes into it again. Takes 32 bytes a pair there
    /// is room for; kernel and memory are made by the first call, and kept.
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

    /// Records how boxes, capsules and balls lie to a room into the caller's encoder. Nothing is submitted or waited for.
    ///
    /// `bodies` holds so many of each kind, one after the other, as with [`FrameQuery::bodies`]; a number alone is one of boxes. Kinds
    /// of which there are none cost nothing.
    ///
    /// The buffer that is returned has a `u32` for each body, which [`Enclosure::from_bits`](crate::Enclosure::from_bits) explains. It is what `f32` can tell,
    /// and misses nothing: where it cannot decide, the body has [`Enclosure::UNDECIDED`](crate::Enclosure::UNDECIDED), the walls that may be reached are
    /// in the mask, and the body is crossing unless it is surely outside. [`Room::enclosure`] has the true answer. Bodies that
    /// may not be valid have [`Enclosure::INVALID`](crate::Enclosure::INVALID).
    ///
    /// The buffer can be bound as a storage buffer and copied from. It belongs to the checker, and the next room that is
    /// recorded or looked at writes into it again.
    ///
    /// # Errors
    /// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if the buffer is too short or cannot be bound, [`Error::LimitExceeded`](crate::Error::LimitExceeded) if the device's
    /// limits are too low for 4 bytes a body in one buffer, [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) if its memory is,
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

    /// A new buffer with these records, which frames and kernels can read, kernels write, and [`GpuChecker::read`] copy: a storage
    /// buffer that can be copied from and to. That of no records has room for one.
    ///
    /// # Errors
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) if the device has no memory for it,
    /// [`Error::LimitExceeded`](crate::Error::LimitExceeded) if no buffer of the device can be so large.
    pub fn upload<T: bytemuck::Pod>(&mut self, records: &[T]) -> Result<wgpu::Buffer> {
        self.engine()?.upload(records)
    }

    /// The same with bodies, as [`FrameQuery::bodies`] and [`SweepQuery::bodies`] read them.
    ///
    /// # Errors
    /// As [`GpuChecker::upload`]; [`Error::OutOfMemory`](crate::Error::OutOfMemory), as they are put together on the host.
    pub fn upload_bodies<'a>(&mut self, bodies: impl Into<Bodies<'a>>) -> Result<wgpu::Buffer> {
        self.engine()?.upload_bodies(bodies.into())
    }

    /// Copies the first `count` records of a buffer to the host, once all that has been submitted is done. Waits for that.
    ///
    /// For a look at results now and then, and for tests: frames that stay on the device need none of it.
    ///
    /// # Errors
    /// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) if the buffer is too short, lacks the usage `COPY_SRC`, or if the
    /// records have a number of bytes that is no multiple of 4; [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory), [`Error::DeviceLost`](crate::Error::DeviceLost),
    /// [`Error::Timeout`](crate::Error::Timeout) and [`Error::Gpu`](crate::Error::Gpu) if memory runs out or the device fails.
    pub fn read<T: bytemuck::Pod>(&mut self, buffer: &wgpu::Buffer, count: u32) -> Result<Vec<T>> {
        pollster::block_on(self.engine()?.waiting(Waiting::Blocking).read(buffer, count))
    }

    /// [`GpuChecker::read`] without blocking the thread.
    pub async fn read_async<T: bytemuck::Pod>(&mut self, buffer: &wgpu::Buffer, count: u32) -> Result<Vec<T>> {
        self.engine()?.waiting(Waiting::Background).read(buffer, count).await
    }

    /// A timer for up to 64 recorded frames, or 21 if each kernel is timed: name it with [`FrameQuery::timed`], and read it with [`GpuChecker::timings`].
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
    /// [`Error::Unavailable`](crate::Error::Unavailable) without timestamps: the device has none, or
    /// [`GpuConfig::timestamps`](crate::GpuConfig::timestamps) is off.
    pub fn timer(&mut self, by: TimedBy) -> Result<FrameTimer> {
        self.engine()?.timer(by)
    }

    /// How long the frames of a timer took on the GPU. Waits until they are done; the timer can be used anew. Of frames that
    /// have not been submitted the times are 0.
    ///
    /// # Errors
    /// [`Error::Unavailable`](crate::Error::Unavailable) if the timer is another checker's; as [`GpuChecker::read`] if the device fails.
    pub fn timings(&mut self, timer: &FrameTimer) -> Result<FrameTimings> {
        pollster::block_on(self.engine()?.waiting(Waiting::Blocking).timings(timer))
    }

    /// [`GpuChecker::timings`] without blocking the thread.
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
