// Places pairs in a pass of their sort: a subgroup takes a block, one pair per invocation at a
// time, and waits for no other subgroup. place_portable.wgsl does the same without subgroup
// operations. There are deliberately no workgroup barriers: they are very expensive on a CPU that
// runs shaders.
// Uses: outputs/digit_of_bodies.wgsl or outputs/digit_of_pair.wgsl, outputs/sort_pairs.wgsl.

// Invocations of a workgroup.
const PLACING: u32 = 128u;
// The most subgroups of a workgroup that can take blocks: all, if they have at least 8 invocations.
const TABLES: u32 = 16u;

// The place of the next pair with each value, for each subgroup.
var<workgroup> next: array<atomic<u32>, TABLES * DIGITS>;

// The bits below `bit`, among the 32 bits from `first` on.
fn bits_below(bit: u32, first: u32) -> u32 {
    if bit < first { return 0u; }
    if bit >= first + 32u { return 0xffffffffu; }
    return (1u << (bit - first)) - 1u;
}

fn count_bits(mask: vec4<u32>) -> u32 {
    let counts = countOneBits(mask);
    return counts.x + counts.y + counts.z + counts.w;
}

// The lowest bit of a nonzero mask.
fn first_bit(mask: vec4<u32>) -> u32 {
    if mask.x > 0u { return firstTrailingBit(mask.x); }
    if mask.y > 0u { return 32u + firstTrailingBit(mask.y); }
    if mask.z > 0u { return 64u + firstTrailingBit(mask.z); }
    return 96u + firstTrailingBit(mask.w);
}

@compute @workgroup_size(PLACING)
fn place_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_invocation_id) bit: u32,
) {
    if subgroup >= TABLES { return; }
    let table = subgroup * DIGITS;
    let takers = min(subgroups, TABLES);
    let below = vec4(bits_below(bit, 0u), bits_below(bit, 32u), bits_below(bit, 64u), bits_below(bit, 96u));
    // Counts the invocations that exist: not every subgroup need be full.
    let lanes = subgroupAdd(1u);
    let lane = subgroupExclusiveAdd(1u);
    let length = block_length();
    for (var block = workgroup.x * takers + subgroup; block < block_count(); block += workgroups.x * takers) {
        // Some invocations fill the table, and others continue to count in it.
        subgroupBarrier();
        for (var value = lane; value <= digit.mask; value += lanes) {
            atomicStore(&next[table + value], totals[value] + block_counts[value * block_count() + block]);
        }
        subgroupBarrier();
        let end = min((block + 1u) * length, outcome.pairs);
        for (var first = block * length; first < end; first += lanes) {
            let there = first + lane < end;
            let pair = pairs[min(first + lane, end - 1u)];
            let value = digit_of(pair);
            // The invocations with the same value: among those with a pair, those with the same
            // bits.
            var same = subgroupBallot(there);
            for (var left = digit.mask; left > 0u; left >>= 1u) {
                let one = (value & left & ~(left >> 1u)) > 0u;
                let ones = subgroupBallot(one);
                same &= select(~ones, ones, vec4(one));
            }
            // Pairs with the same value keep their order. The first of these invocations reserves
            // the places for all.
            let rank = count_bits(same & below);
            var place = 0u;
            if there && rank == 0u { place = atomicAdd(&next[table + value], count_bits(same)); }
            place = subgroupShuffle(place, first_bit(same)) + rank;
            if there { sorted[place] = pair; }
        }
    }
}
