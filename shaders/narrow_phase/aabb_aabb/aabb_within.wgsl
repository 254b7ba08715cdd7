// Which candidate pairs of bounds are within their margin of each other: those whose gap along no axis is wider, by the stored
// numbers as they are. Twin: src/narrow_phase/aabb_aabb/aabb_within_cpu.rs. All is decided by the bits of the numbers, because a
// device may round a difference in either direction and take small numbers for zero.

// The words of the bounds, six of each: half of an Obb's, so that a segment holds twice as many.
@group(0) @binding(1) var<storage, read> boxes_0: array<u32>;
@group(0) @binding(2) var<storage, read> boxes_1: array<u32>;
@group(0) @binding(3) var<storage, read> boxes_2: array<u32>;

const SIGN: u32 = 0x80000000u;
// The first bit of a mantissa, which is not stored.
const LEADING: u32 = 0x800000u;

// A word of the bounds: the minimum's coordinates, then the maximum's.
fn word(index: u32, k: u32) -> u32 {
    let full = 2u * params.box_segment;
    if index < full { return boxes_0[6u * index + k]; }
    let beyond = index - full;
    if beyond < full { return boxes_1[6u * beyond + k]; }
    return boxes_2[6u * (beyond - full) + k];
}

// A number as an unsigned integer with the same order; -0 is just below 0.
fn sortable(bits: u32) -> u32 {
    return select(bits ^ SIGN, ~bits, bits >= SIGN);
}

// A number of no sign is its mantissa times two to its exponent, which is counted from that of the smallest numbers.
fn exponent(bits: u32) -> u32 {
    return max(bits >> 23u, 1u);
}

fn mantissa(bits: u32) -> u32 {
    return (bits & (LEADING - 1u)) | select(0u, LEADING, bits >= LEADING);
}

// How x compares with y + z, all without a sign: 0 if it is less, 1 if it is equal, 2 if it is greater.
fn compare_with_sum(x: u32, y: u32, z: u32) -> u32 {
    let large = max(y, z);
    let small = min(y, z);
    if x < large { return 0u; }
    // The sum is below four times the power of two that `large` begins with.
    let doublings = exponent(x) - exponent(large);
    if doublings > 1u { return 2u; }
    // x - large, at most 2^25, is held against `small`, both in units of the last place of `large`; `small` may have a rest.
    let left = (mantissa(x) << doublings) - mantissa(large);
    let shift = min(exponent(large) - exponent(small), 24u);
    let whole = mantissa(small) >> shift;
    if left != whole { return select(0u, 2u, left > whole); }
    return select(1u, 0u, (whole << shift) != mantissa(small));
}

// Whether `high` is at most `margin` below `low`.
fn reaches(low: u32, high: u32, margin: u32) -> bool {
    if sortable(low) <= sortable(high) { return true; }
    if high < SIGN { return compare_with_sum(low, high, margin) < 2u; }
    if low < SIGN { return compare_with_sum(margin, low, high - SIGN) > 0u; }
    return compare_with_sum(high - SIGN, low - SIGN, margin) < 2u;
}

fn within_along(a: u32, b: u32, axis: u32, margin: u32) -> bool {
    return reaches(word(a, axis), word(b, axis + 3u), margin) && reaches(word(b, axis), word(a, axis + 3u), margin);
}

@compute @workgroup_size(WORKGROUP)
fn aabb_within(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = bound_of_loop(candidates_to_test(), local);
    for (var first = workgroup.x * WORKGROUP; first < count; first += workgroups.x * WORKGROUP) {
        let k = first + local;
        var pair = Pair(0u, 0u);
        var is_within = false;
        if k < count {
            pair = candidates.pairs[k];
            let margin = margin_of_candidate(k);
            is_within = within_along(pair.a, pair.b, 0u, margin) && within_along(pair.a, pair.b, 1u, margin) &&
                within_along(pair.a, pair.b, 2u, margin);
        }
        hand_on(pair, is_within, false, local);
    }
}
