// The part of one box's face that lies in front of a face of the other: the set of its possible
// corners that exist, as bits. Twin: src/narrow_phase/obb_obb/manifold/clip.rs, which explains the
// method.
// Uses: narrow_phase/obb_obb/features.wgsl, narrow_phase/obb_obb/frame.wgsl.

// Such a part has at most eight corners.
const MOST_POINTS: u32 = 8u;
// Two points closer than this multiple of the slop count as one.
const SAME: f32 = 4.0;
// The amount by which one face must face the other more, as a cosine, to replace an earlier one.
const FACING: f32 = 1e-4;
// The minimum length of edges, in units of the slop, along the axes of the reference face.
const SHORTEST: f32 = 0x1p-10;

// The number of bits for an edge of the incident face: one for its start or entry point, one for
// its exit point, and at most three for the corners of the reference face from there on. After the
// bits of the four edges come those of a reference face that lies inside all of them.
const BITS: u32 = 6u;
const OUT: u32 = 1u;
const CORNERS: u32 = 2u;

// The sides of a corner of a ring along the two axes of its face: ++, -+, --, +-.
fn ring_sides(place: u32) -> vec2<bool> {
    return vec2(place == 0u || place == 3u, place < 2u);
}

// The feature of a corner of a face.
fn ring_corner(face: Face, place: u32) -> u32 {
    let sides = ring_sides(place);
    return CORNER + ((select(0u, 1u, face.positive) << face.axis)
        | (select(0u, 1u, sides.x) << ((face.axis + 1u) % 3u))
        | (select(0u, 1u, sides.y) << ((face.axis + 2u) % 3u)));
}

// The feature of the edge from this corner to the next.
fn ring_edge(face: Face, place: u32) -> u32 {
    let sides = ring_sides(place);
    if (place & 1u) == 0u { return edge_feature((face.axis + 1u) % 3u, vec2(sides.y, face.positive)); }
    return edge_feature((face.axis + 2u) % 3u, vec2(face.positive, sides.x));
}

// The axis with the largest number; the first of several nearly equal ones.
fn largest_axis(v: vec3<f32>) -> u32 {
    let second = v.y > v.x + FACING;
    let best = select(v.x, v.y, second);
    return select(select(0u, 1u, second), 2u, v.z > best + FACING);
}

fn columns_from(m: mat3x3<f32>, axis: u32) -> mat3x3<f32> {
    let second = axis == 1u;
    let third = axis == 2u;
    return mat3x3(
        select(select(m[0], m[1], second), m[2], third),
        select(select(m[1], m[2], second), m[0], third),
        select(select(m[2], m[0], second), m[1], third),
    );
}

// The feature of a box furthest in a direction. The direction has unit length, is in the box's own
// frame, and is closest to the axis `main`.
fn supporting_feature(direction: vec3<f32>, main: u32, half: vec3<f32>, slop: f32) -> u32 {
    let level = from_axis(half * abs(direction), main) <= vec3(slop);
    let positive = from_axis(direction, main) > vec3(0.0);
    if level.y && level.z { return face_feature(Face(main, positive.x)); }
    if level.y { return edge_feature((main + 1u) % 3u, vec2(positive.z, positive.x)); }
    if level.z { return edge_feature((main + 2u) % 3u, positive.xy); }
    return corner_feature(direction);
}

// Two faces, in coordinates of the first: the height above it, and the positions along its two axes
// from its center. The second face is mirrored if necessary so that the corners of both are in the
// same cyclic order.
struct Clip {
    reference: Face,
    incident: Face,
    half: vec2<f32>,
    // `half` plus the slop.
    outer: vec2<f32>,
    // The center of the incident face, and half of its edges.
    center: vec3<f32>,
    m: vec3<f32>,
    n: vec3<f32>,
    // A quarter of the incident face's area, projected along the normal.
    area: f32,
    mirrored: bool,
    slop: f32,
}

// A face perpendicular to the first axis of a frame.
fn clip_of(f: Frame, reference: Face, slop: f32) -> Clip {
    let side = select(-1.0, 1.0, reference.positive);
    let facing = side * vec3(f.c[0].x, f.c[1].x, f.c[2].x);
    let main = largest_axis(abs(facing));
    let incident = Face(main, from_axis(facing, main).x < 0.0);
    let axes = columns_from(f.c, main);
    let half = from_axis(f.h_b, main);
    let turn = vec3(side, 1.0, 1.0);
    let center = turn * (f.t + select(-half.x, half.x, incident.positive) * axes[0]) - vec3(f.h_a.x, 0.0, 0.0);
    let m = turn * (half.y * axes[1]);
    let n = turn * (half.z * axes[2]);
    let area = m.y * n.z - m.z * n.y;
    let mirror = vec3(1.0, 1.0, select(1.0, -1.0, area < 0.0));
    let outer = f.h_a.yz + slop;
    return Clip(
        reference, incident, f.h_a.yz, outer, mirror * center, mirror * m, mirror * n, abs(area), area < 0.0, slop,
    );
}

// An edge of the incident face, and its crossings of the lines along the sides of the reference
// face, as fractions of its length.
struct Side {
    start: vec3<f32>,
    along: vec3<f32>,
    // One divided by the length along each axis.
    inverse: vec2<f32>,
    enters: vec2<f32>,
    leaves: vec2<f32>,
    // The corners of the reference face on the inner side of the edge's line, as bits. The line
    // meets the two sides at a corner in an order that determines this. The same comparison
    // determines the side through which the edge leaves.
    covers: u32,
    starts_inside: bool,
}

// A corner of the incident face: the same numbers at the end of one edge and the start of the next.
fn incident_corner(clip: Clip, place: u32) -> vec3<f32> {
    let diagonal = select(clip.m + clip.n, clip.m - clip.n, (place & 1u) == 1u);
    return clip.center + select(diagonal, -diagonal, place == 1u || place == 2u);
}

fn is_inside(clip: Clip, at: vec3<f32>) -> bool {
    return all(abs(at.yz) <= clip.outer);
}

fn side_of(clip: Clip, place: u32) -> Side {
    let start = incident_corner(clip, place);
    let along = select(-2.0, 2.0, place >= 2u) * select(clip.m, clip.n, (place & 1u) == 1u);
    let inverse = select(vec2(1.0), vec2(-1.0), along.yz < vec2(0.0)) / max(abs(along.yz), vec2(SHORTEST * clip.slop));
    let one = (-clip.outer - start.yz) * inverse;
    let other = (clip.outer - start.yz) * inverse;
    let turns = (inverse.x > 0.0) == (inverse.y > 0.0);
    let later = vec4(other.y > other.x, other.y > one.x, one.y > one.x, one.y > other.x) == vec4(turns);
    let bits = select(vec4(0u), vec4(1u, 2u, 4u, 8u), later);
    let covers = bits.x | bits.y | bits.z | bits.w;
    return Side(start, along, inverse, min(one, other), max(one, other), covers, is_inside(clip, start));
}

// The side of the reference face, by its place in the ring, through which an edge enters or leaves.
fn crossed(side: Side, out: bool) -> u32 {
    let first = select(side.enters.x > side.enters.y, side.leaves.x < side.leaves.y, out);
    let positive = (select(side.inverse.y, side.inverse.x, first) > 0.0) == out;
    return select(select(2u, 0u, positive), select(1u, 3u, positive), first);
}

fn reference_corner(half: vec2<f32>, place: u32) -> vec2<f32> {
    return select(-half, half, ring_sides(place));
}

// The corners of the part, as bits.
fn corners_of_part(clip: Clip) -> u32 {
    var covered = select(0u, 15u, clip.area > 0.0);
    var found = 0u;
    // The sides through which the edges leave, two bits for each.
    var lines = 0u;
    for (var place = 0u; place < 4u; place += 1u) {
        let side = side_of(clip, place);
        covered &= side.covers;
        let enters = max(side.enters.x, side.enters.y);
        let leaves = min(side.leaves.x, side.leaves.y);
        let ends_inside = is_inside(clip, incident_corner(clip, (place + 1u) & 3u));
        let passes = enters < leaves && enters < 1.0 && leaves > 0.0;
        if !(side.starts_inside || ends_inside || passes) { continue; }
        found |= select(1u | (1u << OUT), 1u, ends_inside) << (BITS * place);
        lines |= crossed(side, true) << (2u * place);
    }
    if found == 0u { return covered << (4u * BITS + CORNERS); }
    for (var place = 0u; place < 4u; place += 1u) {
        let goes_out = ((found >> (BITS * place + OUT)) & 1u) == 1u;
        let next = ((lines >> (2u * place)) + 1u) & 3u;
        let run = min(countTrailingZeros(~((covered * 0x11u) >> next)), 3u);
        found |= select(0u, (1u << run) - 1u, goes_out) << (BITS * place + CORNERS);
    }
    return found;
}

struct Vertex {
    at: vec3<f32>,
    // The features that meet there, of the reference box and of the other.
    features: vec2<u32>,
}

// The corner that a bit denotes.
fn vertex_of(clip: Clip, bit: u32) -> Vertex {
    let edge = bit / BITS;
    let what = bit % BITS;
    let side = side_of(clip, edge & 3u);
    if what == 0u && side.starts_inside {
        return Vertex(side.start, vec2(face_feature(clip.reference), ring_corner(clip.incident, edge)));
    }
    let line = select(crossed(side, what > 0u), 3u, edge == 4u);
    if what >= CORNERS {
        let place = (line + what - 1u) & 3u;
        let corner = reference_corner(clip.half, place);
        let d = corner - clip.center.yz;
        let areas = vec2(d.x * clip.n.z - d.y * clip.n.y, clip.m.y * d.y - clip.m.z * d.x);
        let parts = clamp(areas / clip.area, vec2(-1.0), vec2(1.0));
        let height = clip.center.x + parts.x * clip.m.x + parts.y * clip.n.x;
        let own = ring_corner(clip.reference, select(place, 3u - place, clip.mirrored));
        return Vertex(vec3(height, corner), vec2(own, face_feature(clip.incident)));
    }
    let positive = line == 0u || line == 3u;
    let on_lines = (select(-clip.half, clip.half, positive) - side.start.yz) * side.inverse;
    let part = clamp(select(on_lines.y, on_lines.x, (line & 1u) == 1u), 0.0, 1.0);
    let own = ring_edge(clip.reference, select(line, (2u - line) & 3u, clip.mirrored));
    return Vertex(side.start + part * side.along, vec2(own, ring_edge(clip.incident, edge)));
}

// The bits of the corners that are not above the reference face, one for each group of coincident
// corners.
fn distinct_corners(clip: Clip) -> u32 {
    let same = vec3(SAME * clip.slop);
    var first = vec3(0.0);
    var last = vec3(0.0);
    var kept = 0u;
    for (var open = corners_of_part(clip); open != 0u; open &= open - 1u) {
        let bit = firstTrailingBit(open);
        let at = vertex_of(clip, bit).at;
        let repeats = kept != 0u && (all(abs(at - first) <= same) || all(abs(at - last) <= same));
        // More corners than this arise only from rounding.
        if at.x > clip.slop || repeats || countOneBits(kept) == MOST_POINTS { continue; }
        if kept == 0u { first = at; }
        last = at;
        kept |= 1u << bit;
    }
    return kept;
}
