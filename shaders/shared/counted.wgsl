// Counters of the lists of pairs, in the header of the candidate pairs.
// Uses: shared/common.wgsl.
// The including shader declares: candidates.

fn count_on(list: u32, count: u32) -> u32 {
    return atomicAdd(&candidates.counters[list], count);
}

// Notes that a count has wrapped.
fn note_overflow() {
    atomicMax(&candidates.counters[TOO_MANY], 1u);
}
