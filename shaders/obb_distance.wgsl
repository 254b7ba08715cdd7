// Which candidate pairs are within a margin of each other, by the distance of the boxes: the narrow phase of checks with a
// margin. Twin: src/narrow_phase/obb_distance_cpu.rs; the method, its proof and the error bound are in
// src/narrow_phase/distance.rs.

const WORKGROUP: u32 = 256u;

const BEYOND: u32 = 0u;
const NEAR: u32 = 1u;
const COLLIDING: u32 = 2u;
const UNDECIDED: u32 = 3u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(4) var<storage, read> candidates: array<Pair>;
@group(0) @binding(5) var<storage, read_write> pairs: array<Pair>;
@group(0) @binding(6) var<storage, read_write> undecided: array<Pair>;
@group(0) @binding(7) var<storage, read_write> degrees: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> counters: array<atomic<u32>, COUNTERS>;

const ERROR: f32 = 128.0 * 0x1p-23;
const PARALLEL: f32 = 8.0 * 0x1p-23;
const FLUSH_ERROR: f32 = 0x1p-60;
const KAPPA: f32 = 1.16;
const LARGEST_SINE: f32 = 0.5;
const INFINITE: f32 = 0x1p127;

// The quaternion's matrix with homogeneous diagonal: the rotation times |q|^2. Columns are the box's axes.
fn matrix(q: vec4<f32>) -> mat3x3<f32> {
    let d = q * q;
    return mat3x3(
        vec3(d.w + d.x - d.y - d.z, 2.0 * (q.x * q.y + q.w * q.z), 2.0 * (q.x * q.z - q.w * q.y)),
        vec3(2.0 * (q.x * q.y - q.w * q.z), d.w - d.x + d.y - d.z, 2.0 * (q.y * q.z + q.w * q.x)),
        vec3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), d.w - d.x - d.y + d.z),
    );
}

fn largest(v: vec3<f32>) -> f32 {
    return max(v.x, max(v.y, v.z));
}

fn sum(v: vec3<f32>) -> f32 {
    return v.x + v.y + v.z;
}

// Both boxes in the frame of A, whose center is the origin. The axes of B are the columns of c.
struct Frame {
    t: vec3<f32>,
    c: mat3x3<f32>,
    h_a: vec3<f32>,
    h_b: vec3<f32>,
    size: f32,
    error: f32,
}

fn frame_of(a: Obb, b: Obb) -> Frame {
    let n = dot(a.rotation, a.rotation);
    let t = ((b.center - a.center) * matrix(a.rotation)) * (1.0 / n);
    let r = vec4(
        a.rotation.w * b.rotation.xyz - b.rotation.w * a.rotation.xyz - cross(a.rotation.xyz, b.rotation.xyz),
        dot(a.rotation, b.rotation),
    );
    let h_a = vec3(a.half_x, a.half_y, a.half_z);
    let h_b = vec3(b.half_x, b.half_y, b.half_z);
    let size = sum(abs(t) + h_a + h_b);
    // The margin itself is rounded.
    let error = ERROR * (size + params.margin) + FLUSH_ERROR;
    return Frame(t, matrix(r) * (1.0 / dot(r, r)), h_a, h_b, size, error);
}

// The largest gap along the six face axes.
fn faces(f: Frame) -> f32 {
    let x = abs(f.c[0]);
    let y = abs(f.c[1]);
    let z = abs(f.c[2]);
    let face_a = abs(f.t) - f.h_a - (x * f.h_b.x + y * f.h_b.y + z * f.h_b.z);
    let face_b = abs(f.t * f.c) - f.h_b - vec3(dot(x, f.h_a), dot(y, f.h_a), dot(z, f.h_a));
    return max(largest(face_a), largest(face_b));
}

// The nine axes of two edges: those of edge j of B and the three of A are in column j.
struct Edges {
    // Gaps along the axes, times the sines.
    gaps: mat3x3<f32>,
    // Sines of the angles between the edges.
    sines: mat3x3<f32>,
}

// The gaps along the axes of one edge of B, from a column of c and the radius that the other edges of B add.
fn gaps(f: Frame, column: vec3<f32>, radius_b: vec3<f32>) -> vec3<f32> {
    let column_abs = abs(column);
    return abs(f.t.zxy * column.yzx - f.t.yzx * column.zxy)
        - (f.h_a.yzx * column_abs.zxy + f.h_a.zxy * column_abs.yzx + radius_b);
}

fn sines(column: vec3<f32>) -> vec3<f32> {
    let squares = column * column;
    return sqrt(squares.yzx + squares.zxy);
}

fn edges_of(f: Frame) -> Edges {
    let x = abs(f.c[0]);
    let y = abs(f.c[1]);
    let z = abs(f.c[2]);
    return Edges(
        mat3x3(
            gaps(f, f.c[0], f.h_b.y * z + f.h_b.z * y),
            gaps(f, f.c[1], f.h_b.z * x + f.h_b.x * z),
            gaps(f, f.c[2], f.h_b.x * y + f.h_b.y * x),
        ),
        mat3x3(sines(f.c[0]), sines(f.c[1]), sines(f.c[2])),
    );
}

fn bound(f: Frame, gaps: vec3<f32>, sines: vec3<f32>) -> f32 {
    return largest((gaps - f.error) / (sines + ERROR));
}

// What the distance is not below: the largest gap, less its error.
fn lower_bound(f: Frame, face: f32, edges: Edges) -> f32 {
    let x = bound(f, edges.gaps[0], edges.sines[0]);
    let y = bound(f, edges.gaps[1], edges.sines[1]);
    let z = bound(f, edges.gaps[2], edges.sines[2]);
    return max(face - f.error, max(x, max(y, z)));
}

// Whether no axis of one edge of B can separate the boxes.
fn clear(f: Frame, face: f32, gaps: vec3<f32>, sines: vec3<f32>) -> bool {
    let parallel = (sines < vec3(LARGEST_SINE)) & (vec3(face) < -(KAPPA * f.size * sines + 2.0 * f.error));
    return all((gaps < vec3(-f.error)) | parallel);
}

// Whether they certainly share points; see the separating-axis test.
fn overlapping(f: Frame, face: f32, edges: Edges) -> bool {
    return face < -f.error
        && clear(f, face, edges.gaps[0], edges.sines[0])
        && clear(f, face, edges.gaps[1], edges.sines[1])
        && clear(f, face, edges.gaps[2], edges.sines[2]);
}

// The sign that a bit says: 1 is negative.
fn sign_of(bits: u32, bit: u32) -> f32 {
    return select(1.0, -1.0, ((bits >> bit) & 1u) == 1u);
}

// The least squared distance of a corner from the other box.
fn corners(f: Frame) -> f32 {
    var least = INFINITE;
    for (var corner = 0u; corner < 8u; corner += 1u) {
        let signs = vec3(sign_of(corner, 0u), sign_of(corner, 1u), sign_of(corner, 2u));
        let of_b = f.t + f.c * (signs * f.h_b);
        let of_a = (signs * f.h_a - f.t) * f.c;
        let from_a = max(abs(of_b) - f.h_a, vec3(0.0));
        let from_b = max(abs(of_a) - f.h_b, vec3(0.0));
        least = min(least, min(dot(from_a, from_a), dot(from_b, from_b)));
    }
    return least;
}

// The least squared distance of edges along axis i of A and axis j of B that may face each other.
fn edge_pair(f: Frame, i: u32, j: u32, squared_sine: f32) -> f32 {
    var axes = f.c;
    var t = f.t;
    var h_a = f.h_a;
    var h_b = f.h_b;
    let k = (i + 1u) % 3u;
    let l = (i + 2u) % 3u;
    let m = (j + 1u) % 3u;
    let n = (j + 2u) % 3u;
    var direction = axes[j];
    var axis_m = axes[m];
    var axis_n = axes[n];
    // Of a_i x b_j with the offset of the centers, and with the other axes of A and B.
    let offset = direction[k] * t[l] - direction[l] * t[k];
    let towards_b = select(0.0, sign(offset), abs(offset) > ERROR * sum(abs(t)));
    let products = vec4(-direction[l], direction[k], -axis_n[i], axis_m[i]) * towards_b;
    var least = INFINITE;
    for (var sides = 0u; sides < 16u; sides += 1u) {
        let signs = vec4(sign_of(sides, 0u), sign_of(sides, 1u), sign_of(sides, 2u), sign_of(sides, 3u));
        // A side that is certainly the other one is not tried.
        if any(products * signs < vec4(-ERROR)) { continue; }
        var on_a = vec3(0.0);
        on_a[k] = signs.x * h_a[k];
        on_a[l] = signs.y * h_a[l];
        var middle = t + (signs.z * h_b[m]) * axis_m + (signs.w * h_b[n]) * axis_n;
        let along_normal = (on_a[k] - middle[k]) * direction[k] + (on_a[l] - middle[l]) * direction[l];
        let first = clamp(along_normal / squared_sine, -h_b[j], h_b[j]);
        on_a[i] = clamp(middle[i] + first * direction[i], -h_a[i], h_a[i]);
        let last = clamp(dot(direction, on_a - middle), -h_b[j], h_b[j]);
        let apart = middle + last * direction - on_a;
        least = min(least, dot(apart, apart));
    }
    return least;
}

// The least squared distance of two edges whose normal may be the direction of the distance, which is `lower` at least.
fn edge_pairs(f: Frame, lower: f32, edges: Edges) -> f32 {
    var all_gaps = edges.gaps;
    var all_sines = edges.sines;
    var least = INFINITE;
    for (var pair = 0u; pair < 9u; pair += 1u) {
        let i = pair % 3u;
        let j = pair / 3u;
        let sine = all_sines[j][i];
        if sine > PARALLEL && all_gaps[j][i] + 2.0 * f.error >= lower * sine {
            least = min(least, edge_pair(f, i, j, sine * sine));
        }
    }
    return least;
}

// How two boxes lie to each other and to the margin.
fn nearness(a: Obb, b: Obb) -> u32 {
    let margin = params.margin;
    let f = frame_of(a, b);
    let face = faces(f);
    if face - f.error > margin { return BEYOND; }
    let edges = edges_of(f);
    let lower = lower_bound(f, face, edges);
    if lower > margin { return BEYOND; }
    if lower <= 0.0 {
        let colliding = params.exactness != PRECISION_EXACT || overlapping(f, face, edges);
        return select(UNDECIDED, COLLIDING, colliding);
    }
    var squared = corners(f);
    // Below zero it would be none; then nothing is certainly within the margin.
    let surely = max(margin - f.error, 0.0);
    if squared > surely * surely { squared = min(squared, edge_pairs(f, lower, edges)); }
    let distance = sqrt(squared);
    if distance + f.error <= margin { return NEAR; }
    if distance - f.error > margin { return BEYOND; }
    if params.exactness == PRECISION_EXACT { return UNDECIDED; }
    return select(NEAR, BEYOND, params.exactness == PRECISION_FAST && distance > margin);
}

@compute @workgroup_size(WORKGROUP)
fn obb_distance_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = bound_of_loop(candidates_to_test(), local);
    for (var first = workgroup.x * WORKGROUP; first < count; first += workgroups.x * WORKGROUP) {
        let k = first + local;
        var pair = Pair(0u, 0u);
        var state = BEYOND;
        if k < count {
            pair = candidates[k];
            let a = box_at(pair.a);
            let b = box_or_mover_at(pair.b);
            if groups_meet(a, b) { state = nearness(a, b); }
        }
        hand_on(pair, state == NEAR || state == COLLIDING, state == UNDECIDED, local);
        // Only counted.
        append(select(0u, 1u, state == NEAR), NEAR_PAIRS, local);
    }
}
