// The part of one box's face that lies in front of a face of the other. Twin: src/narrow_phase/obb_obb/manifold/clip.rs, which
// explains it.

// A quadrangle cut four times has at most eight corners.
const MOST_POINTS: u32 = 8u;
// Two points closer than this many times the slop are one.
const SAME: f32 = 4.0;
// How much more one face must face the other, as a cosine, to replace an earlier one.
const FACING: f32 = 1e-4;

// The line of an edge of the polygon: an edge of the incident face, by its index in the ring, or from SIDES on a side
// plane.
const SIDES: u32 = 4u;
// What created a corner of the polygon: a corner of the incident face, by its index in the ring, or from CROSSINGS on
// eight times such a line plus the side plane it meets.
const CROSSINGS: u32 = 8u;

struct Vertex {
    // Along the two axes of the reference face, from its center, and the height above it.
    at: vec3<f32>,
    // The line that the polygon follows from here to the next corner.
    follows: u32,
    origin: u32,
}

var<private> polygon: array<Vertex, MOST_POINTS>;
var<private> polygon_len: u32;

fn add_vertex(vertex: Vertex) {
    // Only a polygon of no width, bent out of shape by rounding, has more corners than fit.
    if polygon_len < MOST_POINTS {
        polygon[polygon_len] = vertex;
        polygon_len += 1u;
    }
}

// How far beyond a side plane a corner is.
fn beyond(vertex: Vertex, side: u32, half: vec3<f32>) -> f32 {
    let along_v = side >= 2u;
    let at = select(vertex.at.x, vertex.at.y, along_v);
    return select(-at, at, (side & 1u) == 1u) - select(half.x, half.y, along_v);
}

// Cuts the polygon at a side plane, unless all of it is in front of the plane.
fn clip(side: u32, half: vec3<f32>, slop: f32) {
    var before = polygon;
    let count = polygon_len;
    var all_inside = true;
    for (var k = 0u; k < count; k += 1u) { all_inside = all_inside && beyond(before[k], side, half) <= slop; }
    if all_inside { return; }
    polygon_len = 0u;
    for (var k = 0u; k < count; k += 1u) {
        let vertex = before[k];
        let next = before[(k + 1u) % count];
        let here = beyond(vertex, side, half);
        let there = beyond(next, side, half);
        let inside = here <= slop;
        if inside { add_vertex(vertex); }
        if inside != (there <= slop) {
            // One is at most the slop and the other above it: they differ.
            let at = mix(vertex.at, next.at, clamp(here / (here - there), 0.0, 1.0));
            let follows = select(vertex.follows, SIDES + side, inside);
            add_vertex(Vertex(at, follows, CROSSINGS + 8u * vertex.follows + side));
        }
    }
}

// Parts of a box, by kind and number: src/geometry/feature.rs, Feature.
const CORNER: u32 = 0x00u;
const EDGE: u32 = 0x10u;
const FACE: u32 = 0x20u;

fn edge_feature(axis: u32, corner: u32) -> u32 {
    let first = (corner >> ((axis + 1u) % 3u)) & 1u;
    let second = (corner >> ((axis + 2u) % 3u)) & 1u;
    return EDGE + 4u * axis + first + 2u * second;
}

fn face_feature(axis: u32, positive: bool) -> u32 {
    return FACE + 2u * axis + select(0u, 1u, positive);
}

// The axis with the largest number; the first of nearly equal ones.
fn largest_axis(v: vec3<f32>) -> u32 {
    let second = v.y > v.x + FACING;
    let best = select(v.x, v.y, second);
    return select(select(0u, 1u, second), 2u, v.z > best + FACING);
}

// The number of the corner furthest in a direction.
fn furthest_corner(direction: vec3<f32>) -> u32 {
    return select(0u, 1u, direction.x > 0.0) | select(0u, 2u, direction.y > 0.0) | select(0u, 4u, direction.z > 0.0);
}

// The feature of a box furthest in a direction, which has unit length and is in the box's own frame.
fn supporting_feature(direction: vec3<f32>, half: vec3<f32>, slop: f32) -> u32 {
    let main = largest_axis(abs(direction));
    let corner = furthest_corner(direction);
    let k = (main + 1u) % 3u;
    let l = (main + 2u) % 3u;
    var level = half * abs(direction) <= vec3(slop);
    if level[k] && level[l] { return face_feature(main, ((corner >> main) & 1u) == 1u); }
    if level[k] { return edge_feature(k, corner); }
    if level[l] { return edge_feature(l, corner); }
    return CORNER + corner;
}

// A vector with an axis as its last coordinate, preceded by the two that follow it cyclically.
fn turned(v: vec3<f32>, axis: u32) -> vec3<f32> {
    return select(select(v.xyz, v.zxy, axis == 1u), v.yzx, axis == 0u);
}

fn turned_back(v: vec3<f32>, axis: u32) -> vec3<f32> {
    return select(select(v.xyz, v.yzx, axis == 1u), v.zxy, axis == 0u);
}

// The face that is clipped: the face of the other box most opposed to the reference face.
struct Incident {
    axis: u32,
    positive: bool,
}

// The corner at an index of its ring.
fn ring_corner(incident: Incident, place: u32) -> u32 {
    let on_m = (place & 3u) == 0u || (place & 3u) == 3u;
    let on_n = (place & 3u) < 2u;
    return (select(0u, 1u, incident.positive) << incident.axis)
        | (select(0u, 1u, on_m) << ((incident.axis + 1u) % 3u))
        | (select(0u, 1u, on_n) << ((incident.axis + 2u) % 3u));
}

// The edge from this corner to the next.
fn ring_edge(incident: Incident, place: u32) -> u32 {
    return edge_feature((incident.axis + 1u + (place & 1u)) % 3u, ring_corner(incident, place));
}

// The features that meet in a corner of the polygon: of the reference box, and of the other.
fn features_of(axis: u32, positive: bool, incident: Incident, origin: u32) -> vec2<u32> {
    if origin < CROSSINGS {
        return vec2(face_feature(axis, positive), CORNER + ring_corner(incident, origin));
    }
    let line = (origin - CROSSINGS) / 8u;
    let side = (origin - CROSSINGS) % 8u;
    let face = select(0u, 1u, positive) << axis;
    let on_side = face | side_bit(axis, side);
    if line < SIDES {
        // The edges on the sides across one axis of the face run along the other.
        let along = (axis + 2u - side / 2u) % 3u;
        return vec2(edge_feature(along, on_side), ring_edge(incident, line));
    }
    return vec2(CORNER + (on_side | side_bit(axis, line - SIDES)), face_feature(incident.axis, incident.positive));
}

// What a side plane contributes to the number of a corner on it.
fn side_bit(axis: u32, side: u32) -> u32 {
    return (side & 1u) << ((axis + 1u + side / 2u) % 3u);
}

// Makes the polygon of the part in front of a face of A, up to the slop, and returns the face that was clipped.
// Coordinates are those of the reference face.
fn clip_incident(f: Frame, axis: u32, positive: bool, slop: f32) -> Incident {
    let c = mat3x3(turned(f.c[0], axis), turned(f.c[1], axis), turned(f.c[2], axis));
    let side = select(-1.0, 1.0, positive);
    let facing = vec3(c[0].z, c[1].z, c[2].z) * side;
    let main = largest_axis(abs(facing));
    let incident = Incident(main, ((furthest_corner(-facing) >> main) & 1u) == 1u);
    let half = turned(f.h_a, axis);
    let center = turned(f.t, axis);
    polygon_len = 4u;
    for (var place = 0u; place < 4u; place += 1u) {
        // A set bit means positive here.
        let corner = center - c * corner_of(f.h_b, ring_corner(incident, place));
        polygon[place] = Vertex(vec3(corner.xy, side * corner.z - half.z), place, place);
    }
    for (var plane = 0u; plane < 4u; plane += 1u) { clip(plane, half, slop); }
    return incident;
}
