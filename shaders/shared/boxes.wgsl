// The boxes of a scene, over three bindings because the size of a binding is limited:
// src/device/segments.rs.
// Uses: shared/images.wgsl, shared/obb.wgsl.
// The including shader declares: params.

@group(0) @binding(1) var<storage, read> boxes_0: array<Obb>;
@group(0) @binding(2) var<storage, read> boxes_1: array<Obb>;
@group(0) @binding(3) var<storage, read> boxes_2: array<Obb>;

fn box_at(index: u32) -> Obb {
    if index < params.box_segment { return boxes_0[index]; }
    let beyond = index - params.box_segment;
    if beyond < params.box_segment { return boxes_1[beyond]; }
    return boxes_2[beyond - params.box_segment];
}

// The box with half extents that are larger by this amount.
fn grown(box: Obb, by: f32) -> Obb {
    var larger = box;
    larger.half_x += by;
    larger.half_y += by;
    larger.half_z += by;
    return larger;
}

// The box that a pair's `b` refers to: in the same list as that of `a`, an image after it, or a
// mover. Movers begin with the second binding.
fn box_of_b(id: u32) -> Obb {
    if is_image(id) { return box_at(params.images_unit / 3u + (id - params.images_first)); }
    return box_at(id + params.movers * params.box_segment);
}
