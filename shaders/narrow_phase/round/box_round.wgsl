// Tests a box against a capsule or a sphere, in the frame of the box. Twin:
// src/narrow_phase/round/box_round_cpu.rs; formulas and error bound:
// src/narrow_phase/round/filter.rs.
// Uses: narrow_phase/round/answers.wgsl, narrow_phase/round/cores.wgsl,
// narrow_phase/round/pairs.wgsl, narrow_phase/round/segments.wgsl, shared/bodies.wgsl,
// shared/common.wgsl, shared/images.wgsl, shared/queues.wgsl, shared/rotation.wgsl,
// shared/verdicts.wgsl.

const BOX_ERROR: f32 = 80.0;

fn box_round(box: Place, other: Place, margin: u32) -> u32 {
    let rotation = bitcast<vec4<f32>>(unit_at(box.unit));
    let middle = bitcast<vec4<f32>>(unit_at(box.unit + 1u));
    let others = unit_at(box.unit + 2u);
    var round = round_at(other);
    if !groups_allow(others.zw, round.groups) { return APART; }
    // The distance between both is off by as much whichever is the image.
    round.radius = grown(round.radius);
    if imaged && round.radius < 0.0 { return UNDECIDED; }

    let half = vec3(middle.w, bitcast<vec2<f32>>(others.xy));
    let d = fenced_3(round.center - middle.xyz, params.zero);
    let p = fenced_3((d * matrix(rotation)) / dot(rotation, rotation), params.zero);
    var core = Core(p, vec3(0.0, 0.0, 1.0), round.half_length, half);
    var t = 0.0;
    if round.half_length > 0.0 {
        core.z = axis_of(relative(rotation, round.rotation));
        t = closest_place(core);
    }
    let x = fenced_3(p + t * core.z, params.zero);
    let w = fenced_3(x - clamp(x, -half, half), params.zero);

    let gap = dot(w, p) - dot(half, abs(w)) - round.half_length * abs(dot(w, core.z));
    let inside = half - abs(x);
    let depth = min(inside.x, min(inside.y, inside.z));
    let reach = reaches(vec2(round.radius, 0.0), margin);
    let error = error_of_cores(BOX_ERROR, sum(abs(p)) + sum(half) + round.half_length, reach);
    return state_of(answer_of_cores(sqrt(dot(w, w)), gap, depth, reach, error));
}

fn state_of_pair(a: Place, b: Place, margin: u32) -> u32 {
    var box = a;
    var other = b;
    if !a.is_box {
        box = b;
        other = a;
    }
    return box_round(box, other, margin);
}

@compute @workgroup_size(WORKGROUP)
fn box_round_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    test_pairs(BOX_CAPSULE, BOX_SPHERE, workgroup.x, local);
}
