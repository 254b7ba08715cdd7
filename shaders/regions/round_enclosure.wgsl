// Computes the position of capsules and spheres relative to a room: the walls they reach, and
// inside, crossing or outside, with a third answer if rounding may matter. Twin:
// src/regions/round_room.rs, which has the formulas and the error bound.
// Uses: narrow_phase/round/segments.wgsl, regions/room_frame.wgsl, shapes/round/capsule.wgsl,
// shapes/round/sphere.wgsl, shared/common.wgsl, shared/rotation.wgsl, shared/validity.wgsl.

const WORKGROUP: u32 = 256u;

const ERROR_PER_SIZE: f32 = 80.0 * 0x1p-23;

@group(0) @binding(1) var<storage, read> capsules: array<Capsule>;
@group(0) @binding(3) var<storage, read> balls: array<Sphere>;

// A capsule, or a sphere, which has no length and no rotation.
struct Round {
    rotation: vec4<f32>,
    center: vec3<f32>,
    half_length: f32,
    radius: f32,
}

fn round_enclosure(round: Round) -> u32 {
    let half = room_half();
    let d = fenced_3(round.center - params.center, params.zero);
    let p = fenced_3(d * room_axes(), params.zero);
    var core = Core(p, vec3(0.0, 0.0, 1.0), round.half_length, half);
    let is_long = round.half_length > 0.0;
    if is_long { core.z = fenced_3(axis_of(round.rotation) * room_axes(), params.zero); }
    let size = sum(abs(p)) + sum(half) + round.half_length + round.radius;
    let error = fenced(vec4(ERROR_PER_SIZE * size + params.slack + FLUSH_LENGTH), params.zero).x;

    let extent = abs(core.z) * round.half_length + round.radius;
    let walls = walls_reached((half + p) - extent, (half - p) - extent, error);
    if walls.possible == 0u { return INSIDE; }

    // If `true`, the center is a point that both share.
    let has_center = all(half - abs(p) > vec3(error));
    var place = 0.0;
    if is_long && !has_center { place = closest_place(core); }
    let x = fenced_3(p + place * core.z, params.zero);
    let w = fenced_3(x - clamp(x, -half, half), params.zero);
    let distance = sqrt(dot(w, w));
    let gap = dot(w, p) - dot(half, abs(w)) - round.half_length * abs(dot(w, core.z));
    let outside = gap > (round.radius + error) * (distance + FLUSH_LENGTH);
    let shares = all(half - abs(x) > vec3(error)) || distance + error < round.radius;
    return enclosure_of(walls, select(select(UNDECIDED, CROSSING, shares), OUTSIDE, outside));
}

// The output for a body that may be invalid. Nothing is computed from an invalid body.
fn checked_enclosure(round: Round) -> u32 {
    let hopeless = hopeless_round(round.center, round.half_length, round.radius, round.rotation);
    if hopeless || suspect_round(round.half_length, round.radius, round.rotation) { return INVALID; }
    return round_enclosure(round);
}

@compute @workgroup_size(WORKGROUP)
fn enclosures_of_capsules(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var i = workgroup.x * WORKGROUP + local; i < params.count; i += workgroups.x * WORKGROUP) {
        let capsule = capsules[params.skipped + i];
        enclosures[params.first + i] =
            checked_enclosure(Round(capsule.rotation, capsule.center, capsule.half_length, capsule.radius));
    }
}

@compute @workgroup_size(WORKGROUP)
fn enclosures_of_balls(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var i = workgroup.x * WORKGROUP + local; i < params.count; i += workgroups.x * WORKGROUP) {
        let ball = balls[params.skipped + i];
        enclosures[params.first + i] = checked_enclosure(Round(vec4(0.0, 0.0, 0.0, 1.0), ball.center, 0.0, ball.radius));
    }
}
