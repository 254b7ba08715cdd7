// When a body may first meet another one during a step: src/shapes/moving/moving_records.rs, EarliestImpact.
struct EarliestImpact {
    // As a part of the step, from 0 to 1; 2 if it meets nothing.
    time: f32,
    // The other body, the first of several; 0xffffffff if it meets nothing.
    partner: u32,
}
