// The loop of the tests of round bodies: candidate pairs in a range of queues, one pair per
// invocation. The including shader declares the test, `state_of_pair(a: Place, b: Place, margin:
// u32) -> u32`.
// Uses: narrow_phase/obb_obb/testing.wgsl, narrow_phase/round/answers.wgsl,
// narrow_phase/round/box_round.wgsl or narrow_phase/round/round_round.wgsl or
// narrow_phase/round/sphere_sphere.wgsl, shared/append_portable.wgsl or
// shared/append_subgroup.wgsl, shared/bodies.wgsl, shared/candidates.wgsl, shared/common.wgsl,
// shared/images.wgsl, shared/pair.wgsl, shared/queues.wgsl, shared/verdicts.wgsl.

// The amount by which the radius of B is taken to be larger; if one of both is a box, that of the
// other.
var<private> growth: f32 = 0.0;

fn grown(radius: f32) -> f32 {
    if !imaged { return radius; }
    return radius + growth;
}

// Tests a pair, of which B may be an image: `state_of_image` of obb_obb/sat.wgsl.
fn state_of_image(a: Place, b: Place, id_of_b: u32, margin: u32) -> u32 {
    if !is_image(id_of_b) {
        growth = 0.0;
        return state_of_pair(a, b, margin);
    }
    growth = params.image_error;
    let state = state_of_pair(a, b, margin);
    if (state != COLLIDING && state != NEAR) || params.exactness != PRECISION_EXACT { return state; }
    growth = -params.image_error;
    return select(UNDECIDED, state, state_of_pair(a, b, margin) == state);
}

// Called by all invocations of the workgroups.
fn test_pairs(first_queue: u32, last_queue: u32, workgroup: u32, local: u32) {
    let queue = pairs_to_test(first_queue, last_queue);
    let count = bound_of_loop(queue.count, local);
    let step = testing_workgroups(count) * WORKGROUP;
    for (var first = workgroup * WORKGROUP; first < count; first += step) {
        let k = first + local;
        var pair = Pair(0u, 0u);
        var state = APART;
        if k < count {
            let candidate = candidate_at(queue.first + k);
            pair = candidates.pairs[candidate];
            state = state_of_image(place_of_a(pair.a), place_of_b(pair.b), pair.b, margin_of_candidate(candidate));
        }
        hand_on_state(pair, state, local);
    }
}
