// Appending to the lists of pairs. The including shader declares `counters`, and one of append_subgroup.wgsl and
// append_portable.wgsl says who takes places together.

// The first of `count` places in the list. The counter counters[list] counts on past any capacity; where it wraps,
// TOO_MANY is set.
fn take_places(list: u32, count: u32) -> u32 {
    let base = atomicAdd(&counters[list], count);
    if base > 0xffffffffu - count { atomicMax(&counters[TOO_MANY], 1u); }
    return base;
}
