// What a recorded frame has found.

// src/frame/outcome.rs, Outcome
struct Outcome {
    workgroups: vec3<u32>,
    pairs: u32,
    pairs_needed: u32,
    candidates_needed: u32,
    undecided: u32,
    undecided_needed: u32,
    suspects: u32,
    complete: u32,
    unused_a: u32,
    unused_b: u32,
}
