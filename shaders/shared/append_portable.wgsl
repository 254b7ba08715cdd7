// Appending to lists from many invocations: places for a workgroup are taken with one global
// atomic. On a GPU barriers are cheap, and atomics on one address are not.
// Uses: shared/append.wgsl.

var<workgroup> appended: atomic<u32>;
var<workgroup> append_base: u32;
var<workgroup> loop_bound: u32;

fn places_of(count: u32, local: u32) -> Places {
    if local == 0u { atomicStore(&appended, 0u); }
    workgroupBarrier();
    var before = 0u;
    if count > 0u { before = atomicAdd(&appended, count); }
    workgroupBarrier();
    return Places(atomicLoad(&appended), before);
}

fn base_of(all: u32, list: u32, local: u32) -> u32 {
    if local == 0u { append_base = take_places(list, all); }
    return workgroupUniformLoad(&append_base);
}

// Returns a number that is equal for all invocations in uniform control flow, so that `append` may
// be called in a loop with this bound.
fn bound_of_loop(number: u32, local: u32) -> u32 {
    if local == 0u { loop_bound = number; }
    return workgroupUniformLoad(&loop_bound);
}
