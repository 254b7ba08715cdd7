// What the narrow phases of boxes do with a candidate pair beside testing it. The including shader declares `params`, `pairs`,
// `undecided`, `degrees` and `counters`.

fn groups_meet(a: Obb, b: Obb) -> bool {
    return (a.memberships & b.groups_filter) != 0u && (b.memberships & a.groups_filter) != 0u;
}

// Hands on an invocation's pair: to the findings, to the pairs that f32 cannot decide, or nowhere. Called by all invocations of
// the workgroup.
fn hand_on(pair: Pair, is_found: bool, is_undecided: bool, local: u32) {
    let place = append(select(0u, 1u, is_found), PAIRS, local);
    if is_found {
        if params.output == OUTPUT_PAIRS && place < params.pair_capacity {
            pairs[place] = pair;
        }
        if params.output == OUTPUT_DEGREES && params.again == 0u {
            if params.movers == 0u { atomicAdd(&degrees[pair.a], 1u); }
            atomicAdd(&degrees[pair.b], 1u);
        }
    }
    let undecided_place = append(select(0u, 1u, is_undecided), UNDECIDED_PAIRS, local);
    if is_undecided && undecided_place < params.undecided_capacity {
        undecided[undecided_place] = pair;
    }
}
