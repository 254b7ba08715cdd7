// An oriented box: src/shapes/obb/record.rs, Obb.
struct Obb {
    // A unit quaternion: x, y, z, w.
    rotation: vec4<f32>,
    center: vec3<f32>,
    // Half of its size along each of its own axes.
    half_x: f32,
    half_y: f32,
    half_z: f32,
    // Its groups, and those it can collide with.
    memberships: u32,
    groups_filter: u32,
}
