// Appending to a list from many invocations: places for a subgroup are taken with one global atomic.
// append_portable.wgsl does the same without subgroup operations.

// The place in the list for an invocation with `wanted`. Called by all invocations of the subgroup. `counter` counts on
// past any capacity.
fn append(wanted: bool, counter: ptr<storage, atomic<u32>, read_write>, local: u32) -> u32 {
    let one = select(0u, 1u, wanted);
    let place = subgroupExclusiveAdd(one);
    let count = subgroupAdd(one);
    var base = 0u;
    // The first active invocation; naga knows no subgroupElect.
    let first = subgroupExclusiveAdd(1u) == 0u;
    if first && count > 0u { base = atomicAdd(counter, count); }
    return subgroupBroadcastFirst(base) + place;
}
