//! Declares `shaders/broad_phase/lbvh/lbvh_keys.wgsl`, which computes the sort keys of records,
//! word by word.

use wgpu::BufferUsages as Usages;

use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::outcome::Outcome;
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::frame::slots::{BOUNDS, PARAMS, RULES_B, STATS};
use crate::geometry::pair::Pair;

/// The keys by box, the low half first.
static KEYS: Slot = Slot::of::<[u32; 2]>("keys", "Morton keys");

/// The items being sorted: a word of a key, or a world, and its box.
pub(crate) static ORDER: Slot = Slot::of::<Pair>("order", "order of the records");

/// The second buffer of the sort; afterwards, the keys in the order of the records.
pub(crate) static SORTED_KEYS: Slot = Slot::of::<Pair>("sorted_keys", "sorted keys");

/// The number of boxes, where the sort kernels read it: an [`Outcome`] that contains nothing else
/// except the number of the order, in the place of `fits`.
pub(crate) static COUNT: Slot = Slot::of::<Outcome>("outcome", "number of keys")
    .used(Usages::STORAGE.union(Usages::COPY_DST).union(Usages::COPY_SRC));

pub(crate) const BUFFERS: &[Owned<Room>] = &[
    Owned::of(&KEYS, |room| room.boxes),
    Owned::of(&ORDER, |room| room.boxes),
    Owned::of(&SORTED_KEYS, |room| room.boxes),
    Owned::of(&COUNT, |_| 1),
];

const fn kernel(entry: &'static str, slots: &'static [At], overrides: &'static [&'static str]) -> Kernel<Params> {
    Kernel {
        code: Code {
            entry,
            workgroup: 256,
            source: Source::of(files![
                "shared/pair.wgsl",
                "shared/common.wgsl",
                "shared/bounds.wgsl",
                "shared/scene_stats.wgsl",
                "shared/outcome.wgsl",
                "shared/images.wgsl",
                "rules/lists.wgsl",
                "broad_phase/lbvh/lbvh_keys.wgsl"
            ]),
            slots: [slots, &[]],
            overrides,
        },
        size: Size::Each(|params| params.box_count.into()),
    }
}

pub(crate) static MAKE_KEYS: Kernel<Params> = kernel(
    "make_keys",
    &[
        At::new(0, &PARAMS),
        At::new(1, &BOUNDS),
        At::new(3, &STATS),
        At::new(4, &KEYS),
        At::new(5, &ORDER),
        At::new(7, &COUNT),
    ],
    &["ruled", "imaged"],
);

pub(crate) static TAKE_HIGH_HALVES: Kernel<Params> = kernel(
    "take_high_halves",
    &[At::new(0, &PARAMS), At::new(4, &KEYS), At::new(5, &ORDER)],
    &["ruled", "imaged"],
);

pub(crate) static TAKE_WORLDS: Kernel<Params> = kernel(
    "take_worlds",
    &[At::new(0, &PARAMS), At::new(5, &ORDER), At::new(21, &RULES_B)],
    &["ruled", "imaged"],
);

pub(crate) static GATHER_KEYS: Kernel<Params> = kernel(
    "gather_keys",
    &[
        At::new(0, &PARAMS),
        At::new(4, &KEYS),
        At::new(5, &ORDER),
        At::new(6, &SORTED_KEYS),
    ],
    &["ruled", "imaged"],
);
