// Tests two capsules, or a capsule and a sphere (a segment that is a point). Twin:
// src/narrow_phase/round/round_round_cpu.rs; formulas and error bound:
// src/narrow_phase/round/filter.rs.
// Uses: narrow_phase/round/answers.wgsl, narrow_phase/round/cores.wgsl,
// narrow_phase/round/pairs.wgsl, narrow_phase/round/segments.wgsl, shared/bodies.wgsl,
// shared/common.wgsl, shared/images.wgsl, shared/queues.wgsl, shared/rotation.wgsl,
// shared/verdicts.wgsl.

const SEGMENTS_ERROR: f32 = 36.0;

fn round_round(a: Round, b: Round, margin: u32) -> Answer {
    let d = fenced_3(b.center - a.center, params.zero);
    let z_a = axis_of(a.rotation);
    let z_b = axis_of(b.rotation);
    let h_a = a.half_length;
    let h_b = b.half_length;
    let places = closest_places(d, z_a, h_a, z_b, h_b);
    let w = fenced_3(d + places.y * z_b - places.x * z_a, params.zero);

    let gap = dot(w, d) - h_a * abs(dot(w, z_a)) - h_b * abs(dot(w, z_b));
    let reach = reaches(vec2(a.radius, b.radius), margin);
    let error = error_of_cores(SEGMENTS_ERROR, sum(abs(d)) + h_a + h_b, reach);
    return answer_of_cores(sqrt(dot(w, w)), gap, 0.0, reach, error);
}

fn state_of_pair(place_a: Place, place_b: Place, margin: u32) -> u32 {
    let a = round_at(place_a);
    var b = round_at(place_b);
    if !groups_allow(a.groups, b.groups) { return APART; }
    b.radius = grown(b.radius);
    if imaged && b.radius < 0.0 { return UNDECIDED; }
    return state_of(round_round(a, b, margin));
}

@compute @workgroup_size(WORKGROUP)
fn round_round_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    test_pairs(CAPSULE_CAPSULE, CAPSULE_SPHERE, workgroup.x, local);
}
