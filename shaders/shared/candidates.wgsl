// How many candidate pairs to take. All of them, or none: the host comes back with more room or half the range, and nothing of it
// may be counted now. Where nobody comes back, those that there was room for.
fn candidates_to_test() -> u32 {
    let total = atomicLoad(&candidates.counters[CANDIDATES]);
    let too_many = atomicLoad(&candidates.counters[TOO_MANY]);
    if params.partial == 0u { return select(total, 0u, too_many > 0u || total > params.most_candidates); }
    // Of loops that a driver has ended (loops.wgsl) nothing can be trusted.
    if too_many > 1u { return 0u; }
    return select(min(total, params.candidate_capacity), params.candidate_capacity, too_many > 0u);
}
