// Bounds of spheres, and their validation.
// Uses: broad_phase/grid/counting.wgsl or broad_phase/grid/noted.wgsl,
// broad_phase/grid/statistics.wgsl, shapes/round/bounds_around.wgsl, shapes/round/sphere.wgsl,
// shared/common.wgsl, shared/images.wgsl, shared/new_bounds.wgsl, shared/runs.wgsl,
// shared/validity.wgsl.

// One segment at a time, in units of a sphere: the spheres follow the boxes and capsules, which are
// three units each.
@group(0) @binding(1) var<storage, read> boxes: array<Sphere>;

// The spheres of bodies, and those of images.
fn spheres_of(run: u32) -> Run {
    if run == 0u {
        let first = 3u * params.capsule_end;
        let end = select(params.box_count, params.images_first, imaged);
        return Run(first, first + (end - params.capsule_end), params.capsule_end);
    }
    let first = params.images_unit + 3u * params.image_capsule_end;
    let id = params.images_first + params.image_capsule_end;
    return Run(first, first + (params.box_count - id), id);
}

@compute @workgroup_size(WORKGROUP)
fn sphere_bounds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    begin_bounds(local);
    for (var run = 0u; run < run_count(); run++) {
        let own = in_segment(spheres_of(run), 3u * params.box_segment, segment.number);
        for (var k = own.first + workgroup.x * WORKGROUP + local; k < own.end; k += workgroups.x * WORKGROUP) {
            let i = own.id + (k - own.first);
            let ball = boxes[k];
            let hopeless = beyond(ball.center) || beyond(vec3(ball.radius));
            if hopeless || negative(ball.radius) { note_suspect(); }
            // NaN bounds must not reach the grid. The host rejects the scene when it reads the
            // number of suspects.
            var b = Bounds(vec3(0.0), 0u, vec3(0.0), i);
            if !hopeless { b = bounds_around(ball.center, vec3(ball.radius), ball.radius, i); }
            put_bounds(i, note_bounds(b));
        }
    }
    end_bounds(local);
}
