// Bounds of capsules, and their validation.
// Uses: broad_phase/grid/counting.wgsl or broad_phase/grid/noted.wgsl,
// broad_phase/grid/statistics.wgsl, shapes/round/bounds_around.wgsl, shapes/round/capsule.wgsl,
// shared/common.wgsl, shared/new_bounds.wgsl, shared/runs.wgsl, shared/validity.wgsl.

// One segment at a time; the capsules follow the boxes.
@group(0) @binding(1) var<storage, read> boxes: array<Capsule>;

fn bounds_of(capsule: Capsule, id: u32) -> Bounds {
    let q = capsule.rotation;
    let d = q * q;
    let axis = abs(vec3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), d.w - d.x - d.y + d.z));
    let extent = axis * capsule.half_length / (d.x + d.y + d.z + d.w) + capsule.radius;
    return bounds_around(capsule.center, extent, capsule.half_length + capsule.radius, id);
}

// The capsules of bodies, and those of images.
fn capsules_of(run: u32) -> Run {
    if run == 0u { return Run(params.box_end, params.capsule_end, params.box_end); }
    let first = params.images_unit / 3u;
    return Run(first + params.image_box_end, first + params.image_capsule_end, params.images_first + params.image_box_end);
}

@compute @workgroup_size(WORKGROUP)
fn capsule_bounds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    begin_bounds(local);
    for (var run = 0u; run < run_count(); run++) {
        let own = in_segment(capsules_of(run), params.box_segment, segment.number);
        for (var k = own.first + workgroup.x * WORKGROUP + local; k < own.end; k += workgroups.x * WORKGROUP) {
            let i = own.id + (k - own.first);
            let capsule = boxes[k];
            let hopeless = hopeless_round(capsule.center, capsule.half_length, capsule.radius, capsule.rotation);
            if hopeless || suspect_round(capsule.half_length, capsule.radius, capsule.rotation) { note_suspect(); }
            // NaN bounds must not reach the grid. The host rejects the scene when it reads the
            // number of suspects.
            var b = Bounds(vec3(0.0), 0u, vec3(0.0), i);
            if !hopeless { b = bounds_of(capsule, i); }
            put_bounds(i, note_bounds(b));
        }
    }
    end_bounds(local);
}
