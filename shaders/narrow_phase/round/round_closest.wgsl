// Computes the distance and the closest points of every pair that is not one of two boxes: the
// distance of their cores, less the radii. Twin: src/narrow_phase/round/distance.rs, in f64.
// Uses: narrow_phase/obb_obb/closest_list.wgsl, narrow_phase/obb_obb/closest_record.wgsl,
// narrow_phase/round/core_pair.wgsl, narrow_phase/round/segments.wgsl, shared/bodies.wgsl,
// shared/found_pairs.wgsl, shared/pair.wgsl.

const WORKGROUP: u32 = 128u;

fn closest_points(pair: Pair) -> ClosestRecord {
    let found = core_pair(place_of_a(pair.a), place_of_b(pair.b));
    let towards = found.way / max(found.distance, FLUSH_LENGTH);
    let a = found.radii.x;
    let b = found.radii.y;
    // The positions along the vector from core to core: those on both surfaces, or the middle of
    // the part that is in both bodies.
    let beyond = found.distance - b;
    let shared_place = 0.5 * (max(beyond, -a) + min(found.distance + b, a));
    let places = select(vec2(shared_place), vec2(a, beyond), found.apart);
    let on_first = in_world(found, found.on_first + places.x * towards);
    let on_second = in_world(found, found.on_first + places.y * towards);
    return ClosestRecord(
        select(on_first, on_second, found.swapped),
        select(0.0, beyond - a, found.apart),
        select(on_second, on_first, found.swapped),
        select(UNDECIDED, 0u, found.apart || found.colliding),
    );
}

@compute @workgroup_size(WORKGROUP)
fn round_closest_points(
    @builtin(global_invocation_id) invocation: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let count = found_pairs();
    for (var k = invocation.x; k < count; k += workgroups.x * WORKGROUP) {
        let pair = pairs[k];
        if !are_boxes(pair) { closest[k] = closest_points(pair); }
    }
}
