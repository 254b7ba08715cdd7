//! Declares `shaders/broad_phase/grid/grid_build.wgsl`: the counting sort of the bounds by slot.

use crate::broad_phase::grid::grid_plan::PLAN;
use crate::broad_phase::grid::layout::{BLOCK, MAX_SLOTS_PER_BOX};
use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::device::limits::{DeviceLimits, MOST_ROUNDS};
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::frame::slots::{BOUNDS, CANDIDATES, PARAMS, RULES_B};
use crate::geometry::bounds::Bounds;

/// Invocations of a workgroup.
const WORKGROUP: u32 = 256;
/// Slots an invocation allocates runs for.
pub(crate) const PER_INVOCATION: u32 = 4;

// A block is what a workgroup's invocations allocate together.
const _: () = assert!(BLOCK == (WORKGROUP * PER_INVOCATION) as u64);

/// Where a record goes: `struct Place` of `shaders/broad_phase/grid/grid_build.wgsl`.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Place {
    pub slot: u32,
    /// Records of the slot that come before it.
    pub rank: u32,
    /// The key of its cell.
    pub key: u32,
}

/// [`Place`]s, in the order of the boxes.
static PLACES: Slot = Slot::of::<Place>("places", "places");

/// Boxes by slot; all zero between frames.
static SLOT_COUNTS: Slot = Slot::of::<u32>("slot_counts", "slot counts");

/// Where each slot's records begin, and where each block's end.
pub(crate) static SLOT_STARTS: Slot = Slot::of::<u32>("slot_starts", "slot starts");

/// [`Bounds`], sorted by slot.
pub(crate) static RECORDS: Slot = Slot::of::<Bounds>("records", "records").over(2, size_of::<Bounds>() as u64);

pub(crate) const BUFFERS: &[Owned<Room>] = &[
    Owned::of(&PLACES, |room| room.boxes),
    Owned::of(&SLOT_COUNTS, |room| slot_blocks(room.boxes) * BLOCK),
    Owned::of(&SLOT_STARTS, |room| slot_starts(room.boxes)),
    Owned::of(&RECORDS, |room| room.boxes),
];

/// The most boxes: slots are in one binding, at most four a box, with an entry more for each block of 1,024. Where there are few
/// workgroups, each loops over many blocks.
pub(crate) fn most_boxes(limits: &DeviceLimits) -> u64 {
    let boxes_of = |blocks: u64| blocks * BLOCK / MAX_SLOTS_PER_BOX as u64;
    let by_slots = boxes_of(limits.numbered_bytes() / (4 * (BLOCK + 1)));
    // For each block the rounds of the scan, and the loop's own.
    let rounds = u64::from(WORKGROUP.ilog2() + 1);
    let by_loops = boxes_of(u64::from(limits.looping_workgroups) * (MOST_ROUNDS / rounds));
    by_slots.min(by_loops)
}

/// Blocks of slots that so many boxes can need.
fn slot_blocks(boxes: u64) -> u64 {
    (boxes * MAX_SLOTS_PER_BOX as u64).div_ceil(BLOCK)
}

/// Entries of [`SLOT_STARTS`] for so many boxes: every block has one more than slots.
pub(crate) fn slot_starts(boxes: u64) -> u64 {
    slot_blocks(boxes) * (BLOCK + 1)
}

const SOURCE: Source = Source::of(files![
    "shared/pair.wgsl",
    "shared/common.wgsl",
    "shared/bounds.wgsl",
    "broad_phase/grid/grid.wgsl",
    "rules/lists.wgsl",
    "broad_phase/grid/grid_build.wgsl"
]);

pub(crate) static COUNT_SLOTS: Kernel<Params> = Kernel {
    code: Code {
        entry: "count_slots",
        workgroup: WORKGROUP,
        source: SOURCE,
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &BOUNDS),
                At::new(3, &PLAN),
                At::new(4, &PLACES),
                At::new(5, &SLOT_COUNTS),
                At::new(21, &RULES_B),
            ],
            &[],
        ],
        overrides: &["ruled"],
    },
    size: Size::Each(|params| params.box_count.into()),
};

pub(crate) static ALLOCATE_RUNS: Kernel<Params> = Kernel {
    code: Code {
        entry: "allocate_runs",
        workgroup: WORKGROUP,
        source: SOURCE,
        slots: [
            &[
                At::new(3, &PLAN),
                At::named(6, &SLOT_COUNTS, "slot_counts_by_four"),
                At::new(7, &SLOT_STARTS),
                At::new(10, &CANDIDATES),
            ],
            &[],
        ],
        overrides: &["ruled"],
    },
    size: Size::Looping(|params| {
        let most_slots = u64::from(params.box_count) * MAX_SLOTS_PER_BOX as u64;
        most_slots.div_ceil(u64::from(PER_INVOCATION))
    }),
};

pub(crate) static PLACE_RECORDS: Kernel<Params> = Kernel {
    code: Code {
        entry: "place_records",
        workgroup: WORKGROUP,
        source: SOURCE,
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &BOUNDS),
                At::new(4, &PLACES),
                At::new(7, &SLOT_STARTS),
                At::new(8, &RECORDS),
            ],
            &[],
        ],
        overrides: &["ruled"],
    },
    size: Size::Each(|params| params.box_count.into()),
};
