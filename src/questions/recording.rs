//! The questions that a GPU answers in the caller's frame.

use crate::base::error::Result;
use crate::engine::gpu::contact_results::RecordedContacts;
use crate::engine::gpu::engine::GpuEngine;
use crate::engine::gpu::event_results::RecordedEvents;
use crate::engine::gpu::nearest_results::RecordedNearest;
use crate::engine::gpu::pair_results::RecordedAdjacency;
use crate::engine::gpu::recorded::{FrameQuery, Recorded};
use crate::engine::gpu::sweeps::{RecordedSweep, SweepQuery};
use crate::outputs::adjacency_cpu::Direction;
use crate::regions::room::Room;
use crate::shapes::bodies::counts::BodyCounts;

/// A question that [`GpuChecker::record`](crate::GpuChecker::record) records into the caller's
/// encoder.
///
/// [`FrameQuery`] and [`SweepQuery`] are about buffers of bodies. The others are about a frame that
/// has been recorded: they go into the encoder after it and before the next one.
pub trait Recordable {
    /// The buffers that will hold the answer.
    type Recorded;

    /// Records the question.
    #[doc(hidden)]
    fn record(self, recorder: Recorder<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<Self::Recorded>;
}

/// The engine that records.
pub struct Recorder<'a>(pub(crate) &'a mut GpuEngine);

impl Recordable for FrameQuery<'_> {
    type Recorded = Recorded;

    fn record(self, recorder: Recorder<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<Self::Recorded> {
        recorder.0.record(encoder, self)
    }
}

impl Recordable for SweepQuery<'_> {
    type Recorded = RecordedSweep;

    fn record(self, recorder: Recorder<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<Self::Recorded> {
        recorder.0.record_sweep(encoder, self)
    }
}

/// A sort of the pairs of a frame by (a, b), in place in [`Recorded::pairs`].
///
/// Goes into the encoder after the frame, and before the next one. Nothing is submitted or
/// waited for. All stored pairs are sorted, even if not all pairs fit; undecided pairs stay in
/// their own list. Takes as much memory again as the pairs, and 2 MiB. The first call creates
/// the kernels and the memory, which are kept.
///
/// [`AdjacencyOf`] and [`EventsOf`] sort the pairs, too, unless they are sorted by commands that
/// have been recorded. These must then be submitted.
///
/// In a frame with images, the order is that of the positions of both bodies, the smaller one
/// first: that of the pairs that a check with [`Query::periodic`](crate::Query::periodic) returns.
/// The pairs themselves still refer to images. That takes 12 bytes more for each pair of the
/// capacity.
///
/// A radix sort: its time grows with the number of pairs and with the digits of the number of
/// boxes, six passes for a million.
///
/// # Errors
/// [`Error::Unavailable`](crate::Error::Unavailable) without
/// [`Output::Pairs`](crate::Output::Pairs), and if contacts, closest points or overlaps have been
/// recorded for the pairs in their current order;
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) beyond the device's limits,
/// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) beyond its memory.
#[derive(Clone, Copy, Debug)]
pub struct SortPairs<'a>(pub &'a Recorded);

impl Recordable for SortPairs<'_> {
    type Recorded = ();

    fn record(self, recorder: Recorder<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<Self::Recorded> {
        recorder.0.record_sort(encoder, self.0).map(drop)
    }
}

/// A search for every box's partners among the pairs of a frame. It sorts the pairs
/// first, as [`SortPairs`] does.
///
/// For a frame of [`FrameQuery::against`], [`Direction::AToB`] gives a row to each box at rest,
/// and [`Direction::BToA`] one to each mover. The number of partners of a box is the end of its
/// row minus its begin, so pairs, marks and degrees are all available from one frame. If not
/// all pairs fit ([`Outcome::complete`](crate::gpu::Outcome::complete) returns `false`), the
/// rows hold the stored pairs.
///
/// In a frame with images, there is a row for each body, and its partners are bodies: one that it
/// meets in several images is there as often. [`RecordedAdjacency::pairs`] leads to the image.
///
/// Takes 16 bytes for each pair of the capacity and 8 per row, in addition to the memory of the
/// sort. In WGSL, the partners of box 7, and its contacts with them if
/// [`ContactsOf`] comes after this call:
///
/// ```wgsl
/// for (var k = offsets[7]; k < offsets[8]; k++) { meet(7u, neighbours[k], manifolds[pairs[k]]); }
/// ```
///
/// # Errors
/// [`Error::Unavailable`](crate::Error::Unavailable) without
/// [`Output::Pairs`](crate::Output::Pairs), if contacts, closest points or overlaps have been
/// recorded for the pairs in another order, and for [`Direction::Both`] if the pairs are of two
/// sets;
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) beyond the device's limits,
/// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) beyond its memory.
#[derive(Clone, Copy, Debug)]
pub struct AdjacencyOf<'a> {
    recorded: &'a Recorded,
    direction: Direction,
}

impl<'a> AdjacencyOf<'a> {
    /// The partners in this direction among the pairs of a frame.
    pub fn new(recorded: &'a Recorded, direction: Direction) -> Self {
        Self { recorded, direction }
    }
}

impl Recordable for AdjacencyOf<'_> {
    type Recorded = RecordedAdjacency;

    fn record(self, recorder: Recorder<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<Self::Recorded> {
        recorder.0.record_adjacency(encoder, self.recorded, self.direction)
    }
}

/// The nearest partners of every body among the pairs of a frame, in rows of the same width: in a
/// frame with a [`Config::margin`](crate::Config::margin), its nearest neighbours within the
/// margin. Spheres of radius 0 are points, whose distances are those of centers.
///
/// Distances are those of [`ClosestPointsOf`]: 0 between bodies that collide. A row that is too
/// narrow has the nearest, and [`RecordedNearest::counts`] says how many there are. Pairs that
/// `f32` leaves undecided, those at almost exactly the margin, stay in their own list and are in no
/// row.
///
/// It records an [`AdjacencyOf`] in this direction, which sorts the pairs, and
/// [`ClosestPointsOf`], and takes 8 bytes for each place and 4 per row in addition to their memory.
/// The work of a row is its number of partners, and for each at most the width.
///
/// ```
/// use obbligato::gpu::{FrameQuery, NearestOf};
/// use obbligato::{Bodies, Config, GpuChecker, Sphere, glam::Vec3, report::Direction};
/// # fn main() -> obbligato::Result<()> {
/// let mut checker = GpuChecker::open(Config { margin: 3.5, ..Config::default() })?;
/// let (device, queue) = (checker.device().clone(), checker.queue().clone());
/// let points = [0.0, 1.0, 3.0, 9.0].map(|x| Sphere::new(Vec3::new(x, 0.0, 0.0), 0.0));
/// let bodies = Bodies::from(&points);
/// let buffer = checker.upload_bodies(bodies)?;
///
/// let mut encoder = device.create_command_encoder(&Default::default());
/// let found = checker.record(&mut encoder, FrameQuery::bodies(&buffer, bodies.into()))?;
/// let near = checker.record(&mut encoder, NearestOf::new(&found, Direction::Both, 2))?;
/// queue.submit([encoder.finish()]);
///
/// let nearest: Vec<u32> = checker.read(&near.nearest, 8)?;
/// assert_eq!(nearest, [1, 2, 0, 2, 1, 0, u32::MAX, u32::MAX]);
/// assert_eq!(checker.read::<f32>(&near.distances, 6)?, [1.0, 3.0, 1.0, 2.0, 2.0, 3.0]);
/// assert_eq!(checker.read::<u32>(&near.counts, 4)?, [2, 2, 2, 0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`AdjacencyOf`] and [`ClosestPointsOf`], and
/// [`Error::Unavailable`](crate::Error::Unavailable) if the width is 0.
#[derive(Clone, Copy, Debug)]
pub struct NearestOf<'a> {
    recorded: &'a Recorded,
    direction: Direction,
    width: u32,
}

impl<'a> NearestOf<'a> {
    /// The nearest partners in this direction among the pairs of a frame, at most this many of each
    /// body.
    pub fn new(recorded: &'a Recorded, direction: Direction, width: u32) -> Self {
        Self {
            recorded,
            direction,
            width,
        }
    }
}

impl Recordable for NearestOf<'_> {
    type Recorded = RecordedNearest;

    fn record(self, recorder: Recorder<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<Self::Recorded> {
        recorder
            .0
            .record_nearest(encoder, self.recorded, self.direction, self.width)
    }
}

/// A comparison of a frame's pairs with those of the frame of the previous call: the pairs that
/// begin and end, and with [`EventsOf::persisting`] also those that persist. For the first call,
/// the previous frame has no pairs. It sorts the pairs first, as [`SortPairs`] does, and keeps a
/// copy of them for the next frame.
///
/// Each pair, and with [`EventsOf::points`] each contact point, gets its place in the previous
/// frame. What a simulation keeps for them in arrays, such as friction impulses, is carried from
/// frame to frame by a gather.
///
/// Goes into the encoder after the frame, and before the next one. Nothing is submitted or
/// waited for. Boxes are identified from frame to frame by their positions, and pairs with images
/// by their two bodies, which meet in other images once one of them is put into the cell again:
/// [`RecordedEvents::previous_pairs`] says which pairs are turned. If not all pairs of
/// a frame fit ([`Outcome::complete`](crate::gpu::Outcome::complete) returns `false`), the
/// stored ones count. Undecided pairs stay in their own list and do not count. All events fit.
/// If an encoder is dropped without being submitted, the next difference is from the last
/// submitted frame; if the capacity had grown for the dropped one, from a frame without pairs.
///
/// Takes 12 bytes for each pair of the capacity, and 24 for their events, in addition to the
/// memory of the sort; with contact points 24 more for each pair and 24 for each point, and with
/// images 4 more for each pair. Pairs are looked up by binary search: O(p log p).
///
/// # Errors
/// As [`SortPairs`].
#[derive(Clone, Copy, Debug)]
pub struct EventsOf<'a> {
    recorded: &'a Recorded,
    contacts: Option<&'a RecordedContacts>,
    persisting: bool,
}

impl<'a> EventsOf<'a> {
    /// The pairs that begin and end with a frame.
    pub fn new(recorded: &'a Recorded) -> Self {
        Self {
            recorded,
            contacts: None,
            persisting: false,
        }
    }

    /// Also asks for the place of each contact point in the previous frame: that of the point with
    /// the same features of the same pair. If several points of a pair have them, they are taken in
    /// their order, as [`previous_points`](crate::tracking::previous_points) does on the CPU.
    ///
    /// The contacts are those of the same frame, recorded after [`SortPairs`]. All points are new
    /// if the previous call had no contacts.
    ///
    /// ```
    /// use obbligato::gpu::{ContactsOf, EventsOf, FrameQuery, SortPairs};
    /// use obbligato::{Config, GpuChecker, Obb, glam::Vec3, tracking::NEW};
    /// # fn main() -> obbligato::Result<()> {
    /// let mut checker = GpuChecker::open(Config::default())?;
    /// let (device, queue) = (checker.device().clone(), checker.queue().clone());
    /// let floor = Obb::axis_aligned(Vec3::ZERO, Vec3::new(9.0, 9.0, 1.0));
    /// let mut carried = Vec::new();
    /// // A crate slides across the floor, and rests on the same corners.
    /// for x in [0.0, 0.5] {
    ///     let boxes = [floor, Obb::axis_aligned(Vec3::new(x, 0.0, 1.75), Vec3::ONE)];
    ///     let buffer = checker.upload(&boxes)?;
    ///     let mut encoder = device.create_command_encoder(&Default::default());
    ///     let found = checker.record(&mut encoder, FrameQuery::boxes(&buffer, 2))?;
    ///     checker.record(&mut encoder, SortPairs(&found))?;
    ///     let contacts = checker.record(&mut encoder, ContactsOf::new(&found, 16))?;
    ///     let events = checker.record(&mut encoder, EventsOf::new(&found).points(&contacts))?;
    ///     queue.submit([encoder.finish()]);
    ///     let pairs: Vec<u32> = checker.read(&events.previous_pairs, 1)?;
    ///     let points: Vec<u32> = checker.read(&events.previous_points.expect("with points"), 4)?;
    ///     carried.push((pairs, points));
    /// }
    /// assert_eq!(carried[0], (vec![NEW], vec![NEW; 4]));
    /// assert_eq!(carried[1], (vec![0], vec![0, 1, 2, 3]));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn points(self, contacts: &'a RecordedContacts) -> Self {
        Self {
            contacts: Some(contacts),
            ..self
        }
    }

    /// Also asks for the pairs that persist.
    #[must_use]
    pub fn persisting(self) -> Self {
        Self {
            persisting: true,
            ..self
        }
    }
}

impl Recordable for EventsOf<'_> {
    type Recorded = RecordedEvents;

    fn record(self, recorder: Recorder<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<Self::Recorded> {
        let frame = (self.recorded, self.contacts);
        recorder.0.record_events(encoder, frame, self.persisting)
    }
}

/// The contact manifold of every pair of a frame of boxes, capsules and spheres:
/// [`BodyRef::manifold`](crate::shape::BodyRef::manifold) in `f32`.
///
/// Goes into the encoder after the frame, and before the next one. Nothing is submitted or
/// waited for. `max_points` is the capacity for points: a pair of boxes has up to eight,
/// usually four, and any other pair one or two. Manifolds whose points do not fit have none,
/// and [`RecordedContacts::counts`] gives the number that was needed. Undecided pairs stay in
/// their own list and have no manifold. In frames with a margin, pairs that are apart have a
/// manifold with [`ManifoldRecord::UNDECIDED`](crate::gpu::ManifoldRecord::UNDECIDED).
///
/// Normal, depth, features and points are those of
/// [`BodyRef::manifold`](crate::shape::BodyRef::manifold) if `f32` can decide them. Its tolerance,
/// the *slop*, is larger by about 2e-6 of the sum of the centers' distance and all half extents,
/// half lengths and radii, and so are the errors of lengths. Edges of boxes at an angle of less
/// than a 4,000th are treated as parallel, so the depth may exceed the minimum by that part of the
/// size. For a pair with a round body, cores count as meeting if they are within about 1e-5 of the
/// size of each other.
///
/// Takes 24 bytes for each pair of the capacity and 20 for each point. The first call creates
/// the kernels and the memory, which are kept. Pairs of two boxes have one kernel and all other
/// pairs another; a kernel runs only if it has pairs. Contacts [in the
/// plane](ContactsOf::in_plane) have a kernel of their own.
///
/// # Errors
/// [`Error::Unavailable`](crate::Error::Unavailable) without
/// [`Output::Pairs`](crate::Output::Pairs), and for pairs of bounds or triangles;
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) beyond the device's limits,
/// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) beyond its memory.
#[derive(Clone, Copy, Debug)]
pub struct ContactsOf<'a> {
    recorded: &'a Recorded,
    max_points: u32,
    in_plane: bool,
}

impl<'a> ContactsOf<'a> {
    /// The manifolds of the pairs of a frame, with at most this many points in all.
    pub fn new(recorded: &'a Recorded, max_points: u32) -> Self {
        Self {
            recorded,
            max_points,
            in_plane: false,
        }
    }

    /// Returns the same for bodies in the plane z = 0, as
    /// [`ContactQuery::in_plane`](crate::query::ContactQuery::in_plane) makes them: normals and
    /// points have z = 0, and a manifold has one or two points. The manifold of a pair of which a
    /// body is not in the plane is [`UNDECIDED`](crate::gpu::ManifoldRecord::UNDECIDED), as are
    /// those of pairs that `f32` cannot tell from touching. The size of a pair is the sum of the
    /// centers' distance and all half extents, half lengths and radii. Moved by the depth along the
    /// normal, the bodies touch, up to 2e-5 of the size; the depth exceeds the least possible one
    /// by at most 5e-4 of the size, and points are off the bodies by no more.
    #[must_use]
    pub fn in_plane(self) -> Self {
        Self { in_plane: true, ..self }
    }
}

impl Recordable for ContactsOf<'_> {
    type Recorded = RecordedContacts;

    fn record(self, recorder: Recorder<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<Self::Recorded> {
        recorder
            .0
            .record_contacts(encoder, self.recorded, self.max_points, self.in_plane)
    }
}

/// The distance and the closest points of every pair of a frame of boxes, capsules and spheres:
/// [`BodyRef::closest_points`](crate::shape::BodyRef::closest_points) in `f32`, a
/// [`ClosestRecord`](crate::gpu::ClosestRecord) for each stored pair, in the order of
/// [`Recorded::pairs`].
///
/// This is useful after frames with a [`Config::margin`](crate::Config::margin), whose pairs
/// may be apart. Goes into the encoder after the frame, and before the next one. Nothing is
/// submitted or waited for. The returned buffer can be bound as a storage buffer and copied
/// from. It belongs to the checker, and the next call overwrites it. Takes 32 bytes for each
/// pair of the capacity. The first call creates the kernel and the memory, which are kept.
///
/// # Errors
/// As [`ContactsOf`].
#[derive(Clone, Copy, Debug)]
pub struct ClosestPointsOf<'a>(pub &'a Recorded);

impl Recordable for ClosestPointsOf<'_> {
    type Recorded = wgpu::Buffer;

    fn record(self, recorder: Recorder<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<Self::Recorded> {
        recorder.0.record_closest_points(encoder, self.0)
    }
}

/// The overlap of every pair of a frame of boxes: [`Obb::overlap`](crate::Obb::overlap) in `f32`,
/// an [`OverlapRecord`](crate::gpu::OverlapRecord) for each stored pair, in the order of
/// [`Recorded::pairs`].
///
/// Each record has a bound on the error of its volume. Upright cuboids are the boxes that
/// `Obb::from` makes of them. In frames with a margin, pairs that are apart have the volume 0.
/// Undecided pairs stay in their own list and have no record.
///
/// Goes into the encoder after the frame, and before the next one. Nothing is submitted or waited
/// for. The returned buffer can be bound as a storage buffer and copied from. It belongs to the
/// checker, and the next call overwrites it. Takes 16 bytes for each pair of the capacity. The
/// first call creates the kernel and the memory, which are kept.
///
/// ```
/// use obbligato::gpu::{FrameQuery, OverlapRecord, OverlapsOf};
/// use obbligato::{Config, GpuChecker, Obb, glam::Vec3};
/// # fn main() -> obbligato::Result<()> {
/// let mut checker = GpuChecker::open(Config::default())?;
/// let (device, queue) = (checker.device().clone(), checker.queue().clone());
/// let boxes = [0.0, 1.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
/// let buffer = checker.upload(&boxes)?;
///
/// let mut encoder = device.create_command_encoder(&Default::default());
/// let found = checker.record(&mut encoder, FrameQuery::boxes(&buffer, 2))?;
/// let overlaps = checker.record(&mut encoder, OverlapsOf(&found))?;
/// queue.submit([encoder.finish()]);
///
/// let overlap = checker.read::<OverlapRecord>(&overlaps, 1)?[0];
/// assert!((overlap.volume - 4.0).abs() <= overlap.error && overlap.error < 0.1);
/// assert!((overlap.iou - 1.0 / 3.0).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`ContactsOf`]; also [`Error::Unavailable`](crate::Error::Unavailable) if the frame has
/// capsules or spheres.
#[derive(Clone, Copy, Debug)]
pub struct OverlapsOf<'a>(pub &'a Recorded);

impl Recordable for OverlapsOf<'_> {
    type Recorded = wgpu::Buffer;

    fn record(self, recorder: Recorder<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<Self::Recorded> {
        recorder.0.record_overlaps(encoder, self.0)
    }
}

/// A test of boxes, capsules and spheres against a room, recorded into the caller's encoder.
/// Nothing is submitted or waited for.
///
/// `bodies` holds the bodies of each kind, one kind after the other, as for
/// [`FrameQuery::bodies`]; a plain number counts boxes. Absent kinds cost nothing.
///
/// The returned buffer has a `u32` for each body, which
/// [`Enclosure::from_bits`](crate::region::Enclosure::from_bits) decodes. The result is as exact as
/// `f32` allows, and misses nothing: if it is undecided, the body has
/// [`Enclosure::UNDECIDED`](crate::region::Enclosure::UNDECIDED), the walls that may be reached are
/// in the mask, and the body is crossing unless it is certainly outside. [`Room::enclosure`] gives
/// the true answer. Bodies that may be invalid have
/// [`Enclosure::INVALID`](crate::region::Enclosure::INVALID).
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
#[derive(Clone, Copy, Debug)]
pub struct EnclosuresOf<'a> {
    room: &'a Room,
    bodies: &'a wgpu::Buffer,
    counts: BodyCounts,
}

impl<'a> EnclosuresOf<'a> {
    /// The locations of the bodies of a buffer relative to a room.
    pub fn new(room: &'a Room, bodies: &'a wgpu::Buffer, counts: impl Into<BodyCounts>) -> Self {
        Self {
            room,
            bodies,
            counts: counts.into(),
        }
    }
}

impl Recordable for EnclosuresOf<'_> {
    type Recorded = wgpu::Buffer;

    fn record(self, recorder: Recorder<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<Self::Recorded> {
        recorder
            .0
            .record_enclosures(encoder, self.room, self.bodies, self.counts)
    }
}
