//! The sort of keys: the [radix sort](crate::frame::radix_sort) over words of keys and their boxes.
//! Sorting by the low half of a key and then by the high half sorts by the whole key.

use crate::broad_phase::lbvh::lbvh_keys::COUNT;
use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, File, Kernel, Size, Source, files};
use crate::device::limits::DeviceLimits;
use crate::frame::params::Params;
use crate::frame::radix_sort::{DIGITS, blocks, most_records, radix_sort, scans};
use crate::frame::room::Room;
use crate::geometry::pair::Pair;

radix_sort!(
    Params: "keys",
    count: &COUNT,
    blocks: |params| blocks(params.box_count.into()),
    scans: |params| scans(DIGITS, params.box_count.into())
);

pub(crate) const BUFFERS: &[Owned<Room>] = &[
    Owned::of(&BLOCK_COUNTS, |room| u64::from(DIGITS) * blocks(room.boxes)),
    Owned::of(&TOTALS, |_| DIGITS.into()),
];

/// Returns a digit of a word of a key, in the form of [`DIGIT`].
pub(crate) const fn digit(number: u32) -> [u32; 4] {
    [8 * number, 0xff, 1, 0]
}

/// Returns the maximum number of keys that can be sorted if drivers end loops.
pub(crate) fn most_keys(limits: &DeviceLimits) -> u64 {
    most_records(limits.looping_workgroups)
}

/// The kernels of a pass with subgroup operations.
pub(crate) const BY_SUBGROUPS: &[&Kernel<Params>] = &[&COUNT_DIGITS, &SCAN_BLOCKS, &SCAN_TOTALS, &PLACE_BY_SUBGROUPS];
/// The kernels of a pass without them.
pub(crate) const BY_WORKGROUPS: &[&Kernel<Params>] = &[&COUNT_DIGITS, &SCAN_BLOCKS, &SCAN_TOTALS, &PLACE_BY_WORKGROUPS];
