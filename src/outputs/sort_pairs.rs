//! The sort of pairs: the [radix sort](crate::frame::radix_sort) by (a, b), or by (b, a). Pairs of
//! bodies and images are sorted by their bodies, with the digits of `digit_of_bodies.wgsl`.

use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, File, Kernel, Size, Source, files};
use crate::frame::outcome::OUTCOME;
use crate::frame::radix_sort::{
    BLOCKS, DIGIT_BITS, DIGITS, Digit, PORTABLE_PLACING, SUBGROUP_PLACING, WORKGROUP, blocks, radix_sort, scans,
};
use crate::geometry::pair::Pair;
use crate::outputs::image_pairs::IMAGES_OF_PAIRS;

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

/// The work of a pass.
pub(crate) struct SortWork {
    pub digit: Digit,
    pub most_pairs: u64,
}

radix_sort!(
    SortWork: "pairs",
    count: &OUTCOME,
    blocks: |work| blocks(work.most_pairs),
    scans: |work| scans(work.digit.mask + 1, work.most_pairs)
);

pub(crate) static COUNT_DIGITS_OF_BODIES: Kernel<SortWork> = pass(
    "count_digits",
    WORKGROUP,
    files!["engine/image_record.wgsl", "outputs/digit_of_bodies.wgsl"],
    &[
        At::new(0, &DIGIT),
        At::new(1, &OUTCOME),
        At::new(2, &UNSORTED),
        At::new(4, &BLOCK_COUNTS),
        At::new(6, &IMAGES_OF_PAIRS),
    ],
    |work| blocks(work.most_pairs),
);

const PLACING_BODIES: &[At] = &[
    At::new(0, &DIGIT),
    At::new(1, &OUTCOME),
    At::new(2, &UNSORTED),
    At::new(3, &SORTED),
    At::new(4, &BLOCK_COUNTS),
    At::new(5, &TOTALS),
    At::new(6, &IMAGES_OF_PAIRS),
];

pub(crate) static PLACE_BODIES_BY_SUBGROUPS: Kernel<SortWork> = pass(
    "place_pairs",
    SUBGROUP_PLACING,
    files![
        "engine/image_record.wgsl",
        "outputs/digit_of_bodies.wgsl",
        "outputs/place_subgroup.wgsl"
    ],
    PLACING_BODIES,
    |work| blocks(work.most_pairs),
);

pub(crate) static PLACE_BODIES_BY_WORKGROUPS: Kernel<SortWork> = pass(
    "place_pairs",
    PORTABLE_PLACING,
    files![
        "engine/image_record.wgsl",
        "outputs/digit_of_bodies.wgsl",
        "outputs/place_portable.wgsl"
    ],
    PLACING_BODIES,
    |work| blocks(work.most_pairs),
);

pub(crate) const BUFFERS: &[Owned<()>] = &[
    Owned::of(&BLOCK_COUNTS, |()| u64::from(DIGITS * BLOCKS)),
    Owned::of(&TOTALS, |()| DIGITS.into()),
];

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
