// Appending to lists from many invocations: places for a subgroup are taken with one global atomic. Takes the place of
// append_portable.wgsl where a CPU runs the shaders: it pays dearly for barriers, of which there are none here. Browsers would refuse
// this form, as they want proof that a subgroup is not divided; there wgpu has no subgroups.

fn places_of(count: u32, local: u32) -> Places {
    return Places(subgroupAdd(count), subgroupExclusiveAdd(count));
}

fn base_of(all: u32, list: u32, local: u32) -> u32 {
    var base = 0u;
    // The first active invocation; naga knows no subgroupElect.
    let first = subgroupExclusiveAdd(1u) == 0u;
    if first { base = take_places(list, all); }
    // A sum, since the first of those that come back together need not be the one that took the places.
    return subgroupAdd(base);
}

// A number that is the same for all invocations, in the form that lets them call `append` in a loop so often.
fn bound_of_loop(number: u32, local: u32) -> u32 {
    return number;
}
