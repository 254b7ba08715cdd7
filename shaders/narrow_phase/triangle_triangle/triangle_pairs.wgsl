// Finds the candidate pairs of triangles that share a point, with three answers: separated,
// meeting, undecided. Twin: src/narrow_phase/triangle_triangle/triangle_pairs_cpu.rs; formulas and
// error bounds: src/narrow_phase/triangle_triangle/filter.rs.
// Uses: narrow_phase/triangle_triangle/neighbours.wgsl, shapes/triangle/corners.wgsl,
// shapes/triangle/triangle.wgsl, shared/append_portable.wgsl or shared/append_subgroup.wgsl,
// shared/candidates.wgsl, shared/common.wgsl, shared/pair.wgsl, shared/verdicts.wgsl.

@group(0) @binding(1) var<storage, read> boxes_0: array<Triangle>;
@group(0) @binding(2) var<storage, read> boxes_1: array<Triangle>;
@group(0) @binding(3) var<storage, read> boxes_2: array<Triangle>;

// The pairs with a common corner that count: none, those that share more than their common corners,
// or all.
override neighbours: u32 = 2u;

const ULP: f32 = 0x1p-23;
const VOLUME_ERROR: f32 = 96.0;
const AREA_ERROR: f32 = 128.0;
const FLUSH: f32 = 0x1p-50;
const LARGEST_SCALE: u32 = 191u;

const CROSSING_NEIGHBOURS: u32 = 1u;
const ALL_NEIGHBOURS: u32 = 2u;

const SEPARATED: u32 = 0u;
const MEETING: u32 = 1u;
const UNDECIDED: u32 = 2u;

fn triangle_at(index: u32) -> Triangle {
    let full = params.box_segment / 3u * 4u;
    if index < full { return boxes_0[index]; }
    let beyond = index - full;
    if beyond < full { return boxes_1[beyond]; }
    return boxes_2[beyond - full];
}

// Returns `true` if two points are equal, by their bits, because a device may flush subnormal
// numbers to zero. Zeros have either sign.
fn is_same(a: vec3<f32>, b: vec3<f32>) -> bool {
    let x = bitcast<vec3<u32>>(a);
    let y = bitcast<vec3<u32>>(b);
    return all((x == y) | (((x | y) << vec3(1u)) == vec3(0u)));
}

// The corners of a triangle that a point is equal to.
fn corners_at(point: vec3<f32>, b: mat3x3<f32>) -> vec3<bool> {
    return vec3(is_same(point, b[0]), is_same(point, b[1]), is_same(point, b[2]));
}

fn largest(v: vec3<f32>) -> f32 {
    return max(v.x, max(v.y, v.z));
}

fn smallest(v: vec3<f32>) -> f32 {
    return min(v.x, min(v.y, v.z));
}

// m(v)
fn size(v: vec3<f32>) -> f32 {
    return largest(abs(v));
}

// The power of two that scales the largest of some differences to about 1.
fn scale_for(largest: f32) -> f32 {
    return bitcast<f32>(min(254u - (bitcast<u32>(largest) >> 23u), LARGEST_SCALE) << 23u);
}

// The power of two that scales the differences of the corners to at most about 1.
fn scale_of(a: mat3x3<f32>, b: mat3x3<f32>) -> f32 {
    let of_a = max(size(a[1] - a[0]), size(a[2] - a[0]));
    return scale_for(max(of_a, largest(vec3(size(b[0] - a[0]), size(b[1] - a[0]), size(b[2] - a[0])))));
}

fn scaled(a: mat3x3<f32>, scale: f32) -> mat3x3<f32> {
    return mat3x3(
        fenced_3(scale * a[0], params.zero),
        fenced_3(scale * a[1], params.zero),
        fenced_3(scale * a[2], params.zero),
    );
}

fn difference(p: vec3<f32>, q: vec3<f32>) -> vec3<f32> {
    return fenced_3(p - q, params.zero);
}

// The corners of a triangle relative to the plane of another: 1 if a corner is certainly above, -1
// if it is certainly below, else 0.
struct Heights {
    sides: vec3<i32>,
    normal: vec3<f32>,
}

fn heights(p: mat3x3<f32>, q: mat3x3<f32>) -> Heights {
    let e = difference(q[1], q[0]);
    let f = difference(q[2], q[0]);
    let normal = cross(e, f);
    let d_0 = difference(p[0], q[0]);
    let d_1 = difference(p[1], q[0]);
    let d_2 = difference(p[2], q[0]);
    let error = VOLUME_ERROR * ULP * size(e) * size(f) * largest(vec3(size(d_0), size(d_1), size(d_2))) + FLUSH;
    let h = vec3(dot(normal, d_0), dot(normal, d_1), dot(normal, d_2));
    let sides = select(vec3(0i), vec3(1i), h > vec3(error)) - select(vec3(0i), vec3(1i), h < vec3(-error));
    return Heights(sides, normal);
}

// A triangle with its corners rotated so that the one alone on its side of a plane comes first, and
// that side.
struct FromLone {
    corners: mat3x3<f32>,
    side: i32,
}

fn from_lone(p: mat3x3<f32>, sides: vec3<i32>) -> FromLone {
    // If two corners are on one side, the third is the lone one.
    if sides.y == sides.z { return FromLone(p, sides.x); }
    if sides.z == sides.x { return FromLone(mat3x3(p[1], p[2], p[0]), sides.y); }
    return FromLone(mat3x3(p[2], p[0], p[1]), sides.z);
}

// The sign of a volume, 0 if it is not certain.
fn volume_sign(v: vec3<f32>, e: vec3<f32>, f: vec3<f32>) -> i32 {
    let volume = dot(v, cross(e, f));
    let error = VOLUME_ERROR * ULP * size(v) * size(e) * size(f) + FLUSH;
    return select(0i, 1i, volume > error) - select(0i, 1i, volume < -error);
}

// Tests whether the intervals overlap in which the triangles meet the line where their planes
// cross.
fn intervals(p: mat3x3<f32>, q: mat3x3<f32>, of_p: vec3<i32>, of_q: vec3<i32>) -> u32 {
    let a = from_lone(p, of_p);
    let b = from_lone(q, of_q);
    let v = difference(b.corners[0], a.corners[0]);
    let e_1 = difference(a.corners[1], a.corners[0]);
    let e_2 = difference(a.corners[2], a.corners[0]);
    let f_1 = difference(b.corners[1], b.corners[0]);
    let f_2 = difference(b.corners[2], b.corners[0]);
    let a_turned = b.side < 0i;
    let b_turned = a.side < 0i;
    let begin = volume_sign(v, select(e_1, e_2, a_turned), select(f_1, f_2, b_turned));
    let end = volume_sign(v, select(e_2, e_1, a_turned), select(f_2, f_1, b_turned));
    if begin < 0i || end > 0i { return SEPARATED; }
    return select(UNDECIDED, MEETING, begin > 0i && end < 0i);
}

// A point projected along a coordinate axis, that of the largest component of a vector. The axis is
// the same for all points, because the vector is fenced. Without branches: SwiftShader takes
// minutes to compile a dozen of them.
fn seen(p: vec3<f32>, n: vec3<f32>) -> vec2<f32> {
    return select(select(p.xy, p.zx, n.y >= n.z), p.yz, n.x >= max(n.y, n.z));
}

fn area(e: vec2<f32>, w: vec2<f32>) -> f32 {
    return e.x * w.y - e.y * w.x;
}

// Returns `true` if, in plan, the line of the edge from p to the next corner of its triangle
// separates the triangle from x, y and z.
fn is_beside(p: vec2<f32>, next: vec2<f32>, third: vec2<f32>, x: vec2<f32>, y: vec2<f32>, z: vec2<f32>) -> bool {
    let e_and_x = fenced(vec4(next - p, x - p), params.zero);
    let y_and_z = fenced(vec4(y - p, z - p), params.zero);
    let e = e_and_x.xy;
    // The triangle's own area is also computed with this edge: computed with another edge, it would
    // have a different error.
    let own = area(e, fenced(vec4(third - p, 0.0, 0.0), params.zero).xy);
    let areas = vec3(area(e, e_and_x.zw), area(e, y_and_z.xy), area(e, y_and_z.zw));
    let error = AREA_ERROR * ULP * max(abs(e.x), abs(e.y)) + FLUSH;
    return smallest(areas) > max(own, 0.0) + error || largest(areas) < min(own, 0.0) - error;
}

// Returns `true` if an edge of p separates it from q, in the plan along an axis.
fn separates_in_plan(p: mat3x3<f32>, q: mat3x3<f32>, along: vec3<f32>) -> bool {
    let a = seen(p[0], along);
    let b = seen(p[1], along);
    let c = seen(p[2], along);
    let x = seen(q[0], along);
    let y = seen(q[1], along);
    let z = seen(q[2], along);
    return is_beside(a, b, c, x, y, z) || is_beside(b, c, a, x, y, z) || is_beside(c, a, b, x, y, z);
}

fn triangle_triangle(a: mat3x3<f32>, b: mat3x3<f32>) -> u32 {
    let of_first = corners_at(a[0], b);
    let of_second = corners_at(a[1], b);
    let of_third = corners_at(a[2], b);
    let of_b = of_first | of_second | of_third;
    if any(of_b) {
        if neighbours == CROSSING_NEIGHBOURS {
            return neighbours_meet(a, b, vec3(any(of_first), any(of_second), any(of_third)), of_b);
        }
        return select(SEPARATED, MEETING, neighbours == ALL_NEIGHBOURS);
    }
    let scale = scale_of(a, b);
    let p = scaled(a, scale);
    let q = scaled(b, scale);
    let of_p = heights(p, q);
    if abs(of_p.sides.x + of_p.sides.y + of_p.sides.z) == 3i { return SEPARATED; }
    let of_q = heights(q, p);
    if abs(of_q.sides.x + of_q.sides.y + of_q.sides.z) == 3i { return SEPARATED; }
    if all((of_p.sides != vec3(0i)) & (of_q.sides != vec3(0i))) {
        let answer = intervals(p, q, of_p.sides, of_q.sides);
        if answer != UNDECIDED { return answer; }
    }
    let along = fenced_3(abs(of_p.normal), params.zero);
    let is_apart = separates_in_plan(p, q, along) || separates_in_plan(q, p, along);
    return select(UNDECIDED, SEPARATED, is_apart);
}

@compute @workgroup_size(WORKGROUP)
fn triangle_pairs(
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
            pair = candidates.pairs[k];
            state = triangle_triangle(corners(triangle_at(pair.a)), corners(triangle_at(pair.b)));
        }
        hand_on(pair, state == MEETING, state == UNDECIDED, local);
    }
}
