// A frame that keeps the order of an earlier one sorts nothing: links follow from the keys alone,
// and bounds are recomputed from the records in that order. The values of the keys do not matter:
// src/broad_phase/lbvh/layout.rs.
//
// Frames are recorded before they run, so the order can be checked only here, on the device. If the
// earlier frame has never run, the buffers may hold any bits. Then the records keep their own
// order, which is as valid as any other, and no walks take place.
// Uses: shared/common.wgsl, shared/outcome.wgsl, shared/pair.wgsl.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
// Holds the number of the order that the buffers contain.
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
