// Triangles, one instance each; twin: `Plane` in crates/render/src/rays.rs.
// Uses: lens.wgsl, shading.wgsl.

struct Facet {
    @location(0) a: vec3<f32>,
    @location(1) tint: u32,
    @location(2) b: vec3<f32>,
    @location(3) edged: u32,
    @location(4) c: vec3<f32>,
    @location(5) lift: f32,
}

struct FacetCorner {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) a: vec3<f32>,
    @location(1) @interpolate(flat) b: vec3<f32>,
    @location(2) @interpolate(flat) c: vec3<f32>,
    @location(3) @interpolate(flat) tint_and_edged: vec2<u32>,
}

@vertex
fn facet_corner(facet: Facet, @builtin(vertex_index) number: u32) -> FacetCorner {
    var place = facet.a;
    if number == 1u { place = facet.b; }
    if number == 2u { place = facet.c; }
    let position = clip_position(place, facet.lift);
    return FacetCorner(position, facet.a, facet.b, facet.c, vec2(facet.tint, facet.edged));
}

// The darkness of the line along one edge, and the distance of the opposite corner from the edge in
// pixels. `share` is the barycentric coordinate of the opposite corner at the point, and `gradient`
// its change.
fn edge(share: f32, gradient: vec3<f32>, right: vec3<f32>, down: vec3<f32>) -> vec2<f32> {
    let change = length(vec2(dot(gradient, right), dot(gradient, down)));
    return vec2(stroke(share / change), 1.0 / change);
}

@fragment
fn draw_facet(corner: FacetCorner) -> @location(0) vec4<f32> {
    let ray = lens.corner + lens.step_right * corner.position.x + lens.step_down * corner.position.y;
    let u = corner.b - corner.a;
    let v = corner.c - corner.a;
    let across = cross(u, v);
    let squared = dot(across, across);
    let normal = normalize(across);
    let share_b = cross(v, across) / squared;
    let share_c = cross(across, u) / squared;
    let slope = dot(normal, ray);
    let depth = dot(normal, corner.a) / slope;
    var line = 0.0;
    if corner.tint_and_edged.y == 1u {
        let from_a = ray * depth - corner.a;
        let b = dot(share_b, from_a);
        let c = dot(share_c, from_a);
        let right = (lens.step_right - ray * (dot(normal, lens.step_right) / slope)) * depth;
        let down = (lens.step_down - ray * (dot(normal, lens.step_down) / slope)) * depth;
        let at_a = edge(1.0 - b - c, -share_b - share_c, right, down);
        let at_b = edge(b, share_b, right, down);
        let at_c = edge(c, share_c, right, down);
        let darkest = max(at_a.x, max(at_b.x, at_c.x));
        line = darkest * boldness(min(at_a.y, min(at_b.y, at_c.y)));
    }
    let colour = lens.palette[corner.tint_and_edged.x];
    let hit = Hit(depth, normal * select(-1.0, 1.0, slope < 0.0), line);
    return vec4(shade(hit, colour.rgb), colour.a);
}
