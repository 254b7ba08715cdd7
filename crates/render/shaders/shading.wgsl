// The colour of a surface; twin: crates/render/src/shading.rs.
// Uses: lens.wgsl.

// The intersection of a ray with a surface.
struct Hit {
    // Not positive if there is none.
    depth: f32,
    // Towards the eye.
    normal: vec3<f32>,
    // The darkness of a line here.
    line: f32,
}

fn shade(hit: Hit, colour: vec3<f32>) -> vec3<f32> {
    let from_sky = 0.5 + 0.5 * dot(hit.normal, lens.sky);
    let from_lamp = max(dot(hit.normal, lens.lamp), 0.0);
    let light = lens.ambient_light * (0.55 + 0.45 * from_sky) + lens.lamp_light * from_lamp;
    let surface = colour * light * (1.0 - lens.line * hit.line);
    let haze = lens.most_haze * clamp((hit.depth - lens.haze_near) * lens.haze_slope, 0.0, 1.0);
    return mix(surface, lens.background, haze);
}

// The darkness of the line along an edge at a distance in pixels from it.
fn stroke(distance: f32) -> f32 {
    return clamp(1.5 - distance, 0.0, 1.0);
}

// The darkness of lines around a face, given its smallest extent in pixels.
fn boldness(least: f32) -> f32 {
    return clamp((least - 3.0) / 13.0, 0.0, 1.0);
}
