// A camera: crates/render/src/lens.rs.

struct Lens {
    // The ray through a point of the picture is corner + x * step_right + y * step_down, in pixels
    // from the upper left.
    corner: vec3<f32>,
    haze_near: f32,
    step_right: vec3<f32>,
    haze_slope: f32,
    step_down: vec3<f32>,
    most_haze: f32,
    forward: vec3<f32>,
    near: f32,
    lamp: vec3<f32>,
    lamp_light: f32,
    sky: vec3<f32>,
    ambient_light: f32,
    background: vec3<f32>,
    unused_too: f32,
    clip: vec4<f32>,
    right: vec3<f32>,
    // The amount by which a line is darker than the surface.
    line: f32,
    up: vec3<f32>,
    unused: f32,
    palette: array<vec4<f32>, 7>,
}

@group(0) @binding(0) var<uniform> lens: Lens;

// Clip coordinates of a point relative to the eye. Depths are reversed: 1 at the near plane, 0 far
// away, so that f32 has about the same relative precision everywhere. A lifted point is drawn
// nearer than it is.
fn clip_position(place: vec3<f32>, lift: f32) -> vec4<f32> {
    let depth = dot(place, lens.forward);
    let across = vec2(dot(place, lens.right), dot(place, lens.up));
    return vec4(lens.clip.xy * depth + lens.clip.zw * across, lens.near * lift, depth);
}
