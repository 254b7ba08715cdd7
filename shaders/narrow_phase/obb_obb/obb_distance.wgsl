// Finds the candidate pairs within a margin of each other, by the distance of the boxes: the narrow
// phase of checks with a margin. Twin: src/narrow_phase/obb_obb/obb_distance_cpu.rs. The method and
// its proof are in src/narrow_phase/obb_obb/distance.rs, the error bound in distance_error.rs
// beside it.
// Uses: narrow_phase/obb_obb/closest.wgsl, narrow_phase/obb_obb/frame.wgsl,
// narrow_phase/obb_obb/testing.wgsl, shared/append.wgsl, shared/append_portable.wgsl or
// shared/append_subgroup.wgsl, shared/boxes.wgsl, shared/candidates.wgsl, shared/common.wgsl,
// shared/images.wgsl, shared/obb.wgsl, shared/pair.wgsl, shared/queues.wgsl, shared/verdicts.wgsl.

const BEYOND: u32 = 0u;
const NEAR: u32 = 1u;
const COLLIDING: u32 = 2u;
const UNDECIDED: u32 = 3u;

// Classifies two boxes by their distance and the margin.
fn nearness(a: Obb, b: Obb, margin: f32) -> u32 {
    var f = frame_of(a, b);
    // The margin itself is rounded.
    f.error += ERROR * margin;
    let face = face_gap(faces_of(f));
    if face - f.error > margin { return BEYOND; }
    let edges = edges_of(f);
    let lower = lower_bound(f, face, edges);
    if lower > margin { return BEYOND; }
    if lower <= 0.0 {
        let colliding = params.exactness != PRECISION_EXACT || overlapping(f, face, edges);
        return select(UNDECIDED, COLLIDING, colliding);
    }
    var squared = corners(f).squared;
    // If it were below zero, nothing would be certainly within the margin.
    let surely = max(margin - f.error, 0.0);
    if squared > surely * surely { squared = min(squared, edge_pairs(f, lower, edges).squared); }
    let distance = sqrt(squared);
    if distance + f.error <= margin { return NEAR; }
    if distance - f.error > margin { return BEYOND; }
    if params.exactness == PRECISION_EXACT { return UNDECIDED; }
    return select(NEAR, BEYOND, params.exactness == PRECISION_FAST && distance > margin);
}

// Classifies two boxes, of which B may be an image: `state_of_image` of sat.wgsl.
fn nearness_of_image(a: Obb, b: Obb, id_of_b: u32, margin: f32) -> u32 {
    if !is_image(id_of_b) { return nearness(a, b, margin); }
    let state = nearness(a, grown(b, params.image_error), margin);
    if (state != COLLIDING && state != NEAR) || params.exactness != PRECISION_EXACT { return state; }
    if min(b.half_x, min(b.half_y, b.half_z)) <= params.image_error { return UNDECIDED; }
    return select(UNDECIDED, state, nearness(a, grown(b, -params.image_error), margin) == state);
}

@compute @workgroup_size(WORKGROUP)
fn obb_distance_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let queue = pairs_to_test(BOX_BOX, BOX_BOX);
    let count = bound_of_loop(queue.count, local);
    let step = testing_workgroups(count) * WORKGROUP;
    for (var first = workgroup.x * WORKGROUP; first < count; first += step) {
        let k = first + local;
        var pair = Pair(0u, 0u);
        var state = BEYOND;
        if k < count {
            let candidate = candidate_at(queue.first + k);
            pair = candidates.pairs[candidate];
            let a = box_at(pair.a);
            let b = box_of_b(pair.b);
            if groups_meet(a, b) { state = nearness_of_image(a, b, pair.b, bitcast<f32>(margin_of_candidate(candidate))); }
        }
        hand_on(pair, state == NEAR || state == COLLIDING, state == UNDECIDED, local);
        // These pairs are only counted.
        append(select(0u, 1u, state == NEAR), NEAR_PAIRS, local);
    }
}
