// A pass of the sort of pairs by (a, b): a stable counting sort by one digit of one of the two
// numbers, which digit_of_pair.wgsl or digit_of_bodies.wgsl returns. Passes from the least
// significant digit of b to the most significant digit of a form a radix sort (Knuth, "The Art of
// Computer Programming" 3, section 5.2.5).
//
// The pairs are divided into blocks of consecutive ones. count_digits counts the values of the
// digit in each block. scan_blocks sums the counts of earlier blocks, value by value, and
// scan_totals those of smaller values. From these sums, place_pairs in place_subgroup.wgsl or
// place_portable.wgsl computes the places of the pairs of each block. Between these kernels, no
// workgroup waits for another. Only the GPU knows the number of pairs.
// Uses: outputs/digit_of_bodies.wgsl or outputs/digit_of_pair.wgsl, shared/outcome.wgsl,
// shared/pair.wgsl.

const WORKGROUP: u32 = 256u;
// The most values that a digit can take: as many as a workgroup has invocations.
const DIGITS: u32 = 256u;
// The most blocks: enough to fill a large GPU, few enough for one workgroup to scan the counts of a
// value.
const BLOCKS: u32 = 2048u;
// The fewest pairs in a block; a multiple of WORKGROUP.
const SMALLEST_BLOCK: u32 = 1024u;
// Blocks summed by an invocation of scan_blocks.
const PER_INVOCATION: u32 = BLOCKS / WORKGROUP;
// Invocations summed by an invocation in a scan; the square root of WORKGROUP.
const GROUP: u32 = 16u;

// src/outputs/sort_pairs.rs, Digit
struct Digit {
    shift: u32,
    mask: u32,
    of_a: u32,
    unused: u32,
}

@group(0) @binding(0) var<uniform> digit: Digit;
@group(0) @binding(1) var<storage, read> outcome: Outcome;
@group(0) @binding(2) var<storage, read> pairs: array<Pair>;
@group(0) @binding(3) var<storage, read_write> sorted: array<Pair>;
// For each value, the number of pairs with it in each block; after the scan, in all earlier blocks.
@group(0) @binding(4) var<storage, read_write> block_counts: array<u32>;
// For each value, the number of pairs with it; after the scan, of pairs with a smaller one.
@group(0) @binding(5) var<storage, read_write> totals: array<u32>;

// Pairs per block.
fn block_length() -> u32 {
    let rows = (outcome.pairs + BLOCKS * WORKGROUP - 1u) / (BLOCKS * WORKGROUP);
    return max(rows * WORKGROUP, SMALLEST_BLOCK);
}

fn block_count() -> u32 {
    return (outcome.pairs + block_length() - 1u) / block_length();
}

var<workgroup> histogram: array<atomic<u32>, DIGITS>;

@compute @workgroup_size(WORKGROUP)
fn count_digits(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let length = block_length();
    for (var block = workgroup.x; block < block_count(); block += workgroups.x) {
        atomicStore(&histogram[local], 0u);
        workgroupBarrier();
        let end = min((block + 1u) * length, outcome.pairs);
        for (var k = block * length + local; k < end; k += WORKGROUP) {
            atomicAdd(&histogram[digit_of(pairs[k])], 1u);
        }
        workgroupBarrier();
        if local <= digit.mask { block_counts[local * block_count() + block] = atomicLoad(&histogram[local]); }
    }
}

var<workgroup> sums: array<u32, WORKGROUP>;
var<workgroup> group_sums: array<u32, GROUP>;

// The sum of all numbers before that of an invocation, while `sums` and `group_sums` are there.
fn sum_before(invocation: u32) -> u32 {
    var before = sums[invocation];
    for (var k = 0u; k < invocation / GROUP; k++) { before += group_sums[k]; }
    return before;
}

// The sum of `number` over the earlier invocations from `first` on. Called by all invocations of
// the workgroup.
fn sum_since(first: u32, number: u32, local: u32) -> u32 {
    sums[local] = number;
    workgroupBarrier();
    if local < GROUP {
        var sum = 0u;
        for (var k = local * GROUP; k < (local + 1u) * GROUP; k++) {
            let own = sums[k];
            sums[k] = sum;
            sum += own;
        }
        group_sums[local] = sum;
    }
    workgroupBarrier();
    let since = sum_before(local) - sum_before(first);
    // After this, both arrays can be reused.
    workgroupBarrier();
    return since;
}

// Invocations that share a value of the digit: a power of two.
fn invocations_of_value() -> u32 {
    let needed = (block_count() + PER_INVOCATION - 1u) / PER_INVOCATION;
    return 1u << (32u - countLeadingZeros(max(needed, 1u) - 1u));
}

// A workgroup takes as many values of the digit as its invocations suffice for: all if there are
// few blocks, one if there are as many as can be.
@compute @workgroup_size(WORKGROUP)
fn scan_blocks(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let blocks = block_count();
    let sharing = invocations_of_value();
    let values = WORKGROUP / sharing;
    for (var start = workgroup.x * values; start <= digit.mask; start += workgroups.x * values) {
        let value = start + local / sharing;
        let row = value * blocks;
        let first = select(blocks, min(local % sharing * PER_INVOCATION, blocks), value <= digit.mask);
        let end = min(first + PER_INVOCATION, blocks);
        var own = 0u;
        for (var block = first; block < end; block++) { own += block_counts[row + block]; }
        var before = sum_since(local - local % sharing, own, local);
        if value <= digit.mask && local % sharing == sharing - 1u { totals[value] = before + own; }
        for (var block = first; block < end; block++) {
            let count = block_counts[row + block];
            block_counts[row + block] = before;
            before += count;
        }
    }
}

// Turns the number of pairs with each value into the number with a smaller one.
@compute @workgroup_size(WORKGROUP)
fn scan_totals(@builtin(local_invocation_index) local: u32) {
    var own = 0u;
    if local <= digit.mask { own = totals[local]; }
    let before = sum_since(0u, own, local);
    if local <= digit.mask { totals[local] = before; }
}
