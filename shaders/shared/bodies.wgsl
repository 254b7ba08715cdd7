// Boxes, capsules and spheres in one list, over three bindings because the size of a binding is
// limited: src/device/segments.rs. A unit is 16 bytes: a box and a capsule are three units each, a
// sphere is one.
// Uses: shared/images.wgsl.
// The including shader declares: params.

@group(0) @binding(1) var<storage, read> boxes_0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> boxes_1: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> boxes_2: array<vec4<u32>>;

fn unit_at(index: u32) -> vec4<u32> {
    let full = 3u * params.box_segment;
    if index < full { return boxes_0[index]; }
    let beyond = index - full;
    if beyond < full { return boxes_1[beyond]; }
    return boxes_2[beyond - full];
}

// The location and the kind of a body: its first unit, and its kind.
struct Place {
    unit: u32,
    is_box: bool,
    is_ball: bool,
}

fn place_of(id: u32, box_end: u32, capsule_end: u32) -> Place {
    let is_ball = id >= capsule_end;
    return Place(select(3u * id, 2u * capsule_end + id, is_ball), id < box_end, is_ball);
}

// The place of the body that a pair's `a` refers to.
fn place_of_a(id: u32) -> Place {
    return place_of(id, params.box_end_of_a, params.capsule_end_of_a);
}

// The place of the body that a pair's `b` refers to: in the same list, an image after it, or a
// mover. Movers begin with the second binding.
fn place_of_b(id: u32) -> Place {
    let kinds = kinds_of_b(id);
    var place = place_of(id - kinds.first, kinds.box_end, kinds.capsule_end);
    if is_image(id) { place.unit += params.images_unit; }
    place.unit += params.movers * 3u * params.box_segment;
    return place;
}

// A sphere or a capsule. A sphere has no length and no rotation, and is in all groups.
struct Round {
    rotation: vec4<f32>,
    center: vec3<f32>,
    half_length: f32,
    radius: f32,
    groups: vec2<u32>,
}

fn round_at(place: Place) -> Round {
    if place.is_ball {
        let ball = bitcast<vec4<f32>>(unit_at(place.unit));
        return Round(vec4(0.0, 0.0, 0.0, 1.0), ball.xyz, 0.0, ball.w, vec2(0xffffffffu));
    }
    let rotation = bitcast<vec4<f32>>(unit_at(place.unit));
    let middle = bitcast<vec4<f32>>(unit_at(place.unit + 1u));
    let others = unit_at(place.unit + 2u);
    return Round(rotation, middle.xyz, middle.w, bitcast<f32>(others.x), others.zw);
}

// Each argument holds memberships and filter.
fn groups_allow(a: vec2<u32>, b: vec2<u32>) -> bool {
    return (a.x & b.y) != 0u && (b.x & a.y) != 0u;
}
