// How many candidate pairs to take. All of them, or none: the host comes back with more room or half the range, and nothing of it
// may be counted now. Where nobody comes back, those that there was room for.
fn candidates_to_test() -> u32 {
    let total = atomicLoad(&counters[CANDIDATES]);
    let too_many = atomicLoad(&counters[TOO_MANY]) > 0u;
    if params.partial > 0u { return select(min(total, params.candidate_capacity), params.candidate_capacity, too_many); }
    return select(total, 0u, too_many || total > params.most_candidates);
}
