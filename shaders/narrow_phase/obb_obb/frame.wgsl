// Two boxes in the frame of the first, and their gaps along the fifteen axes of the separating-axis
// test. Twin: src/narrow_phase/obb_obb/obb_distance_cpu.rs; see
// src/narrow_phase/obb_obb/distance_error.rs for the error bound.
// Uses: shared/common.wgsl, shared/obb.wgsl, shared/rotation.wgsl.
// The including shader declares: params.

const ERROR: f32 = 192.0 * 0x1p-23;
const FLUSH_ERROR: f32 = 0x1p-60;
const KAPPA: f32 = 1.16;
const LARGEST_SINE: f32 = 0.5;
const INFINITE: f32 = 0x1p127;

// The axes of a box in the world, as columns.
fn rotation_of(obb: Obb) -> mat3x3<f32> {
    return matrix(obb.rotation) * (1.0 / dot(obb.rotation, obb.rotation));
}

fn half_extents(obb: Obb) -> vec3<f32> {
    return vec3(obb.half_x, obb.half_y, obb.half_z);
}

// Both boxes in the frame of A, with A's center as the origin. The axes of B are the columns of c.
struct Frame {
    t: vec3<f32>,
    c: mat3x3<f32>,
    h_a: vec3<f32>,
    h_b: vec3<f32>,
    size: f32,
    // The error of lengths.
    error: f32,
}

fn frame_of(a: Obb, b: Obb) -> Frame {
    let n = dot(a.rotation, a.rotation);
    let d = fenced_3(b.center - a.center, params.zero);
    let t = fenced_3((d * matrix(a.rotation)) * (1.0 / n), params.zero);
    let r = relative(a.rotation, b.rotation);
    let turned = matrix(r) * (1.0 / dot(r, r));
    let c = mat3x3(
        fenced_3(turned[0], params.zero),
        fenced_3(turned[1], params.zero),
        fenced_3(turned[2], params.zero),
    );
    let h_a = half_extents(a);
    let h_b = half_extents(b);
    let size = sum(abs(t) + h_a + h_b);
    return Frame(t, c, h_a, h_b, size, fenced(vec4(ERROR * size + FLUSH_ERROR), params.zero).x);
}

// The six face axes.
struct Faces {
    gaps_a: vec3<f32>,
    gaps_b: vec3<f32>,
    // Offsets of the centers along the axes of B.
    offsets_b: vec3<f32>,
}

fn faces_of(f: Frame) -> Faces {
    let x = abs(f.c[0]);
    let y = abs(f.c[1]);
    let z = abs(f.c[2]);
    let offsets_b = f.t * f.c;
    return Faces(
        abs(f.t) - f.h_a - (x * f.h_b.x + y * f.h_b.y + z * f.h_b.z),
        abs(offsets_b) - f.h_b - vec3(dot(x, f.h_a), dot(y, f.h_a), dot(z, f.h_a)),
        offsets_b,
    );
}

// The largest gap along the face axes.
fn face_gap(faces: Faces) -> f32 {
    return max(largest(faces.gaps_a), largest(faces.gaps_b));
}

// The nine axes of two edges: column j holds those of edge j of B with the three of A.
struct Edges {
    // Offsets of the centers along the axes, times the sines.
    offsets: mat3x3<f32>,
    // Gaps along the axes, times the sines.
    gaps: mat3x3<f32>,
    // Sines of the angles between the edges.
    sines: mat3x3<f32>,
}

// The axes of one edge of B, from a column of c.
fn offsets(f: Frame, column: vec3<f32>) -> vec3<f32> {
    return f.t.zxy * column.yzx - f.t.yzx * column.zxy;
}

// The radii of A, plus the radius that the other edges of B add.
fn radii(f: Frame, column: vec3<f32>, radius_b: vec3<f32>) -> vec3<f32> {
    let column_abs = abs(column);
    return f.h_a.yzx * column_abs.zxy + f.h_a.zxy * column_abs.yzx + radius_b;
}

fn sines(column: vec3<f32>) -> vec3<f32> {
    let squares = column * column;
    return sqrt(squares.yzx + squares.zxy);
}

fn edges_of(f: Frame) -> Edges {
    let x = abs(f.c[0]);
    let y = abs(f.c[1]);
    let z = abs(f.c[2]);
    let offsets_x = offsets(f, f.c[0]);
    let offsets_y = offsets(f, f.c[1]);
    let offsets_z = offsets(f, f.c[2]);
    return Edges(
        mat3x3(offsets_x, offsets_y, offsets_z),
        mat3x3(
            abs(offsets_x) - radii(f, f.c[0], f.h_b.y * z + f.h_b.z * y),
            abs(offsets_y) - radii(f, f.c[1], f.h_b.z * x + f.h_b.x * z),
            abs(offsets_z) - radii(f, f.c[2], f.h_b.x * y + f.h_b.y * x),
        ),
        mat3x3(sines(f.c[0]), sines(f.c[1]), sines(f.c[2])),
    );
}

fn bound(f: Frame, gaps: vec3<f32>, sines: vec3<f32>) -> f32 {
    return largest((gaps - f.error) / (sines + ERROR));
}

// A lower bound on the distance: the largest gap, less its error.
fn lower_bound(f: Frame, face: f32, edges: Edges) -> f32 {
    let x = bound(f, edges.gaps[0], edges.sines[0]);
    let y = bound(f, edges.gaps[1], edges.sines[1]);
    let z = bound(f, edges.gaps[2], edges.sines[2]);
    return max(face - f.error, max(x, max(y, z)));
}

// Returns `true` if no axis of one edge of B can separate the boxes.
fn clear(f: Frame, face: f32, gaps: vec3<f32>, sines: vec3<f32>) -> bool {
    let parallel = (sines < vec3(LARGEST_SINE)) & (vec3(face) < -(KAPPA * f.size * sines + 2.0 * f.error));
    return all((gaps < vec3(-f.error)) | parallel);
}

// Returns `true` if the boxes certainly share a point; see the separating-axis test.
fn overlapping(f: Frame, face: f32, edges: Edges) -> bool {
    return face < -f.error
        && clear(f, face, edges.gaps[0], edges.sines[0])
        && clear(f, face, edges.gaps[1], edges.sines[1])
        && clear(f, face, edges.gaps[2], edges.sines[2]);
}
