// Candidate pairs: for every record, the records after it in the order of the tree whose bounds
// overlap its own. Twin: src/broad_phase/lbvh/lbvh_pairs_cpu.rs. src/broad_phase/lbvh/layout.rs
// explains why each pair is found exactly once.
// Uses: broad_phase/lbvh/lbvh.wgsl, broad_phase/lbvh/nodes.wgsl, broad_phase/lbvh/step.wgsl,
// broad_phase/operations.wgsl, broad_phase/record.wgsl, rules/lists.wgsl, rules/may_meet.wgsl,
// shared/append.wgsl, shared/common.wgsl, shared/loops.wgsl, shared/pair.wgsl.

const WORKGROUP: u32 = 64u;
// The number of pairs that an invocation keeps until their places in the list are known. An
// invocation with more takes its own places for these.
const KEPT: u32 = 12u;

// KEPT pairs for each invocation, in columns. No invocation reads another's.
var<workgroup> kept: array<Pair, KEPT * WORKGROUP>;
var<private> kept_count: u32;

// Writes the pairs that an invocation keeps from place `start` on, as far as the capacity allows.
fn write_kept(start: u32, local: u32) {
    let room = params.candidate_capacity - min(start, params.candidate_capacity);
    for (var k = 0u; k < min(kept_count, room); k++) {
        let pair = kept[k * WORKGROUP + local];
        candidates.pairs[start + k] = pair;
        put_margin(start + k, pair.a, pair.b);
    }
    kept_count = 0u;
}

// The first record of a compartment or of a later one.
fn first_of(compartment: u32) -> u32 {
    var low = 0u;
    var high = params.box_count;
    while low < high {
        let middle = low + (high - low) / 2u;
        if compartment_of_b(id_of(record_at(middle))) < compartment { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

// Finds the partners of record i: those after it in its own layer, if that layer meets itself, and
// all of the lower layers that its own layer meets. Lower layers have fewer records, so the work is
// spread over many invocations with little work each.
fn walk(i: u32, local: u32) {
    let record = record_at(i);
    let layer = layer_of_b(id_of(record));
    var layers = layers_met_by(layer) & ((2u << layer) - 1u);
    if (layers >> layer & 1u) > 0u {
        // The host restricts the partners to a part of the records only if walks over all of them
        // take too long for a driver.
        let end = min(params.partners_end, params.box_count);
        var link = before(link_of(record), end);
        if params.partners_first > i + 1u {
            link = END;
            if params.partners_first < end { link = subtree_from(params.partners_first, params.box_count); }
        }
        walk_from(record, link, end, local);
        layers &= ~(1u << layer);
    }
    // Without rules there is one layer, and no code is generated for others.
    while ruled && layers > 0u {
        let other = firstTrailingBit(layers);
        layers &= layers - 1u;
        let there = compartment(world_of_b(id_of(record)), other);
        let first = max(first_of(there), params.partners_first);
        var end = params.partners_end;
        if there < 0xffffffffu { end = min(end, first_of(there + 1u)); }
        if first < end { walk_from(record, subtree_from(first, params.box_count), end, local); }
    }
}

// Finds partners from a link on, before the record `end`.
fn walk_from(record: Record, start: u32, end: u32, local: u32) {
    var link = start;
    loop {
        while link != END && kept_count < KEPT {
            let there = at_link(link);
            let met = meet(record, there);
            if count_operations { comparisons += 1u; }
            if met && link >= LEAF {
                let pair = Pair(min(id_of(record), id_of(there)), max(id_of(record), id_of(there)));
                if may_meet(pair.a, pair.b) {
                    kept[kept_count * WORKGROUP + local] = pair;
                    kept_count += 1u;
                }
            }
            link = step_from(link, there, met, end);
        }
        if link == END { break; }
        write_kept(take_places(CANDIDATES, kept_count), local);
    }
}

// The number of records of the range to walk for.
fn records_to_walk() -> u32 {
    if params.refit > 0u && atomicLoad(&candidates.counters[TOO_MANY]) == STALE_ORDER { return 0u; }
    if params.most_work <= 0.0 { return params.range_count; }
    let samples = f32(min(params.box_count, SAMPLES));
    let work_of_each = max(f32(atomicLoad(&candidates.counters[PLACED])) / samples, 1.0);
    return min(u32(clamp(params.most_work / work_of_each, 1.0, 0x1p31)), params.range_count);
}

@compute @workgroup_size(WORKGROUP)
fn lbvh_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = records_to_walk();
    if workgroup.x == 0u && local == 0u { atomicStore(&candidates.counters[WALKED], count); }
    for (var first = workgroup.x * WORKGROUP; first < count; first += workgroups.x * WORKGROUP) {
        kept_count = 0u;
        if first + local < count { walk(params.range_first + first + local, local); }
        add_operations();
        let start = append(kept_count, CANDIDATES, local);
        write_kept(start, local);
    }
    note_ended_loops();
}
