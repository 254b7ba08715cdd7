// Finds the candidate pairs of bounds within their margin of each other: those with no wider gap
// along any axis, computed exactly from the stored numbers. Twin:
// src/narrow_phase/aabb_aabb/aabb_within_cpu.rs. Everything is decided by the bits of the numbers,
// because a device may round a difference in either direction and flush subnormal numbers to zero.
// Uses: shared/append_portable.wgsl or shared/append_subgroup.wgsl, shared/candidates.wgsl,
// shared/pair.wgsl, shared/verdicts.wgsl.

// The bounds as words, six for each: half as many as an Obb has, so a segment holds twice as many
// bounds.
@group(0) @binding(1) var<storage, read> boxes_0: array<u32>;
@group(0) @binding(2) var<storage, read> boxes_1: array<u32>;
@group(0) @binding(3) var<storage, read> boxes_2: array<u32>;

const SIGN: u32 = 0x80000000u;
// The leading bit of a mantissa, which is not stored.
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

// The exponent of a non-negative number, which is mantissa(bits) times a power of two. Exponents
// are counted from that of the subnormal numbers.
fn exponent(bits: u32) -> u32 {
    return max(bits >> 23u, 1u);
}

fn mantissa(bits: u32) -> u32 {
    return (bits & (LEADING - 1u)) | select(0u, LEADING, bits >= LEADING);
}

// Compares x with y + z, all non-negative: 0 if x is less, 1 if it is equal, 2 if it is greater.
fn compare_with_sum(x: u32, y: u32, z: u32) -> u32 {
    let large = max(y, z);
    let small = min(y, z);
    if x < large { return 0u; }
    // The sum is less than four times the largest power of two that is at most `large`.
    let doublings = exponent(x) - exponent(large);
    if doublings > 1u { return 2u; }
    // Compares x - large, which is at most 2^25, with `small`, both in units of the last place of
    // `large`; `small` may have a remainder.
    let left = (mantissa(x) << doublings) - mantissa(large);
    let shift = min(exponent(large) - exponent(small), 24u);
    let whole = mantissa(small) >> shift;
    if left != whole { return select(0u, 2u, left > whole); }
    return select(1u, 0u, (whole << shift) != mantissa(small));
}

// Returns `true` if `high` is at most `margin` below `low`.
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
