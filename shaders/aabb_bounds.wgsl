// The caller's own bounds, as they are without a margin, and input validation. Twin: src/bounds/aabb_bounds_cpu.rs.

@group(0) @binding(0) var<uniform> params: Params;
// Six numbers a box: src/boxes.rs, Aabb.
@group(0) @binding(1) var<storage, read> boxes: array<f32>;
@group(0) @binding(2) var<storage, read_write> bounds: array<Bounds>;
@group(0) @binding(3) var<storage, read_write> stats: SceneStatsAtomic;
@group(0) @binding(4) var<storage, read_write> counters: array<atomic<u32>, COUNTERS>;

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
        let first = 6u * i;
        let low = vec3(boxes[first], boxes[first + 1u], boxes[first + 2u]);
        let high = vec3(boxes[first + 3u], boxes[first + 4u], boxes[first + 5u]);
        // Bad bounds must not reach the grid; the host rejects the scene when it reads SUSPECTS.
        var b = Bounds(vec3(0.0), 0u, vec3(0.0), i);
        if suspect(low.x, high.x) || suspect(low.y, high.y) || suspect(low.z, high.z) {
            atomicAdd(&counters[SUSPECTS], 1u);
        }
        let span = high - low;
        if !(not_finite(span.x) || not_finite(span.y) || not_finite(span.z)) {
            b = Bounds(low - widened(low), 0u, high + widened(high), i);
        }
        b.tag = add_to_statistics(b);
        bounds[i] = b;
    }
    end_statistics(local);
}
