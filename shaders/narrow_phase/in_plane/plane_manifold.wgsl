// Computes the contact manifold in the plane of every pair: the normal, the depth, and one or two
// points, all with z = 0. A pair of which a body is not in the plane is undecided. Twin:
// src/narrow_phase/in_plane/manifold.rs, in f64, which explains the method.
// Uses: narrow_phase/in_plane/figures.wgsl, narrow_phase/obb_obb/manifold_lists.wgsl,
// narrow_phase/obb_obb/manifold_record.wgsl, narrow_phase/obb_obb/point_record.wgsl,
// shared/append.wgsl, shared/append_portable.wgsl or shared/append_subgroup.wgsl,
// shared/bodies.wgsl, shared/found_pairs.wgsl, shared/pair.wgsl.

const WORKGROUP: u32 = 128u;

// The vector between two points has a direction if they are this many errors apart.
const DIRECTED: f32 = 32.0;

// The features of the first and of the second figure.
struct Point {
    on_first: vec2<f32>,
    depth: f32,
    features: vec2<u32>,
}

struct Touch {
    // From the first to the second.
    normal: vec2<f32>,
    depth: f32,
    features: vec2<u32>,
    // The figure whose face has the normal, or NEITHER.
    reference: u32,
    count: u32,
    one: Point,
    other: Point,
    // The least gap of the cores at a point.
    gap: f32,
    // The length by which the other core lies beside the side across the axis, and the axis of the
    // other figure that faces it.
    beside: f32,
    facing_axis: u32,
    colliding: bool,
}

// An end of the side that faces an axis.
struct End {
    point: vec2<f32>,
    // Its place along the side across the axis.
    place: f32,
    // The features of the owner of the axis, and of the other figure.
    features: vec2<u32>,
}

// The side of the owner across its axis, and the side of the other figure that faces it.
struct Sides {
    owner: Figure,
    other: Figure,
    axis: u32,
    side: f32,
    facing_axis: u32,
    facing: f32,
}

// The features in the order of the figures.
fn ordered(features: vec2<u32>, owner: u32) -> vec2<u32> {
    return select(features, features.yx, owner == 1u);
}

// Cores that are apart, and nearest at corners of both.
fn at_corners(two: Two, nearest: Nearest) -> Touch {
    let way = nearest.on_second - nearest.on_first;
    let length = sqrt(dot(way, way));
    let normal = way / length;
    let depth = max(two.reach - length, 0.0);
    let own = figure(two, nearest.owner);
    let other = figure(two, 1u - nearest.owner);
    let from_other = select(nearest.on_first, nearest.on_second, nearest.owner == 0u) - other.center;
    let sides = signs_of(along_axes(other, from_other));
    let features = ordered(vec2(feature_at(own, nearest.sides), feature_at(other, sides)), nearest.owner);
    let point = Point(nearest.on_first + normal * two.first.radius, depth, features);
    return Touch(normal, depth, features, NEITHER, 1u, point, point, length, 0.0, 0u, false);
}

fn end_on(sides: Sides, along: f32) -> End {
    let corner = replaced(vec2(sides.facing), 1u - sides.facing_axis, along);
    let point = at(sides.other, corner * sides.other.half);
    let place = dot(point - sides.owner.center, axis_of(sides.owner, 1u - sides.axis));
    let of_owner = feature_across(sides.owner, sides.axis, sides.side);
    return End(point, place, vec2(of_owner, feature_at(sides.other, corner)));
}

// An end, cut to the owner's side if it is beyond that; `back` is the other end.
fn cut(sides: Sides, end: End, back: End) -> End {
    let across = 1u - sides.axis;
    let half = component(sides.owner.half, across);
    let length = end.place - back.place;
    if abs(end.place) <= half || !(abs(length) > 0.0) { return end; }
    let limit = half * sign_of(end.place);
    var of_owner = feature_across(sides.owner, sides.axis, sides.side);
    if half > 0.0 { of_owner = feature_at(sides.owner, replaced(vec2(sides.side), across, limit)); }
    let point = back.point + (end.point - back.point) * ((limit - back.place) / length);
    return End(point, limit, vec2(of_owner, feature_across(sides.other, sides.facing_axis, sides.facing)));
}

fn point_of(two: Two, owner: u32, outward: vec2<f32>, end: End, depth: f32) -> Point {
    let on_other = end.point - outward * figure(two, 1u - owner).radius;
    return Point(select(on_other, on_other + outward * depth, owner == 0u), depth, ordered(end.features, owner));
}

// The contact at an axis.
fn at_side(two: Two, best: BestAxis) -> Touch {
    let owner = figure(two, best.owner);
    let other = figure(two, 1u - best.owner);
    let outward = select(-best.normal, best.normal, best.owner == 0u);
    let side = sign_of(dot(outward, axis_of(owner, best.axis)));
    let along = along_axes(other, -outward);
    let facing_axis = select(0u, 1u, abs(along.y) >= abs(along.x));
    let sides = Sides(owner, other, best.axis, side, facing_axis, sign_of(component(along, facing_axis)));

    let ends = array(end_on(sides, -1.0), end_on(sides, 1.0));
    var one = cut(sides, ends[0], ends[1]);
    var two_ends = true;
    var last = cut(sides, ends[1], ends[0]);
    let beyond = vec2(abs(ends[0].place), abs(ends[1].place)) - component(owner.half, 1u - best.axis);
    let on_one_side = (ends[0].place >= 0.0) == (ends[1].place >= 0.0);
    let beside = select(0.0, max(min(beyond.x, beyond.y), 0.0), on_one_side);
    let is_beside = beside > 0.0;
    if !(component(other.half, 1u - facing_axis) > 0.0) || is_beside {
        if is_beside && beyond.y < beyond.x { one = ends[1]; } else { one = ends[0]; }
        two_ends = false;
        last = one;
    }

    let depth = max(two.reach - best.gap, 0.0);
    let middle = component(owner.half, best.axis);
    let gaps = vec2(dot(one.point - owner.center, outward), dot(last.point - owner.center, outward)) - middle;
    let depths = vec2(two.reach) - gaps;
    let is_last_deeper = two_ends && gaps.y < gaps.x;
    var touch: Touch;
    touch.gap = min(gaps.x, gaps.y);
    touch.beside = beside;
    touch.facing_axis = facing_axis;
    touch.normal = best.normal;
    touch.depth = depth;
    touch.reference = select(NEITHER, best.owner, owner.is_box);
    touch.count = select(1u, 2u, two_ends && min(depths.x, depths.y) >= 0.0);
    let first_point = point_of(two, best.owner, outward, one, clamp(depths.x, 0.0, depth));
    let last_point = point_of(two, best.owner, outward, last, clamp(depths.y, 0.0, depth));
    touch.one = first_point;
    touch.other = last_point;
    if touch.count == 1u && is_last_deeper { touch.one = last_point; }
    var of_other = feature_across(other, facing_axis, sides.facing);
    if two_ends && abs(gaps.x - gaps.y) > 4.0 * two.error {
        of_other = select(one.features.y, last.features.y, is_last_deeper);
    }
    touch.features = ordered(vec2(feature_across(owner, best.axis, side), of_other), best.owner);
    return touch;
}

fn touch_of(two: Two) -> Touch {
    let best = best_axis(two);
    let nearest = nearest_points(two);
    let way = nearest.on_second - nearest.on_first;
    let length = select(best.gap, sqrt(dot(way, way)), best.gap > 0.0);
    let slop = 4.0 * two.error;
    var axis = best;
    var touch: Touch;
    var is_corner = false;
    for (var k = 0u; k < 2u; k += 1u) {
        touch = at_side(two, axis);
        // Where the other core lies beside the side, the distance exceeds the gap by the square of
        // a length alone, which may be less than the slop.
        is_corner = max(length - axis.gap, touch.beside) > slop;
        if is_corner || touch.gap - axis.gap <= slop { break; }
        // The deepest corner is beyond the side, so an axis of the other figure has almost the same
        // gap, or corners are nearest.
        axis = gap_along(two, 1u - axis.owner, touch.facing_axis);
    }
    if two.reach > 0.0 && is_corner && length > DIRECTED * two.error { touch = at_corners(two, nearest); }
    touch.colliding = two.in_plane && length + two.error + LENGTH_ERROR * two.reach < two.reach;
    return touch;
}

// The records of a pair, with as many points as it has.
struct Records {
    normal: vec2<f32>,
    depth: f32,
    bits: u32,
    count: u32,
    one: PointRecord,
    other: PointRecord,
}

fn record_of(two: Two, normal: vec2<f32>, point: Point) -> PointRecord {
    let on_a = two.origin + point.on_first - select(0.0, point.depth, two.swapped) * normal;
    return PointRecord(on_a.x, on_a.y, 0.0, point.depth, packed(point.features, two.swapped));
}

fn records_of(pair: Pair) -> Records {
    let two = two_figures(place_of_a(pair.a), place_of_b(pair.b));
    let touch = touch_of(two);
    let whose = select(touch.reference, 1u - touch.reference, two.swapped && touch.reference != NEITHER);
    let bits = packed(touch.features, two.swapped) | (whose << REFERENCE_SHIFT) | select(UNDECIDED, 0u, touch.colliding);
    return Records(
        select(touch.normal, -touch.normal, two.swapped),
        touch.depth,
        bits,
        touch.count,
        record_of(two, touch.normal, touch.one),
        record_of(two, touch.normal, touch.other),
    );
}

@compute @workgroup_size(WORKGROUP)
fn plane_manifolds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = bound_of_loop(found_pairs(), local);
    for (var start = workgroup.x * WORKGROUP; start < count; start += workgroups.x * WORKGROUP) {
        let k = start + local;
        var found: Records;
        if k < count { found = records_of(pairs[k]); }

        let first = append(found.count, POINTS, local);
        if found.count > 0u {
            let len = stored(first, found.count);
            if len > 0u { points[first] = found.one; }
            if len > 1u { points[first + 1u] = found.other; }
            let bits = found.bits | (len << COUNT_SHIFT);
            manifolds[k] = ManifoldRecord(found.normal.x, found.normal.y, 0.0, found.depth, first, bits);
        }
    }
}
