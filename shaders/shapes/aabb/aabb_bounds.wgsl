// The caller's own bounds, as they are without a margin, and input validation. Twin: src/bounds/aabb_bounds_cpu.rs.

@group(0) @binding(0) var<uniform> params: Params;
// Six numbers a box (src/boxes.rs, Aabb): half of an Obb's, so that a binding holds twice as many boxes and two suffice.
@group(0) @binding(1) var<storage, read> boxes_0: array<f32>;
@group(0) @binding(2) var<storage, read> boxes_1: array<f32>;
@group(0) @binding(6) var<storage, read_write> stats: SceneStatsAtomic;
@group(0) @binding(7) var<storage, read_write> counters: array<atomic<u32>, COUNTERS>;

fn aabb_at(index: u32) -> Bounds {
    let segment = 2u * params.box_segment;
    if index < segment {
        let k = 6u * index;
        let low = vec3(boxes_0[k], boxes_0[k + 1u], boxes_0[k + 2u]);
        return Bounds(low, 0u, vec3(boxes_0[k + 3u], boxes_0[k + 4u], boxes_0[k + 5u]), index);
    }
    let k = 6u * (index - segment);
    let low = vec3(boxes_1[k], boxes_1[k + 1u], boxes_1[k + 2u]);
    return Bounds(low, 0u, vec3(boxes_1[k + 3u], boxes_1[k + 4u], boxes_1[k + 5u]), index);
}

const CENTER_ERROR: f32 = 0x1p-22;

// How far a corner is moved outwards: by the margin's share, rounded up.
fn widened(corner: vec3<f32>) -> vec3<f32> {
    return select(vec3(0.0), CENTER_ERROR * abs(corner) + params.half_margin, params.half_margin > 0.0);
}

// Whether an interval may be invalid. The verdict is the host's (Aabb::problem). By their bits numbers have an order that
// no compiler takes liberties with; zeros of different signs are let through by the host.
fn suspect(low: f32, high: f32) -> bool {
    return not_finite(low) || not_finite(high) || ordered(low) > ordered(high) || max(abs(low), abs(high)) > 0x1p60;
}

@compute @workgroup_size(WORKGROUP)
fn aabb_bounds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    begin_statistics(local);
    for (var i = workgroup.x * WORKGROUP + local; i < params.box_count; i += workgroups.x * WORKGROUP) {
        let given = aabb_at(i);
        let low = given.low;
        let high = given.high;
        // Bad bounds must not reach the grid; the host rejects the scene when it reads SUSPECTS.
        var b = Bounds(vec3(0.0), 0u, vec3(0.0), i);
        if suspect(low.x, high.x) || suspect(low.y, high.y) || suspect(low.z, high.z) {
            atomicAdd(&counters[SUSPECTS], 1u);
        }
        let span = high - low;
        if !(not_finite(span.x) || not_finite(span.y) || not_finite(span.z)) {
            b = Bounds(given.low - widened(given.low), 0u, given.high + widened(given.high), i);
        }
        b.tag = add_to_statistics(b);
        put_bounds(i, b);
    }
    end_statistics(local);
}
