// Bodies of the page, drawn by the shaders of pictures from the records that a check has left on
// the GPU, in the colours of their states.
// Uses: facets.wgsl, lens.wgsl, rays.wgsl, shading.wgsl, solids.wgsl of crates/render.

struct Eye {
    // Relative to the middle of the scene.
    place: vec3<f32>,
    unit: f32,
    middle: vec3<f32>,
    // The position of the picked body; none has the largest number.
    picked: u32,
    boxes: u32,
    capsules: u32,
    unused: vec2<u32>,
}

@group(0) @binding(1) var<uniform> eye: Eye;
// Three for each box and each capsule, then one for each sphere.
@group(0) @binding(2) var<storage, read> bodies: array<vec4<f32>>;
// Nine for each triangle.
@group(0) @binding(2) var<storage, read> corners: array<f32>;
// Bits of states.wgsl.
@group(0) @binding(3) var<storage, read> states: array<u32>;

const CAPSULE = 2u;

// Free, touching, overlapping, picked, and a partner of the picked one.
fn tint_of(number: u32) -> u32 {
    let state = states[number];
    if number == eye.picked { return 3u; }
    if (state & 4u) != 0u { return 4u; }
    return select(state & 1u, 2u, (state & 2u) != 0u);
}

// A place in units of the lens, relative to the eye.
fn seen(place: vec3<f32>) -> vec3<f32> {
    return ((place - eye.middle) - eye.place) / eye.unit;
}

fn solid_of(number: u32, rotation: vec4<f32>, center: vec3<f32>, extents: vec3<f32>, shape: u32) -> Solid {
    let tint = tint_of(number);
    let half_extents = extents / eye.unit;
    // Nearer by little, so that the worse or the smaller of two faces in one plane is visible.
    let smallness = 0.5 - log2(max(length(half_extents), 1e-38)) / 24.0;
    let lift = 1.0 + 2e-5 * f32(tint) + 1.5e-5 * clamp(smallness, 0.0, 1.0);
    return Solid(normalize(rotation), seen(center), tint | (shape << 8u), half_extents, lift);
}

@vertex
fn page_box(@builtin(instance_index) number: u32, @builtin(vertex_index) corner: u32) -> BoxCorner {
    let middle = bodies[3u * number + 1u];
    let half_extents = vec3(middle.w, bodies[3u * number + 2u].xy);
    let solid = solid_of(number, bodies[3u * number], middle.xyz, half_extents, BOX);
    let position = clip_position(corner_of(solid, corner), solid.lift);
    return BoxCorner(position, solid.rotation, solid.center, solid.half_extents, solid.kind);
}

fn round_at(number: u32) -> Solid {
    let longs = eye.boxes + eye.capsules;
    if number >= longs {
        let ball = bodies[3u * longs + (number - longs)];
        return solid_of(number, vec4(0.0, 0.0, 0.0, 1.0), ball.xyz, vec3(ball.w), BALL);
    }
    let middle = bodies[3u * number + 1u];
    let radius = bodies[3u * number + 2u].x;
    let half_extents = vec3(radius, radius, radius + middle.w);
    return solid_of(number, bodies[3u * number], middle.xyz, half_extents, CAPSULE);
}

@vertex
fn page_solid(@builtin(instance_index) number: u32, @builtin(vertex_index) corner: u32) -> Corner {
    let solid = round_at(number);
    let place = corner_of(solid, corner);
    let position = clip_position(place, solid.lift);
    return Corner(position, place, solid.rotation, solid.center, solid.half_extents, solid.kind, solid.lift);
}

fn corner_at(first: u32) -> vec3<f32> {
    return seen(vec3(corners[first], corners[first + 1u], corners[first + 2u]));
}

@vertex
fn page_facet(@builtin(instance_index) number: u32, @builtin(vertex_index) corner: u32) -> FacetCorner {
    let tint = tint_of(number);
    let a = corner_at(9u * number);
    let b = corner_at(9u * number + 3u);
    let c = corner_at(9u * number + 6u);
    let place = select(select(c, b, corner == 1u), a, corner == 0u);
    let position = clip_position(place, 1.0 + 2e-5 * f32(tint));
    return FacetCorner(position, a, b, c, vec2(tint, 1u));
}
