// What the grid hooks into the kernels that make bounds, in frames that may keep the plan of a frame before: each box is counted
// into its slot at once, as `count_slots` does. Only when all bounds are made is it known whether the plan may be kept; if not, what is
// counted here is discarded (`discard_counts`), and the boxes are counted once more by another plan.

@group(0) @binding(8) var<storage, read_write> slot_counts: array<atomic<u32>>;

// Counts a box in, and returns its bounds as they are kept. Their id is their place: so there is room for the rank in the slot.
fn note_bounds(b: Bounds) -> Bounds {
    let bin = gather(b);
    // No plan, or one for another order, which may have more slots than there are.
    if plan.order != params.order { return Bounds(b.low, bin, b.high, b.id); }
    let level = plan.levels[level_of_bin(bin)];
    let cell = to_cell(level, in_cells(level, b.low, plan.origin));
    let slot = slot_of(level, cell, displacement_of(level, compartment_of_b(b.id)));
    return Bounds(b.low, counted_tag(bin, cell), b.high, atomicAdd(&slot_counts[slot], 1u));
}
