// Sorts the candidate pairs of bodies of several kinds into queues by their kinds (queues.wgsl).
// One kernel counts the pairs of each queue, narrow_plan.wgsl computes the start of each queue, and
// another kernel fills them.
//
// An invocation that fills queues takes a few consecutive pairs. Therefore pairs that are close
// together in the list stay close, and so do the bodies that they share; and there are few atomic
// operations.
// Uses: shared/append.wgsl, shared/append_portable.wgsl or shared/append_subgroup.wgsl,
// shared/candidates.wgsl, shared/common.wgsl, shared/images.wgsl, shared/pair.wgsl,
// shared/queues.wgsl.

const WORKGROUP: u32 = 256u;
// The number of pairs that an invocation puts into queues at a time. The queue of each pair is kept
// in four bits.
const PER_INVOCATION: u32 = 8u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> candidates: CandidateList;

// 0 for a box, 1 for a capsule, 2 for a sphere.
fn kind_of(id: u32, box_end: u32, capsule_end: u32) -> u32 {
    return select(0u, 1u, id >= box_end) + select(0u, 1u, id >= capsule_end);
}

fn queue_of(pair: Pair) -> u32 {
    let a = kind_of(pair.a, params.box_end_of_a, params.capsule_end_of_a);
    let kinds = kinds_of_b(pair.b);
    let b = kind_of(pair.b - kinds.first, kinds.box_end, kinds.capsule_end);
    // Pairs with a box come first, then those with a capsule.
    return a + b + select(0u, 1u, min(a, b) > 0u);
}

// The number of pairs in each queue: the first three, and the last three.
struct Counts {
    low: vec3<u32>,
    high: vec3<u32>,
}

fn and_one(counts: Counts, queue: u32) -> Counts {
    let low = select(vec3(0u), vec3(1u), vec3(queue) == vec3(BOX_BOX, BOX_CAPSULE, BOX_SPHERE));
    let high = select(vec3(0u), vec3(1u), vec3(queue) == vec3(CAPSULE_CAPSULE, CAPSULE_SPHERE, SPHERE_SPHERE));
    return Counts(counts.low + low, counts.high + high);
}

@compute @workgroup_size(WORKGROUP)
fn count_kinds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = candidates_to_test();
    var counts = Counts(vec3(0u), vec3(0u));
    for (var k = workgroup.x * WORKGROUP + local; k < count; k += workgroups.x * WORKGROUP) {
        counts = and_one(counts, queue_of(candidates.pairs[k]));
    }
    append(counts.low.x, QUEUE_ENDS + BOX_BOX, local);
    append(counts.low.y, QUEUE_ENDS + BOX_CAPSULE, local);
    append(counts.low.z, QUEUE_ENDS + BOX_SPHERE, local);
    append(counts.high.x, QUEUE_ENDS + CAPSULE_CAPSULE, local);
    append(counts.high.y, QUEUE_ENDS + CAPSULE_SPHERE, local);
    append(counts.high.z, QUEUE_ENDS + SPHERE_SPHERE, local);
}

fn put_in_queue(place: u32, candidate: u32) {
    let word = params.queues_first + place;
    if (word & 1u) == 0u {
        candidates.pairs[word / 2u].a = candidate;
    } else {
        candidates.pairs[word / 2u].b = candidate;
    }
}

@compute @workgroup_size(WORKGROUP)
fn fill_queues(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = bound_of_loop(candidates_to_test(), local);
    let each = WORKGROUP * PER_INVOCATION;
    for (var first = workgroup.x * each; first < count; first += workgroups.x * each) {
        let own = first + local * PER_INVOCATION;
        let end = min(own + PER_INVOCATION, count);
        var counts = Counts(vec3(0u), vec3(0u));
        var queues = 0u;
        for (var k = own; k < end; k++) {
            let queue = queue_of(candidates.pairs[k]);
            queues |= queue << (4u * (k - own));
            counts = and_one(counts, queue);
        }
        let boxes = append_to_both(counts.low.xy, vec2(QUEUE_ENDS + BOX_BOX, QUEUE_ENDS + BOX_CAPSULE), local);
        let mixed = append_to_both(vec2(counts.low.z, counts.high.x),
            vec2(QUEUE_ENDS + BOX_SPHERE, QUEUE_ENDS + CAPSULE_CAPSULE), local);
        let round = append_to_both(counts.high.yz, vec2(QUEUE_ENDS + CAPSULE_SPHERE, QUEUE_ENDS + SPHERE_SPHERE), local);
        var next = Counts(vec3(boxes, mixed.x), vec3(mixed.y, round));
        for (var k = own; k < end; k++) {
            let queue = (queues >> (4u * (k - own))) & 15u;
            let low = select(select(next.low.z, next.low.y, queue == BOX_CAPSULE), next.low.x, queue == BOX_BOX);
            let high = select(select(next.high.z, next.high.y, queue == CAPSULE_SPHERE), next.high.x, queue == CAPSULE_CAPSULE);
            put_in_queue(select(low, high, queue > BOX_SPHERE), k);
            next = and_one(next, queue);
        }
    }
}
