// How the narrow phase is dispatched: the kernel over all axes or the one over five, with an invocation for each candidate pair.
// The other kernel is dispatched for nothing. In checks with a margin there is one kernel only, in the place of that over all.

// src/narrow_phase/obb_obb/narrow_plan.rs, Dispatches
struct Dispatches {
    all_axes: vec3<u32>,
    unused_a: u32,
    five_axes: vec3<u32>,
    unused_b: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> candidates: CandidateList;
@group(0) @binding(2) var<storage, read_write> dispatches: Dispatches;
@group(0) @binding(3) var<storage, read> stats: SceneStats;

@compute @workgroup_size(1)
fn narrow_plan() {
    let workgroups = testing_workgroups(candidates_to_test());
    let all = params.margin > 0u || params.own_margins > 0u || stats.tilted > 0u;
    dispatches.all_axes = vec3(select(0u, workgroups, all), 1u, 1u);
    dispatches.five_axes = vec3(select(workgroups, 0u, all), 1u, 1u);
}
