// Appending to lists from many invocations: places for a subgroup are taken with one global atomic.
// Replaces append_portable.wgsl if a CPU runs the shaders: there barriers are expensive, and this
// form has none. Browsers reject this form, because they require proof that a subgroup does not
// diverge; wgpu has no subgroups there.
// Uses: shared/append.wgsl.

fn places_of(count: u32, local: u32) -> Places {
    return Places(subgroupAdd(count), subgroupExclusiveAdd(count));
}

fn base_of(all: u32, list: u32, local: u32) -> u32 {
    var base = 0u;
    // The first active invocation; naga does not support subgroupElect.
    let first = subgroupExclusiveAdd(1u) == 0u;
    if first { base = take_places(list, all); }
    // A sum, because the first of the invocations that reconverge need not be the one that took the
    // places.
    return subgroupAdd(base);
}

// Returns a number that is equal for all invocations, so that `append` may be called in a loop with
// this bound.
fn bound_of_loop(number: u32, local: u32) -> u32 {
    return number;
}
