// A box, and a capsule or a ball, in the frame of the box. Twin: src/narrow_phase/round/box_round_cpu.rs; formulas and error bound:
// src/narrow_phase/round/filter.rs.

const BOX_ERROR: f32 = 80.0;
const LEAST_SLOPE: f32 = 0x1p-40;

// A segment as a box about the origin sees it: its middle, its direction, and half of its length; and the half extents of the box.
struct Core {
    p: vec3<f32>,
    z: vec3<f32>,
    half_length: f32,
    half: vec3<f32>,
}

// Half the derivative of the squared distance to the box, at a place of the segment: it grows along it.
fn slope_at(core: Core, t: f32) -> f32 {
    let x = core.p + t * core.z;
    return dot(core.z, x - clamp(x, -core.half, core.half));
}

// An interval with the place that is closest to the box, cut at a place.
fn cut(interval: vec2<f32>, core: Core, t: f32) -> vec2<f32> {
    return select(vec2(interval.x, min(interval.y, t)), vec2(max(interval.x, t), interval.y), slope_at(core, t) <= 0.0);
}

// Where the segment is closest to the box, about.
fn closest_place(core: Core) -> f32 {
    let h = core.half_length;
    // Where it crosses the planes of the faces; in between the slope is linear.
    let parallel = abs(core.z) < vec3(LEAST_SLOPE);
    let z = select(core.z, vec3(1.0), parallel);
    let low = select(clamp((-core.half - core.p) / z, vec3(-h), vec3(h)), vec3(0.0), parallel);
    let high = select(clamp((core.half - core.p) / z, vec3(-h), vec3(h)), vec3(0.0), parallel);
    var interval = vec2(-h, h);
    interval = cut(interval, core, low.x);
    interval = cut(interval, core, high.x);
    interval = cut(interval, core, low.y);
    interval = cut(interval, core, high.y);
    interval = cut(interval, core, low.z);
    interval = cut(interval, core, high.z);
    let first = slope_at(core, interval.x);
    let growth = max(slope_at(core, interval.y) - first, FLUSH_LENGTH);
    return clamp(interval.x + clamp(-first / growth, 0.0, 1.0) * (interval.y - interval.x), -h, h);
}

fn box_round(box: Place, other: Place, margin: u32) -> u32 {
    let rotation = bitcast<vec4<f32>>(unit_at(box.unit));
    let middle = bitcast<vec4<f32>>(unit_at(box.unit + 1u));
    let others = unit_at(box.unit + 2u);
    let round = round_at(other);
    if !groups_allow(others.zw, round.groups) { return APART; }

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
