// Gives bodies that are not active bounds that meet nothing: their high corner is below the low
// corner of all bodies. Their low corner stays, so they stay as spread out as they are.
// Uses: shared/common.wgsl, shared/new_bounds.wgsl, shared/scene_stats.wgsl.

const WORKGROUP: u32 = 256u;
// Below all bodies of a scene at rest.
const BELOW_ALL: f32 = -0x1p63;

@group(0) @binding(0) var<uniform> params: Params;
// 0 for a body that is not active.
@group(0) @binding(1) var<storage, read> active_bodies: array<u32>;
@group(0) @binding(3) var<storage, read> stats: SceneStats;

fn unordered(key: u32) -> f32 {
    return bitcast<f32>(select(~key, key ^ 0x80000000u, key >= 0x80000000u));
}

@compute @workgroup_size(WORKGROUP)
fn deactivate(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let low = vec3(unordered(~stats.below[0]), unordered(~stats.below[1]), unordered(~stats.below[2]));
    // Far enough that no rounding closes the gap.
    let below = select(low - (0x1p-4 * abs(low) + 0x1p-80), vec3(BELOW_ALL), params.movers > 0u);
    // There are no images of bodies that are not active.
    let bodies = select(params.box_count, params.images_first, params.images_first > 0u);
    for (var i = workgroup.x * WORKGROUP + local; i < bodies; i += workgroups.x * WORKGROUP) {
        if active_bodies[i] > 0u { continue; }
        if i < params.bounds_segment {
            bounds_0[i].high = below;
        } else {
            bounds_1[i - params.bounds_segment].high = below;
        }
    }
}
