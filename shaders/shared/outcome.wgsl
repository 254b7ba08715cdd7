// What a recorded frame has found: src/frame/outcome.rs, Outcome.
struct Outcome {
    // The arguments of an indirect dispatch: an invocation for each stored pair, in workgroups of 64.
    workgroups: vec3<u32>,
    // Pairs stored, and found.
    pairs: u32,
    pairs_needed: u32,
    candidates_needed: u32,
    // Pairs that f32 could not decide, stored and found.
    undecided: u32,
    undecided_needed: u32,
    // Boxes that are not valid.
    suspects: u32,
    // 1 if nothing is missing, and nothing is left to the host.
    complete: u32,
    // 1 if the order was to be kept of a frame that has not run.
    stale: u32,
    // 1 if there was room for everything and all boxes are valid.
    fits: u32,
}
