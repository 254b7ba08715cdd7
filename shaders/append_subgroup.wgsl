// Appending to a list from many invocations: places for a subgroup are taken with one global atomic.
// append_portable.wgsl does the same without subgroup operations. Here are no barriers, on purpose: a CPU that runs shaders
// pays dearly for them.

fn take_places(list: u32, count: u32) -> u32 {
    let base = atomicAdd(&counters[list], count);
    if base > 0xffffffffu - count { atomicMax(&counters[TOO_MANY], 1u); }
    return base;
}

// The first of `count` places in the list. Called by all invocations of the subgroup. The counter counters[list], which
// the including shader declares, counts on past any capacity; where it wraps, TOO_MANY is set.
fn append(count: u32, list: u32, local: u32) -> u32 {
    let place = subgroupExclusiveAdd(count);
    let all = subgroupAdd(count);
    var base = 0u;
    // The first active invocation; naga knows no subgroupElect.
    let first = subgroupExclusiveAdd(1u) == 0u;
    if first && all > 0u { base = take_places(list, all); }
    return subgroupBroadcastFirst(base) + place;
}

// A number that is the same for all invocations, in the form that lets them call `append` in a loop so often.
fn bound_of_loop(number: u32, local: u32) -> u32 {
    return number;
}
