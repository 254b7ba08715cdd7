// The bindings of the narrow phases, and the function that passes on the results of their tests.
// Uses: shared/append.wgsl, shared/common.wgsl, shared/list_pairs.wgsl or shared/visit_pairs.wgsl,
// shared/obb.wgsl, shared/pair.wgsl.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(4) var<storage, read_write> candidates: CandidateList;
// If f64 follows f32, the pairs that f32 leaves for it are in the second half; the pairs that f64
// leaves go into the first.
@group(0) @binding(6) var<storage, read_write> undecided: array<Pair>;

fn groups_meet(a: Obb, b: Obb) -> bool {
    return (a.memberships & b.groups_filter) != 0u && (b.memberships & a.groups_filter) != 0u;
}

// Passes on an invocation's pair: to the found pairs, to the pairs that f32 cannot decide, or
// nowhere. Called by all invocations of the workgroup.
fn hand_on(pair: Pair, is_found: bool, is_undecided: bool, local: u32) {
    let counts = select(vec2(0u), vec2(1u), vec2(is_found, is_undecided));
    let places = append_to_both(counts, vec2(PAIRS, UNDECIDED_PAIRS), local);
    if is_found { put_found(pair, places.x, params.again == 0u); }
    if is_undecided { put_undecided(pair, places.y); }
}
