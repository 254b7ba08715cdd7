//! Declares `shaders/outputs/sort_pairs.wgsl`, with `place_subgroup.wgsl` or `place_portable.wgsl`:
//! a radix sort of pairs whose number is known only to the GPU.

use bytemuck::{Pod, Zeroable};

use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, File, Kernel, Size, Source, files};
use crate::frame::outcome::OUTCOME;
use crate::geometry::pair::Pair;

/// Number of invocations of a workgroup.
const WORKGROUP: u32 = 256;
/// Number of invocations of a workgroup of `place_subgroup.wgsl`.
const SUBGROUP_PLACING: u32 = 128;
/// Number of invocations of a workgroup of `place_portable.wgsl`.
const PORTABLE_PLACING: u32 = 256;
/// Maximum number of values of a digit.
pub(crate) const DIGITS: u32 = 1 << DIGIT_BITS;
/// Maximum number of blocks of pairs.
pub(crate) const BLOCKS: u32 = 2048;
/// Minimum number of pairs of a block.
pub(crate) const SMALLEST_BLOCK: u32 = 1024;

const DIGIT_BITS: u32 = 8;

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

impl Digit {
    /// Returns the digits by which pairs with `a` and `b` below these numbers are sorted by (a, b).
    /// Their number is even, so that pairs that alternate between two buffers end in the first one.
    pub fn of_pairs([a, b]: [u32; 2]) -> Vec<Self> {
        let more = (passes(a) + passes(b)) % 2;
        let digits = Self::of_numbers(b, passes(b) + more, 0);
        digits.chain(Self::of_numbers(a, passes(a), 1)).collect()
    }

    /// Returns the digits by which pairs sorted by (a, b), with `b` below this number, are sorted
    /// by (b, a).
    pub fn of_b(b: u32) -> Vec<Self> {
        Self::of_numbers(b, passes(b), 0).collect()
    }

    /// Returns `passes` digits of numbers below `count`, the least significant first.
    fn of_numbers(count: u32, passes: u32, of_a: u32) -> impl Iterator<Item = Self> {
        let width = bits(count).div_ceil(passes).max(1);
        (0..passes).map(move |k| Self {
            shift: k * width,
            mask: (1 << width) - 1,
            of_a,
            unused: 0,
        })
    }
}

/// Returns the number of bits of the numbers below `count`.
fn bits(count: u32) -> u32 {
    u32::BITS - count.saturating_sub(1).leading_zeros()
}

/// Returns the minimum number of digits of the numbers below `count`.
fn passes(count: u32) -> u32 {
    bits(count).div_ceil(DIGIT_BITS).max(1)
}

/// Maximum number of pairs that an invocation can place. For each it examines up to 8 bits or
/// masks; drivers allow 65,535 rounds in total (`shaders/shared/loops.wgsl`).
const MOST_PAIRS_OF_INVOCATION: u64 = 7000;

/// Returns the maximum number of pairs that this many workgroups can sort, in each of which at
/// least 64 invocations place pairs.
pub(crate) fn most_pairs(workgroups: u32) -> u64 {
    u64::from(workgroups.min(BLOCKS)) * 64 * MOST_PAIRS_OF_INVOCATION
}

/// [`Digit`].
pub(crate) static DIGIT: Slot = Slot::of::<Digit>("digit", "digit");

/// The input pairs of a pass, and its output pairs.
pub(crate) static UNSORTED: Slot = Slot::of::<Pair>("pairs", "pairs to sort");
pub(crate) static SORTED: Slot = Slot::of::<Pair>("sorted", "sorted pairs");

/// The number of pairs with each value of a digit, block by block, and in total.
static BLOCK_COUNTS: Slot = Slot::of::<u32>("block_counts", "digits by block");
static TOTALS: Slot = Slot::of::<u32>("totals", "digits");

pub(crate) const BUFFERS: &[Owned<()>] = &[
    Owned::of(&BLOCK_COUNTS, |()| u64::from(DIGITS * BLOCKS)),
    Owned::of(&TOTALS, |()| DIGITS.into()),
];

/// The work of a pass.
pub(crate) struct SortWork {
    pub digit: Digit,
    pub most_pairs: u64,
}

impl SortWork {
    /// Returns the maximum number of blocks. A workgroup of subgroups takes several, so some
    /// workgroups find none.
    fn blocks(&self) -> u64 {
        let blocks = self.most_pairs.div_ceil(u64::from(SMALLEST_BLOCK));
        blocks.min(u64::from(BLOCKS))
    }
}

const FILES: &[File] = files![
    "shared/pair.wgsl",
    "shared/common.wgsl",
    "shared/outcome.wgsl",
    "outputs/sort_pairs.wgsl"
];

/// Returns a kernel of a pass. The kernel that places pairs exists in two versions with different
/// workgroup sizes, for adapters with subgroup operations and for all others.
const fn pass(
    entry: &'static str,
    workgroup: u32,
    placing: &'static [File],
    slots: &'static [At],
    groups: fn(&SortWork) -> u64,
) -> Kernel<SortWork> {
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

pub(crate) static COUNT_DIGITS: Kernel<SortWork> = pass(
    "count_digits",
    WORKGROUP,
    &[],
    &[
        At::new(0, &DIGIT),
        At::new(1, &OUTCOME),
        At::new(2, &UNSORTED),
        At::new(4, &BLOCK_COUNTS),
    ],
    SortWork::blocks,
);

pub(crate) static SCAN_BLOCKS: Kernel<SortWork> = pass(
    "scan_blocks",
    WORKGROUP,
    &[],
    &[
        At::new(0, &DIGIT),
        At::new(1, &OUTCOME),
        At::new(4, &BLOCK_COUNTS),
        At::new(5, &TOTALS),
    ],
    |work| u64::from(work.digit.mask) + 1,
);

pub(crate) static SCAN_TOTALS: Kernel<SortWork> = pass(
    "scan_totals",
    WORKGROUP,
    &[],
    &[At::new(0, &DIGIT), At::new(5, &TOTALS)],
    |_| 1,
);

const PLACING_SLOTS: &[At] = &[
    At::new(0, &DIGIT),
    At::new(1, &OUTCOME),
    At::new(2, &UNSORTED),
    At::new(3, &SORTED),
    At::new(4, &BLOCK_COUNTS),
    At::new(5, &TOTALS),
];

pub(crate) static PLACE_BY_SUBGROUPS: Kernel<SortWork> = pass(
    "place_pairs",
    SUBGROUP_PLACING,
    files!["outputs/place_subgroup.wgsl"],
    PLACING_SLOTS,
    SortWork::blocks,
);

pub(crate) static PLACE_BY_WORKGROUPS: Kernel<SortWork> = pass(
    "place_pairs",
    PORTABLE_PLACING,
    files!["outputs/place_portable.wgsl"],
    PLACING_SLOTS,
    SortWork::blocks,
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_cover_every_bit_once_and_their_number_is_even() {
        for (a, b) in [
            (0, 0),
            (1, 1),
            (2, 1),
            (256, 257),
            (1_000_000, 3),
            (70_000, 1 << 20),
            (u32::MAX, u32::MAX),
            (5, u32::MAX),
        ] {
            let digits = Digit::of_pairs([a, b]);
            assert_eq!(digits.len() % 2, 0, "{a}, {b}");
            for (of_a, count) in [(1, a), (0, b)] {
                let own = || digits.iter().filter(|digit| digit.of_a == of_a);
                let bits = own().fold(0u64, |bits, digit| {
                    assert!(digit.mask < DIGITS && digit.shift < 32, "{digit:?}");
                    let own = u64::from(digit.mask) << digit.shift;
                    assert!(
                        bits < own && bits & own == 0,
                        "{a}, {b}: the least digit first, each bit once"
                    );
                    bits | own
                });
                assert!(u64::from(count.saturating_sub(1)) & !bits == 0, "{a}, {b}: {bits:b}");
            }
            assert!(digits.is_sorted_by_key(|digit| digit.of_a), "b before a");
            assert!(Digit::of_b(b).iter().all(|digit| digit.of_a == 0));
        }
        assert_eq!(Digit::of_pairs([1_000_000; 2]).len(), 6);
        assert_eq!(Digit::of_pairs([65_536; 2]).len(), 4);
    }
}
