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
