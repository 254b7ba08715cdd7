// Tests two spheres by the square of the distance of their centers. Twin:
// src/narrow_phase/round/sphere_sphere_cpu.rs; formulas and error bound:
// src/narrow_phase/round/filter.rs.
// Uses: narrow_phase/round/answers.wgsl, narrow_phase/round/pairs.wgsl, shared/bodies.wgsl,
// shared/common.wgsl, shared/images.wgsl, shared/queues.wgsl, shared/verdicts.wgsl.

const SPHERES_ERROR: f32 = 16.0;
const FLUSH_SQUARE: f32 = 0x1p-118;

fn sphere_sphere(a: vec4<f32>, b: vec4<f32>, margin: u32) -> Answer {
    let d = fenced_3(b.xyz - a.xyz, params.zero);
    let reach = reaches(vec2(a.w, b.w), margin);
    let squared = vec2(dot(d, d));
    let error = fenced(vec4(SPHERES_ERROR * ULP * (squared + reach * reach) + FLUSH_SQUARE, 0.0, 0.0), params.zero).xy;
    let f = squared - reach * reach;
    let overlapping = f < -error;
    return answer(f > error, overlapping, f > vec2(0.0));
}

fn state_of_pair(place_a: Place, place_b: Place, margin: u32) -> u32 {
    let a = bitcast<vec4<f32>>(unit_at(place_a.unit));
    var b = bitcast<vec4<f32>>(unit_at(place_b.unit));
    b.w = grown(b.w);
    if imaged && b.w < 0.0 { return UNDECIDED; }
    return state_of(sphere_sphere(a, b, margin));
}

@compute @workgroup_size(WORKGROUP)
fn sphere_sphere_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    test_pairs(SPHERE_SPHERE, SPHERE_SPHERE, workgroup.x, local);
}
