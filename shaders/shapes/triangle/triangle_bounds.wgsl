// Bounds of triangles, and their validation. Twin: src/shapes/triangle/triangle_bounds_cpu.rs.
// Nothing is rounded or flushed to zero, because numbers are compared by their bits. The broad
// phase hooks in with begin_bounds, note_bounds, note_suspect and end_bounds.
// Uses: broad_phase/grid/counting.wgsl or broad_phase/grid/noted.wgsl,
// broad_phase/grid/statistics.wgsl, shapes/triangle/corners.wgsl, shapes/triangle/triangle.wgsl,
// shared/common.wgsl, shared/new_bounds.wgsl, shared/validity.wgsl.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
// One segment at a time. Four records are as long as three Obbs.
@group(0) @binding(1) var<storage, read> boxes: array<Triangle>;
@group(0) @binding(2) var<uniform> segment: Segment;

const SIGN: vec3<u32> = vec3(0x80000000u);

// Numbers as unsigned integers with the same order, and the inverse.
fn sortable(v: vec3<f32>) -> vec3<u32> {
    let bits = bitcast<vec3<u32>>(v);
    return select(bits ^ SIGN, ~bits, bits >= SIGN);
}

fn sorted(bits: vec3<u32>) -> vec3<f32> {
    return bitcast<vec3<f32>>(select(~bits, bits ^ SIGN, bits >= SIGN));
}

@compute @workgroup_size(WORKGROUP)
fn triangle_bounds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    begin_bounds(local);
    let full = params.box_segment / 3u * 4u;
    let before = segment.number * full;
    let count = min(params.box_count - min(before, params.box_count), full);
    for (var k = workgroup.x * WORKGROUP + local; k < count; k += workgroups.x * WORKGROUP) {
        let i = before + k;
        let t = corners(boxes[k]);
        // Invalid bounds must not reach the grid. The host rejects the scene when it reads the
        // number of suspects.
        var b = Bounds(vec3(0.0), 0u, vec3(0.0), i);
        if beyond(t[0]) || beyond(t[1]) || beyond(t[2]) {
            note_suspect();
        } else {
            let x = sortable(t[0]);
            let y = sortable(t[1]);
            let z = sortable(t[2]);
            b = Bounds(sorted(min(x, min(y, z))), 0u, sorted(max(x, max(y, z))), i);
        }
        put_bounds(i, note_bounds(b));
    }
    end_bounds(local);
}
