// Computes the contact manifold of every pair that is not one of two boxes: that of the cores,
// offset by the radii. Twin: src/narrow_phase/round/manifold.rs and its parts, in f64, which
// explain the method. There, two cores that are not boxes are treated separately. Here, the core of
// a capsule is a box without width, whose only feature is an edge along z, and that of a sphere a
// box without size.
// Uses: narrow_phase/obb_obb/features.wgsl, narrow_phase/obb_obb/manifold_lists.wgsl,
// narrow_phase/obb_obb/manifold_record.wgsl, narrow_phase/obb_obb/point_record.wgsl,
// narrow_phase/round/core_pair.wgsl, narrow_phase/round/segments.wgsl, shared/append.wgsl,
// shared/append_portable.wgsl or shared/append_subgroup.wgsl, shared/bodies.wgsl,
// shared/found_pairs.wgsl, shared/rotation.wgsl.

const WORKGROUP: u32 = 128u;

// If a core passes an edge at an angle below this sine, the vector from edge to core is as good as
// the normal of both.
const SLIGHT: f32 = 0x1p-8;
// Cores count as side by side below 30 degrees, of which this is the squared cosine.
const SIDE_BY_SIDE: f32 = 0.75;
// A component of a normal below this counts as zero.
const LEAST_PART: f32 = 0x1p-40;
// Larger than any length.
const ENDLESS: f32 = 0x1p100;

fn smallest(v: vec3<f32>) -> f32 {
    return min(v.x, min(v.y, v.z));
}

// An axis as a vector of length 1, selected by conditions; and its number.
fn axis_vector(is_it: vec3<bool>) -> vec3<f32> {
    return select(vec3(0.0), vec3(1.0), is_it);
}

fn number_of(axis: vec3<f32>) -> u32 {
    return u32(dot(axis, vec3(0.0, 1.0, 2.0)));
}

// The part of a segment around a place.
fn round_part(place: f32, half_length: f32) -> u32 {
    let end = select(select(0u, 2u, place >= half_length), 1u, place <= -half_length);
    return ROUND + select(0u, end, half_length > 0.0);
}

// The motion by which the second body leaves the first.
struct Exit {
    normal: vec3<f32>,
    depth: f32,
    // The feature of the first core there: FACE, EDGE or CORNER, with the axis across the face or
    // along the edge.
    part: u32,
    axis: vec3<f32>,
}

// For disjoint cores: along the vector between them, perpendicular to the features where they are
// closest.
fn way_out_beside(found: CorePair, reach: f32) -> Exit {
    let z = found.core.z;
    let is_inner = abs(found.place) < found.core.half_length;
    // A core without width has no face.
    let beyond = (abs(found.way) > vec3(0.0)) | (vec3(!found.is_box) & (found.core.half <= vec3(0.0)));
    let count = sum(axis_vector(beyond));
    var exit = Exit(found.way, 0.0, CORNER, vec3(0.0));
    if count < 1.5 {
        exit.part = FACE;
        exit.axis = axis_vector(beyond);
    } else if count < 2.5 {
        exit.part = EDGE;
        exit.axis = axis_vector(!beyond);
        let across = cross(z, exit.axis);
        if is_inner && dot(across, across) > SLIGHT * SLIGHT {
            exit.normal = select(-across, across, dot(across, found.way) >= 0.0);
        }
    } else if is_inner {
        exit.normal = found.way - z * dot(found.way, z);
    }
    exit.normal *= inverseSqrt(max(dot(exit.normal, exit.normal), FLUSH_LENGTH * FLUSH_LENGTH));
    if exit.part == FACE { exit.normal = select(-exit.axis, exit.axis, found.way > vec3(0.0)) * exit.axis; }
    exit.depth = reach - dot(found.way, exit.normal);
    return exit;
}

// For cores that meet: along the axis of least overlap, faces first. Cores without faces have no
// preference.
fn way_out_within(found: CorePair, reach: f32, slop: f32) -> Exit {
    let core = found.core;
    // A center within the slop counts as being on the + side.
    let signs = select(vec3(-1.0), vec3(1.0), core.p >= vec3(-slop));
    let depths = core.half + core.half_length * abs(core.z) + vec3(reach) - signs * core.p;
    var exit = Exit(vec3(signs.x, 0.0, 0.0), depths.x, FACE, vec3(1.0, 0.0, 0.0));
    if depths.y < exit.depth - slop { exit = Exit(vec3(0.0, signs.y, 0.0), depths.y, FACE, vec3(0.0, 1.0, 0.0)); }
    if depths.z < exit.depth - slop { exit = Exit(vec3(0.0, 0.0, signs.z), depths.z, FACE, vec3(0.0, 0.0, 1.0)); }
    if !(core.half_length > 0.0) { return exit; }
    var least = select(exit.depth, exit.depth * (1.0 - PREFERENCE) - slop, found.is_box);
    for (var k = 0u; k < 3u; k += 1u) {
        let axis = axis_vector(vec3(k) == vec3(0u, 1u, 2u));
        let across = cross(core.z, axis);
        let squared = dot(across, across);
        if squared <= LEAST_SINE { continue; }
        var normal = across * inverseSqrt(squared);
        if dot(normal, core.p) < 0.0 { normal = -normal; }
        let depth = dot(abs(normal), core.half) - dot(normal, core.p) + reach;
        if depth < least {
            least = depth;
            exit = Exit(normal, depth, EDGE, axis);
        }
    }
    return exit;
}

// A point on the first body, its depth in the second against the normal, and the features of the
// first and the second.
struct Point {
    at: vec3<f32>,
    depth: f32,
    features: vec2<u32>,
}

// In the frame of the first body.
struct Touch {
    normal: vec3<f32>,
    depth: f32,
    features: vec2<u32>,
    // `true` if the normal is that of a face of the first.
    on_face: bool,
    count: u32,
    first: Point,
    second: Point,
}

fn part_of_first(found: CorePair, exit: Exit) -> u32 {
    if !found.is_box { return round_part(found.on_first.z, found.core.half.z); }
    if exit.part == FACE { return face_feature(Face(number_of(exit.axis), dot(exit.normal, exit.axis) > 0.0)); }
    if exit.part == CORNER { return corner_feature(exit.normal); }
    let axis = number_of(exit.axis);
    return edge_feature(axis, from_axis(exit.normal, axis).yz > vec2(0.0));
}

fn with_one(exit: Exit, at: vec3<f32>, depth: f32, features: vec2<u32>) -> Touch {
    let point = Point(at, depth, features);
    return Touch(exit.normal, exit.depth, features, exit.part == FACE, 1u, point, point);
}

// The contact where the cores are closest.
fn at_point(found: CorePair, exit: Exit, reach: f32, is_beside: bool) -> Touch {
    // If cores meet, the point moves along the normal to the surface of the first core.
    let parts = abs(exit.normal);
    let room = found.core.half - select(-found.on_first, found.on_first, exit.normal > vec3(0.0));
    let outs = select(vec3(ENDLESS), room / max(parts, vec3(LEAST_PART)), parts > vec3(LEAST_PART));
    let within = select(max(smallest(outs), 0.0), 0.0, is_beside);
    let height = dot(found.way, exit.normal) - within;
    let at = found.on_first + (within + found.radii.x) * exit.normal;
    let features = vec2(part_of_first(found, exit), round_part(found.place, found.core.half_length));
    return with_one(exit, at, clamp(reach - height, 0.0, exit.depth), features);
}

// The contact of a core that crosses an edge of a box inside it; without points if the edge or the
// core ends before the crossing.
fn across_edge(found: CorePair, exit: Exit, slop: f32) -> Touch {
    let core = found.core;
    let axis = exit.axis;
    var on_edge = select(-core.half, core.half, exit.normal > vec3(0.0)) * (vec3(1.0) - axis);
    // Along the direction perpendicular to the edge and to the normal, the core passes the edge
    // where both have the same coordinate.
    let side = cross(axis, exit.normal);
    let place = clamp(dot(on_edge - core.p, side) / dot(core.z, side), -core.half_length, core.half_length);
    let on_core = core.p + place * core.z;
    on_edge += axis * clamp(on_core, -core.half, core.half);
    let aside = on_edge - on_core - (exit.depth - found.radii.y) * exit.normal;
    let features = vec2(part_of_first(found, exit), round_part(place, core.half_length));
    var touch = with_one(exit, on_edge, exit.depth, features);
    touch.count = select(0u, 1u, dot(aside, aside) <= slop * slop);
    return touch;
}

// An end of a stretch: the point of the second core at a place, and the side that cuts it off
// there, as a direction of the first; 0 if nothing does.
struct End {
    point: Point,
    aside: f32,
}

fn end_at(found: CorePair, exit: Exit, reach: f32, place: f32, cut: vec3<f32>) -> End {
    let core = found.core;
    let x = core.p + place * core.z;
    var on_core = clamp(x, -core.half, core.half);
    on_core = select(on_core, select(-core.half, core.half, exit.normal > vec3(0.0)), exit.axis > vec3(0.5));
    let way = x - on_core;
    let height = dot(way, exit.normal);
    let aside = way - height * exit.normal;
    var part = part_of_first(found, exit);
    let of_side = number_of(abs(cut));
    if !found.is_box {
        part = ROUND + select(select(0u, 2u, cut.z > 0.0), 1u, cut.z < 0.0);
    } else if largest(abs(cut)) > 0.0 {
        let axis = 3u - number_of(exit.axis) - of_side;
        part = edge_feature(axis, from_axis(exit.normal + cut, axis).yz > vec2(0.0));
    }
    let point = Point(on_core + found.radii.x * exit.normal, reach - height, vec2(part, round_part(place, core.half_length)));
    return End(point, dot(aside, aside));
}

// The first axis whose component is at least `most`, with the sign of its component in `signs`.
fn signed_axis(v: vec3<f32>, most: f32, signs: vec3<f32>) -> vec3<f32> {
    let is_it = v >= vec3(most);
    let axis = select(select(vec3(0.0, 0.0, 1.0), vec3(0.0, 1.0, 0.0), is_it.y), vec3(1.0, 0.0, 0.0), is_it.x);
    return select(-axis, axis, signs > vec3(0.0));
}

// The second core over or below a face of a box, or alongside the core of a capsule: the ends of
// the stretch within the sides. Only the deeper end if the stretch is short or one end is not in
// contact; none if there is no stretch.
fn along_stretch(found: CorePair, exit: Exit, reach: f32, slop: f32) -> Touch {
    let core = found.core;
    let sides = (vec3(found.is_box) | (core.half > vec3(0.0))) & (exit.axis < vec3(0.5));
    let parallel = abs(core.z) < vec3(LEAST_SLOPE);
    let z = select(core.z, vec3(1.0), parallel);
    let one = (-core.half - core.p) / z;
    let other = (core.half - core.p) / z;
    let crosses = sides & !parallel;
    let enters = select(vec3(-ENDLESS), min(one, other), crosses);
    let leaves = select(vec3(ENDLESS), max(one, other), crosses);
    let enter = largest(enters);
    let leave = smallest(leaves);
    let low = max(-core.half_length, enter);
    let high = min(core.half_length, leave);
    var touch = with_one(exit, vec3(0.0), exit.depth, vec2(0u));
    touch.count = 0u;
    if any(sides & parallel & (abs(core.p) > core.half)) || low > high { return touch; }

    // If the ends of two capsules are level, the ends of the first count.
    let is_cut = select(vec2(enter >= low, leave <= high), vec2(enter > -core.half_length, leave < core.half_length), found.is_box);
    let cut_low = signed_axis(enters, enter, -core.z);
    let cut_high = signed_axis(-leaves, -leave, core.z);
    let first = end_at(found, exit, reach, low, select(vec3(0.0), cut_low, is_cut.x));
    let second = end_at(found, exit, reach, high, select(vec3(0.0), cut_high, is_cut.y));
    touch.first = first.point;
    touch.second = second.point;
    let depths = vec2(first.point.depth, second.point.depth);
    let in_contact = min(depths.x, depths.y) >= -slop && max(first.aside, second.aside) <= slop * slop;
    touch.count = select(1u, 2u, high - low > slop && in_contact);
    if touch.count == 1u && depths.x < depths.y { touch.first = second.point; }
    touch.first.depth = clamp(touch.first.depth, 0.0, exit.depth);
    touch.second.depth = clamp(touch.second.depth, 0.0, exit.depth);
    let is_level = abs(depths.x - depths.y) <= slop || !found.is_box;
    // Otherwise the end that points against the normal.
    let end = select(2u, 1u, dot(exit.normal, core.z) > 0.0);
    touch.features = vec2(select(ROUND, part_of_first(found, exit), found.is_box), ROUND + select(end, 0u, is_level));
    return touch;
}

fn touch_of(found: CorePair) -> Touch {
    let core = found.core;
    let reach = found.radii.x + found.radii.y;
    let sizes = vec2(largest(core.half) + found.radii.x, core.half_length + found.radii.y);
    let slop = SLOP * min(sizes.x, sizes.y) + ROUNDING * found.size;
    let is_beside = found.distance > found.error;
    var exit: Exit;
    if is_beside {
        exit = way_out_beside(found, reach);
    } else {
        exit = way_out_within(found, reach, slop);
    }
    exit.depth = max(exit.depth, 0.0);
    var touch = at_point(found, exit, reach, is_beside);
    touch.on_face = touch.on_face && found.is_box;
    if !(core.half_length > 0.0) { return touch; }
    if !found.is_box && !(core.half.z > 0.0 && core.z.z * core.z.z > SIDE_BY_SIDE) { return touch; }
    if found.is_box && exit.part == EDGE && !is_beside {
        let crossing = across_edge(found, exit, slop);
        if crossing.count > 0u { return crossing; }
        return touch;
    }
    // A stretch over a face: the face of the exit; or, instead of an edge or a corner, a face with
    // almost as little overlap.
    var best = select(ENDLESS, exit.depth * (1.0 + PREFERENCE) + slop, found.is_box);
    let overlaps = core.half + core.half_length * abs(core.z) - abs(core.p) + vec3(reach);
    for (var k = 0u; k < 3u; k += 1u) {
        var way = exit;
        var least = 2u;
        if found.is_box {
            let axis = axis_vector(vec3(k) == vec3(0u, 1u, 2u));
            if exit.part == FACE {
                if dot(axis, exit.axis) < 0.5 { continue; }
                least = 1u;
            } else {
                let overlap = dot(axis, overlaps);
                if overlap > best || (touch.on_face && overlap >= best) { continue; }
                way = Exit(select(-axis, axis, core.p > vec3(0.0)) * axis, max(overlap, 0.0), FACE, axis);
            }
        } else if k > 0u {
            break;
        } else {
            way.part = EDGE;
            way.axis = vec3(0.0);
        }
        let stretch = along_stretch(found, way, reach, slop);
        if stretch.count >= least {
            touch = stretch;
            best = way.depth;
        }
    }
    return touch;
}

fn record_of(found: CorePair, touch: Touch, point: Point) -> PointRecord {
    let at = in_world(found, point.at - select(0.0, point.depth, found.swapped) * touch.normal);
    return PointRecord(at.x, at.y, at.z, point.depth, packed(point.features, found.swapped));
}

@compute @workgroup_size(WORKGROUP)
fn round_manifolds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = bound_of_loop(found_pairs(), local);
    for (var start = workgroup.x * WORKGROUP; start < count; start += workgroups.x * WORKGROUP) {
        let k = start + local;
        var found: CorePair;
        var touch: Touch;
        if k < count {
            let pair = pairs[k];
            if !are_boxes(pair) {
                found = core_pair(place_of_a(pair.a), place_of_b(pair.b));
                touch = touch_of(found);
            }
        }

        let first = append(touch.count, POINTS, local);
        if touch.count > 0u {
            let len = stored(first, touch.count);
            if len > 0u { points[first] = record_of(found, touch, touch.first); }
            if len > 1u { points[first + 1u] = record_of(found, touch, touch.second); }
            let normal = found.axes * select(touch.normal, -touch.normal, found.swapped);
            let whose = select(NEITHER, select(0u, 1u, found.swapped), touch.on_face);
            let bits = packed(touch.features, found.swapped) | (whose << REFERENCE_SHIFT) | (len << COUNT_SHIFT)
                | select(UNDECIDED, 0u, found.colliding);
            manifolds[k] = ManifoldRecord(normal.x, normal.y, normal.z, touch.depth, first, bits);
        }
    }
}
