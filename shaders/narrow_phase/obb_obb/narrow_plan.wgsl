// Computes the dispatches of the narrow phase: each kernel gets an invocation for each candidate
// pair of its kinds. Of the kernels over all axes and over five, one gets no workgroups. If pairs
// are in queues by their kinds, this also computes the start of each queue.
// Uses: narrow_phase/obb_obb/testing.wgsl, shared/candidates.wgsl, shared/common.wgsl,
// shared/queues.wgsl, shared/scene_stats.wgsl.

// The arguments of dispatches, each padded by a word: src/narrow_phase/obb_obb/narrow_plan.rs,
// Dispatches
struct Dispatches {
    boxes: vec4<u32>,
    all_axes: vec4<u32>,
    five_axes: vec4<u32>,
    of_box: vec4<u32>,
    of_capsule: vec4<u32>,
    of_spheres: vec4<u32>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> candidates: CandidateList;
@group(0) @binding(2) var<storage, read_write> dispatches: Dispatches;
@group(0) @binding(3) var<storage, read> stats: SceneStats;

fn dispatch(pairs: u32) -> vec4<u32> {
    return vec4(testing_workgroups(pairs), 1u, 1u, 0u);
}

@compute @workgroup_size(1)
fn narrow_plan() {
    var starts: array<u32, QUEUES + 1u>;
    if queued {
        for (var queue = 0u; queue < QUEUES; queue++) {
            let count = atomicLoad(&candidates.counters[QUEUE_ENDS + queue]);
            atomicStore(&candidates.counters[QUEUE_ENDS + queue], starts[queue]);
            starts[queue + 1u] = starts[queue] + count;
        }
    }
    // In a scene of one kind all pairs are of that kind.
    let all = select(candidates_to_test(), 0u, queued);
    let boxes = dispatch(all + starts[BOX_CAPSULE]);
    let some_tilted = stats.tilted > 0u;
    dispatches.boxes = boxes;
    dispatches.all_axes = select(dispatch(0u), boxes, some_tilted);
    dispatches.five_axes = select(boxes, dispatch(0u), some_tilted);
    dispatches.of_box = dispatch(all + starts[CAPSULE_CAPSULE] - starts[BOX_CAPSULE]);
    dispatches.of_capsule = dispatch(all + starts[SPHERE_SPHERE] - starts[CAPSULE_CAPSULE]);
    dispatches.of_spheres = dispatch(all + starts[QUEUES] - starts[SPHERE_SPHERE]);
}
