// The volume that a body in motion sweeps: src/shapes/moving/record.rs, Moving.
struct Moving {
    // A box that contains the body however it is rotated during the step; fields as in Obb.
    rotation: vec4<f32>,
    center: vec3<f32>,
    half_x: f32,
    half_y: f32,
    half_z: f32,
    memberships: u32,
    groups_filter: u32,
    // After the fraction s of the step the center has moved by path s + bend s^2.
    path: vec3<f32>,
    // The radius of the box's rounding: the body lies within this distance of a box that is smaller
    // by as much on every side. 0 if the body may have edges.
    radius: f32,
    bend: vec3<f32>,
    // 1 if the body turns, accelerates or is uncertain.
    curved: u32,
    // The body's reach from its center along the axes of the world.
    extent: vec3<f32>,
    // 1 if the body or its motion may be invalid.
    suspect: u32,
}
