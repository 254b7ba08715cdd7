// The outcome of a recorded frame: src/frame/outcome.rs, Outcome.
struct Outcome {
    // The arguments of an indirect dispatch: one invocation for each stored pair, in workgroups of
    // 64.
    workgroups: vec3<u32>,
    // The number of pairs stored, and found.
    pairs: u32,
    pairs_needed: u32,
    candidates_needed: u32,
    // The number of pairs that f32 could not decide, stored and found.
    undecided: u32,
    undecided_needed: u32,
    // The number of invalid boxes.
    suspects: u32,
    // 1 if nothing is missing, and nothing is left to the host.
    complete: u32,
    // 1 if the frame was to keep the order of a frame that has not run.
    stale: u32,
    // 1 if everything fitted and all boxes are valid.
    fits: u32,
    // The number of bodies checked, and the number that there are.
    bodies: u32,
    bodies_needed: u32,
    // The position of the first image in pairs; as `bodies` if there are none.
    first_image: u32,
    unused: u32,
}
