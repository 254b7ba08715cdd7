// The separating-axis test of two oriented boxes over all 15 axes (Gottschalk, Lin and Manocha, "OBBTree", 1996), with
// three answers: separated, overlapping, undecided. Twin: src/narrow_phase/obb_sat_cpu.rs; the formulas, the error bound
// and the rule for parallel edges are explained in src/narrow_phase/mod.rs.

const WORKGROUP: u32 = 256u;

const SEPARATED: u32 = 0u;
const OVERLAPPING: u32 = 1u;
const UNDECIDED: u32 = 2u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(4) var<storage, read> candidates: array<Pair>;
@group(0) @binding(5) var<storage, read_write> pairs: array<Pair>;
@group(0) @binding(6) var<storage, read_write> undecided: array<Pair>;
@group(0) @binding(7) var<storage, read_write> degrees: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> counters: array<atomic<u32>, COUNTERS>;

const ERROR_PER_DISTANCE: f32 = 44.0 * 0x1p-23;
const ERROR_PER_RADIUS: f32 = 34.0 * 0x1p-23;
const FLUSH_ERROR: f32 = 0x1p-118;
const KAPPA: f32 = 1.16;
const LARGEST_SINE: f32 = 0.5;

// The quaternion's matrix with homogeneous diagonal: the rotation times |q|^2. Columns are the box's axes.
fn matrix(q: vec4<f32>) -> mat3x3<f32> {
    let d = q * q;
    return mat3x3(
        vec3(d.w + d.x - d.y - d.z, 2.0 * (q.x * q.y + q.w * q.z), 2.0 * (q.x * q.z - q.w * q.y)),
        vec3(2.0 * (q.x * q.y - q.w * q.z), d.w - d.x + d.y - d.z, 2.0 * (q.y * q.z + q.w * q.x)),
        vec3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), d.w - d.x - d.y + d.z),
    );
}

fn sum(v: vec3<f32>) -> f32 {
    return v.x + v.y + v.z;
}

fn largest(v: vec3<f32>) -> f32 {
    return max(v.x, max(v.y, v.z));
}

// What the nine edge axes have in common.
struct EdgeTest {
    t: vec3<f32>,
    g_a: vec3<f32>,
    face: f32,
    size: f32,
    error: f32,
}

// The axes of one edge of B with the three of A, from a column of C and the radius that the other edges of B add.
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

fn obb_sat(a: Obb, b: Obb) -> u32 {
    let d = b.center - a.center;
    let n = dot(a.rotation, a.rotation);
    let t = d * matrix(a.rotation);
    let g_a = n * vec3(a.half_x, a.half_y, a.half_z);
    let g_b = n * vec3(b.half_x, b.half_y, b.half_z);
    let r = vec4(
        a.rotation.w * b.rotation.xyz - b.rotation.w * a.rotation.xyz - cross(a.rotation.xyz, b.rotation.xyz),
        dot(a.rotation, b.rotation),
    );
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
    // Faces decide by their sign; edges only where rounding cannot have made their axis separate.
    return select(OVERLAPPING, SEPARATED, params.exactness == PRECISION_FAST && face > 0.0);
}

fn groups_meet(a: Obb, b: Obb) -> bool {
    return (a.memberships & b.groups_filter) != 0u && (b.memberships & a.groups_filter) != 0u;
}

@compute @workgroup_size(WORKGROUP)
fn obb_sat_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = bound_of_loop(candidates_to_test(), local);
    for (var first = workgroup.x * WORKGROUP; first < count; first += workgroups.x * WORKGROUP) {
        let k = first + local;
        var pair = Pair(0u, 0u);
        var state = SEPARATED;
        if k < count {
            pair = candidates[k];
            let a = box_at(pair.a);
            let b = box_or_mover_at(pair.b);
            if groups_meet(a, b) { state = obb_sat(a, b); }
        }

        let place = append(select(0u, 1u, state == OVERLAPPING), PAIRS, local);
        if state == OVERLAPPING {
            if params.output == OUTPUT_PAIRS && place < params.pair_capacity {
                pairs[place] = pair;
            }
            if params.output == OUTPUT_DEGREES && params.again == 0u {
                if params.movers == 0u { atomicAdd(&degrees[pair.a], 1u); }
                atomicAdd(&degrees[pair.b], 1u);
            }
        }
        let undecided_place = append(select(0u, 1u, state == UNDECIDED), UNDECIDED_PAIRS, local);
        if state == UNDECIDED && undecided_place < params.undecided_capacity {
            undecided[undecided_place] = pair;
        }
    }
}
