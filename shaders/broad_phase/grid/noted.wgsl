// The grid's hook in the kernels that make bounds, for frames that count nothing yet; see
// counting.wgsl.
// Uses: broad_phase/grid/statistics.wgsl, shared/common.wgsl.

// Adds a box to the statistics, and returns its bounds as they are stored: tagged with their size
// bin.
fn note_bounds(b: Bounds) -> Bounds {
    return Bounds(b.low, gather(b), b.high, b.id);
}
