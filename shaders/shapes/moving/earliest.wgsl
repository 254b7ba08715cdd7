// The first possible impact of a body during a step: src/shapes/moving/moving_records.rs,
// EarliestImpact.
struct EarliestImpact {
    // As a fraction of the step, from 0 to 1; 2 if it meets nothing.
    time: f32,
    // The other body, the first if there are several; 0xffffffff if it meets nothing.
    partner: u32,
}
