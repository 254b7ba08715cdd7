// Conservative bounds of balls, and their validation. Twin: src/shapes/round/round_bounds_cpu.rs. The derivation of the widening is in
// src/geometry/bounds.rs. The broad phase hooks in with begin_bounds, note_bounds, note_suspect and end_bounds.

const WORKGROUP: u32 = 256u;

const EXTENT_ERROR: f32 = 0x1p-18;
const CENTER_ERROR: f32 = 0x1p-22;
const ABSOLUTE_ERROR: f32 = 0x1p-100;

@group(0) @binding(0) var<uniform> params: Params;
// One segment at a time, in units of a ball: the balls follow the boxes and capsules, which are three units each.
@group(0) @binding(1) var<storage, read> boxes: array<Sphere>;
@group(0) @binding(2) var<uniform> segment: Segment;

fn bounds_of(ball: Sphere, id: u32) -> Bounds {
    let widened = fenced_3(vec3(ball.radius) + (EXTENT_ERROR * ball.radius + CENTER_ERROR * abs(ball.center)) + ABSOLUTE_ERROR
        + widening_of(id), params.zero);
    let low = fenced_3(ball.center - widened, params.zero);
    return Bounds(low, 0u, fenced_3(ball.center + widened, params.zero), id);
}

@compute @workgroup_size(WORKGROUP)
fn sphere_bounds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    begin_bounds(local);
    let full = 3u * params.box_segment;
    let before = segment.number * full;
    let first = 3u * params.capsule_end;
    let count = min(first + (params.box_count - params.capsule_end) - before, full);
    for (var k = max(first, before) - before + workgroup.x * WORKGROUP + local; k < count; k += workgroups.x * WORKGROUP) {
        let i = params.capsule_end + (before + k - first);
        let ball = boxes[k];
        let hopeless = beyond(ball.center) || beyond(vec3(ball.radius));
        if hopeless || negative(ball.radius) { note_suspect(); }
        // Bounds that are no numbers must not reach the grid; the host rejects the scene when it reads of suspects.
        var b = Bounds(vec3(0.0), 0u, vec3(0.0), i);
        if !hopeless { b = bounds_of(ball, i); }
        b.tag = note_bounds(b);
        put_bounds(i, b);
    }
    end_bounds(local);
}
