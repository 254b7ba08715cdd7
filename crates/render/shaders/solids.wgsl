// Bodies, one instance each: the box around a body is drawn, and each of its pixels intersects its
// ray with the body.
// Uses: lens.wgsl, rays.wgsl, shading.wgsl.

struct Solid {
    @location(0) rotation: vec4<f32>,
    @location(1) center: vec3<f32>,
    // The tint, above it the shape, and above that a bit that is set if the eye is inside.
    @location(2) kind: u32,
    @location(3) half_extents: vec3<f32>,
    @location(4) lift: f32,
}

struct Corner {
    @builtin(position) position: vec4<f32>,
    // Interpolated at each sample.
    @location(0) @interpolate(perspective, sample) place: vec3<f32>,
    @location(1) @interpolate(flat) rotation: vec4<f32>,
    @location(2) @interpolate(flat) center: vec3<f32>,
    @location(3) @interpolate(flat) half_extents: vec3<f32>,
    @location(4) @interpolate(flat) kind: u32,
    @location(5) @interpolate(flat) lift: f32,
}

struct BoxCorner {
    @builtin(position) position: vec4<f32>,
    @location(1) @interpolate(flat) rotation: vec4<f32>,
    @location(2) @interpolate(flat) center: vec3<f32>,
    @location(3) @interpolate(flat) half_extents: vec3<f32>,
    @location(4) @interpolate(flat) kind: u32,
}

struct Drawn {
    @location(0) colour: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

// A corner of the box around a body. The bits of its number are 1 on the sides towards the eye. Two
// axes of a mirrored box are exchanged, so that the corners of each face have the same orientation,
// seen from outside.
fn corner_of(solid: Solid, number: u32) -> vec3<f32> {
    let axes = axes_of(solid.rotation);
    let side = select(vec3(-1.0), vec3(1.0), -(solid.center * axes) >= vec3(0.0));
    var bits = vec3(number & 1u, (number >> 1u) & 1u, (number >> 2u) & 1u);
    if side.x * side.y * side.z < 0.0 { bits = bits.yxz; }
    let own = side * (2.0 * vec3<f32>(bits) - 1.0) * solid.half_extents;
    return solid.center + axes * own;
}

@vertex
fn box_corner(solid: Solid, @builtin(vertex_index) number: u32) -> BoxCorner {
    let place = corner_of(solid, number);
    let position = clip_position(place, solid.lift);
    return BoxCorner(position, solid.rotation, solid.center, solid.half_extents, solid.kind);
}

// Draws the faces of boxes that may be visible, shaded once per pixel, with the depth of the face.
@fragment
fn draw_box(corner: BoxCorner) -> @location(0) vec4<f32> {
    let ray = lens.corner + lens.step_right * corner.position.x + lens.step_down * corner.position.y;
    let body = target_of(corner.rotation, corner.center, corner.half_extents, corner.kind);
    let hit = hit_box(body, ray * body.axes);
    let colour = lens.palette[corner.kind & 0xffu];
    return vec4(shade(hit, colour.rgb), colour.a);
}

@vertex
fn solid_corner(solid: Solid, @builtin(vertex_index) number: u32) -> Corner {
    let place = corner_of(solid, number);
    let position = clip_position(place, solid.lift);
    return Corner(position, place, solid.rotation, solid.center, solid.half_extents, solid.kind, solid.lift);
}

// Draws any body, with a ray through each sample.
@fragment
fn draw_solid(corner: Corner) -> Drawn {
    let ray = corner.place / dot(corner.place, lens.forward);
    let hit = hit_solid(target_of(corner.rotation, corner.center, corner.half_extents, corner.kind), ray);
    if hit.depth <= lens.near { discard; }
    let colour = lens.palette[corner.kind & 0xffu];
    return Drawn(vec4(shade(hit, colour.rgb), colour.a), lens.near * corner.lift / hit.depth);
}
