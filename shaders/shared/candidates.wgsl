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

// The margin of a candidate pair by its bits: that of all pairs, or what the broad phase has put behind the pairs.
fn margin_of_candidate(k: u32) -> u32 {
    if params.own_margins == 0u { return params.margin; }
    let both = candidates.pairs[params.candidate_capacity + k / 2u];
    return select(both.a, both.b, k % 2u == 1u);
}
