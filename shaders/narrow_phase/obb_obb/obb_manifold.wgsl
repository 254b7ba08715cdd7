// Computes the contact manifold of every pair: the axis of least overlap, and the points of its
// faces or edges. Points are counted first and recomputed when they are stored, because an array
// for each invocation would occupy its registers. Twin: src/narrow_phase/obb_obb/manifold.rs and
// penetration.rs, in f64, which explain the method.
// Uses: narrow_phase/obb_obb/clip.wgsl, narrow_phase/obb_obb/features.wgsl,
// narrow_phase/obb_obb/frame.wgsl, narrow_phase/obb_obb/manifold_lists.wgsl,
// narrow_phase/obb_obb/manifold_record.wgsl, narrow_phase/obb_obb/point_record.wgsl,
// shared/append.wgsl, shared/append_portable.wgsl or shared/append_subgroup.wgsl,
// shared/boxes.wgsl, shared/found_pairs.wgsl, shared/obb.wgsl, shared/rotation.wgsl.

const WORKGROUP: u32 = 128u;

// Edges at an angle of this sine or less have no axis: the faces' overlap exceeds theirs by less
// than this times the boxes' size.
const PARALLEL_EDGES: f32 = 0x1p-12;

// Axes by number: those of the faces of A, those of B, then 3 j + i for edges along axis i of A and
// axis j of B.
const FACES_OF_B: u32 = 3u;
const EDGES: u32 = 6u;

// Returns `true` if the boxes must be swapped, so that preferences do not depend on their order.
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
    // The direction along the axis in which B must move, and the distance.
    sign: f32,
    depth: f32,
    slop: f32,
}

// Considers an axis of the given length. The boxes' offset and gap along it are multiplied by that
// length.
fn look(search: Search, axis: u32, offset: f32, gap: f32, length: f32) -> Search {
    let sign = select(1.0, -1.0, offset < -search.slop * length);
    let depth = (abs(offset) - gap - sign * offset) / length;
    let to_beat = search.depth * select(1.0 - PREFERENCE, 1.0, search.axis >= EDGES) - search.slop;
    if depth < to_beat { return Search(axis, sign, depth, search.slop); }
    return search;
}

// Considers the axes of an edge of B with each edge of A, numbered from `axis` on.
fn look_at_edges(search: Search, axis: u32, offsets: vec3<f32>, gaps: vec3<f32>, sines: vec3<f32>) -> Search {
    var found = search;
    if sines.x > PARALLEL_EDGES { found = look(found, axis, offsets.x, gaps.x, sines.x); }
    if sines.y > PARALLEL_EDGES { found = look(found, axis + 1u, offsets.y, gaps.y, sines.y); }
    if sines.z > PARALLEL_EDGES { found = look(found, axis + 2u, offsets.z, gaps.z, sines.z); }
    return found;
}

fn least_overlap(f: Frame, faces: Faces, edges: Edges, slop: f32) -> Search {
    var search = Search(0u, 1.0, INFINITE, slop);
    search = look(search, 0u, f.t.x, faces.gaps_a.x, 1.0);
    search = look(search, 1u, f.t.y, faces.gaps_a.y, 1.0);
    search = look(search, 2u, f.t.z, faces.gaps_a.z, 1.0);
    search = look(search, FACES_OF_B, faces.offsets_b.x, faces.gaps_b.x, 1.0);
    search = look(search, FACES_OF_B + 1u, faces.offsets_b.y, faces.gaps_b.y, 1.0);
    search = look(search, FACES_OF_B + 2u, faces.offsets_b.z, faces.gaps_b.z, 1.0);
    search = look_at_edges(search, EDGES, edges.offsets[0], edges.gaps[0], edges.sines[0]);
    search = look_at_edges(search, EDGES + 3u, edges.offsets[1], edges.gaps[1], edges.sines[1]);
    search = look_at_edges(search, EDGES + 6u, edges.offsets[2], edges.gaps[2], edges.sines[2]);
    search.depth = max(search.depth, 0.0);
    return search;
}

// The frame with an axis of A as its first coordinate, followed cyclically by the others.
fn seen_along(f: Frame, axis: u32) -> Frame {
    let c = mat3x3(from_axis(f.c[0], axis), from_axis(f.c[1], axis), from_axis(f.c[2], axis));
    return Frame(from_axis(f.t, axis), c, from_axis(f.h_a, axis), f.h_b, f.size, f.error);
}

// The frame of B if `of_b` is set, else that of A unchanged.
fn seen_from(f: Frame, of_b: bool, offsets_b: vec3<f32>) -> Frame {
    let back = transpose(f.c);
    return Frame(
        select(f.t, -offsets_b, of_b),
        mat3x3(select(f.c[0], back[0], of_b), select(f.c[1], back[1], of_b), select(f.c[2], back[2], of_b)),
        select(f.h_a, f.h_b, of_b),
        select(f.h_b, f.h_a, of_b),
        f.size,
        f.error,
    );
}

// The closest points of two edges that face each other across the normal.
struct Crossing {
    // The normal of both edges, and the point on the edge of A, in the frame.
    normal: vec3<f32>,
    on_a: vec3<f32>,
    // The features of A and B.
    features: vec2<u32>,
    // `true` if the points lie `depth` apart along the normal. Otherwise the axis is not quite that
    // of least overlap, and one edge ends before the other.
    sure: bool,
}

// The edges along axis i of A, the first of the frame, and j of B (Ericson, *Real-Time Collision
// Detection*, section 5.1.8).
fn crossing_of(f: Frame, i: u32, j: u32, sign: f32, depth: f32, slop: f32) -> Crossing {
    let axes = columns_from(f.c, j);
    let h_b = from_axis(f.h_b, j);
    let direction = axes[0];
    let squared_sine = dot(direction.yz, direction.yz);
    let normal = vec3(0.0, -direction.z, direction.y) * (sign * inverseSqrt(squared_sine));
    let side_a = normal.yz > vec2(0.0);
    let side_b = vec2(dot(normal, axes[1]), dot(normal, axes[2])) < vec2(0.0);
    let across_a = select(-f.h_a.yz, f.h_a.yz, side_a);
    let across_b = select(-h_b.yz, h_b.yz, side_b);
    let middle = f.t + across_b.x * axes[1] + across_b.y * axes[2];
    let on_edge_b = clamp(dot(across_a - middle.yz, direction.yz) / squared_sine, -h_b.x, h_b.x);
    let on_b = middle + on_edge_b * direction;
    let on_a = vec3(clamp(on_b.x, -f.h_a.x, f.h_a.x), across_a);
    let sure = length(on_a - on_b - depth * normal) <= slop;
    return Crossing(normal, on_a, vec2(edge_feature(i, side_a), edge_feature(j, side_b)), sure);
}

// The contents of the lists for a pair, and the data for computing its points. Vectors are along
// the axes of the world, positions relative to the center of a.
struct Manifold {
    normal: vec3<f32>,
    depth: f32,
    bits: u32,
    // `true` if the points lie on b: then b's features come second, and the points on a are `depth`
    // away.
    of_b: bool,
    // For a face contact: the center of the reference face and its axes, and the set of corners.
    foot: vec3<f32>,
    along_u: vec3<f32>,
    along_v: vec3<f32>,
    clip: Clip,
    corners: u32,
    // The only point if there are no corners.
    single: vec3<f32>,
    features: vec2<u32>,
}

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
    var sure = overlapping(f, face_gap(faces), edges);

    let axis = least.axis % 3u;
    let at_face = least.axis < EDGES;
    let face_of_b = at_face && least.axis >= FACES_OF_B;
    var found: Manifold;
    found.depth = least.depth;
    found.of_b = face_of_b != changed;
    let center = select(vec3(0.0), pair_b.center - pair_a.center, found.of_b);
    let reference = Face(axis, (least.sign > 0.0) != face_of_b);
    if face_of_b { a = b; }
    let axes = columns_from(rotation_of(a), axis);
    let seen = seen_along(seen_from(f, face_of_b, faces.offsets_b), axis);
    var outwards: vec3<f32>;
    if at_face {
        outwards = select(-axes[0], axes[0], reference.positive);
        found.clip = clip_of(seen, reference, slop);
        found.foot = center + seen.h_a.x * outwards;
        found.along_u = axes[1];
        found.along_v = select(axes[2], -axes[2], found.clip.mirrored);
        found.corners = distinct_corners(found.clip);
        let against = select(1.0, -1.0, reference.positive) * vec3(seen.c[0].x, seen.c[1].x, seen.c[2].x);
        let support = supporting_feature(against, found.clip.incident.axis, seen.h_b, slop);
        found.features = vec2(face_feature(reference), support);
        // If the preferred axis is not quite that of least overlap, the deepest part along it may
        // lie beside the face.
        let beside = clamp(seen.t.yz, -seen.h_a.yz, seen.h_a.yz);
        found.single = found.foot + beside.x * axes[1] + beside.y * axes[2];
        sure = sure && found.corners != 0u;
    } else {
        let crossing = crossing_of(seen, axis, (least.axis - EDGES) / 3u, least.sign, least.depth, slop);
        outwards = axes * crossing.normal;
        found.single = center + axes * crossing.on_a;
        found.features = crossing.features;
        sure = sure && crossing.sure;
    }
    found.normal = select(outwards, -outwards, found.of_b);
    let whose = select(NEITHER, select(0u, 1u, found.of_b), at_face);
    found.bits = packed(found.features, found.of_b) | (whose << REFERENCE_SHIFT) | select(UNDECIDED, 0u, sure);
    return found;
}

// A point of the manifold: the corner that a bit represents, or the only point.
fn point_of(found: Manifold, bit: u32) -> PointRecord {
    var on_a = found.single;
    var depth = found.depth;
    var features = found.features;
    if found.corners != 0u {
        let vertex = vertex_of(found.clip, bit);
        // A corner beside or above the face by at most the slop counts as being on it.
        let on_face = clamp(vertex.at.yz, -found.clip.half, found.clip.half);
        on_a = found.foot + on_face.x * found.along_u + on_face.y * found.along_v;
        depth = max(-vertex.at.x, 0.0);
        features = vertex.features;
    }
    on_a += select(vec3(0.0), depth * found.normal, found.of_b);
    return PointRecord(on_a.x, on_a.y, on_a.z, depth, packed(features, found.of_b));
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
        var len = 0u;
        if k < count {
            let pair = pairs[k];
            if are_boxes(pair) {
                found = manifold_of(box_at(pair.a), box_of_b(pair.b));
                len = max(countOneBits(found.corners), 1u);
            }
        }

        let first = append(len, POINTS, local);
        if len > 0u {
            len = stored(first, len);
            var open = found.corners;
            for (var n = 0u; n < len; n += 1u) {
                points[first + n] = point_of(found, firstTrailingBit(open));
                open &= open - 1u;
            }
            let normal = found.normal;
            let bits = found.bits | (len << COUNT_SHIFT);
            manifolds[k] = ManifoldRecord(normal.x, normal.y, normal.z, found.depth, first, bits);
        }
    }
}
