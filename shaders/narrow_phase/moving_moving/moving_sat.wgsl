// Finds the candidate pairs of bodies in motion that may meet during the step: those that no axis
// separates for the whole step. Twin: src/narrow_phase/moving_moving/moving_sat_cpu.rs, which has
// the formulas and derives the error bound; rounded.wgsl continues with round bodies.
// Uses: narrow_phase/moving_moving/rounded.wgsl, narrow_phase/moving_moving/way_errors.wgsl,
// shapes/moving/moving.wgsl, shapes/moving/moving_boxes.wgsl, shared/append_portable.wgsl or
// shared/append_subgroup.wgsl, shared/candidates.wgsl, shared/common.wgsl, shared/pair.wgsl,
// shared/rotation.wgsl, shared/verdicts.wgsl.

// The extent of the relative path along axes, to each side of its middle.
struct Way {
    // The middle of the range, half of the chord, and half of the curve's largest deviation from
    // its chord. The middle is offset from that of the chord by the latter.
    middle: vec3<f32>,
    chord: vec3<f32>,
    bulge: vec3<f32>,
}

// The distance minus the extent of the path, along the axes of a frame given by rows.
fn gap_of(way: Way, c: mat3x3<f32>) -> vec3<f32> {
    return abs(way.middle * c) - abs(way.chord * c) - abs(way.bulge * c);
}

// The distance minus the extent of the path, along the cross products of a direction with the axes
// of A.
fn gap_across(way: Way, v: vec3<f32>) -> vec3<f32> {
    return abs(cross(v, way.middle)) - abs(cross(v, way.chord)) - abs(cross(v, way.bulge));
}

fn may_meet(a: Moving, b: Moving) -> bool {
    let d = fenced_3(b.center - a.center, params.zero);
    let p = fenced_3(b.path - a.path, params.zero);
    let g = fenced_3(b.bend - a.bend, params.zero);
    let middle = fenced_3(d + 0.5 * p + 0.375 * g, params.zero);
    let chord = fenced_3(0.5 * p + 0.5 * g, params.zero);
    let axes = matrix(a.rotation);
    let t_and_n = fenced(vec4(middle * axes, dot(a.rotation, a.rotation)), params.zero);
    let way = Way(t_and_n.xyz, fenced_3(chord * axes, params.zero), fenced_3(0.125 * g * axes, params.zero));
    let n = t_and_n.w;
    let g_a = n * vec3(a.half_x, a.half_y, a.half_z);
    let g_b = n * vec3(b.half_x, b.half_y, b.half_z);
    let r = relative(a.rotation, b.rotation);
    let c = matrix(r);
    let s = dot(r, r);
    let x = abs(c[0]);
    let y = abs(c[1]);
    let z = abs(c[2]);
    let size = sum(abs(way.middle)) + sum(abs(way.chord)) + sum(abs(way.bulge)) + sum(g_a) + sum(g_b);
    let ways = sum(abs(a.path)) + sum(abs(b.path)) + sum(abs(a.bend)) + sum(abs(b.bend));
    let error = SIZE_ERROR * size + WAY_ERROR * ways + FLUSH_ERROR;

    let face_a = s * (abs(way.middle) - abs(way.chord) - abs(way.bulge) - g_a) - (x * g_b.x + y * g_b.y + z * g_b.z);
    let face_b = gap_of(way, c) - s * g_b - vec3(dot(x, g_a), dot(y, g_a), dot(z, g_a));
    if max(largest(face_a), largest(face_b)) > error { return false; }

    // Perpendicular to the path and to an edge of A, or of B. Any direction is valid, so errors in
    // it do not matter.
    let longest = largest(abs(way.chord));
    let v = fenced_3(select(vec3(0.0), way.chord * (1.0 / max(longest, LEAST_WAY)), longest > LEAST_WAY), params.zero);
    let v_abs = abs(v);
    let v_x = abs(cross(v, c[0]));
    let v_y = abs(cross(v, c[1]));
    let v_z = abs(cross(v, c[2]));
    let w = abs(v * c);
    let across_a = s * (gap_across(way, v) - (g_a.yzx * v_abs.zxy + g_a.zxy * v_abs.yzx))
        - (v_x * g_b.x + v_y * g_b.y + v_z * g_b.z);
    let turned = Way(cross(v, way.middle), cross(v, way.chord), cross(v, way.bulge));
    let across_b = gap_of(turned, c) - vec3(dot(v_x, g_a), dot(v_y, g_a), dot(v_z, g_a))
        - (g_b.yzx * w.zxy + g_b.zxy * w.yzx);
    if max(largest(across_a), largest(across_b)) > error { return false; }

    let radii_x = g_b.y * z + g_b.z * y + (g_a.yzx * x.zxy + g_a.zxy * x.yzx);
    let radii_y = g_b.z * x + g_b.x * z + (g_a.yzx * y.zxy + g_a.zxy * y.yzx);
    let radii_z = g_b.x * y + g_b.y * x + (g_a.yzx * z.zxy + g_a.zxy * z.yzx);
    let edges = max(max(gap_across(way, c[0]) - radii_x, gap_across(way, c[1]) - radii_y), gap_across(way, c[2]) - radii_z);
    return largest(edges) <= error;
}

@compute @workgroup_size(WORKGROUP)
fn moving_sat(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = bound_of_loop(candidates_to_test(), local);
    for (var first = workgroup.x * WORKGROUP; first < count; first += workgroups.x * WORKGROUP) {
        let k = first + local;
        var pair = Pair(0u, 0u);
        var is_found = false;
        if k < count {
            pair = candidates.pairs[k];
            let a = moving_at(pair.a);
            let b = moving_at(pair.b);
            let groups = (a.memberships & b.groups_filter) != 0u && (b.memberships & a.groups_filter) != 0u;
            if groups { is_found = may_meet(a, b); }
            if rounded && is_found && a.radius + b.radius > 0.0 { is_found = rounded_contact(a, b, 0.0) <= 1.0; }
        }
        hand_on(pair, is_found, false, local);
    }
}
