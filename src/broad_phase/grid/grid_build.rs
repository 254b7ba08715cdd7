//! Declares `shaders/broad_phase/grid/grid_build.wgsl`: the counting sort of the bounds by slot.

use crate::broad_phase::grid::grid_plan::{PLAN, SIZE_GROUPS};
use crate::broad_phase::grid::grid_probe::PROBE_TABLE;
use crate::broad_phase::grid::layout::{BLOCK, MAX_SLOTS_PER_BOX};
use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::device::limits::{DeviceLimits, FILLING_WORKGROUPS, MOST_ROUNDS};
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::frame::slots::{BOUNDS, CANDIDATES, PARAMS, RULES_B};
use crate::geometry::bounds::Bounds;

/// Number of invocations of a workgroup.
const WORKGROUP: u32 = 256;
/// Number of slots for which an invocation allocates runs.
pub(crate) const PER_INVOCATION: u32 = 4;

// A block consists of the slots that a workgroup's invocations allocate together.
const _: () = assert!(BLOCK == (WORKGROUP * PER_INVOCATION) as u64);

/// The number of boxes in each slot; all zero between frames.
pub(crate) static SLOT_COUNTS: Slot = Slot::of::<u32>("slot_counts", "slot counts");

/// The start of each slot's records, and the end of each block's.
pub(crate) static SLOT_STARTS: Slot = Slot::of::<u32>("slot_starts", "slot starts");

/// [`Bounds`], sorted by slot.
pub(crate) static RECORDS: Slot = Slot::of::<Bounds>("records", "records").over(2, size_of::<Bounds>() as u64);

pub(crate) const BUFFERS: &[Owned<Room>] = &[
    Owned::of(&SLOT_COUNTS, |room| slot_blocks(room.boxes) * BLOCK),
    Owned::of(&SLOT_STARTS, |room| slot_starts(room.boxes)),
    Owned::of(&RECORDS, |room| room.boxes),
];

/// Returns the maximum number of boxes. Slots are in one binding, at most four per box, with one
/// more entry for each block of 1,024. If there are few workgroups, each loops over many blocks.
pub(crate) fn most_boxes(limits: &DeviceLimits) -> u64 {
    let boxes_of = |blocks: u64| blocks * BLOCK / MAX_SLOTS_PER_BOX as u64;
    let by_slots = boxes_of(limits.numbered_bytes() / (4 * (BLOCK + 1)));
    // For each block, the rounds of the scan and one round of the loop over blocks.
    let rounds = u64::from(WORKGROUP.ilog2() + 1);
    let by_loops = boxes_of(u64::from(limits.looping_workgroups) * (MOST_ROUNDS / rounds));
    by_slots.min(by_loops)
}

/// Returns the maximum number of blocks of slots for this many boxes.
fn slot_blocks(boxes: u64) -> u64 {
    (boxes * MAX_SLOTS_PER_BOX as u64).div_ceil(BLOCK)
}

/// Returns the number of entries of [`SLOT_STARTS`] for this many boxes: every block has one entry
/// more than slots.
pub(crate) fn slot_starts(boxes: u64) -> u64 {
    slot_blocks(boxes) * (BLOCK + 1)
}

const SOURCE: Source = Source::of(files![
    "shared/pair.wgsl",
    "shared/common.wgsl",
    "shared/bounds.wgsl",
    "broad_phase/grid/grid.wgsl",
    "broad_phase/grid/plan.wgsl",
    "shared/images.wgsl",
    "rules/lists.wgsl",
    "broad_phase/grid/layers.wgsl",
    "broad_phase/grid/grid_build.wgsl"
]);

/// Returns a kernel of the file with its slots and its size.
const fn kernel(entry: &'static str, slots: &'static [At], size: Size<Params>) -> Kernel<Params> {
    Kernel {
        code: Code {
            entry,
            workgroup: WORKGROUP,
            source: SOURCE,
            slots: [slots, &[]],
            overrides: &["ruled", "imaged"],
        },
        size,
    }
}

pub(crate) static DISCARD_COUNTS: Kernel<Params> = kernel(
    "discard_counts",
    &[
        At::new(0, &PARAMS),
        At::named(6, &SLOT_COUNTS, "slot_counts_by_four"),
        At::new(7, &PLAN),
        At::new(12, &SIZE_GROUPS),
        At::new(13, &PROBE_TABLE),
    ],
    Size::Looping(|params| params.box_count.into()),
);

pub(crate) static COUNT_SLOTS: Kernel<Params> = kernel(
    "count_slots",
    &[
        At::new(0, &PARAMS),
        At::named(3, &BOUNDS, "counted"),
        At::new(5, &SLOT_COUNTS),
        At::new(7, &PLAN),
        At::new(21, &RULES_B),
    ],
    // If a plan may be kept, there is usually nothing to do.
    Size::Each(|params| match params.refit {
        0 => params.box_count.into(),
        _ => u64::from(params.box_count).min(u64::from(FILLING_WORKGROUPS * WORKGROUP)),
    }),
);

pub(crate) static ALLOCATE_RUNS: Kernel<Params> = kernel(
    "allocate_runs",
    &[
        At::named(6, &SLOT_COUNTS, "slot_counts_by_four"),
        At::new(7, &PLAN),
        At::new(8, &SLOT_STARTS),
        At::new(11, &CANDIDATES),
    ],
    Size::Looping(|params| {
        let most_slots = u64::from(params.box_count) * MAX_SLOTS_PER_BOX as u64;
        most_slots.div_ceil(u64::from(PER_INVOCATION))
    }),
);

pub(crate) static PLACE_RECORDS: Kernel<Params> = kernel(
    "place_records",
    &[
        At::new(0, &PARAMS),
        At::new(1, &BOUNDS),
        At::new(7, &PLAN),
        At::new(8, &SLOT_STARTS),
        At::new(9, &RECORDS),
        At::new(21, &RULES_B),
    ],
    Size::Each(|params| params.box_count.into()),
);
