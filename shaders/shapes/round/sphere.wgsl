// src/shapes/round/sphere.rs, Sphere.
struct Sphere {
    center: vec3<f32>,
    radius: f32,
}
