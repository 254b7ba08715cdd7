// Computes the earliest possible contact of each pair of bodies in motion, and of each body.
// src/narrow_phase/moving_moving/sweep_times.rs explains the method.
// Uses: narrow_phase/moving_moving/impact_record.wgsl, narrow_phase/moving_moving/rounded.wgsl,
// narrow_phase/moving_moving/way_errors.wgsl, shapes/moving/moving.wgsl,
// shapes/moving/moving_boxes.wgsl, shared/common.wgsl, shared/outcome.wgsl, shared/pair.wgsl,
// shared/rotation.wgsl.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(4) var<uniform> outcome: Outcome;
@group(0) @binding(5) var<storage, read> pairs: array<Pair>;
@group(0) @binding(6) var<storage, read_write> impacts: array<ImpactRecord>;
// The time and the partner of each body.
@group(0) @binding(7) var<storage, read_write> earliest: array<atomic<u32>>;

// The fraction of the step before which a gap that closes at this rate is certainly open: 0 if
// there is no gap, 1 if it stays open.
fn entry(gap: vec3<f32>, closing: vec3<f32>) -> vec3<f32> {
    let closes = closing > gap;
    let part = gap / select(vec3(1.0), closing, closes) * (1.0 - QUOTIENT_ERROR);
    return select(vec3(0.0), select(vec3(1.0), part, closes), gap > vec3(0.0));
}

// The maximum rate at which the distance x decreases, from the path along the same axis.
fn closing(x: vec3<f32>, p: vec3<f32>, g: vec3<f32>, error: f32) -> vec3<f32> {
    return select(p, -p, x > vec3(0.0)) + abs(g) + error;
}

fn first_contact(a: Moving, b: Moving) -> f32 {
    let d = fenced_3(b.center - a.center, params.zero);
    let path = fenced_3(b.path - a.path, params.zero);
    let bend = fenced_3(b.bend - a.bend, params.zero);
    let axes = matrix(a.rotation);
    let t_and_n = fenced(vec4(d * axes, dot(a.rotation, a.rotation)), params.zero);
    let t = t_and_n.xyz;
    let n = t_and_n.w;
    let p = fenced_3(path * axes, params.zero);
    let g = fenced_3(bend * axes, params.zero);
    let g_a = n * vec3(a.half_x, a.half_y, a.half_z);
    let g_b = n * vec3(b.half_x, b.half_y, b.half_z);
    let r = relative(a.rotation, b.rotation);
    let c = matrix(r);
    let s = dot(r, r);
    let x = abs(c[0]);
    let y = abs(c[1]);
    let z = abs(c[2]);
    let size = sum(abs(t)) + sum(abs(p)) + sum(abs(g)) + sum(g_a) + sum(g_b);
    let ways = sum(abs(a.path)) + sum(abs(b.path)) + sum(abs(a.bend)) + sum(abs(b.bend));
    let error = SIZE_ERROR * size + WAY_ERROR * ways + FLUSH_ERROR;

    let gap_a = fenced_3(s * (abs(t) - g_a) - (x * g_b.x + y * g_b.y + z * g_b.z) - error, params.zero);
    var first = entry(gap_a, fenced_3(closing(t, s * p, s * g, error), params.zero));
    let t_b = t * c;
    let gap_b = fenced_3(abs(t_b) - s * g_b - vec3(dot(x, g_a), dot(y, g_a), dot(z, g_a)) - error, params.zero);
    first = max(first, entry(gap_b, fenced_3(closing(t_b, p * c, g * c, error), params.zero)));
    for (var j = 0u; j < 3u; j += 1u) {
        let k = (j + 1u) % 3u;
        let l = (j + 2u) % 3u;
        let own = abs(c[j]);
        let radius_b = g_b[k] * abs(c[l]) + g_b[l] * abs(c[k]);
        let along = cross(c[j], t);
        let gap = fenced_3(abs(along) - (g_a.yzx * own.zxy + g_a.zxy * own.yzx + radius_b) - error, params.zero);
        first = max(first, entry(gap, fenced_3(closing(along, cross(c[j], p), cross(c[j], g), error), params.zero)));
    }
    return min(largest(first), 1.0);
}

@compute @workgroup_size(WORKGROUP)
fn sweep_times(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    for (var k = id.x; k < outcome.pairs; k += workgroups.x * WORKGROUP) {
        let pair = pairs[k];
        let a = moving_at(pair.a);
        let b = moving_at(pair.b);
        var time = first_contact(a, b);
        if rounded && a.radius + b.radius > 0.0 { time = min(rounded_contact(a, b, time), 1.0); }
        impacts[k] = ImpactRecord(pair.a, pair.b, time, a.curved | b.curved);
        // Positive numbers are ordered like their bits.
        let bits = bitcast<u32>(time);
        atomicMin(&earliest[2u * pair.a], bits);
        atomicMin(&earliest[2u * pair.b], bits);
    }
}
