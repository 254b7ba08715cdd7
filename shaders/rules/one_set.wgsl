// A pair's `a` and its `b` refer to bodies of the same list.
// Uses: rules/lists.wgsl.

fn rule_a(place: u32) -> u32 {
    return rules_b[place];
}
