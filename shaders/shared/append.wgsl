// Appending to lists. The including shader says with `count_on` and `note_overflow` how they are counted, and one of
// append_subgroup.wgsl and append_portable.wgsl who takes places together.

// The first of `count` places in the list, whose counter counts on past any capacity.
fn take_places(list: u32, count: u32) -> u32 {
    let base = count_on(list, count);
    if base > 0xffffffffu - count { note_overflow(); }
    return base;
}
