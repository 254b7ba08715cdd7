// Validation of numbers, oriented boxes and round bodies.
// Uses: shared/obb.wgsl.

// Limits on the bits of absolute values: the largest length allowed, and bounds for a quaternion's
// largest component outside of which it is certainly too small or too large.
const LARGEST_LENGTH: u32 = 0x5d800000u; // 2^60
const SMALL_COMPONENT: u32 = 0x3e800000u; // 0.25
const LARGE_COMPONENT: u32 = 0x40000000u; // 2

const MAGNITUDE: u32 = 0x7fffffffu;

// Returns `true` if a number is larger than allowed or is a NaN. It is tested by its bits, because
// compilers may assume that there are no infinities and NaNs.
fn beyond(v: vec3<f32>) -> bool {
    return any((bitcast<vec3<u32>>(v) & vec3(MAGNITUDE)) > vec3(LARGEST_LENGTH));
}

// Returns `true` if a quaternion is certainly invalid. Nothing may be computed from it.
fn hopeless_rotation(rotation: vec4<f32>) -> bool {
    let q = bitcast<vec4<u32>>(rotation) & vec4(MAGNITUDE);
    let most = max(max(q.x, q.y), max(q.z, q.w));
    return most < SMALL_COMPONENT || most > LARGE_COMPONENT;
}

// Returns `true` if a quaternion may be invalid. The host has the final say (Obb::problem): the
// tolerance here is slightly tighter, so that no invalid one passes because of rounding.
fn suspect_rotation(rotation: vec4<f32>) -> bool {
    return abs(dot(rotation, rotation) - 1.0) > 0.00199;
}

// Returns `true` if the box is certainly invalid. Nothing may be computed from it; computing with
// any other box does not overflow.
fn hopeless_box(box: Obb) -> bool {
    return beyond(box.center) || beyond(vec3(box.half_x, box.half_y, box.half_z)) || hopeless_rotation(box.rotation);
}

// Returns `true` if a number is below zero, by its bits: comparisons may flush subnormal numbers to
// zero.
fn negative(x: f32) -> bool {
    return bitcast<u32>(x) > 0x80000000u;
}

// Returns `true` if the box may be invalid.
fn suspect_box(box: Obb) -> bool {
    if hopeless_box(box) || negative(box.half_x) || negative(box.half_y) || negative(box.half_z) { return true; }
    return suspect_rotation(box.rotation);
}

// Returns `true` if a capsule is certainly invalid, or a sphere, which has no length and no
// rotation.
fn hopeless_round(center: vec3<f32>, half_length: f32, radius: f32, rotation: vec4<f32>) -> bool {
    return beyond(center) || beyond(vec3(half_length, radius, 0.0)) || hopeless_rotation(rotation);
}

// Returns the rotation of a capsule, longer by sqrt(2) if it has the length 1/sqrt(2) as those of
// Capsule::in_plane, which are (-z, w, z, w) in their bits.
fn whole_turn(rotation: vec4<f32>) -> vec4<f32> {
    let q = bitcast<vec4<u32>>(rotation);
    let is_turned = (q.x ^ q.z) == 0x80000000u && q.y == q.w && dot(rotation, rotation) < 0.75;
    return rotation * select(1.0, 0x1.6a09e6p+0, is_turned);
}

// Returns `true` if a round body that is not certainly invalid may be invalid.
fn suspect_round(half_length: f32, radius: f32, rotation: vec4<f32>) -> bool {
    return negative(half_length) || negative(radius) || suspect_rotation(whole_turn(rotation));
}
