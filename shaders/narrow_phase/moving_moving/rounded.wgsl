// The earliest possible contact of two bodies in motion, at least one of which is round.
// src/narrow_phase/moving_moving/rounded.rs explains the method.
// Uses: narrow_phase/moving_moving/way_errors.wgsl, narrow_phase/round/segments.wgsl,
// shapes/moving/moving.wgsl, shared/common.wgsl, shared/rotation.wgsl.
// The including shader declares: params.

// `true` if there are round bodies.
override rounded: bool = false;

const TANGENTS: u32 = 16u;
// The error of a sum of times up to 1, with a margin.
const TIME_ERROR: f32 = 0x1p-22;
// A time above 1, for pairs that do not meet.
const NEVER: f32 = 2.0;

fn half_of(body: Moving) -> vec3<f32> {
    return vec3(body.half_x, body.half_y, body.half_z);
}

// Half the length of a round body's core.
fn core_of(body: Moving) -> f32 {
    return max(body.half_z - body.radius, 0.0);
}

// The vector from the core of a to that of b where they are closest, if b is at d from a. Any
// direction is valid, so errors in it do not matter.
fn way_between(a: Moving, b: Moving, d: vec3<f32>) -> vec3<f32> {
    let z_a = axis_of(a.rotation);
    let z_b = axis_of(b.rotation);
    if a.radius > 0.0 && b.radius > 0.0 {
        let places = closest_places(d, z_a, core_of(a), z_b, core_of(b));
        return d + places.y * z_b - places.x * z_a;
    }
    // In the frame of the body that is a box.
    let is_box_a = b.radius > 0.0;
    var axes = matrix(b.rotation);
    var square = dot(b.rotation, b.rotation);
    var core = Core(-d, z_a, core_of(a), half_of(b));
    if is_box_a {
        axes = matrix(a.rotation);
        square = dot(a.rotation, a.rotation);
        core = Core(d, z_b, core_of(b), half_of(a));
    }
    core.p = fenced_3((core.p * axes) / square, params.zero);
    core.z = fenced_3((core.z * axes) / square, params.zero);
    let x = core.p + closest_place(core) * core.z;
    let way = axes * (x - clamp(x, -core.half, core.half));
    return select(-way, way, is_box_a);
}

// The reach of a body from its center along a direction of length 1.
fn reach_of(body: Moving, direction: vec3<f32>) -> f32 {
    let core = half_of(body) - vec3(body.radius);
    return dot(abs(direction * matrix(body.rotation)), core) / dot(body.rotation, body.rotation) + body.radius;
}

// The earliest possible contact as a fraction of the step; NEVER if the bodies do not meet. They
// are known not to meet before `start`.
fn rounded_contact(a: Moving, b: Moving, start: f32) -> f32 {
    let d = fenced_3(b.center - a.center, params.zero);
    let path = fenced_3(b.path - a.path, params.zero);
    let bend = fenced_3(b.bend - a.bend, params.zero);
    let size = sum(abs(d)) + sum(half_of(a)) + sum(half_of(b));
    let ways = sum(abs(a.path)) + sum(abs(b.path)) + sum(abs(a.bend)) + sum(abs(b.bend));
    let error = SIZE_ERROR * size + WAY_ERROR * ways + FLUSH_ERROR;
    var time = start;
    for (var k = 0u; k < TANGENTS; k += 1u) {
        let now = fenced_3(d + time * (path + time * bend), params.zero);
        let way = fenced_3(way_between(a, b, now), params.zero);
        let longest = largest(abs(way));
        if !(longest > LEAST_WAY) { break; }
        let scaled = way / longest;
        let direction = fenced_3(scaled * inverseSqrt(dot(scaled, scaled)), params.zero);
        let gap = dot(direction, now) - reach_of(a, direction) - reach_of(b, direction) - error;
        if !(gap > 0.0) { break; }
        let closing = max(-dot(direction, bend), 0.0) - dot(direction, path + 2.0 * time * bend) + error;
        if closing * (1.0 - time) < gap { return NEVER; }
        time += max(gap / closing * (1.0 - QUOTIENT_ERROR) - TIME_ERROR, 0.0);
    }
    return time;
}
