// The separating-axis test of two boxes that are rotated about z only, over the five axes that
// these need: four in plan, and z. Twin: src/narrow_phase/obb_obb/upright_sat_cpu.rs. The formulas
// and the error bound are explained in src/narrow_phase/obb_obb/separating_axes.rs.
// Uses: narrow_phase/obb_obb/sat.wgsl, shared/common.wgsl, shared/obb.wgsl, shared/verdicts.wgsl.

// Cosine and sine of the rotation about z whose quaternion has this z and w, times |q|^2.
fn turn(q: vec2<f32>) -> vec2<f32> {
    return vec2(q.y * q.y - q.x * q.x, 2.0 * (q.y * q.x));
}

// The components of a vector along the two axes rotated by `turned`.
fn along(v: vec2<f32>, turned: vec2<f32>) -> vec2<f32> {
    return vec2(v.x * turned.x + v.y * turned.y, v.y * turned.x - v.x * turned.y);
}

fn sum(v: vec2<f32>) -> f32 {
    return v.x + v.y;
}

// The error of an axis, from the distance and the extents along it.
fn error_of(distance: f32, extents: f32) -> f32 {
    return ERROR_PER_DISTANCE * distance + ERROR_PER_RADIUS * extents + FLUSH_ERROR;
}

fn state_of_boxes(a: Obb, b: Obb) -> u32 {
    let q_a = a.rotation.zw;
    let q_b = b.rotation.zw;
    let d = fenced_3(b.center - a.center, params.zero);
    let t_and_n = fenced(vec4(along(d.xy, turn(q_a)), 0.0, dot(q_a, q_a)), params.zero);
    let t = t_and_n.xy;
    let n = t_and_n.w;
    let t_z = abs(n * d.z);
    let g_a = n * vec3(a.half_x, a.half_y, a.half_z);
    let g_b = n * vec3(b.half_x, b.half_y, b.half_z);
    let r = fenced(vec4(q_a.y * q_b.x - q_b.y * q_a.x, dot(q_a, q_b), 0.0, 0.0), params.zero).xy;
    let s = dot(r, r);
    let c = turn(r);
    let c_abs = abs(c);

    let of_a = s * (abs(t) - g_a.xy) - (c_abs.x * g_b.xy + c_abs.y * g_b.yx);
    let of_b = abs(along(t, c)) - s * g_b.xy - (c_abs.x * g_a.xy + c_abs.y * g_a.yx);
    let faces = max(of_a, of_b);
    let plan = max(faces.x, faces.y);
    let along_z = s * (t_z - g_a.z) - s * g_b.z;
    let error = error_of(sum(abs(t)), sum(g_a.xy) + sum(g_b.xy));
    let error_z = error_of(t_z, g_a.z + g_b.z);
    if plan > error || along_z > error_z { return SEPARATED; }
    if plan < -error && along_z < -error_z { return OVERLAPPING; }
    if params.exactness == PRECISION_EXACT { return UNDECIDED; }
    return select(OVERLAPPING, SEPARATED, params.exactness == PRECISION_FAST && max(plan, along_z) > 0.0);
}

@compute @workgroup_size(WORKGROUP)
fn upright_sat_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    test_boxes(workgroup.x, local);
}
