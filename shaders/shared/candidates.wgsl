// The candidate pairs that a kernel takes, and their margins.
// Uses: shared/common.wgsl.
// The including shader declares: candidates, params.

// The number of candidate pairs to take: all of them, or none if they do not fit. In that case the
// host repeats the frame with more capacity or half the range, and nothing may be counted yet. If
// the frame is never repeated (`partial`), those that fit.
fn candidates_to_test() -> u32 {
    let total = atomicLoad(&candidates.counters[CANDIDATES]);
    let too_many = atomicLoad(&candidates.counters[TOO_MANY]);
    if params.partial == 0u { return select(total, 0u, too_many > 0u || total > params.most_candidates); }
    // If a driver has ended loops (loops.wgsl), no result is valid.
    if too_many > 1u { return 0u; }
    return select(min(total, params.candidate_capacity), params.candidate_capacity, too_many > 0u);
}

// The margin of a candidate pair by its bits: the common margin of all pairs, or the one that the
// broad phase has stored after the pairs.
fn margin_of_candidate(k: u32) -> u32 {
    if params.own_margins == 0u { return params.margin; }
    let both = candidates.pairs[params.candidate_capacity + k / 2u];
    return select(both.a, both.b, k % 2u == 1u);
}
