// Appending to lists. The including shader says with `count_on` and `note_overflow` how they are counted, and one of
// append_subgroup.wgsl and append_portable.wgsl who takes places together.

// The first of `count` places in the list, whose counter counts on past any capacity.
fn take_places(list: u32, count: u32) -> u32 {
    if count == 0u { return 0u; }
    let base = count_on(list, count);
    if base > 0xffffffffu - count { note_overflow(); }
    return base;
}

// An invocation's places in the list, as take_places gives them; the sum of all counts must not wrap. Called by all invocations that
// take places together.
fn append(count: u32, list: u32, local: u32) -> u32 {
    let places = places_of(count, local);
    return base_of(places.all, list, local) + places.before;
}

// The same for two lists at once, of which each gets less than 2^16 from those that take places together.
fn append_to_both(counts: vec2<u32>, lists: vec2<u32>, local: u32) -> vec2<u32> {
    let places = places_of(counts.x | (counts.y << 16u), local);
    let first = base_of(places.all & 0xffffu, lists.x, local) + (places.before & 0xffffu);
    return vec2(first, base_of(places.all >> 16u, lists.y, local) + (places.before >> 16u));
}

// What those that take places together count: all of it, and what of it comes before an invocation's own.
struct Places {
    all: u32,
    before: u32,
}
