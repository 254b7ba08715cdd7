//! The buffers that several stages use.

use wgpu::BufferUsages as Usages;

use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::At;
use crate::frame::counters::Counters;
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::SceneStats;

/// [`Params`].
pub(crate) static PARAMS: Slot = Slot::of::<Params>("params", "parameters");

/// The segment of a streamed array that a dispatch sees: `struct Segment` of
/// `shaders/shared/common.wgsl`.
pub(crate) static SEGMENT: Slot = Slot::of::<[u32; 4]>("segment", "the number of a segment");

/// The records of a shape, as given by the caller. Bodies of several kinds are stored as boxes,
/// capsules and spheres, one after the other.
pub(crate) static BOXES: Slot = Slot::of::<[u32; 12]>("boxes", "boxes").over(3, BOX_SEGMENT_UNIT);

/// Bytes of a unit in a list of bodies: a sphere, or a third of a box or a capsule.
pub(crate) const UNIT_BYTES: u64 = size_of::<[u32; 4]>() as u64;

/// Unit of the size of a segment of boxes, in bytes: 48 [`Obb`](crate::Obb)s, 96
/// [`Aabb`](crate::shape::Aabb)s, 64 [`Triangle`](crate::shape::Triangle)s or 24 moving boxes. It
/// is also a valid offset of a binding (256 bytes and their multiples), because all segments of a
/// caller's boxes are in one buffer.
const BOX_SEGMENT_UNIT: u64 = 2304;

/// The boxes that pairs refer to: those of a scene, or boxes at rest in the first segment and
/// movers in the second.
pub(crate) static TESTED: Slot = Slot::of::<[u32; 12]>("boxes", "boxes that pairs name").over(3, BOX_SEGMENT_UNIT);

/// The statistics of a scene, computed with the bounds of its boxes. See
/// [`BoundsHook`](super::hook::BoundsHook).
pub(crate) static STATS: Slot = Slot::of::<SceneStats>("stats", "scene statistics");

/// Conservative bounds, in the order of the boxes.
pub(crate) static BOUNDS: Slot = Slot::of::<Bounds>("bounds", "bounds").over(2, size_of::<Bounds>() as u64);

/// The bounds of movers that are checked against boxes at rest.
pub(crate) static MOVERS: Slot = Slot::of::<Bounds>("movers", "bounds of movers");

/// [`Counters`], then the candidate pairs in any order. If boxes have their own margins, the margin
/// of each pair follows. If the pairs are of bodies of several kinds, their places in queues by
/// kind follow.
pub(crate) static CANDIDATES: Slot = Slot::of::<Pair>("candidates", "candidate pairs").with_header(Counters::END);

/// The overlapping pairs.
pub(crate) static PAIRS: Slot = Slot::of::<Pair>("pairs", "colliding pairs");

/// The number of overlapping pairs of each box.
pub(crate) static DEGREES: Slot = Slot::of::<u32>("degrees", "degrees");

/// The narrow phase's output for the caller: the pairs or the degrees, as requested.
pub(crate) static FOUND: Slot = Slot::of::<u32>("found", "findings");

/// The pairs left for the host. If the device has `f64`, they are followed by those that `f32` has
/// left for it.
pub(crate) static UNDECIDED: Slot = Slot::of::<Pair>("undecided", "undecided pairs");

/// The rules for a pair's `a`, and for its `b`. See `rules/list.rs`.
pub(crate) static RULES_A: Slot = Slot::of::<u32>("rules_a", "rules about boxes at rest");
pub(crate) static RULES_B: Slot = Slot::of::<u32>("rules_b", "rules");

/// Arguments of the indirect dispatches of the narrow phase.
pub(crate) static DISPATCHES: Slot =
    Slot::of::<[u32; 24]>("dispatches", "dispatches of the narrow phase").used(Usages::STORAGE.union(Usages::INDIRECT));

/// The bindings of a kernel that computes bounds, in addition to those of the broad phase's hook.
pub(crate) const OF_BOUNDS_KERNELS: &[At] = &[
    At::new(0, &PARAMS),
    At::streamed(1, &BOXES),
    At::streamed(2, &SEGMENT),
    At::new(4, &BOUNDS),
    At::new(21, &RULES_B),
];

/// Like [`OF_BOUNDS_KERNELS`], without margins.
pub(crate) const OF_BOUNDS_WITHOUT_MARGINS: &[At] = &[
    At::new(0, &PARAMS),
    At::streamed(1, &BOXES),
    At::streamed(2, &SEGMENT),
    At::new(4, &BOUNDS),
];

/// The bindings of a kernel that tests candidate pairs: `shaders/shared/boxes.wgsl`,
/// `candidates.wgsl` and `verdicts.wgsl`.
pub(crate) const OF_PAIR_TESTS: &[At] = &[
    At::new(0, &PARAMS),
    At::new(1, &TESTED),
    At::new(4, &CANDIDATES),
    At::new(5, &FOUND),
    At::new(6, &UNDECIDED),
];

/// The buffers among these that a pipeline owns.
pub(crate) const BUFFERS: &[Owned<Room>] = &[
    Owned::of(&BOXES, |room| room.uploaded),
    Owned::of(&STATS, |_| 1),
    Owned::of(&BOUNDS, |room| room.boxes),
    Owned::of(&CANDIDATES, |room| room.candidates),
    Owned::of(&PAIRS, |room| room.pairs),
    Owned::of(&DEGREES, |room| if room.degrees { room.boxes } else { 0 }),
    Owned::of(&UNDECIDED, |room| room.undecided),
    Owned::of(&RULES_B, |room| room.rules),
    Owned::of(&DISPATCHES, |_| 1),
];
