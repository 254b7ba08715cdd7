// A body of any kind as its core, a box that may have no width or no size, and a radius.
// Uses: shared/bodies.wgsl.

struct Body {
    rotation: vec4<f32>,
    center: vec3<f32>,
    // The half extents of its core.
    half: vec3<f32>,
    radius: f32,
}

fn body_at(place: Place) -> Body {
    if place.is_box {
        let middle = bitcast<vec4<f32>>(unit_at(place.unit + 1u));
        let others = bitcast<vec2<f32>>(unit_at(place.unit + 2u).xy);
        return Body(bitcast<vec4<f32>>(unit_at(place.unit)), middle.xyz, vec3(middle.w, others), 0.0);
    }
    let round = round_at(place);
    // The rotation of a capsule of no length has no meaning.
    let is_long = round.half_length > 0.0;
    let rotation = select(vec4(0.0, 0.0, 0.0, 1.0), round.rotation, is_long);
    return Body(rotation, round.center, vec3(0.0, 0.0, select(0.0, round.half_length, is_long)), round.radius);
}
