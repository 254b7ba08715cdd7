// Two bodies in the plane as rectangles with rounded corners, and their axes and nearest points.
// Twin: src/narrow_phase/in_plane/figure.rs, in f64, which explains the method. The error of
// lengths: src/narrow_phase/in_plane/plane_manifold.rs.
// Uses: narrow_phase/obb_obb/features.wgsl, narrow_phase/round/body.wgsl, shared/bodies.wgsl,
// shared/common.wgsl, shared/found_pairs.wgsl.

const LENGTH_ERROR: f32 = 128.0 * 0x1p-23;
const FLUSH_LENGTH: f32 = 0x1p-60;

struct Figure {
    // Relative to the center of the first figure.
    center: vec2<f32>,
    // The directions of its own x and y axes.
    x: vec2<f32>,
    y: vec2<f32>,
    // The half extents of its core.
    half: vec2<f32>,
    radius: f32,
    is_box: bool,
}

// The third axis of a rotation by a quaternion of any length, along x and y. A core without length
// has no direction.
fn direction_of(body: Body, is_box: bool) -> vec2<f32> {
    let q = body.rotation;
    let square = dot(q, q);
    // A rotation about z alone has its first axis where a capsule that lies so has its third.
    if is_box { return vec2(q.w * q.w - q.z * q.z, 2.0 * q.z * q.w) / square; }
    return select(vec2(1.0, 0.0), vec2(q.x * q.z + q.w * q.y, q.y * q.z - q.w * q.x) * (2.0 / square), body.half.z > 0.0);
}

fn figure_of(body: Body, is_box: bool) -> Figure {
    let x = direction_of(body, is_box);
    let half = select(vec2(body.half.z, 0.0), body.half.xy, is_box);
    return Figure(vec2(0.0), x, vec2(-x.y, x.x), half, body.radius, is_box);
}

// Returns `true` if the body is in the plane: src/shapes/plane.rs. Bits are compared, because a
// device may flush a small number to zero.
fn is_in_plane(body: Body, is_box: bool) -> bool {
    let q = bitcast<vec4<u32>>(abs(body.rotation));
    if bitcast<u32>(abs(body.center.z)) != 0u { return false; }
    if is_box { return (q.x | q.y) == 0u && (body.half.z > 0.0 || !any(body.half > vec3(0.0))); }
    return !(body.half.z > 0.0) || all(q.xy == q.zw) || all(q.xy == q.wz);
}

struct Two {
    first: Figure,
    second: Figure,
    // `true` if the first is the pair's `b`.
    swapped: bool,
    // The center of the first, relative to that of the pair's `a`.
    origin: vec2<f32>,
    // The sum of the radii.
    reach: f32,
    // The error of lengths between the cores.
    error: f32,
    in_plane: bool,
}

// Returns `true` if the second of two figures is the first here, so that the result does not depend
// on which is the pair's `a`.
fn comes_after(a: Figure, b: Figure, centers: vec4<f32>) -> bool {
    var after = centers.y > centers.w;
    after = select(after, centers.x > centers.z, centers.x > centers.z || centers.x < centers.z);
    after = select(after, a.radius < b.radius, a.radius < b.radius || a.radius > b.radius);
    after = select(after, a.half.y < b.half.y, a.half.y < b.half.y || a.half.y > b.half.y);
    return select(after, a.half.x < b.half.x, a.half.x < b.half.x || a.half.x > b.half.x);
}

fn two_figures(place_a: Place, place_b: Place) -> Two {
    let a = body_at(place_a);
    let b = body_at(place_b);
    let of_a = figure_of(a, place_a.is_box);
    let of_b = figure_of(b, place_b.is_box);
    let offset = fenced(vec4(b.center.xy - a.center.xy, 0.0, 0.0), params.zero).xy;
    var two: Two;
    two.swapped = comes_after(of_a, of_b, vec4(a.center.xy, b.center.xy));
    two.first = of_a;
    two.second = of_b;
    two.second.center = offset;
    if two.swapped {
        two.first = of_b;
        two.second = of_a;
        two.second.center = -offset;
        two.origin = offset;
    }
    two.reach = fenced(vec4(a.radius + b.radius, 0.0, 0.0, 0.0), params.zero).x;
    let lengths = abs(offset) + of_a.half + of_b.half;
    two.error = fenced(vec4(LENGTH_ERROR * (lengths.x + lengths.y) + FLUSH_LENGTH, 0.0, 0.0, 0.0), params.zero).x;
    two.in_plane = is_in_plane(a, place_a.is_box) && is_in_plane(b, place_b.is_box);
    return two;
}

fn figure(two: Two, number: u32) -> Figure {
    if number == 0u { return two.first; }
    return two.second;
}

fn axis_of(figure: Figure, axis: u32) -> vec2<f32> {
    return select(figure.y, figure.x, axis == 0u);
}

// A component of a vector by its number, and a vector with one replaced.
fn component(v: vec2<f32>, k: u32) -> f32 {
    return select(v.y, v.x, k == 0u);
}

fn replaced(v: vec2<f32>, k: u32, value: f32) -> vec2<f32> {
    return select(vec2(v.x, value), vec2(value, v.y), k == 0u);
}

// The components of a vector along the axes of a figure.
fn along_axes(figure: Figure, v: vec2<f32>) -> vec2<f32> {
    return vec2(dot(figure.x, v), dot(figure.y, v));
}

fn at(figure: Figure, place: vec2<f32>) -> vec2<f32> {
    return figure.center + figure.x * place.x + figure.y * place.y;
}

fn sign_of(x: f32) -> f32 {
    return select(-1.0, 1.0, x >= 0.0);
}

fn signs_of(v: vec2<f32>) -> vec2<f32> {
    return vec2(sign_of(v.x), sign_of(v.y));
}

// The feature at a corner of the core, on these sides of its axes.
fn feature_at(figure: Figure, sides: vec2<f32>) -> u32 {
    let x = select(0u, 1u, sides.x > 0.0);
    if figure.is_box { return CORNER + x + select(0u, 2u, sides.y > 0.0); }
    return ROUND + select(0u, 1u + x, figure.half.x > 0.0);
}

// The feature on one side across an axis of the core.
fn feature_across(figure: Figure, axis: u32, side: f32) -> u32 {
    if figure.is_box { return face_feature(Face(axis, side > 0.0)); }
    return select(ROUND, feature_at(figure, vec2(side)), axis == 0u);
}

// The axis along which two cores have the largest gap.
struct BestAxis {
    // The figure whose axis it is, and its number.
    owner: u32,
    axis: u32,
    // The direction of the axis, from the first figure to the second.
    normal: vec2<f32>,
    // Below 0 if the cores overlap.
    gap: f32,
}

fn gap_along(two: Two, owner: u32, axis: u32) -> BestAxis {
    let direction = axis_of(figure(two, owner), axis);
    let along = dot(two.second.center, direction);
    let reaches = dot(two.first.half, abs(along_axes(two.first, direction)))
        + dot(two.second.half, abs(along_axes(two.second, direction)));
    return BestAxis(owner, axis, direction * sign_of(along), abs(along) - reaches);
}

// Of equal gaps, up to rounding, the first counts. The axes of a core that is a point mean nothing,
// unless both are.
fn best_axis(two: Two) -> BestAxis {
    let is_point = vec2(!any(two.first.half > vec2(0.0)), !any(two.second.half > vec2(0.0)));
    let first = select(0u, 1u, is_point.x && !is_point.y);
    var best = gap_along(two, first, 0u);
    for (var k = 1u; k < 4u; k += 1u) {
        let owner = k >> 1u;
        let found = gap_along(two, owner, k & 1u);
        let means_nothing = select(is_point.x, is_point.y, owner == 1u) && owner != first;
        if found.gap > best.gap + 4.0 * two.error && !means_nothing { best = found; }
    }
    return best;
}

// The nearest points of two cores that are apart.
struct Nearest {
    on_first: vec2<f32>,
    on_second: vec2<f32>,
    // The figure that has the point in a corner, and the corner.
    owner: u32,
    sides: vec2<f32>,
}

fn nearest_points(two: Two) -> Nearest {
    var best: Nearest;
    var least = -1.0;
    for (var k = 0u; k < 8u; k += 1u) {
        let owner = k >> 2u;
        let sides = vec2(select(-1.0, 1.0, (k & 1u) != 0u), select(-1.0, 1.0, (k & 2u) != 0u));
        let own = figure(two, owner);
        let other = figure(two, 1u - owner);
        let corner = at(own, sides * own.half);
        let point = at(other, clamp(along_axes(other, corner - other.center), -other.half, other.half));
        let way = corner - point;
        let square = dot(way, way);
        if least < 0.0 || square < least {
            least = square;
            best = Nearest(select(point, corner, owner == 0u), select(corner, point, owner == 0u), owner, sides);
        }
    }
    return best;
}
