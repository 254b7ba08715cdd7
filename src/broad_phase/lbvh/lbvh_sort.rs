//! Declares the sort of keys: the kernels of `shaders/outputs/sort_pairs.wgsl`, over words of keys
//! and their boxes. There is a stable pass for each digit, the least significant first. Sorting by
//! the low half of a key and then by the high half therefore sorts by the whole key.

use crate::broad_phase::lbvh::lbvh_keys::COUNT;
use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, File, Kernel, Size, Source, files};
use crate::device::limits::DeviceLimits;
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::geometry::pair::Pair;

/// Number of values of a digit.
const DIGITS: u64 = 256;
/// Maximum number of blocks of keys, and minimum number of keys of a block, as in the shader.
const BLOCKS: u64 = 2048;
const SMALLEST_BLOCK: u64 = 1024;
/// Maximum number of keys that an invocation can place. See `src/outputs/sort_pairs.rs`.
const MOST_KEYS_OF_INVOCATION: u64 = 7000;

/// The digit that a pass sorts by: shift, mask, and a flag that it is a digit of a pair's `a`.
pub(crate) static DIGIT: Slot = Slot::of::<[u32; 4]>("digit", "digit of keys");

/// The input and the output of a pass.
pub(crate) static UNSORTED: Slot = Slot::of::<Pair>("pairs", "keys to sort");
pub(crate) static SORTED: Slot = Slot::of::<Pair>("sorted", "keys sorted by a digit");

static BLOCK_COUNTS: Slot = Slot::of::<u32>("block_counts", "digits of keys by block");
static TOTALS: Slot = Slot::of::<u32>("totals", "digits of keys");

pub(crate) const BUFFERS: &[Owned<Room>] = &[
    Owned::of(&BLOCK_COUNTS, |room| DIGITS * blocks(room.boxes)),
    Owned::of(&TOTALS, |_| DIGITS),
];

/// Returns a digit of a word of a key, in the form of [`DIGIT`].
pub(crate) const fn digit(number: u32) -> [u32; 4] {
    [8 * number, 0xff, 1, 0]
}

fn blocks(keys: u64) -> u64 {
    keys.div_ceil(SMALLEST_BLOCK).min(BLOCKS)
}

/// Returns the maximum number of keys that can be sorted if drivers end loops.
pub(crate) fn most_keys(limits: &DeviceLimits) -> u64 {
    u64::from(limits.looping_workgroups).min(BLOCKS) * 64 * MOST_KEYS_OF_INVOCATION
}

const fn pass(
    entry: &'static str,
    workgroup: u32,
    placing: &'static [File],
    slots: &'static [At],
    groups: fn(&Params) -> u64,
) -> Kernel<Params> {
    const FILES: &[File] = files![
        "shared/pair.wgsl",
        "shared/common.wgsl",
        "shared/outcome.wgsl",
        "outputs/sort_pairs.wgsl"
    ];
    Kernel {
        code: Code {
            entry,
            workgroup,
            source: Source::of(FILES).and(placing),
            slots: [slots, &[]],
            overrides: &[],
        },
        size: Size::Groups(groups),
    }
}

static COUNT_DIGITS: Kernel<Params> = pass(
    "count_digits",
    256,
    &[],
    &[
        At::new(0, &DIGIT),
        At::new(1, &COUNT),
        At::new(2, &UNSORTED),
        At::new(4, &BLOCK_COUNTS),
    ],
    |params| blocks(params.box_count.into()),
);

static SCAN_BLOCKS: Kernel<Params> = pass(
    "scan_blocks",
    256,
    &[],
    &[
        At::new(0, &DIGIT),
        At::new(1, &COUNT),
        At::new(4, &BLOCK_COUNTS),
        At::new(5, &TOTALS),
    ],
    |_| DIGITS,
);

static SCAN_TOTALS: Kernel<Params> = pass(
    "scan_totals",
    256,
    &[],
    &[At::new(0, &DIGIT), At::new(5, &TOTALS)],
    |_| 1,
);

const PLACING_SLOTS: &[At] = &[
    At::new(0, &DIGIT),
    At::new(1, &COUNT),
    At::new(2, &UNSORTED),
    At::new(3, &SORTED),
    At::new(4, &BLOCK_COUNTS),
    At::new(5, &TOTALS),
];

static PLACE_BY_SUBGROUPS: Kernel<Params> = pass(
    "place_pairs",
    128,
    files!["outputs/place_subgroup.wgsl"],
    PLACING_SLOTS,
    |params| blocks(params.box_count.into()),
);

static PLACE_BY_WORKGROUPS: Kernel<Params> = pass(
    "place_pairs",
    256,
    files!["outputs/place_portable.wgsl"],
    PLACING_SLOTS,
    |params| blocks(params.box_count.into()),
);

/// The kernels of a pass with subgroup operations.
pub(crate) const BY_SUBGROUPS: &[&Kernel<Params>] = &[&COUNT_DIGITS, &SCAN_BLOCKS, &SCAN_TOTALS, &PLACE_BY_SUBGROUPS];
/// The kernels of a pass without them.
pub(crate) const BY_WORKGROUPS: &[&Kernel<Params>] = &[&COUNT_DIGITS, &SCAN_BLOCKS, &SCAN_TOTALS, &PLACE_BY_WORKGROUPS];
