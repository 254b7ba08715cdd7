// What a pair's `a` names is of the same list as what its `b` does.

fn rule_a(place: u32) -> u32 {
    return rules_b[place];
}
