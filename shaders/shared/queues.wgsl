// Candidate pairs of bodies of several kinds, in queues by their kinds: the indices of the pairs
// among the candidates, a word each, after all other data of the list. The counters hold the end of
// each queue.
// Uses: shared/candidates.wgsl, shared/common.wgsl.
// The including shader declares: candidates, params.

// `true` if there are queues. If not, all pairs are of the kinds that the kernel tests.
override queued: bool = false;

// src/frame/counters.rs, QUEUES
const QUEUES: u32 = 6u;
const BOX_BOX: u32 = 0u;
const BOX_CAPSULE: u32 = 1u;
const BOX_SPHERE: u32 = 2u;
const CAPSULE_CAPSULE: u32 = 3u;
const CAPSULE_SPHERE: u32 = 4u;
const SPHERE_SPHERE: u32 = 5u;

struct Queue {
    first: u32,
    count: u32,
}

// The places of the pairs to test, which are in one of the queues from `first` to `last`.
fn pairs_to_test(first: u32, last: u32) -> Queue {
    if !queued { return Queue(0u, candidates_to_test()); }
    var start = 0u;
    if first > 0u { start = atomicLoad(&candidates.counters[QUEUE_ENDS + first - 1u]); }
    return Queue(start, atomicLoad(&candidates.counters[QUEUE_ENDS + last]) - start);
}

// The index of the candidate pair at a place in the queues.
fn candidate_at(place: u32) -> u32 {
    if !queued { return place; }
    let word = params.queues_first + place;
    let both = candidates.pairs[word / 2u];
    return select(both.a, both.b, (word & 1u) == 1u);
}
