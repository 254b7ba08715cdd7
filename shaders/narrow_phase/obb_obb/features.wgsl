// Features of bodies, by kind and number: src/geometry/feature.rs, Feature.

const CORNER: u32 = 0x00u;
const EDGE: u32 = 0x10u;
const FACE: u32 = 0x20u;
const ROUND: u32 = 0x30u;

// A vector with its components rotated cyclically, so that the given axis comes first.
fn from_axis(v: vec3<f32>, axis: u32) -> vec3<f32> {
    return select(select(v, v.yzx, axis == 1u), v.zxy, axis == 2u);
}

// The edge along an axis on these sides of the next two axes.
fn edge_feature(axis: u32, positive: vec2<bool>) -> u32 {
    return EDGE + 4u * axis + select(0u, 1u, positive.x) + select(0u, 2u, positive.y);
}

struct Face {
    axis: u32,
    positive: bool,
}

fn face_feature(face: Face) -> u32 {
    return FACE + 2u * face.axis + select(0u, 1u, face.positive);
}

// The corner of a box that is furthest in a direction.
fn corner_feature(direction: vec3<f32>) -> u32 {
    let bits = select(vec3(0u), vec3(1u, 2u, 4u), direction > vec3(0.0));
    return CORNER + (bits.x | bits.y | bits.z);
}
