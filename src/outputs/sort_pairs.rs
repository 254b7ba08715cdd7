//! Dispatcher of `shaders/outputs/sort_pairs.wgsl`, with `place_subgroup.wgsl` or `place_portable.wgsl`.

use bytemuck::{Pod, Zeroable};

use crate::base::error::Result;
use crate::device::context::Context;
use crate::device::kernel::{Kernel, Source, source};

pub(crate) const SUBGROUP_SOURCE: Source = source!(
    "shared/common.wgsl",
    "shared/outcome.wgsl",
    "outputs/sort_pairs.wgsl",
    "outputs/place_subgroup.wgsl"
);
pub(crate) const PORTABLE_SOURCE: Source = source!(
    "shared/common.wgsl",
    "shared/outcome.wgsl",
    "outputs/sort_pairs.wgsl",
    "outputs/place_portable.wgsl"
);

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 256;
/// Invocations of a workgroup of `place_subgroup.wgsl`.
pub(crate) const SUBGROUP_PLACING: u32 = 128;
/// Invocations of a workgroup of `place_portable.wgsl`.
pub(crate) const PORTABLE_PLACING: u32 = 256;
/// Values that a digit can take, at most.
pub(crate) const DIGITS: u32 = 1 << DIGIT_BITS;
/// Blocks of pairs at most.
pub(crate) const BLOCKS: u32 = 2048;
/// Pairs of a block at least.
pub(crate) const SMALLEST_BLOCK: u32 = 1024;

const DIGIT_BITS: u32 = 8;

/// What a pass sorts by: `struct Digit` of `shaders/outputs/sort_pairs.wgsl`.
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
    /// The digits by which pairs with `a` and `b` below these numbers are sorted by (a, b). They are even in number: pairs that
    /// go to and fro between two buffers end where they began.
    pub fn of_pairs([a, b]: [u32; 2]) -> Vec<Self> {
        let more = (passes(a) + passes(b)) % 2;
        let digits = Self::of_numbers(b, passes(b) + more, 0);
        digits.chain(Self::of_numbers(a, passes(a), 1)).collect()
    }

    /// The digits by which pairs that are sorted by (a, b), with `b` below this number, are sorted by (b, a).
    pub fn of_b(b: u32) -> Vec<Self> {
        Self::of_numbers(b, passes(b), 0).collect()
    }

    /// So many digits of numbers below `count`, the least first.
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

/// Bits of the numbers below `count`.
fn bits(count: u32) -> u32 {
    u32::BITS - count.saturating_sub(1).leading_zeros()
}

/// Digits that numbers below `count` have at least.
fn passes(count: u32) -> u32 {
    bits(count).div_ceil(DIGIT_BITS).max(1)
}

/// Pairs that an invocation that places them can take. For each it looks at up to 8 bits or masks; drivers let it take 65,535
/// rounds in all (`shaders/shared/loops.wgsl`).
const MOST_PAIRS_OF_INVOCATION: u64 = 7000;

/// The most pairs that so many workgroups can sort, 64 at least of whose invocations place pairs.
pub(crate) fn most_pairs(workgroups: u32) -> u64 {
    u64::from(workgroups.min(BLOCKS)) * 64 * MOST_PAIRS_OF_INVOCATION
}

/// Sorts pairs of a recorded frame, whose number the GPU alone knows.
pub(crate) struct SortPairs {
    count_digits: Kernel,
    scan_blocks: Kernel,
    scan_totals: Kernel,
    place_pairs: Kernel,
    /// Invocations of its workgroups.
    placing: u32,
    block_counts: wgpu::Buffer,
    totals: wgpu::Buffer,
}

/// What ties a pass to its buffers.
pub(crate) struct SortPass {
    values: u32,
    count_digits: wgpu::BindGroup,
    scan_blocks: wgpu::BindGroup,
    scan_totals: wgpu::BindGroup,
    place_pairs: wgpu::BindGroup,
}

impl SortPairs {
    pub async fn new(context: &Context) -> Result<Self> {
        let words = |count: u32| u64::from(count) * size_of::<u32>() as u64;
        let (source, placing) = match context.subgroups {
            true => (SUBGROUP_SOURCE, SUBGROUP_PLACING),
            false => (PORTABLE_SOURCE, PORTABLE_PLACING),
        };
        let kernel = async |name, workgroup| Kernel::new(context, source, name, workgroup, &[]).await;
        Ok(Self {
            count_digits: kernel("count_digits", WORKGROUP).await?,
            scan_blocks: kernel("scan_blocks", WORKGROUP).await?,
            scan_totals: kernel("scan_totals", WORKGROUP).await?,
            place_pairs: kernel("place_pairs", placing).await?,
            placing,
            block_counts: context
                .storage_buffer("digits by block", words(DIGITS * BLOCKS))
                .await?,
            totals: context.storage_buffer("digits", words(DIGITS)).await?,
        })
    }

    /// Bytes of GPU memory held.
    pub fn bytes(&self) -> u64 {
        self.block_counts.size() + self.totals.size()
    }

    /// Ties a pass to the pairs it takes and to those it leaves, both of them as many as `outcome` says.
    pub async fn bind(
        &self,
        context: &Context,
        outcome: &wgpu::Buffer,
        digit: Digit,
        [pairs, sorted]: [&wgpu::Buffer; 2],
    ) -> Result<SortPass> {
        let parameters = bytemuck::bytes_of(&digit);
        let digit_buffer = context
            .buffer_with("digit", parameters, wgpu::BufferUsages::UNIFORM)
            .await?;
        let (digit_binding, outcome) = ((0, &digit_buffer), (1, outcome));
        let (pairs, sorted) = ((2, pairs), (3, sorted));
        let (counts, totals) = ((4, &self.block_counts), (5, &self.totals));
        context
            .scoped("the bindings of a sort", 0, || SortPass {
                values: digit.mask + 1,
                count_digits: self
                    .count_digits
                    .bind(context, &[digit_binding, outcome, pairs, counts]),
                scan_blocks: self
                    .scan_blocks
                    .bind(context, &[digit_binding, outcome, counts, totals]),
                scan_totals: self.scan_totals.bind(context, &[digit_binding, totals]),
                place_pairs: self
                    .place_pairs
                    .bind(context, &[digit_binding, outcome, pairs, sorted, counts, totals]),
            })
            .await
    }

    /// Records a pass over as many pairs as there are, at most `most_pairs`.
    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &SortPass, most_pairs: u64) {
        let blocks = most_pairs.div_ceil(u64::from(SMALLEST_BLOCK)).min(u64::from(BLOCKS));
        let invocations = |workgroups: u64| workgroups * u64::from(WORKGROUP);
        self.count_digits
            .dispatch(pass, &bindings.count_digits, invocations(blocks));
        self.scan_blocks
            .dispatch(pass, &bindings.scan_blocks, invocations(bindings.values.into()));
        self.scan_totals.dispatch(pass, &bindings.scan_totals, invocations(1));
        // A workgroup of subgroups takes several blocks: then some find none.
        self.place_pairs
            .dispatch(pass, &bindings.place_pairs, blocks * u64::from(self.placing));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_all_bits_once_and_even_in_number() {
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
