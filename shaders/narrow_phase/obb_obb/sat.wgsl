// Shared by both kernels of the separating-axis test, obb_sat.wgsl over fifteen axes and
// upright_sat.wgsl over five: the answers, the error bound, which
// src/narrow_phase/obb_obb/separating_axes.rs derives, and the loop over candidate pairs of boxes,
// one pair per invocation. The including shader declares the test, `state_of_boxes(a: Obb, b: Obb)
// -> u32`.
// Uses: narrow_phase/obb_obb/obb_sat.wgsl or narrow_phase/obb_obb/upright_sat.wgsl,
// narrow_phase/obb_obb/testing.wgsl, shared/append_portable.wgsl or shared/append_subgroup.wgsl,
// shared/boxes.wgsl, shared/common.wgsl, shared/images.wgsl, shared/obb.wgsl, shared/pair.wgsl,
// shared/queues.wgsl, shared/verdicts.wgsl.

const SEPARATED: u32 = 0u;
const OVERLAPPING: u32 = 1u;
const UNDECIDED: u32 = 2u;

const ERROR_PER_DISTANCE: f32 = 92.0 * 0x1p-23;
const ERROR_PER_RADIUS: f32 = 72.0 * 0x1p-23;
const FLUSH_ERROR: f32 = 0x1p-118;

// Tests two boxes, of which B may be an image. The box at the image's place contains the image if
// that is smaller by the distance between the two along each axis, and is contained in it if that
// is larger. So both are tested.
fn state_of_image(a: Obb, b: Obb, id_of_b: u32) -> u32 {
    if !is_image(id_of_b) { return state_of_boxes(a, b); }
    let state = state_of_boxes(a, grown(b, params.image_error));
    if state != OVERLAPPING || params.exactness != PRECISION_EXACT { return state; }
    if min(b.half_x, min(b.half_y, b.half_z)) <= params.image_error { return UNDECIDED; }
    return select(UNDECIDED, OVERLAPPING, state_of_boxes(a, grown(b, -params.image_error)) == OVERLAPPING);
}

// Called by all invocations of the workgroups.
fn test_boxes(workgroup: u32, local: u32) {
    let queue = pairs_to_test(BOX_BOX, BOX_BOX);
    let count = bound_of_loop(queue.count, local);
    let step = testing_workgroups(count) * WORKGROUP;
    for (var first = workgroup * WORKGROUP; first < count; first += step) {
        let k = first + local;
        var pair = Pair(0u, 0u);
        var state = SEPARATED;
        if k < count {
            pair = candidates.pairs[candidate_at(queue.first + k)];
            let a = box_at(pair.a);
            let b = box_of_b(pair.b);
            if groups_meet(a, b) { state = state_of_image(a, b, pair.b); }
        }
        hand_on(pair, state == OVERLAPPING, state == UNDECIDED, local);
    }
}
