// Places pairs in a pass of their sort: a workgroup takes a block, one pair per invocation at a
// time. Replaces place_subgroup.wgsl on adapters without subgroup operations.
// Uses: outputs/digit_of_bodies.wgsl or outputs/digit_of_pair.wgsl, outputs/sort_pairs.wgsl,
// shared/pair.wgsl.

// Invocations of a workgroup.
const PLACING: u32 = 256u;
// The number of masks, which hold one bit for each invocation.
const MASKS: u32 = PLACING / 32u;

// The place of the next pair with each value.
var<workgroup> next: array<u32, DIGITS>;
// For each value, the invocations whose pair has it: MASKS runs of DIGITS masks.
var<workgroup> holders: array<atomic<u32>, MASKS * DIGITS>;

@compute @workgroup_size(PLACING)
fn place_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var m = 0u; m < MASKS; m++) { atomicStore(&holders[m * DIGITS + local], 0u); }
    let length = block_length();
    let own_mask = local / 32u;
    let own_bit = 1u << (local % 32u);
    for (var block = workgroup.x; block < block_count(); block += workgroups.x) {
        if local <= digit.mask { next[local] = totals[local] + block_counts[local * block_count() + block]; }
        workgroupBarrier();
        let end = min((block + 1u) * length, outcome.pairs);
        for (var first = block * length; first < end; first += PLACING) {
            let there = first + local < end;
            var pair: Pair;
            var value = 0u;
            if there {
                pair = pairs[first + local];
                value = digit_of(pair);
                atomicOr(&holders[own_mask * DIGITS + value], own_bit);
            }
            workgroupBarrier();
            // Pairs with the same value keep their order: those of earlier invocations come first.
            var place = next[value];
            var more_after = false;
            if there {
                for (var m = 0u; m < MASKS; m++) {
                    let mask = atomicLoad(&holders[m * DIGITS + value]);
                    let before = select(select(0u, own_bit - 1u, m == own_mask), 0xffffffffu, m < own_mask);
                    let own = select(0u, own_bit, m == own_mask);
                    place += countOneBits(mask & before);
                    more_after |= (mask & ~before & ~own) > 0u;
                }
            }
            workgroupBarrier();
            if there {
                sorted[place] = pair;
                atomicStore(&holders[own_mask * DIGITS + value], 0u);
                if !more_after { next[value] = place + 1u; }
            }
            workgroupBarrier();
        }
    }
}
