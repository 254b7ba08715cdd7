// Appending to lists. Other files declare how they are counted (`count_on`, `note_overflow`), and
// which invocations take places together (`places_of`, `base_of`).
// Uses: narrow_phase/obb_obb/manifold_lists.wgsl or shared/counted.wgsl,
// shared/append_portable.wgsl or shared/append_subgroup.wgsl.

// The first of `count` places in the list. Its counter continues to count past the capacity.
fn take_places(list: u32, count: u32) -> u32 {
    if count == 0u { return 0u; }
    let base = count_on(list, count);
    if base > 0xffffffffu - count { note_overflow(); }
    return base;
}

// An invocation's places in the list, as returned by take_places. The sum of all counts must not
// wrap. Called by all invocations that take places together.
fn append(count: u32, list: u32, local: u32) -> u32 {
    let places = places_of(count, local);
    return base_of(places.all, list, local) + places.before;
}

// Appends to two lists at once. Each list gets fewer than 2^16 from the invocations that take
// places together.
fn append_to_both(counts: vec2<u32>, lists: vec2<u32>, local: u32) -> vec2<u32> {
    let places = places_of(counts.x | (counts.y << 16u), local);
    let first = base_of(places.all & 0xffffu, lists.x, local) + (places.before & 0xffffu);
    return vec2(first, base_of(places.all >> 16u, lists.y, local) + (places.before >> 16u));
}

// The sum of the counts of the invocations that take places together, and the part of it that comes
// before an invocation's own.
struct Places {
    all: u32,
    before: u32,
}
