// A triangle, without padding: src/shapes/triangle/record.rs, Triangle.
struct Triangle {
    a_x: f32,
    a_y: f32,
    a_z: f32,
    b_x: f32,
    b_y: f32,
    b_z: f32,
    c_x: f32,
    c_y: f32,
    c_z: f32,
}

// Its corners, as columns.
fn corners(t: Triangle) -> mat3x3<f32> {
    return mat3x3(t.a_x, t.a_y, t.a_z, t.b_x, t.b_y, t.b_z, t.c_x, t.c_y, t.c_z);
}
