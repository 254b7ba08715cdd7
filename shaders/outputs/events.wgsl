// Finds the changes between the sorted pairs of two frames: each pair of one is looked up in the
// other by binary search. Usually few of many pairs begin or end, so these are appended one by one.
// Each pair of this frame gets its position in the previous one.
// Uses: outputs/event_record.wgsl, shared/outcome.wgsl, shared/pair.wgsl.

const WORKGROUP: u32 = 256u;

const BEGIN: u32 = 0u;
const PERSIST: u32 = 1u;
const END: u32 = 2u;

// The position of a pair that was not there.
const NEW: u32 = 0xffffffffu;

// src/outputs/events.rs, Wanted
struct Wanted {
    persisting: u32,
    unused_a: u32,
    unused_b: u32,
    unused_c: u32,
}

// src/outputs/events.rs, EventCounts
struct EventCounts {
    begin: atomic<u32>,
    persist: atomic<u32>,
    end: atomic<u32>,
    listed: atomic<u32>,
}

@group(0) @binding(0) var<uniform> wanted: Wanted;
@group(0) @binding(1) var<storage, read> outcome: Outcome;
@group(0) @binding(2) var<storage, read> outcome_before: Outcome;
@group(0) @binding(3) var<storage, read> now: array<Pair>;
@group(0) @binding(4) var<storage, read> before: array<Pair>;
@group(0) @binding(5) var<storage, read_write> events: array<EventRecord>;
@group(0) @binding(6) var<storage, read_write> counts: EventCounts;
@group(0) @binding(7) var<storage, read_write> previous_pairs: array<u32>;

fn comes_before(p: Pair, q: Pair) -> bool {
    return p.a < q.a || (p.a == q.a && p.b < q.b);
}

fn is_now(pair: Pair) -> bool {
    var low = 0u;
    var high = outcome.pairs;
    while low < high {
        let middle = low + (high - low) / 2u;
        if comes_before(now[middle], pair) { low = middle + 1u; } else { high = middle; }
    }
    if low == outcome.pairs { return false; }
    let found = now[low];
    return found.a == pair.a && found.b == pair.b;
}

fn place_before(pair: Pair) -> u32 {
    var low = 0u;
    var high = outcome_before.pairs;
    while low < high {
        let middle = low + (high - low) / 2u;
        if comes_before(before[middle], pair) { low = middle + 1u; } else { high = middle; }
    }
    if low == outcome_before.pairs { return NEW; }
    let found = before[low];
    return select(NEW, low, found.a == pair.a && found.b == pair.b);
}

fn list(pair: Pair, kind: u32) {
    let place = atomicAdd(&counts.listed, 1u);
    if place < arrayLength(&events) { events[place] = EventRecord(pair.a, pair.b, kind); }
}

@compute @workgroup_size(WORKGROUP)
fn find_events(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let most = max(outcome.pairs, outcome_before.pairs);
    var persist = 0u;
    for (var k = workgroup.x * WORKGROUP + local; k < most; k += workgroups.x * WORKGROUP) {
        if k < outcome.pairs {
            let pair = now[k];
            let place = place_before(pair);
            previous_pairs[k] = place;
            if place != NEW {
                persist += 1u;
                if wanted.persisting > 0u { list(pair, PERSIST); }
            } else {
                atomicAdd(&counts.begin, 1u);
                list(pair, BEGIN);
            }
        }
        if k < outcome_before.pairs {
            let pair = before[k];
            if !is_now(pair) {
                atomicAdd(&counts.end, 1u);
                list(pair, END);
            }
        }
    }
    if persist > 0u { atomicAdd(&counts.persist, persist); }
}
