// Whether the rules let a pair be found. Twin: src/broad_phase/rules_cpu.rs; the layout of the lists: src/gpu/rule_lists.rs.

// About what a pair's `a` names, and about what its `b` does; the same list twice unless those are boxes at rest and movers.
@group(0) @binding(20) var<storage, read> rules_a: array<u32>;
@group(0) @binding(21) var<storage, read> rules_b: array<u32>;

// Whether there are rules. Where there are none, their code is not there either.
override ruled: bool = false;

const NO_OWNER: u32 = 0xffffffffu;

// What a list begins with: where each rule's entries begin, or 0 where it is absent.
const OWNERS: u32 = 0u;
const WORLDS: u32 = 1u;
const STATICS: u32 = 2u;
const ACTIVE: u32 = 3u;
const EXCLUDED: u32 = 4u;
// The number of slots of the table of excluded pairs, less one.
const EXCLUDED_LAST: u32 = 5u;
// How excluded pairs are named: by two positions in one list, the larger of which may come first, or not.
const EXCLUDED_TURNED: u32 = 6u;
// One more than the first box of the second set, or 0 where there is one set only.
const SECOND_SET: u32 = 7u;

// A multiplicative hash finished as in C. Wellons, "Prospecting for Hash Functions" (2018).
fn pair_hash(a: u32, b: u32) -> u32 {
    var hash = a * 0x9e3779b1u + b * 0x85ebca77u;
    hash = (hash ^ (hash >> 16u)) * 0x7feb352du;
    hash = (hash ^ (hash >> 15u)) * 0x846ca68bu;
    return hash ^ (hash >> 16u);
}

// The world of what a pair's `b` names.
fn world_of_b(id: u32) -> u32 {
    if !ruled { return 0u; }
    if rules_b[WORLDS] == 0u { return 0u; }
    return rules_b[rules_b[WORLDS] + id];
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

// Whether the pair may be found; `a` is the smaller position where both are of one list.
fn may_meet(a: u32, b: u32) -> bool {
    if !ruled { return true; }
    // In a part of a scene all boxes may be of the second set.
    let two_sets = rules_b[SECOND_SET] > 0u;
    let second = rules_b[SECOND_SET] - select(0u, 1u, two_sets);
    if two_sets && (a < second) == (b < second) { return false; }
    if rules_a[OWNERS] > 0u && rules_b[OWNERS] > 0u {
        let owner = rules_a[rules_a[OWNERS] + a];
        if owner != NO_OWNER && owner == rules_b[rules_b[OWNERS] + b] { return false; }
    }
    if rules_a[WORLDS] > 0u || rules_b[WORLDS] > 0u {
        var world_a = 0u;
        if rules_a[WORLDS] > 0u { world_a = rules_a[rules_a[WORLDS] + a]; }
        if world_a != world_of_b(b) { return false; }
    }
    if rules_a[STATICS] > 0u && rules_b[STATICS] > 0u {
        let static_a = rules_a[rules_a[STATICS] + (a >> 5u)] >> (a & 31u);
        let static_b = rules_b[rules_b[STATICS] + (b >> 5u)] >> (b & 31u);
        if (static_a & static_b & 1u) > 0u { return false; }
    }
    if rules_a[ACTIVE] > 0u && rules_b[ACTIVE] > 0u {
        let active_a = rules_a[rules_a[ACTIVE] + (a >> 5u)] >> (a & 31u);
        let active_b = rules_b[rules_b[ACTIVE] + (b >> 5u)] >> (b & 31u);
        if ((active_a | active_b) & 1u) == 0u { return false; }
    }
    if rules_b[EXCLUDED] > 0u {
        if is_excluded(a, b - second) { return false; }
        if rules_b[EXCLUDED_TURNED] > 0u && is_excluded(b, a) { return false; }
    }
    return true;
}
