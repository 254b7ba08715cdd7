//! Declares `shaders/broad_phase/lbvh/lbvh_bounds.wgsl`, which computes the bounds of the nodes
//! from those of blocks of records.

use crate::broad_phase::lbvh::lbvh_tree::{NODES, RECORDS};
use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::frame::slots::PARAMS;
use crate::geometry::bounds::Bounds;

/// Number of records of a block, or of blocks of a larger one.
pub(crate) const BLOCK: u64 = 8;

/// The size of the blocks to compute: `struct Segment` of `shaders/shared/common.wgsl`.
pub(crate) static LEVEL: Slot = Slot::of::<[u32; 4]>("level", "size of blocks");

/// The bounds of blocks of eight records, then of eight of these, and so on.
static BLOCKS: Slot = Slot::of::<Bounds>("blocks", "blocks of leaves");

pub(crate) const BUFFERS: &[Owned<Room>] = &[Owned::of(&BLOCKS, |room| room.boxes / (BLOCK - 1))];

const fn kernel(entry: &'static str, slots: &'static [At], items: fn(&Params) -> u64) -> Kernel<Params> {
    Kernel {
        code: Code {
            entry,
            workgroup: 256,
            source: Source::of(files![
                "shared/pair.wgsl",
                "shared/common.wgsl",
                "broad_phase/record.wgsl",
                "broad_phase/lbvh/lbvh_bounds.wgsl"
            ]),
            slots: [slots, &[]],
            overrides: &[],
        },
        size: Size::Each(items),
    }
}

pub(crate) static UNITE_RECORDS: Kernel<Params> = kernel(
    "unite_records",
    &[At::new(0, &PARAMS), At::new(2, &RECORDS), At::new(4, &BLOCKS)],
    |params| u64::from(params.box_count) / BLOCK,
);

pub(crate) static UNITE_BLOCKS: Kernel<Params> = kernel(
    "unite_blocks",
    &[At::new(0, &PARAMS), At::new(1, &LEVEL), At::new(4, &BLOCKS)],
    |params| u64::from(params.box_count) / (BLOCK * BLOCK),
);

pub(crate) static BOUND_NODES: Kernel<Params> = kernel(
    "bound_nodes",
    &[
        At::new(0, &PARAMS),
        At::new(2, &RECORDS),
        At::new(4, &BLOCKS),
        At::new(5, &NODES),
    ],
    |params| params.box_count.saturating_sub(1).into(),
);
