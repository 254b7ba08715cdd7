//! Declares `shaders/outputs/sort_pairs.wgsl`, with `digit_of_pair.wgsl` and `place_subgroup.wgsl`
//! or `place_portable.wgsl`: a stable radix sort by digits, the least significant first, of records
//! whose number is known only to the GPU.

use bytemuck::{Pod, Zeroable};

/// Number of invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;
/// Number of invocations of a workgroup of `place_subgroup.wgsl`.
pub(crate) const SUBGROUP_PLACING: u32 = 128;
/// Number of invocations of a workgroup of `place_portable.wgsl`.
pub(crate) const PORTABLE_PLACING: u32 = 256;
/// Number of bits of a digit, at most.
pub(crate) const DIGIT_BITS: u32 = 8;
/// Maximum number of values of a digit.
pub(crate) const DIGITS: u32 = 1 << DIGIT_BITS;
/// Maximum number of blocks of records.
pub(crate) const BLOCKS: u32 = 2048;
/// Minimum number of records of a block.
pub(crate) const SMALLEST_BLOCK: u32 = 1024;
/// Number of blocks of a value that an invocation of `scan_blocks` sums.
const SUMMED: u64 = (BLOCKS / WORKGROUP) as u64;
/// Maximum number of records that an invocation can place. For each it examines up to 8 bits or
/// masks; drivers allow 65,535 rounds in total (`shaders/shared/loops.wgsl`).
const MOST_OF_INVOCATION: u64 = 7000;

/// The sort key of a pass: `struct Digit` of `shaders/outputs/sort_pairs.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Digit {
    pub shift: u32,
    pub mask: u32,
    /// 1 if it is a digit of `a`, 0 if one of `b`.
    pub of_a: u32,
    pub unused: u32,
}

/// Returns the maximum number of blocks of at most this many records. A workgroup of subgroups
/// takes several, so some workgroups find none.
pub(crate) fn blocks(records: u64) -> u64 {
    records.div_ceil(SMALLEST_BLOCK.into()).min(BLOCKS.into())
}

/// Returns the number of workgroups that scan the blocks of this many records for all values of a
/// digit: an invocation sums [`SUMMED`] blocks of a value.
pub(crate) fn scans(values: u32, records: u64) -> u64 {
    let sharing = blocks(records).div_ceil(SUMMED).max(1).next_power_of_two();
    (u64::from(values) * sharing).div_ceil(WORKGROUP.into())
}

/// Returns the maximum number of records that this many workgroups can sort if drivers end loops.
/// In each of them at least 64 invocations place records.
pub(crate) fn most_records(workgroups: u32) -> u64 {
    u64::from(workgroups.min(BLOCKS)) * 64 * MOST_OF_INVOCATION
}

/// Declares a sort: its buffers, with their labels, and its kernels. `count` is the buffer that
/// begins with the number of records; `blocks` and `scans` return for the work of a pass the number
/// of blocks and of workgroups that scan them. The kernel that places records exists in two
/// versions with different workgroup sizes, for adapters with subgroup operations and for all
/// others.
macro_rules! radix_sort {
    ($work:ty: $records:literal, count: $count:expr, blocks: $blocks:expr, scans: $scans:expr) => {
        /// [`Digit`](crate::frame::radix_sort::Digit).
        pub(crate) static DIGIT: Slot =
            Slot::of::<crate::frame::radix_sort::Digit>("digit", concat!("digit of ", $records));
        /// The input of a pass, and its output.
        pub(crate) static UNSORTED: Slot = Slot::of::<Pair>("pairs", concat!($records, " to sort"));
        pub(crate) static SORTED: Slot = Slot::of::<Pair>("sorted", concat!("sorted ", $records));
        /// The number of records with each value of a digit, block by block, and in total.
        static BLOCK_COUNTS: Slot = Slot::of::<u32>("block_counts", concat!("digits of ", $records, " by block"));
        static TOTALS: Slot = Slot::of::<u32>("totals", concat!("digits of ", $records));

        const fn pass(
            entry: &'static str,
            workgroup: u32,
            more: &'static [File],
            slots: &'static [At],
            groups: fn(&$work) -> u64,
        ) -> Kernel<$work> {
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
                    source: Source::of(FILES).and(more),
                    slots: [slots, &[]],
                    overrides: &[],
                },
                size: Size::Groups(groups),
            }
        }

        pub(crate) static COUNT_DIGITS: Kernel<$work> = pass(
            "count_digits",
            crate::frame::radix_sort::WORKGROUP,
            files!["outputs/digit_of_pair.wgsl"],
            &[
                At::new(0, &DIGIT),
                At::new(1, $count),
                At::new(2, &UNSORTED),
                At::new(4, &BLOCK_COUNTS),
            ],
            $blocks,
        );

        pub(crate) static SCAN_BLOCKS: Kernel<$work> = pass(
            "scan_blocks",
            crate::frame::radix_sort::WORKGROUP,
            files!["outputs/digit_of_pair.wgsl"],
            &[
                At::new(0, &DIGIT),
                At::new(1, $count),
                At::new(4, &BLOCK_COUNTS),
                At::new(5, &TOTALS),
            ],
            $scans,
        );

        pub(crate) static SCAN_TOTALS: Kernel<$work> = pass(
            "scan_totals",
            crate::frame::radix_sort::WORKGROUP,
            files!["outputs/digit_of_pair.wgsl"],
            &[At::new(0, &DIGIT), At::new(5, &TOTALS)],
            |_| 1,
        );

        const PLACING_SLOTS: &[At] = &[
            At::new(0, &DIGIT),
            At::new(1, $count),
            At::new(2, &UNSORTED),
            At::new(3, &SORTED),
            At::new(4, &BLOCK_COUNTS),
            At::new(5, &TOTALS),
        ];

        pub(crate) static PLACE_BY_SUBGROUPS: Kernel<$work> = pass(
            "place_pairs",
            crate::frame::radix_sort::SUBGROUP_PLACING,
            files!["outputs/digit_of_pair.wgsl", "outputs/place_subgroup.wgsl"],
            PLACING_SLOTS,
            $blocks,
        );

        pub(crate) static PLACE_BY_WORKGROUPS: Kernel<$work> = pass(
            "place_pairs",
            crate::frame::radix_sort::PORTABLE_PLACING,
            files!["outputs/digit_of_pair.wgsl", "outputs/place_portable.wgsl"],
            PLACING_SLOTS,
            $blocks,
        );
    };
}
pub(crate) use radix_sort;
