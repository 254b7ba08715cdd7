// Finds the first possible partner of each body: the one with the smallest index of those that it
// may meet at its earliest time, which sweep_times.wgsl has found.
// Uses: narrow_phase/moving_moving/impact_record.wgsl, shared/common.wgsl, shared/outcome.wgsl.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(4) var<uniform> outcome: Outcome;
@group(0) @binding(6) var<storage, read> impacts: array<ImpactRecord>;
@group(0) @binding(7) var<storage, read_write> earliest: array<atomic<u32>>;

fn note(own: u32, other: u32, bits: u32) {
    if atomicLoad(&earliest[2u * own]) == bits { atomicMin(&earliest[2u * own + 1u], other); }
}

@compute @workgroup_size(WORKGROUP)
fn sweep_partners(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    for (var k = id.x; k < min(outcome.pairs, params.pair_capacity); k += workgroups.x * WORKGROUP) {
        let impact = impacts[k];
        note(impact.a, impact.b, bitcast<u32>(impact.time));
        note(impact.b, impact.a, bitcast<u32>(impact.time));
    }
}
