// What the narrow phases of boxes do with a candidate pair beside testing it. The including shader declares `params`, `found`,
// `undecided` and `candidates`.

fn groups_meet(a: Obb, b: Obb) -> bool {
    return (a.memberships & b.groups_filter) != 0u && (b.memberships & a.groups_filter) != 0u;
}

// Stores an overlapping pair at its place, or counts it in the degrees of its boxes, whichever the caller asks for.
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

// Hands on an invocation's pair: to the findings, to the pairs that f32 cannot decide, or nowhere. Called by all invocations of
// the workgroup.
fn hand_on(pair: Pair, is_found: bool, is_undecided: bool, local: u32) {
    let place = append(select(0u, 1u, is_found), PAIRS, local);
    if is_found { put_found(pair, place, params.again == 0u); }
    let undecided_place = append(select(0u, 1u, is_undecided), UNDECIDED_PAIRS, local);
    if is_undecided && undecided_place < params.undecided_capacity {
        // Where f64 comes next, what it leaves has the first half of the list.
        undecided[params.has_f64 * params.undecided_capacity + undecided_place] = pair;
    }
}
