// Two bodies that may meet during a step: src/narrow_phase/moving_moving/sweep_times.rs,
// ImpactRecord.
struct ImpactRecord {
    a: u32,
    b: u32,
    // The time as a fraction of the step, from 0 to 1; never later than the true first contact.
    time: f32,
    // 1 if a body turns, accelerates or is uncertain, so that the time may be early; else 0.
    flags: u32,
}
