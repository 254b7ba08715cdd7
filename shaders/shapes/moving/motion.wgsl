// The motion of a box: src/shapes/moving/motion.rs, Motion.
struct Motion {
    // Of the center at time 0, per second.
    velocity: vec3<f32>,
    // The maximum length of the unknown part of the acceleration.
    uncertainty: f32,
    // In radians per second, about its own direction through the center.
    angular_velocity: vec3<f32>,
    reserved_a: u32,
    acceleration: vec3<f32>,
    reserved_b: u32,
}
