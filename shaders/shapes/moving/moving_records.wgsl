// Computes the volumes that bodies in motion sweep, from the caller's bodies and motions on the
// device. The host computes tighter records (src/shapes/moving/record.rs);
// src/shapes/moving/moving_records.rs explains why these are conservative.
// Uses: shapes/moving/earliest.wgsl, shapes/moving/motion.wgsl, shapes/moving/moving.wgsl,
// shared/common.wgsl, shared/obb.wgsl, shared/rotation.wgsl, shared/validity.wgsl.

const WORKGROUP: u32 = 256u;

// src/shapes/moving/moving_records.rs, StepParams
struct StepParams {
    dt: f32,
    // The number of records in the segment.
    count: u32,
    zero: u32,
    // The end of the boxes, and of the capsules, which follow; then come the spheres.
    box_end: u32,
    capsule_end: u32,
    // The first body of the segment, and the first unit of bodies and the first motion that are
    // bound.
    first: u32,
    first_given: u32,
    first_motion: u32,
}

@group(0) @binding(0) var<uniform> params: StepParams;
// Boxes and capsules of three units, and spheres of one.
@group(0) @binding(1) var<storage, read> given: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> motions: array<Motion>;
@group(0) @binding(3) var<storage, read_write> boxes: array<Moving>;
@group(0) @binding(4) var<storage, read_write> earliest: array<EarliestImpact>;

const EXTENT_ERROR: f32 = 0x1p-18;
const TURN_ERROR: f32 = 0x1p-16;
// The square of an angle, in radians, beyond which a box is replaced by its bounding sphere.
const FAR_TURNED: f32 = 6.0;
// Half extents are divided by the largest one, or at least by this, in the caller's unit, so that
// their squares are not flushed to zero.
const LEAST_SCALE: f32 = 0x1p-100;
// A time above 1, for bodies that meet nothing, and the index of no box.
const NEVER: f32 = 2.0;
const NOBODY: u32 = 0xffffffffu;

const INFINITE: u32 = 0x7f800000u;
// The largest exponents of lengths and of an angle.
const LENGTH_EXPONENT: u32 = 127u + 60u;
const ANGLE_EXPONENT: u32 = 127u + 20u;

const ALL_GROUPS: u32 = 0xffffffffu;

// A body as a box and all points within a radius of it. The box of a capsule is a segment along z,
// and that of a sphere a point.
struct Around {
    box: Obb,
    radius: f32,
    // `true` for a box.
    has_edges: bool,
}

fn body_at(k: u32) -> Around {
    if k >= params.capsule_end {
        let ball = bitcast<vec4<f32>>(given[2u * params.capsule_end + k - params.first_given]);
        return Around(Obb(vec4(0.0, 0.0, 0.0, 1.0), ball.xyz, 0.0, 0.0, 0.0, ALL_GROUPS, ALL_GROUPS), ball.w, false);
    }
    let unit = 3u * k - params.first_given;
    let rotation = bitcast<vec4<f32>>(given[unit]);
    let middle = bitcast<vec4<f32>>(given[unit + 1u]);
    let others = given[unit + 2u];
    let lengths = bitcast<vec2<f32>>(others.xy);
    if k < params.box_end {
        return Around(Obb(rotation, middle.xyz, middle.w, lengths.x, lengths.y, others.z, others.w), 0.0, true);
    }
    return Around(Obb(rotation, middle.xyz, 0.0, 0.0, middle.w, others.z, others.w), lengths.x, false);
}

// Returns `true` if a number times a power of dt exceeds a power of two or is not finite. It is
// tested by the bits, so that nothing overflows.
fn times_beyond(v: vec3<f32>, power: u32, exponent: u32) -> bool {
    let bits = bitcast<vec3<u32>>(v) & vec3(MAGNITUDE);
    let step = bitcast<u32>(params.dt) >> 23u;
    let product = (bits >> vec3(23u)) + vec3(power * step);
    return any(bits >= vec3(INFINITE)) || any((bits > vec3(0u)) & (product > vec3(exponent + power * 127u)));
}

// Tests the bits, because comparisons may flush subnormal numbers to zero.
fn is_zero(v: vec3<f32>) -> bool {
    return all((bitcast<vec3<u32>>(v) & vec3(MAGNITUDE)) == vec3(0u));
}

fn is_suspect(body: Around, motion: Motion) -> bool {
    var box = body.box;
    if !body.has_edges { box.rotation = whole_turn(box.rotation); }
    return suspect_box(box) || beyond(vec3(body.radius)) || negative(body.radius) || times_beyond(motion.velocity, 1u, LENGTH_EXPONENT)
        || times_beyond(motion.acceleration, 2u, LENGTH_EXPONENT) || times_beyond(motion.angular_velocity, 1u, ANGLE_EXPONENT)
        || times_beyond(vec3(motion.uncertainty), 2u, LENGTH_EXPONENT) || negative(motion.uncertainty);
}

fn nothing() -> Moving {
    return Moving(vec4(0.0, 0.0, 0.0, 1.0), vec3(0.0), 0.0, 0.0, 0.0, 0u, 0u, vec3(0.0), 0.0, vec3(0.0), 0u, vec3(0.0), 1u);
}

fn swept(body: Around, motion: Motion) -> Moving {
    let box = body.box;
    let dt = params.dt;
    let h = vec3(box.half_x, box.half_y, box.half_z);
    let sum_h = sum(h);
    let path = motion.velocity * dt;
    let bend = 0.5 * (fenced_3(motion.acceleration * dt, params.zero) * dt);
    let gained = fenced(vec4(motion.uncertainty * dt, 0.0, 0.0, 0.0), params.zero).x;
    let spread = 0.5 * (gained * dt) * (1.0 + EXTENT_ERROR);
    let turn = fenced_3(motion.angular_velocity * dt, params.zero);
    let square = dot(turn, turn);
    // Turning does not change a sphere.
    let turns = !is_zero(motion.angular_velocity) && (body.has_edges || !is_zero(h));

    var rotation = box.rotation;
    var half = h;
    let scale = max(largest(h), LEAST_SCALE);
    let parts = h / scale;
    let radius = scale * sqrt(dot(parts, parts)) * (1.0 + EXTENT_ERROR);
    if turns && square <= FAR_TURNED {
        // Turns the box by about half the turn, which is twice the arc tangent of a quarter of the
        // angle.
        let half_turn = 0.25 * turn;
        let q = box.rotation;
        let middle = fenced(vec4(q.xyz + half_turn * q.w + cross(half_turn, q.xyz), q.w - dot(half_turn, q.xyz)), params.zero);
        rotation = fenced(middle * inverseSqrt(dot(middle, middle)), params.zero);
        // The turn to the farther end, in the box's own frame.
        let m = matrix(rotation);
        let b = abs(turn * m) * (0.5 + square / 96.0) * (1.0 + TURN_ERROR);
        let across = vec3(b.z * h.y + b.y * h.z, b.x * h.z + b.z * h.x, b.y * h.x + b.x * h.y);
        let along = 0.5 * b * vec3(b.y * h.y + b.z * h.z, b.z * h.z + b.x * h.x, b.x * h.x + b.y * h.y);
        half = min((h + across + along) * (1.0 + TURN_ERROR) + TURN_ERROR * sum_h, vec3(radius));
    }
    if turns && square > FAR_TURNED { half = vec3(radius); }
    let m = matrix(rotation);
    let n = dot(rotation, rotation);
    var extent = (abs(m[0]) * half.x + abs(m[1]) * half.y + abs(m[2]) * half.z) / n + EXTENT_ERROR * sum(half);
    if turns { extent = min(extent, vec3(radius)); }
    let grown = body.radius + spread;
    half = select(half, half + grown, grown > 0.0);
    extent = (extent + body.radius) * (1.0 + EXTENT_ERROR) + spread;
    let straight = !turns && is_zero(motion.acceleration) && is_zero(vec3(motion.uncertainty));
    return Moving(rotation, box.center, half.x, half.y, half.z, box.memberships, box.groups_filter, path,
        select(0.0, grown, body.radius > 0.0), bend, select(1u, 0u, straight), extent, 0u);
}

@compute @workgroup_size(WORKGROUP)
fn moving_records(@builtin(global_invocation_id) at: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>) {
    for (var k = at.x; k < params.count; k += workgroups.x * WORKGROUP) {
        let id = params.first + k;
        earliest[id] = EarliestImpact(NEVER, NOBODY);
        let body = body_at(id);
        let motion = motions[id - params.first_motion];
        if is_suspect(body, motion) {
            boxes[k] = nothing();
        } else {
            boxes[k] = swept(body, motion);
        }
    }
}
