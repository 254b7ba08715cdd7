// What a body in motion sweeps: src/shapes/moving/record.rs, Moving.
struct Moving {
    // The box around it, so large that it holds the body however it is turned during the step: as in Obb.
    rotation: vec4<f32>,
    center: vec3<f32>,
    half_x: f32,
    half_y: f32,
    half_z: f32,
    memberships: u32,
    groups_filter: u32,
    // At the part s of the step the center has moved by path s + bend s^2.
    path: vec3<f32>,
    // How far the box is rounded off: the body is within this of a box that is smaller by as much on every side. 0 if it may have edges.
    radius: f32,
    bend: vec3<f32>,
    // 1 if the body turns, accelerates or is uncertain.
    curved: u32,
    // How far it reaches from its center along the axes of the world.
    extent: vec3<f32>,
    // 1 if body or motion may not be valid.
    suspect: u32,
}
