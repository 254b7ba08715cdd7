// Bounds of spheres, and their validation.
// Uses: broad_phase/grid/counting.wgsl or broad_phase/grid/noted.wgsl,
// broad_phase/grid/statistics.wgsl, shapes/round/bounds_around.wgsl, shapes/round/sphere.wgsl,
// shared/common.wgsl, shared/new_bounds.wgsl, shared/validity.wgsl.

// One segment at a time, in units of a sphere: the spheres follow the boxes and capsules, which are
// three units each.
@group(0) @binding(1) var<storage, read> boxes: array<Sphere>;

@compute @workgroup_size(WORKGROUP)
fn sphere_bounds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    begin_bounds(local);
    let full = 3u * params.box_segment;
    let before = segment.number * full;
    let first = 3u * params.capsule_end;
    let end = first + (params.box_count - params.capsule_end);
    let count = min(end - min(before, end), full);
    for (var k = max(first, before) - before + workgroup.x * WORKGROUP + local; k < count; k += workgroups.x * WORKGROUP) {
        let i = params.capsule_end + (before + k - first);
        let ball = boxes[k];
        let hopeless = beyond(ball.center) || beyond(vec3(ball.radius));
        if hopeless || negative(ball.radius) { note_suspect(); }
        // NaN bounds must not reach the grid. The host rejects the scene when it reads the number
        // of suspects.
        var b = Bounds(vec3(0.0), 0u, vec3(0.0), i);
        if !hopeless { b = bounds_around(ball.center, vec3(ball.radius), ball.radius, i); }
        put_bounds(i, note_bounds(b));
    }
    end_bounds(local);
}
