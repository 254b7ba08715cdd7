// Two bodies, at least one of which is round, by their cores: the closest points of the cores, and
// the consequences for the bodies. Everything is in the frame of the first of the two, which is a
// box or else the longer body. Its core is a box about the origin; that of a capsule has no width,
// and that of a sphere no size. The other core is a segment or a point. Therefore one search
// (segments.wgsl) serves all kinds. src/narrow_phase/round/round_closest.rs derives this and its
// errors.
// Uses: narrow_phase/round/body.wgsl, narrow_phase/round/segments.wgsl, shared/bodies.wgsl,
// shared/common.wgsl, shared/found_pairs.wgsl, shared/rotation.wgsl.

const LENGTH_ERROR: f32 = 80.0 * 0x1p-23;

// Lexicographic order: -1, 0 or 1.
fn order_of(a: vec4<u32>, b: vec4<u32>) -> i32 {
    var order = select(select(0, 1, a.w > b.w), -1, a.w < b.w);
    order = select(select(order, 1, a.z > b.z), -1, a.z < b.z);
    order = select(select(order, 1, a.y > b.y), -1, a.y < b.y);
    return select(select(order, 1, a.x > b.x), -1, a.x < b.x);
}

// Returns `true` if the second of two round bodies is the first here: the longer one, or else by
// the other numbers, so that the result does not depend on which is the pair's `a`.
fn comes_after(a: Body, b: Body) -> bool {
    let lengths = bitcast<vec2<u32>>(vec2(a.half.z, b.half.z));
    if lengths.x != lengths.y { return lengths.x < lengths.y; }
    let places = order_of(bitcast<vec4<u32>>(vec4(a.center, a.radius)), bitcast<vec4<u32>>(vec4(b.center, b.radius)));
    return places > 0 || (places == 0 && order_of(bitcast<vec4<u32>>(a.rotation), bitcast<vec4<u32>>(b.rotation)) > 0);
}

struct CorePair {
    core: Core,
    // Those of the first and of the second body.
    radii: vec2<f32>,
    // `true` if the first is a box.
    is_box: bool,
    // `true` if the first is the pair's `b`.
    swapped: bool,
    // The axes of the first body in the world, and its center relative to that of the pair's `a`.
    axes: mat3x3<f32>,
    origin: vec3<f32>,
    // The place on the second core that is closest to the first, the point of the first that is
    // closest to that place, and the vector from this point to it.
    place: f32,
    on_first: vec3<f32>,
    way: vec3<f32>,
    distance: f32,
    // The sum of all lengths, and the error of lengths.
    size: f32,
    error: f32,
    // `true` if this is certain of the bodies.
    apart: bool,
    colliding: bool,
}

fn core_pair(place_a: Place, place_b: Place) -> CorePair {
    let a = body_at(place_a);
    let b = body_at(place_b);
    let offset = fenced_3(b.center - a.center, params.zero);
    let swapped = place_b.is_box || (!place_a.is_box && comes_after(a, b));
    var first = a;
    var second = b;
    var found: CorePair;
    var d = offset;
    if swapped {
        first = b;
        second = a;
        d = -offset;
        found.origin = offset;
    }
    found.swapped = swapped;
    found.is_box = place_a.is_box || place_b.is_box;
    found.radii = vec2(first.radius, second.radius);

    let turn = matrix(first.rotation);
    let scale = 1.0 / dot(first.rotation, first.rotation);
    found.axes = turn * scale;
    let p = fenced_3((d * turn) * scale, params.zero);
    found.core = Core(p, vec3(0.0, 0.0, 1.0), second.half.z, first.half);
    if second.half.z > 0.0 {
        found.core.z = axis_of(relative(first.rotation, second.rotation));
        found.place = closest_place(found.core);
    }
    let z = found.core.z;
    let half = first.half;
    let x = fenced_3(p + found.place * z, params.zero);
    found.on_first = clamp(x, -half, half);
    let way = fenced_3(x - found.on_first, params.zero);
    found.way = way;
    found.distance = sqrt(dot(way, way));

    let reach = fenced(vec4(first.radius + second.radius, 0.0, 0.0, 0.0), params.zero).x;
    found.size = sum(abs(p)) + sum(half) + second.half.z + reach;
    found.error = fenced(vec4(LENGTH_ERROR * found.size + FLUSH_LENGTH, 0.0, 0.0, 0.0), params.zero).x;
    let gap = dot(way, p) - dot(half, abs(way)) - second.half.z * abs(dot(way, z));
    let inside = half - abs(x);
    let is_inside = min(inside.x, min(inside.y, inside.z)) > found.error;
    found.apart = gap > (reach + found.error) * (found.distance + FLUSH_LENGTH);
    found.colliding = is_inside || found.distance + found.error < reach;
    return found;
}

// Converts a point from the frame of the first body to the axes of the world, relative to the
// center of the pair's `a`.
fn in_world(found: CorePair, point: vec3<f32>) -> vec3<f32> {
    return found.origin + found.axes * point;
}
