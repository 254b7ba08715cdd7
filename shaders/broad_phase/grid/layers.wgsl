// The layers, for the kernels that sort by a plan and walk over it.
// Uses: broad_phase/grid/grid.wgsl, rules/lists.wgsl.
// The including shader declares: plan.

fn has_layers() -> bool {
    if !ruled { return false; }
    return rules_b[LAYER_COUNT] > 0u;
}

// A level with the table of a layer in the place of its own.
fn level_of(l: u32, layer: u32) -> Level {
    var level = plan.levels[l];
    if has_layers() {
        let table = plan.tables[l * MAX_LAYERS + layer];
        level.first_slot = table.first_slot;
        level.fold_bits = table.fold_bits;
        level.slots = table.slots;
        level.world_bits = table.world_bits;
    }
    return level;
}

// Returns `true` if a body lies outside all layers that its own meets: then it has no partners.
fn meets_none(low: vec3<f32>, high: vec3<f32>, layer: u32) -> bool {
    if !has_layers() { return false; }
    var layers = layers_met_by(layer);
    while layers > 0u {
        let other = firstTrailingBit(layers);
        layers &= layers - 1u;
        if all((low <= plan.extents[other].high) & (plan.extents[other].low <= high)) { return false; }
    }
    return true;
}
