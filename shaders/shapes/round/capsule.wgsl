// All points within a radius of a segment along z, rotated: src/shapes/round/capsule.rs, Capsule.
struct Capsule {
    // A unit quaternion: x, y, z, w.
    rotation: vec4<f32>,
    center: vec3<f32>,
    half_length: f32,
    radius: f32,
    unused: u32,
    // Its groups, and those it can collide with.
    memberships: u32,
    groups_filter: u32,
}
