// Bodies of the page, found by their positions in two buffers and drawn by the shaders of pictures.
// Uses: facets.wgsl, lens.wgsl, rays.wgsl, shading.wgsl, solids.wgsl of crates/render.

struct Eye {
    // Relative to the middle of the scene.
    place: vec3<f32>,
    unit: f32,
}

// A triangle has its corners in place of center, half extents and rotation.
struct PageBody {
    center: vec3<f32>,
    // 0 for a box, 1 for a sphere, 2 for a capsule.
    shape: f32,
    half_extents: vec3<f32>,
    unused: f32,
    rotation: vec4<f32>,
}

@group(0) @binding(1) var<uniform> eye: Eye;
@group(0) @binding(2) var<storage, read> bodies: array<PageBody>;
@group(0) @binding(3) var<storage, read> tints: array<u32>;

fn solid_at(number: u32) -> Solid {
    let body = bodies[number];
    let tint = tints[number];
    let half_extents = body.half_extents / eye.unit;
    // Nearer by little, so that the worse or the smaller of two faces in one plane is visible.
    let smallness = 0.5 - log2(max(length(half_extents), 1e-38)) / 24.0;
    let lift = 1.0 + 2e-5 * f32(tint) + 1.5e-5 * clamp(smallness, 0.0, 1.0);
    let center = (body.center - eye.place) / eye.unit;
    return Solid(normalize(body.rotation), center, tint | (u32(body.shape) << 8u), half_extents, lift);
}

@vertex
fn page_box(@builtin(instance_index) number: u32, @builtin(vertex_index) corner: u32) -> BoxCorner {
    let solid = solid_at(number);
    let position = clip_position(corner_of(solid, corner), solid.lift);
    return BoxCorner(position, solid.rotation, solid.center, solid.half_extents, solid.kind);
}

@vertex
fn page_solid(@builtin(instance_index) number: u32, @builtin(vertex_index) corner: u32) -> Corner {
    let solid = solid_at(number);
    let place = corner_of(solid, corner);
    let position = clip_position(place, solid.lift);
    return Corner(position, place, solid.rotation, solid.center, solid.half_extents, solid.kind, solid.lift);
}

@vertex
fn page_facet(@builtin(instance_index) number: u32, @builtin(vertex_index) corner: u32) -> FacetCorner {
    let body = bodies[number];
    let tint = tints[number];
    let a = (body.center - eye.place) / eye.unit;
    let b = (body.half_extents - eye.place) / eye.unit;
    let c = (body.rotation.xyz - eye.place) / eye.unit;
    let place = select(select(c, b, corner == 1u), a, corner == 0u);
    let position = clip_position(place, 1.0 + 2e-5 * f32(tint));
    return FacetCorner(position, a, b, c, vec2(tint, 1u));
}
