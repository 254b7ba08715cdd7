// A frame that keeps the order of one before it sorts nothing: links follow from keys alone, and bounds are made anew from the records in
// that order. What its keys were does not matter: src/broad_phase/lbvh/layout.rs.
//
// Frames are recorded before they run, so only here does it show whether the order is the one that was meant. If that frame has never
// run, any bits may stand here. Then the records go in their own order, which is an order like any other, and nobody walks.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
// The number of the order that is there.
@group(0) @binding(1) var<storage, read> outcome: Outcome;
@group(0) @binding(2) var<storage, read_write> order: array<Pair>;
@group(0) @binding(3) var<storage, read_write> sorted_keys: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> candidates: CandidateList;

@compute @workgroup_size(WORKGROUP)
fn lbvh_refit(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if outcome.fits == params.order { return; }
    if workgroup.x == 0u && local == 0u { atomicStore(&candidates.counters[TOO_MANY], STALE_ORDER); }
    for (var i = workgroup.x * WORKGROUP + local; i < params.box_count; i += workgroups.x * WORKGROUP) {
        order[i] = Pair(0u, i);
        sorted_keys[i] = vec2(0u);
    }
}
