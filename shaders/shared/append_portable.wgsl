// Appending to a list from many invocations: places for a workgroup are taken with one global atomic.
// Takes the place of append_subgroup.wgsl where the adapter has no subgroup operations.

var<workgroup> appended: atomic<u32>;
var<workgroup> append_base: u32;
var<workgroup> loop_bound: u32;

// An invocation's places in the list, as take_places gives them; the sum of all counts must not wrap. Called by all invocations of
// the workgroup.
fn append(count: u32, list: u32, local: u32) -> u32 {
    if local == 0u { atomicStore(&appended, 0u); }
    workgroupBarrier();
    var place = 0u;
    if count > 0u { place = atomicAdd(&appended, count); }
    workgroupBarrier();
    if local == 0u {
        let all = atomicLoad(&appended);
        append_base = 0u;
        if all > 0u { append_base = take_places(list, all); }
    }
    workgroupBarrier();
    return append_base + place;
}

// A number that is the same for all invocations, in the form that lets them call `append` in a loop so often.
fn bound_of_loop(number: u32, local: u32) -> u32 {
    if local == 0u { loop_bound = number; }
    return workgroupUniformLoad(&loop_bound);
}
