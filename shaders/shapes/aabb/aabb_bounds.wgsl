// The caller's own bounds, unchanged if there is no margin, and input validation. Twin:
// src/shapes/aabb/aabb_bounds_cpu.rs. The broad phase hooks in with begin_bounds, note_bounds,
// note_suspect and end_bounds.
// Uses: broad_phase/grid/counting.wgsl or broad_phase/grid/noted.wgsl,
// broad_phase/grid/statistics.wgsl, rules/widening.wgsl, shapes/aabb/aabb.wgsl, shared/common.wgsl,
// shared/new_bounds.wgsl, shared/validity.wgsl.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
// One segment at a time. A record is half as long as an Obb, so a segment holds twice as many.
@group(0) @binding(1) var<storage, read> boxes: array<Aabb>;
@group(0) @binding(2) var<uniform> segment: Segment;

const CENTER_ERROR: f32 = 0x1p-22;

// The distance by which a corner is moved outwards: the margin's share, rounded up; 0 if there is
// no margin.
fn widened(corner: vec3<f32>, margin: f32) -> vec3<f32> {
    return fenced_3(select(vec3(0.0), CENTER_ERROR * abs(corner) + margin, margin > 0.0), params.zero);
}

// A number as an unsigned integer with the same order.
fn sortable(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return select(bits ^ 0x80000000u, ~bits, bits >= 0x80000000u);
}

// Returns `true` if an interval may be inverted. The host has the final say (Aabb::problem).
// Numbers are compared by their bits, whose order no compiler may change; the host accepts zeros of
// different signs.
fn suspect(low: f32, high: f32) -> bool {
    return sortable(low) > sortable(high);
}

@compute @workgroup_size(WORKGROUP)
fn aabb_bounds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    begin_bounds(local);
    let full = 2u * params.box_segment;
    let before = segment.number * full;
    let count = min(params.box_count - min(before, params.box_count), full);
    for (var k = workgroup.x * WORKGROUP + local; k < count; k += workgroups.x * WORKGROUP) {
        let i = before + k;
        let box = boxes[k];
        let low = vec3(box.min_x, box.min_y, box.min_z);
        let high = vec3(box.max_x, box.max_y, box.max_z);
        // Invalid bounds must not reach the grid. The host rejects the scene when it reads the
        // number of suspects.
        var b = Bounds(vec3(0.0), 0u, vec3(0.0), i);
        let hopeless = beyond(low) || beyond(high);
        if hopeless || suspect(low.x, high.x) || suspect(low.y, high.y) || suspect(low.z, high.z) { note_suspect(); }
        if !hopeless {
            let margin = widening_of(i);
            let widened_low = fenced_3(low - widened(low, margin), params.zero);
            b = Bounds(widened_low, 0u, fenced_3(high + widened(high, margin), params.zero), i);
        }
        put_bounds(i, note_bounds(b));
    }
    end_bounds(local);
}
