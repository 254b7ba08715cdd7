// The separating-axis test in f64, for the pairs that f32 left undecided, on adapters with f64.
// Twin: src/narrow_phase/obb_obb/obb_sat_f64_cpu.rs. Formulas, error bound and the rule for
// parallel edges: src/narrow_phase/obb_obb/separating_axes.rs.
// Uses: shared/append.wgsl, shared/append_portable.wgsl or shared/append_subgroup.wgsl,
// shared/boxes.wgsl, shared/common.wgsl, shared/images.wgsl, shared/list_pairs.wgsl or
// shared/visit_pairs.wgsl, shared/obb.wgsl, shared/pair.wgsl, shared/verdicts.wgsl.

const SEPARATED: u32 = 0u;
const OVERLAPPING: u32 = 1u;
const UNDECIDED: u32 = 2u;

const ERROR_PER_SIZE: f64 = 0x1p-35;
// Reading a subnormal f32 may flush it.
const FLUSH_ERROR: f64 = 0x1p-118;
const KAPPA: f64 = 1.16;
const LARGEST_SINE: f64 = 0.5;

// The quaternion's matrix with homogeneous diagonal: the rotation times |q|^2. Columns are the
// box's axes.
fn matrix(q: vec4<f64>) -> mat3x3<f64> {
    let d = q * q;
    return mat3x3<f64>(
        vec3<f64>(d.w + d.x - d.y - d.z, 2.0lf * (q.x * q.y + q.w * q.z), 2.0lf * (q.x * q.z - q.w * q.y)),
        vec3<f64>(2.0lf * (q.x * q.y - q.w * q.z), d.w - d.x + d.y - d.z, 2.0lf * (q.y * q.z + q.w * q.x)),
        vec3<f64>(2.0lf * (q.x * q.z + q.w * q.y), 2.0lf * (q.y * q.z - q.w * q.x), d.w - d.x - d.y + d.z),
    );
}

fn sum(v: vec3<f64>) -> f64 {
    return v.x + v.y + v.z;
}

fn sum_of_squares(q: vec4<f64>) -> f64 {
    return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
}

fn largest(v: vec3<f64>) -> f64 {
    return max(v.x, max(v.y, v.z));
}

// The dot product of the vector with each column.
fn along_columns(v: vec3<f64>, m: mat3x3<f64>) -> vec3<f64> {
    return vec3<f64>(sum(v * m[0]), sum(v * m[1]), sum(v * m[2]));
}

// Data shared by the tests of the nine edge axes.
struct EdgeTest {
    t: vec3<f64>,
    g_a: vec3<f64>,
    face: f64,
    size: f64,
    error: f64,
}

// The axes of one edge of B with the three of A, from a column of C and the radius that the other
// edges of B add.
fn edge_axes(test: EdgeTest, column: vec3<f64>, radius_b: vec3<f64>) -> u32 {
    let column_abs = abs(column);
    let edge = abs(test.t.zxy * column.yzx - test.t.yzx * column.zxy)
        - (test.g_a.yzx * column_abs.zxy + test.g_a.zxy * column_abs.yzx + radius_b);
    if largest(edge) > test.error { return SEPARATED; }
    let sine = column_abs.yzx + column_abs.zxy;
    let parallel = (sine < vec3<f64>(LARGEST_SINE))
        & (vec3<f64>(test.face) < -(KAPPA * test.size * sine + vec3<f64>(2.0lf * test.error)));
    return select(UNDECIDED, OVERLAPPING, all((edge < vec3<f64>(-test.error)) | parallel));
}

// conj(a) b
fn relative(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> {
    let cross = a.yzx * b.zxy - a.zxy * b.yzx;
    let product = a * b;
    return vec4<f64>(a.w * b.xyz - b.w * a.xyz - cross, product.w + product.x + product.y + product.z);
}

// to - from, as the sum of two f32 numbers, which can be fenced.
fn difference(to: vec3<f32>, from_there: vec3<f32>) -> vec3<f64> {
    let high = vec3<f64>(fenced_3(to - from_there, params.zero));
    let low = vec3<f32>(vec3<f64>(to) - vec3<f64>(from_there) - high);
    return high + vec3<f64>(fenced_3(low, params.zero));
}

fn obb_sat(a: Obb, b: Obb) -> u32 {
    let q_a = vec4<f64>(a.rotation);
    let d = difference(b.center, a.center);
    let n = sum_of_squares(q_a);
    let t = along_columns(d, matrix(q_a));
    let g_a = n * vec3<f64>(f64(a.half_x), f64(a.half_y), f64(a.half_z));
    let g_b = n * vec3<f64>(f64(b.half_x), f64(b.half_y), f64(b.half_z));
    let r = relative(q_a, vec4<f64>(b.rotation));
    let c = matrix(r);
    let x = abs(c[0]);
    let y = abs(c[1]);
    let z = abs(c[2]);
    let s = sum_of_squares(r);
    let size = sum(abs(t)) + sum(g_a) + sum(g_b);
    let error = ERROR_PER_SIZE * size + FLUSH_ERROR;

    let face_a = s * (abs(t) - g_a) - (x * g_b.x + y * g_b.y + z * g_b.z);
    let face_b = abs(along_columns(t, c)) - s * g_b - along_columns(g_a, mat3x3<f64>(x, y, z));
    let face = max(largest(face_a), largest(face_b));
    if face > error { return SEPARATED; }

    let test = EdgeTest(t, g_a, face, size, error);
    let edges_x = edge_axes(test, c[0], g_b.y * z + g_b.z * y);
    let edges_y = edge_axes(test, c[1], g_b.z * x + g_b.x * z);
    let edges_z = edge_axes(test, c[2], g_b.x * y + g_b.y * x);
    if min(edges_x, min(edges_y, edges_z)) == SEPARATED { return SEPARATED; }
    let overlapping = face < -error && max(edges_x, max(edges_y, edges_z)) == OVERLAPPING;
    return select(UNDECIDED, OVERLAPPING, overlapping);
}

// Returns `true` if the box's axes are those of the world, in any order: then the nonzero
// components of the quaternion are equal in magnitude. (Quaternions with three such components do
// not qualify, but are not worth excluding.)
fn is_aligned(q: vec4<f32>) -> bool {
    let size = abs(q);
    let most = max(max(size.x, size.y), max(size.z, size.w));
    return all((size == vec4(0.0)) | (size == vec4(most)));
}

// The number of undecided pairs to test. If a list did not fit, the frame is repeated with all of
// it, and nothing may be counted yet. If the frame is never repeated (`partial`), those that fit.
fn undecided_to_test() -> u32 {
    let total = atomicLoad(&candidates.counters[UNDECIDED_PAIRS]);
    let whole = total <= params.undecided_capacity;
    return select(select(0u, params.undecided_capacity, params.partial > 0u), total, whole);
}

@compute @workgroup_size(WORKGROUP)
fn obb_sat_f64_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = bound_of_loop(undecided_to_test(), local);
    for (var first = workgroup.x * WORKGROUP; first < count; first += workgroups.x * WORKGROUP) {
        let k = first + local;
        var pair = Pair(0u, 0u);
        var state = SEPARATED;
        if k < count {
            pair = undecided[params.undecided_capacity + k];
            let a = box_at(pair.a);
            let b = box_of_b(pair.b);
            // Aligned boxes that f32 cannot decide mostly touch, like bricks in a wall: f64 cannot
            // decide them either. Images are rounded.
            state = UNDECIDED;
            if !(is_aligned(a.rotation) && is_aligned(b.rotation)) && !is_image(pair.b) { state = obb_sat(a, b); }
        }

        let counts = select(vec2(0u), vec2(1u), vec2(state) == vec2(OVERLAPPING, UNDECIDED));
        let places = append_to_both(counts, vec2(PAIRS, LEFT_PAIRS), local);
        if state == OVERLAPPING { put_found(pair, places.x, true); }
        if state == UNDECIDED { put_left(pair, places.y); }
    }
}
