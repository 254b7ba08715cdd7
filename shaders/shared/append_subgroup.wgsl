// Appending to a list from many invocations: places for a subgroup are taken with one global atomic.
// append_portable.wgsl does the same without subgroup operations. Here are no barriers, on purpose: a CPU that runs shaders
// pays dearly for them.

// An invocation's places in the list, as take_places gives them; the sum of all counts must not wrap. Called by all invocations of
// the subgroup.
fn append(count: u32, list: u32, local: u32) -> u32 {
    let place = subgroupExclusiveAdd(count);
    let all = subgroupAdd(count);
    var base = 0u;
    // The first active invocation; naga knows no subgroupElect.
    let first = subgroupExclusiveAdd(1u) == 0u;
    if first && all > 0u { base = take_places(list, all); }
    // A sum, since the first of those that come back together need not be the one that took the places.
    return subgroupAdd(base) + place;
}

// A number that is the same for all invocations, in the form that lets them call `append` in a loop so often.
fn bound_of_loop(number: u32, local: u32) -> u32 {
    return number;
}
