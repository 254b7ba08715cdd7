//! Declares `shaders/broad_phase/lbvh/lbvh_tree.wgsl`, which orders the records and finds the
//! records below each node.

use crate::broad_phase::lbvh::lbvh_keys::{ORDER, SORTED_KEYS};
use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::frame::slots::{BOUNDS, PARAMS};
use crate::geometry::bounds::Bounds;

/// The leaves: [`Bounds`] in the order of their keys. The tag is the escape link.
pub(crate) static RECORDS: Slot = Slot::of::<Bounds>("records", "leaves").over(2, size_of::<Bounds>() as u64);

/// The nodes, in the form of records: the tag is the escape link, which a walk follows if it does
/// not enter the node, and the id is the first child.
pub(crate) static NODES: Slot = Slot::of::<Bounds>("nodes", "nodes").over(2, size_of::<Bounds>() as u64);

pub(crate) const BUFFERS: &[Owned<Room>] = &[
    Owned::of(&RECORDS, |room| room.boxes),
    Owned::of(&NODES, |room| room.boxes),
];

const SOURCE: Source = Source::of(files![
    "shared/pair.wgsl",
    "shared/common.wgsl",
    "broad_phase/record.wgsl",
    "broad_phase/lbvh/lbvh.wgsl",
    "broad_phase/lbvh/lbvh_tree.wgsl"
]);

pub(crate) static PLACE_LEAVES: Kernel<Params> = Kernel {
    code: Code {
        entry: "place_leaves",
        workgroup: 256,
        source: SOURCE,
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &BOUNDS),
                At::new(3, &ORDER),
                At::new(4, &SORTED_KEYS),
                At::new(5, &RECORDS),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Each(|params| params.box_count.into()),
};

pub(crate) static LINK_NODES: Kernel<Params> = Kernel {
    code: Code {
        entry: "link_nodes",
        workgroup: 256,
        source: SOURCE,
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(3, &ORDER),
                At::new(4, &SORTED_KEYS),
                At::new(7, &NODES),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Each(|params| params.box_count.saturating_sub(1).into()),
};
