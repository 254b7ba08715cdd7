// The records of boxes in motion that pairs refer to, over three bindings because the size of a
// binding is limited.
// Uses: shapes/moving/moving.wgsl.
// The including shader declares: params.

// The records, six rows each, as rows of words: an unused binding is shorter than a record.
@group(0) @binding(1) var<storage, read> boxes_0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> boxes_1: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> boxes_2: array<vec4<u32>>;

const ROWS_OF_RECORD: u32 = 6u;

fn row_of(index: u32, row: u32) -> vec4<u32> {
    let full = params.box_segment / 2u;
    if index < full { return boxes_0[ROWS_OF_RECORD * index + row]; }
    let beyond = index - full;
    if beyond < full { return boxes_1[ROWS_OF_RECORD * beyond + row]; }
    return boxes_2[ROWS_OF_RECORD * (beyond - full) + row];
}

// The record without the fields that only the bounds need.
fn moving_at(index: u32) -> Moving {
    let place = bitcast<vec4<f32>>(row_of(index, 1u));
    let half_and_groups = row_of(index, 2u);
    let half = bitcast<vec2<f32>>(half_and_groups.xy);
    let path = bitcast<vec4<f32>>(row_of(index, 3u));
    let bend = row_of(index, 4u);
    return Moving(bitcast<vec4<f32>>(row_of(index, 0u)), place.xyz, place.w, half.x, half.y, half_and_groups.z, half_and_groups.w,
        path.xyz, path.w, bitcast<vec3<f32>>(bend.xyz), bend.w, vec3(0.0), 0u);
}
