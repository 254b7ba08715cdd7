// A pair's `a` refers to a body at rest, which has a list of its own, and `b` to a mover.

@group(0) @binding(20) var<storage, read> rules_a: array<u32>;

fn rule_a(place: u32) -> u32 {
    return rules_a[place];
}
