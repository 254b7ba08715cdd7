// Results of the tests of pairs that go to lists, or into the degrees of bodies. Replaced by
// visit_pairs.wgsl if the caller visits the pairs.
// Uses: shared/common.wgsl, shared/pair.wgsl, shared/verdicts.wgsl.

@group(0) @binding(5) var<storage, read_write> found: array<atomic<u32>>;

// Stores an overlapping pair at its place, or counts it in the degrees of its boxes, depending on
// the requested output.
fn put_found(pair: Pair, place: u32, is_counted: bool) {
    if params.output == OUTPUT_PAIRS && place < params.pair_capacity {
        atomicStore(&found[2u * place], pair.a);
        atomicStore(&found[2u * place + 1u], pair.b);
    }
    if params.output == OUTPUT_DEGREES && is_counted {
        if params.movers == 0u { atomicAdd(&found[pair.a], 1u); }
        atomicAdd(&found[pair.b], 1u);
    }
}

// Stores a pair that f32 cannot decide. If f64 follows, the first half of the list is reserved for
// the pairs that it leaves.
fn put_undecided(pair: Pair, place: u32) {
    if place >= params.undecided_capacity { return; }
    undecided[params.has_f64 * params.undecided_capacity + place] = pair;
}

// Stores a pair that f64 cannot decide either. There is room for all of them.
fn put_left(pair: Pair, place: u32) {
    undecided[place] = pair;
}
