// The grid's hook in the kernels that make bounds, for frames that may keep the plan of an earlier
// frame: each box is counted into its slot immediately, as in `count_slots`. The decision to keep
// the plan comes after all bounds are made. If it is not kept, these counts are discarded
// (`discard_counts`), and the boxes are counted again by another plan.
// Uses: broad_phase/grid/grid.wgsl, broad_phase/grid/layers.wgsl, broad_phase/grid/plan.wgsl,
// broad_phase/grid/statistics.wgsl, rules/lists.wgsl, shared/common.wgsl.
// The including shader declares: params.

@group(0) @binding(8) var<storage, read_write> slot_counts: array<atomic<u32>>;

// Counts a box, and returns its bounds as they are stored. Their id equals their index, so the id's
// field is free for the rank in the slot.
fn note_bounds(b: Bounds) -> Bounds {
    let bin = gather(b);
    // No plan, or one for another order, which may have more slots than there are. Nor is it known
    // yet how far layers reach.
    if plan.order != params.order || has_layers() { return Bounds(b.low, bin, b.high, b.id); }
    let level = plan.levels[level_of_bin(bin)];
    let cell = to_cell(level, in_cells(level, b.low, plan.origin));
    let slot = slot_of(level, cell, displacement_of(level, world_of_b(b.id)));
    return Bounds(b.low, counted_tag(bin, cell), b.high, atomicAdd(&slot_counts[slot], 1u));
}
