// Input validation, of numbers, of oriented boxes and of round bodies.

// The bits of lengths and of a quaternion's component, whatever their sign: the largest allowed, and what surely is too small
// or too large for the largest component.
const LARGEST_LENGTH: u32 = 0x5d800000u; // 2^60
const SMALL_COMPONENT: u32 = 0x3e800000u; // 0.25
const LARGE_COMPONENT: u32 = 0x40000000u; // 2

const MAGNITUDE: u32 = 0x7fffffffu;

// Whether numbers are beyond what is allowed, or none, by their bits: compilers may assume that there are no infinities and NaNs.
fn beyond(v: vec3<f32>) -> bool {
    return any((bitcast<vec3<u32>>(v) & vec3(MAGNITUDE)) > vec3(LARGEST_LENGTH));
}

// Whether a quaternion is certainly invalid, and nothing may be computed from it.
fn hopeless_rotation(rotation: vec4<f32>) -> bool {
    let q = bitcast<vec4<u32>>(rotation) & vec4(MAGNITUDE);
    let most = max(max(q.x, q.y), max(q.z, q.w));
    return most < SMALL_COMPONENT || most > LARGE_COMPONENT;
}

// Whether it may be invalid. The verdict is the host's (Obb::problem): the tolerance here is slightly tighter, so that rounding lets no
// bad one through.
fn suspect_rotation(rotation: vec4<f32>) -> bool {
    return abs(dot(rotation, rotation) - 1.0) > 0.00199;
}

// Whether the box is certainly invalid, and nothing may be computed from it; of all others nothing overflows.
fn hopeless_box(box: Obb) -> bool {
    return beyond(box.center) || beyond(vec3(box.half_x, box.half_y, box.half_z)) || hopeless_rotation(box.rotation);
}

// Whether a number is below zero, by its bits: comparisons may take the smallest numbers for zero.
fn negative(x: f32) -> bool {
    return bitcast<u32>(x) > 0x80000000u;
}

// Whether the box may be invalid.
fn suspect_box(box: Obb) -> bool {
    if hopeless_box(box) || negative(box.half_x) || negative(box.half_y) || negative(box.half_z) { return true; }
    return suspect_rotation(box.rotation);
}

// The same of a capsule, or of a ball: it has no length and is not turned.
fn hopeless_round(center: vec3<f32>, half_length: f32, radius: f32, rotation: vec4<f32>) -> bool {
    return beyond(center) || beyond(vec3(half_length, radius, 0.0)) || hopeless_rotation(rotation);
}

// Whether one that is not hopeless may be invalid.
fn suspect_round(half_length: f32, radius: f32, rotation: vec4<f32>) -> bool {
    return negative(half_length) || negative(radius) || suspect_rotation(rotation);
}
