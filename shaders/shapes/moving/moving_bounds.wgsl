// Conservative bounds of the volumes that boxes in motion sweep. Twin:
// src/shapes/moving/moving_bounds_cpu.rs, which derives the widening. The broad phase hooks in with
// begin_bounds, note_bounds, note_suspect and end_bounds.
// Uses: broad_phase/grid/counting.wgsl or broad_phase/grid/noted.wgsl,
// broad_phase/grid/statistics.wgsl, rules/widening.wgsl, shapes/moving/moving.wgsl,
// shared/common.wgsl, shared/new_bounds.wgsl.

const WORKGROUP: u32 = 256u;

const SWEPT_ERROR: f32 = 0x1p-19;
const LEAST_BEND: f32 = 0x1p-120;
const CENTER_ERROR: f32 = 0x1p-22;
const ABSOLUTE_ERROR: f32 = 0x1p-100;

@group(0) @binding(0) var<uniform> params: Params;
// One segment at a time. A record is twice as long as an Obb, so a segment holds half as many.
@group(0) @binding(1) var<storage, read> boxes: array<Moving>;
@group(0) @binding(2) var<uniform> segment: Segment;

fn bounds_of(box: Moving, id: u32) -> Bounds {
    let p = box.path;
    let g = box.bend;
    let end = fenced_3(p + g, params.zero);
    // The turning point of the parabola, if it lies within the step.
    let turns = (abs(g) > vec3(LEAST_BEND)) & (abs(p) < 2.0 * abs(g)) & ((p < vec3(0.0)) != (g < vec3(0.0)));
    let part = fenced_3(p / select(vec3(1.0), g, turns), params.zero);
    let back = select(vec3(0.0), -0.25 * p * part, turns);
    let widened = fenced_3(box.extent + SWEPT_ERROR * (box.extent + abs(p) + abs(g)) + 2.0 * CENTER_ERROR * abs(box.center)
        + ABSOLUTE_ERROR + widening_of(id), params.zero);
    let low = fenced_3(box.center + (min(min(end, back), vec3(0.0)) - widened), params.zero);
    return Bounds(low, 0u, fenced_3(box.center + (max(max(end, back), vec3(0.0)) + widened), params.zero), id);
}

@compute @workgroup_size(WORKGROUP)
fn moving_bounds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    begin_bounds(local);
    let full = params.box_segment / 2u;
    let before = segment.number * full;
    let count = min(params.box_count - before, full);
    for (var k = workgroup.x * WORKGROUP + local; k < count; k += workgroups.x * WORKGROUP) {
        let i = before + k;
        let box = boxes[k];
        var b = Bounds(vec3(0.0), 0u, vec3(0.0), i);
        if box.suspect > 0u {
            note_suspect();
        } else {
            b = bounds_of(box, i);
        }
        put_bounds(i, note_bounds(b));
    }
    end_bounds(local);
}
