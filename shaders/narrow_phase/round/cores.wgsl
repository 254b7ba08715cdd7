// Shared by the tests of bodies of which one is a segment with a radius. Formulas and error bounds:
// src/narrow_phase/round/filter.rs.
// Uses: narrow_phase/round/answers.wgsl, narrow_phase/round/segments.wgsl, shared/common.wgsl,
// shared/verdicts.wgsl.

// Computes an answer from the distance of two points of the cores, the distance of the cores along
// the line through both points times the former, the error for both reaches, and the depth of a
// point of one core inside the other.
fn answer_of_cores(distance: f32, gap: f32, depth: f32, reach: vec2<f32>, error: vec2<f32>) -> Answer {
    let separated = vec2(gap) > (reach + error) * (distance + FLUSH_LENGTH);
    let inside = (vec2(depth) > error) & (reach > vec2(0.0));
    let overlapping = (vec2(distance) + error < reach) | inside;
    return answer(separated, overlapping, vec2(distance) > reach);
}

// The error of a length, proportional to the sizes and reaches that it is computed from.
fn error_of_cores(part: f32, size: f32, reach: vec2<f32>) -> vec2<f32> {
    return fenced(vec4(part * ULP * (vec2(size) + reach) + FLUSH_LENGTH, 0.0, 0.0), params.zero).xy;
}
