// The separating-axis test of two oriented boxes over all 15 axes (Gottschalk, Lin and Manocha,
// "OBBTree", 1996), with three answers: separated, overlapping, undecided. Twin:
// src/narrow_phase/obb_obb/obb_sat_cpu.rs; the formulas, the error bound and the rule for parallel
// edges are explained in src/narrow_phase/obb_obb/separating_axes.rs.
// Uses: narrow_phase/obb_obb/sat.wgsl, shared/common.wgsl, shared/obb.wgsl, shared/rotation.wgsl,
// shared/verdicts.wgsl.

const KAPPA: f32 = 1.16;
const LARGEST_SINE: f32 = 0.5;

// Data shared by the tests of the nine edge axes.
struct EdgeTest {
    t: vec3<f32>,
    g_a: vec3<f32>,
    face: f32,
    size: f32,
    error: f32,
}

// The axes of one edge of B with the three of A, from a column of C and the radius that the other
// edges of B add.
fn edge_axes(test: EdgeTest, column: vec3<f32>, radius_b: vec3<f32>) -> u32 {
    let column_abs = abs(column);
    let edge = abs(test.t.zxy * column.yzx - test.t.yzx * column.zxy)
        - (test.g_a.yzx * column_abs.zxy + test.g_a.zxy * column_abs.yzx + radius_b);
    if largest(edge) > test.error { return SEPARATED; }
    let sine = column_abs.yzx + column_abs.zxy;
    let parallel = (sine < vec3(LARGEST_SINE))
        & (vec3(test.face) < -(KAPPA * test.size * sine + 2.0 * test.error));
    return select(UNDECIDED, OVERLAPPING, all((edge < vec3(-test.error)) | parallel));
}

fn state_of_boxes(a: Obb, b: Obb) -> u32 {
    let d = fenced_3(b.center - a.center, params.zero);
    let t_and_n = fenced(vec4(d * matrix(a.rotation), dot(a.rotation, a.rotation)), params.zero);
    let t = t_and_n.xyz;
    let n = t_and_n.w;
    let g_a = n * vec3(a.half_x, a.half_y, a.half_z);
    let g_b = n * vec3(b.half_x, b.half_y, b.half_z);
    let r = relative(a.rotation, b.rotation);
    let c = matrix(r);
    let x = abs(c[0]);
    let y = abs(c[1]);
    let z = abs(c[2]);
    let s = dot(r, r);
    let distance = sum(abs(t));
    let sum_a = sum(g_a);
    let sum_b = sum(g_b);
    // The errors of axes: that of the distance, and that of the extents in their radii.
    let distance_error = ERROR_PER_DISTANCE * distance + FLUSH_ERROR;
    let error_a = distance_error + ERROR_PER_RADIUS * (g_a + sum_b);
    let error_b = distance_error + ERROR_PER_RADIUS * (sum_a + g_b);
    let error = distance_error + ERROR_PER_RADIUS * (sum_a + sum_b);

    let face_a = s * (abs(t) - g_a) - (x * g_b.x + y * g_b.y + z * g_b.z);
    if any(face_a > error_a) { return SEPARATED; }
    let face_b = abs(t * c) - s * g_b - vec3(dot(x, g_a), dot(y, g_a), dot(z, g_a));
    let face = max(largest(face_a), largest(face_b));
    if any(face_b > error_b) { return SEPARATED; }

    let test = EdgeTest(t, g_a, face, distance + sum_a + sum_b, error);
    let edges_x = edge_axes(test, c[0], g_b.y * z + g_b.z * y);
    if edges_x == SEPARATED { return SEPARATED; }
    let edges_y = edge_axes(test, c[1], g_b.z * x + g_b.x * z);
    if edges_y == SEPARATED { return SEPARATED; }
    let edges_z = edge_axes(test, c[2], g_b.x * y + g_b.y * x);
    if edges_z == SEPARATED { return SEPARATED; }
    let inside = all(face_a < -error_a) && all(face_b < -error_b);
    let overlapping = inside && max(edges_x, max(edges_y, edges_z)) == OVERLAPPING;
    if overlapping { return OVERLAPPING; }
    if params.exactness == PRECISION_EXACT { return UNDECIDED; }
    // Face axes decide by their sign. Edge axes decide only if their gap cannot be a rounding
    // error.
    return select(OVERLAPPING, SEPARATED, params.exactness == PRECISION_FAST && face > 0.0);
}

@compute @workgroup_size(WORKGROUP)
fn obb_sat_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    test_boxes(workgroup.x, local);
}
