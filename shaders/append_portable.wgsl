// Appending to a list from many invocations: places for a workgroup are taken with one global atomic.
// Takes the place of append_subgroup.wgsl where the adapter has no subgroup operations.

var<workgroup> appended: atomic<u32>;
var<workgroup> append_base: u32;

// The place in the list for an invocation with `wanted`. Called by all invocations of the workgroup. `counter` counts on
// past any capacity.
fn append(wanted: bool, counter: ptr<storage, atomic<u32>, read_write>, local: u32) -> u32 {
    if local == 0u { atomicStore(&appended, 0u); }
    workgroupBarrier();
    var place = 0u;
    if wanted { place = atomicAdd(&appended, 1u); }
    workgroupBarrier();
    if local == 0u {
        let count = atomicLoad(&appended);
        append_base = 0u;
        if count > 0u { append_base = atomicAdd(counter, count); }
    }
    workgroupBarrier();
    return append_base + place;
}
