// The contact manifold of every pair: the axis of least overlap, and the points of the faces or edges that it belongs
// to. Twin: src/narrow_phase/obb_obb/manifold.rs and penetration.rs, in f64, which explain the method.

const WORKGROUP: u32 = 128u;

// The fraction by which the overlap along an axis must be less to replace that of a face.
const PREFERENCE: f32 = 0.01;
// The slop, in units of the largest half extent of the smaller box, and the effect of rounding, in units of the pair's
// size.
const SLOP: f32 = 1e-4;
const ROUNDING: f32 = 16.0 * 0x1p-23;
// Edges at an angle of this sine or less have no axis: the faces' overlap exceeds it by less than this times the boxes'
// size.
const PARALLEL_EDGES: f32 = 0x1p-12;

// Axes by number: those of the faces of A, those of B, then 3 j + i for edges along axis i of A and axis j of B.
const FACES_OF_B: u32 = 3u;
const EDGES: u32 = 6u;

// The index of the number of points in `counts`.
const POINTS: u32 = 0u;

// Fields of the `bits` of a manifold, above the features of a and b:
const REFERENCE_SHIFT: u32 = 16u;
const COUNT_SHIFT: u32 = 20u;
const UNDECIDED: u32 = 0x80000000u;
// The reference is a, b, or neither.
const NEITHER: u32 = 2u;

@group(0) @binding(6) var<storage, read_write> manifolds: array<ManifoldRecord>;
@group(0) @binding(7) var<storage, read_write> points: array<PointRecord>;
@group(0) @binding(8) var<storage, read_write> counts: array<atomic<u32>>;

fn count_on(list: u32, count: u32) -> u32 {
    return atomicAdd(&counts[list], count);
}

// There are eight points at most for each of 2^31 pairs at most: their number may wrap, and then none fits.
fn note_overflow() {
    atomicStore(&counts[POINTS], 0xffffffffu);
}

// Whether the boxes swap places, so that preferences do not depend on which comes first.
fn comes_after(a: Obb, b: Obb) -> bool {
    let of_a = bitcast<vec3<u32>>(half_extents(a));
    let of_b = bitcast<vec3<u32>>(half_extents(b));
    if any(of_a != of_b) { return below(of_a, of_b); }
    let d = b.center - a.center;
    let size = abs(d);
    let second = size.y > size.x;
    let third = size.z > select(size.x, size.y, second);
    let along = select(select(d.x, d.y, second), d.z, third);
    if along != 0.0 { return along < 0.0; }
    let turn_a = bitcast<vec4<u32>>(a.rotation);
    let turn_b = bitcast<vec4<u32>>(b.rotation);
    return below(turn_b.xyz, turn_a.xyz) || (all(turn_b.xyz == turn_a.xyz) && turn_b.w < turn_a.w);
}

// Lexicographic order of vectors.
fn below(a: vec3<u32>, b: vec3<u32>) -> bool {
    if a.x != b.x { return a.x < b.x; }
    if a.y != b.y { return a.y < b.y; }
    return a.z < b.z;
}

// The axis of least overlap so far.
struct Search {
    axis: u32,
    // Which way along the axis B must move, and how far.
    sign: f32,
    depth: f32,
    slop: f32,
}

// Considers an axis of some length, given the boxes' offset and gap along it times that length.
fn look(search: Search, axis: u32, offset: f32, gap: f32, length: f32) -> Search {
    let sign = select(1.0, -1.0, offset < -search.slop * length);
    let depth = (abs(offset) - gap - sign * offset) / length;
    let to_beat = search.depth * select(1.0 - PREFERENCE, 1.0, search.axis >= EDGES) - search.slop;
    if depth < to_beat { return Search(axis, sign, depth, search.slop); }
    return search;
}

fn least_overlap(f: Frame, faces: Faces, edges: Edges, slop: f32) -> Search {
    var search = Search(0u, 1.0, INFINITE, slop);
    search = look(search, 0u, f.t.x, faces.gaps_a.x, 1.0);
    search = look(search, 1u, f.t.y, faces.gaps_a.y, 1.0);
    search = look(search, 2u, f.t.z, faces.gaps_a.z, 1.0);
    search = look(search, FACES_OF_B, faces.offsets_b.x, faces.gaps_b.x, 1.0);
    search = look(search, FACES_OF_B + 1u, faces.offsets_b.y, faces.gaps_b.y, 1.0);
    search = look(search, FACES_OF_B + 2u, faces.offsets_b.z, faces.gaps_b.z, 1.0);
    var offsets = edges.offsets;
    var gaps = edges.gaps;
    var sines = edges.sines;
    for (var pair = 0u; pair < 9u; pair += 1u) {
        let sine = sines[pair / 3u][pair % 3u];
        if sine > PARALLEL_EDGES {
            search = look(search, EDGES + pair, offsets[pair / 3u][pair % 3u], gaps[pair / 3u][pair % 3u], sine);
        }
    }
    search.depth = max(search.depth, 0.0);
    return search;
}

// A contact point: its position on the box that the polygon belongs to, in that box's frame; its depth; the features of
// that box and of the other.
struct LocalPoint {
    at: vec3<f32>,
    depth: f32,
    features: vec2<u32>,
}

var<private> local_points: array<LocalPoint, MOST_POINTS>;
var<private> local_len: u32;

fn add_point(point: LocalPoint) {
    local_points[local_len] = point;
    local_len += 1u;
}

// The points at a face of A, whose frame this is, at least one. Returns whether they are complete.
fn points_at_face(f: Frame, axis: u32, positive: bool, depth: f32, features: vec2<u32>, slop: f32) -> bool {
    let incident = clip_incident(f, axis, positive, slop);
    let half = turned(f.h_a, axis);
    let top = select(-half.z, half.z, positive);
    let same = vec3(SAME * slop);
    var first = vec3(0.0);
    var last = vec3(0.0);
    local_len = 0u;
    for (var k = 0u; k < polygon_len; k += 1u) {
        let vertex = polygon[k];
        let repeats = local_len > 0u && (all(abs(vertex.at - first) <= same) || all(abs(vertex.at - last) <= same));
        if vertex.at.z > slop || repeats { continue; }
        if local_len == 0u { first = vertex.at; }
        last = vertex.at;
        let on_face = vec3(clamp(vertex.at.xy, -half.xy, half.xy), top);
        let origins = features_of(axis, positive, incident, vertex.origin);
        add_point(LocalPoint(turned_back(on_face, axis), max(-vertex.at.z, 0.0), origins));
    }
    if local_len > 0u { return true; }
    // The preferred axis is not quite that of least overlap, and the deepest part along it lies beside the face.
    let center = turned(f.t, axis);
    let beside = vec3(clamp(center.xy, -half.xy, half.xy), top);
    add_point(LocalPoint(turned_back(beside, axis), depth, features));
    return false;
}

// The closest points of the two edges that face each other across the normal (Ericson, *Real-Time Collision Detection*,
// section 5.1.8). Returns whether they lie `depth` apart along the normal; else the axis is not quite that of least overlap, and an
// edge ends before the other one.
fn point_at_edges(f: Frame, i: u32, j: u32, normal: vec3<f32>, depth: f32, slop: f32) -> bool {
    let corner_a = furthest_corner(normal);
    let corner_b = furthest_corner(-(normal * f.c));
    var axes = f.c;
    var direction = axes[j];
    var h_a = f.h_a;
    var h_b = f.h_b;
    // A set bit means positive here.
    var on_a = -corner_of(f.h_a, corner_a);
    var of_b = -corner_of(f.h_b, corner_b);
    on_a[i] = 0.0;
    of_b[j] = 0.0;
    let k = (i + 1u) % 3u;
    let l = (i + 2u) % 3u;
    let middle = f.t + f.c * of_b;
    var apart = on_a - middle;
    let squared_sine = direction[k] * direction[k] + direction[l] * direction[l];
    let along_normal = apart[k] * direction[k] + apart[l] * direction[l];
    let on_edge_b = clamp(along_normal / squared_sine, -h_b[j], h_b[j]);
    var on_b = middle + on_edge_b * direction;
    on_a[i] = clamp(on_b[i], -h_a[i], h_a[i]);
    local_len = 0u;
    add_point(LocalPoint(on_a, depth, vec2(edge_feature(i, corner_a), edge_feature(j, corner_b))));
    return length(on_a - on_b - depth * normal) <= slop;
}

// The frame of B.
fn swapped(f: Frame) -> Frame {
    return Frame(-(f.t * f.c), transpose(f.c), f.h_b, f.h_a, f.size, f.error);
}

// What the lists hold about a pair, except where its points are, and how to convert points from a box's frame for the
// lists.
struct Manifold {
    normal: vec3<f32>,
    depth: f32,
    bits: u32,
    rotation: mat3x3<f32>,
    // The center of that box less that of a.
    center: vec3<f32>,
    // Whether it is b: then its features come second, and its points are `depth` away from those on a.
    of_b: bool,
}

fn packed(features: vec2<u32>, of_b: bool) -> u32 {
    let ordered = select(features.xy, features.yx, of_b);
    return ordered.x | (ordered.y << 8u);
}

// The manifold of a pair; its points are in `local_points`.
fn manifold_of(pair_a: Obb, pair_b: Obb) -> Manifold {
    let changed = comes_after(pair_a, pair_b);
    var a = pair_a;
    var b = pair_b;
    if changed {
        a = pair_b;
        b = pair_a;
    }
    let f = frame_of(a, b);
    let faces = faces_of(f);
    let edges = edges_of(f);
    let slop = SLOP * min(largest(f.h_a), largest(f.h_b)) + ROUNDING * f.size;
    let least = least_overlap(f, faces, edges, slop);
    let towards = select(least.sign, -least.sign, changed);
    var sure = overlapping(f, face_gap(faces), edges);

    var found: Manifold;
    found.depth = least.depth;
    let face_of_b = least.axis >= FACES_OF_B && least.axis < EDGES;
    found.of_b = face_of_b != changed;
    if face_of_b { found.rotation = rotation_of(b); } else { found.rotation = rotation_of(a); }
    found.center = select(vec3(0.0), pair_b.center - pair_a.center, found.of_b);
    if least.axis < EDGES {
        let axis = least.axis % 3u;
        let positive = (least.sign > 0.0) != face_of_b;
        var axes = found.rotation;
        found.normal = towards * axes[axis];
        var seen = f;
        if face_of_b { seen = swapped(f); }
        let against = select(1.0, -1.0, positive) * vec3(seen.c[0][axis], seen.c[1][axis], seen.c[2][axis]);
        let features = vec2(face_feature(axis, positive), supporting_feature(against, seen.h_b, slop));
        sure = points_at_face(seen, axis, positive, least.depth, features, slop) && sure;
        found.bits = packed(features, found.of_b) | (select(0u, 1u, found.of_b) << REFERENCE_SHIFT);
    } else {
        let i = (least.axis - EDGES) % 3u;
        let j = (least.axis - EDGES) / 3u;
        var axes = f.c;
        var unit = vec3(0.0);
        unit[i] = 1.0;
        let normal = least.sign * normalize(cross(unit, axes[j]));
        found.normal = found.rotation * select(normal, -normal, changed);
        sure = point_at_edges(f, i, j, normal, least.depth, slop) && sure;
        found.bits = packed(local_points[0].features, found.of_b) | (NEITHER << REFERENCE_SHIFT);
    }
    if !sure { found.bits |= UNDECIDED; }
    return found;
}

@compute @workgroup_size(WORKGROUP)
fn obb_manifolds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = bound_of_loop(found_pairs(), local);
    for (var start = workgroup.x * WORKGROUP; start < count; start += workgroups.x * WORKGROUP) {
        let k = start + local;
        var found: Manifold;
        local_len = 0u;
        if k < count {
            let pair = pairs[k];
            found = manifold_of(box_at(pair.a), box_or_mover_at(pair.b));
        }

        let first = append(local_len, POINTS, local);
        if k < count {
            let stored = first <= params.point_capacity && local_len <= params.point_capacity - first;
            let len = select(0u, local_len, stored);
            for (var n = 0u; n < len; n += 1u) {
                let point = local_points[n];
                let lift = select(vec3(0.0), point.depth * found.normal, found.of_b);
                let on_a = found.center + found.rotation * point.at + lift;
                points[first + n] =
                    PointRecord(on_a.x, on_a.y, on_a.z, point.depth, packed(point.features, found.of_b));
            }
            let normal = found.normal;
            let bits = found.bits | (len << COUNT_SHIFT);
            manifolds[k] = ManifoldRecord(normal.x, normal.y, normal.z, found.depth, first, bits);
        }
    }
}
