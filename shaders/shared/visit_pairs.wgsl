// Results of the tests of pairs that go to the caller's function `visit(pair: Pair, undecided:
// bool)`, which comes before all files: src/frame/visitor.rs. Replaces list_pairs.wgsl.
// Uses: shared/pair.wgsl, shared/verdicts.wgsl.

// Visits an overlapping pair.
fn put_found(pair: Pair, place: u32, is_counted: bool) {
    visit(pair, false);
}

// Stores a pair that f32 cannot decide for f64, if that follows, or for the host. If the caller
// visits undecided pairs, those that are not stored are visited, so that none is lost.
fn put_undecided(pair: Pair, place: u32) {
    let is_stored = params.has_f64 > 0u || params.visits_undecided == 0u;
    if is_stored && place < params.undecided_capacity {
        undecided[params.has_f64 * params.undecided_capacity + place] = pair;
    } else if params.visits_undecided > 0u {
        visit(pair, true);
    }
}

// Stores or visits a pair that f64 cannot decide either.
fn put_left(pair: Pair, place: u32) {
    if params.visits_undecided > 0u { visit(pair, true); } else { undecided[place] = pair; }
}
