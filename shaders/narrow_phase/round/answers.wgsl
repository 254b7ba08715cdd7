// The answers of the kernels that test round bodies, and their use; see
// src/narrow_phase/round/filter.rs, "The answers about cores" and "Their use".
// Uses: shared/append.wgsl, shared/common.wgsl, shared/pair.wgsl, shared/verdicts.wgsl.

// 2^-23, the error of an operation.
const ULP: f32 = 0x1p-23;

// The result of a test for two reaches: the sum of the radii, without and with the margin. `proved`
// is 1 for separated, -1 for overlapping, and 0 if f32 cannot decide; `likely` is the side of the
// threshold that the numbers are on.
struct Answer {
    proved: vec2<i32>,
    likely: vec2<i32>,
}

fn answer(separated: vec2<bool>, overlapping: vec2<bool>, outside: vec2<bool>) -> Answer {
    let proved = select(select(vec2(0), vec2(-1), overlapping), vec2(1), separated);
    return Answer(proved, select(vec2(-1), vec2(1), outside));
}

const APART: u32 = 0u;
const COLLIDING: u32 = 1u;
const NEAR: u32 = 2u;
const UNDECIDED: u32 = 3u;

fn state_of(a: Answer) -> u32 {
    var sides = a.proved;
    if params.exactness == PRECISION_FAST { sides = a.likely; }
    if params.exactness == PRECISION_CONSERVATIVE { sides = select(vec2(-1), vec2(1), a.proved > vec2(0)); }
    if sides.y > 0 { return APART; }
    if sides.x < 0 { return COLLIDING; }
    return select(UNDECIDED, NEAR, sides.x > 0 && sides.y < 0);
}

// The sum of the radii, without and with the margin.
fn reaches(radii: vec2<f32>, margin: u32) -> vec2<f32> {
    let both = radii.x + radii.y;
    return fenced(vec4(both, both + bitcast<f32>(margin), 0.0, 0.0), params.zero).xy;
}

// Called by all invocations of the workgroup.
fn hand_on_state(pair: Pair, state: u32, local: u32) {
    hand_on(pair, state == COLLIDING || state == NEAR, state == UNDECIDED, local);
    if params.margin > 0u || params.own_margins > 0u {
        // These pairs are only counted.
        append(select(0u, 1u, state == NEAR), NEAR_PAIRS, local);
    }
}
