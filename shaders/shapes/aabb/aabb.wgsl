// An axis-aligned box, without padding: src/geometry/aabb.rs, Aabb.
struct Aabb {
    min_x: f32,
    min_y: f32,
    min_z: f32,
    max_x: f32,
    max_y: f32,
    max_z: f32,
}
