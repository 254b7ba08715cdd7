// Tests whether the rules allow a pair. Twin: src/rules/filter.rs.
// Uses: rules/lists.wgsl, rules/one_set.wgsl or rules/two_sets.wgsl, shared/images.wgsl.
// The including shader declares: candidates, params.

// `true` if pairs are tested; `false` if the layers alone implement the rules.
override asks: bool = true;

// A multiplicative hash with a finalizer as in C. Wellons, "Prospecting for Hash Functions" (2018).
fn pair_hash(a: u32, b: u32) -> u32 {
    var hash = a * 0x9e3779b1u + b * 0x85ebca77u;
    hash = (hash ^ (hash >> 16u)) * 0x7feb352du;
    hash = (hash ^ (hash >> 15u)) * 0x846ca68bu;
    return hash ^ (hash >> 16u);
}

fn is_excluded(a: u32, b: u32) -> bool {
    let first = rules_b[EXCLUDED];
    let last = rules_b[EXCLUDED_LAST];
    // The table has empty slots, so this ends.
    for (var slot = pair_hash(a, b) & last; ; slot = (slot + 1u) & last) {
        let named_a = rules_b[first + 2u * slot];
        let named_b = rules_b[first + 2u * slot + 1u];
        if named_a == a && named_b == b { return true; }
        if named_a == 0xffffffffu && named_b == 0xffffffffu { return false; }
    }
    return false;
}

// `true` if a body is of the second of two sets; and its position in its own set.
struct OfSet {
    second: bool,
    position: u32,
}

fn set_of(id: u32) -> OfSet {
    var run = 0u;
    // The number of bodies of each set before the current run, and the start of this run.
    var before = vec2(0u);
    var start = 0u;
    for (var k = 0u; k < RUNS - 1u; k++) {
        let end = rules_b[RUN_ENDS + k];
        if id < end { break; }
        before[k & 1u] += end - start;
        start = end;
        run = k + 1u;
    }
    return OfSet((run & 1u) == 1u, before[run & 1u] + id - start);
}

// Returns `true` if the rules allow the pair; `a` is the smaller position if both are of one list.
fn may_meet(a: u32, at_b: u32) -> bool {
    // Two images meet wherever their bodies do.
    if is_image(a) { return false; }
    if !ruled || !asks { return true; }
    let b = body_of(at_b);
    // The positions by which excluded pairs are named.
    var named = vec2(a, b);
    if rules_b[SECOND_SET] > 0u {
        let of_a = set_of(a);
        let of_b = set_of(b);
        if of_a.second == of_b.second { return false; }
        named = select(vec2(of_a.position, of_b.position), vec2(of_b.position, of_a.position), of_a.second);
    }
    if rule_a(OWNERS) > 0u && rules_b[OWNERS] > 0u {
        let owner = rule_a(rule_a(OWNERS) + a);
        if owner != NO_OWNER && owner == rules_b[rules_b[OWNERS] + b] { return false; }
    }
    if rule_a(WORLDS) > 0u || rules_b[WORLDS] > 0u {
        var world_a = 0u;
        if rule_a(WORLDS) > 0u { world_a = rule_a(rule_a(WORLDS) + a); }
        if world_a != world_of_b(b) { return false; }
    }
    if rule_a(STATICS) > 0u && rules_b[STATICS] > 0u {
        let static_a = rule_a(rule_a(STATICS) + (a >> 5u)) >> (a & 31u);
        let static_b = rules_b[rules_b[STATICS] + (b >> 5u)] >> (b & 31u);
        if (static_a & static_b & 1u) > 0u { return false; }
    }
    if rule_a(ACTIVE) > 0u && rules_b[ACTIVE] > 0u {
        let active_a = rule_a(rule_a(ACTIVE) + (a >> 5u)) >> (a & 31u);
        let active_b = rules_b[rules_b[ACTIVE] + (b >> 5u)] >> (b & 31u);
        if ((active_a | active_b) & 1u) == 0u { return false; }
    }
    if rule_a(GROUPS) > 0u || rules_b[GROUPS] > 0u {
        var of_a = vec2(0xffffffffu);
        var of_b = vec2(0xffffffffu);
        if rule_a(GROUPS) > 0u { of_a = vec2(rule_a(rule_a(GROUPS) + 2u * a), rule_a(rule_a(GROUPS) + 2u * a + 1u)); }
        if rules_b[GROUPS] > 0u { of_b = vec2(rules_b[rules_b[GROUPS] + 2u * b], rules_b[rules_b[GROUPS] + 2u * b + 1u]); }
        if (of_a.x & of_b.y) == 0u || (of_b.x & of_a.y) == 0u { return false; }
    }
    if rules_b[EXCLUDED] > 0u {
        if is_excluded(named.x, named.y) { return false; }
        if rules_b[EXCLUDED_TURNED] > 0u && is_excluded(b, a) { return false; }
    }
    return true;
}

// The mantissa of a non-negative number, followed by three bits for rounding.
fn mantissa_to_round(bits: u32) -> u32 {
    return ((bits & 0x7fffffu) | select(0u, 0x800000u, bits >= 0x800000u)) << 3u;
}

// The sum of two margins by their bits, rounded to the nearest number, ties to even, as in IEEE
// arithmetic: a device may round in either direction and flush subnormal numbers to zero.
fn sum_of_margins(a: u32, b: u32) -> u32 {
    let large = max(a, b);
    let small = min(a, b);
    var exponent = max(large >> 23u, 1u);
    let shift = min(exponent - max(small >> 23u, 1u), 27u);
    let added = mantissa_to_round(small);
    // The last bit is set if any bit below it is set.
    var sum = mantissa_to_round(large) + ((added >> shift) | select(0u, 1u, (added & ((1u << shift) - 1u)) > 0u));
    if sum >= 1u << 27u {
        sum = (sum >> 1u) | (sum & 1u);
        exponent += 1u;
    }
    let up = (sum & 7u) > 4u || (sum & 15u) == 12u;
    // A mantissa that is rounded up to the next power of two carries into the exponent.
    return ((exponent - 1u) << 23u) + (sum >> 3u) + select(0u, 1u, up);
}

// The margin of a pair, in addition to the margin of all pairs.
fn own_margin(a: u32, b: u32) -> u32 {
    var margin_a = 0u;
    if rule_a(MARGINS) > 0u { margin_a = rule_a(rule_a(MARGINS) + a); }
    return sum_of_margins(margin_a, margin_of_b(b));
}

// Stores the margin of a candidate pair after the pairs, if boxes have margins of their own.
fn put_margin(place: u32, a: u32, b: u32) {
    if !ruled { return; }
    if params.own_margins == 0u { return; }
    let bits = sum_of_margins(params.margin, own_margin(a, b));
    let both = params.candidate_capacity + place / 2u;
    if place % 2u == 0u { candidates.pairs[both].a = bits; } else { candidates.pairs[both].b = bits; }
}
