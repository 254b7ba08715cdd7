// Input validation, of numbers and of oriented boxes.

// Whether a number is an infinity or a NaN, by its bits: compilers may assume that there are none.
fn not_finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) == 0x7f800000u;
}

// Whether a number is below zero, by its bits: comparisons may take the smallest numbers for zero.
fn negative(x: f32) -> bool {
    return bitcast<u32>(x) > 0x80000000u;
}

// Whether the box may be invalid. The verdict is the host's (Obb::problem): the tolerance here is slightly tighter, so
// that rounding lets no bad box through.
fn suspect_box(box: Obb) -> bool {
    let q = box.rotation;
    let c = box.center;
    let h = vec3(box.half_x, box.half_y, box.half_z);
    if not_finite(q.x) || not_finite(q.y) || not_finite(q.z) || not_finite(q.w) { return true; }
    if not_finite(c.x) || not_finite(c.y) || not_finite(c.z) { return true; }
    if not_finite(h.x) || not_finite(h.y) || not_finite(h.z) { return true; }
    if negative(h.x) || negative(h.y) || negative(h.z) { return true; }
    if abs(dot(q, q) - 1.0) > 0.00199 { return true; }
    return max(max(max(abs(c.x), abs(c.y)), max(abs(c.z), h.x)), max(h.y, h.z)) > 0x1p60;
}
