// What the grid hooks into the kernels that make bounds where nothing is counted yet; see counting.wgsl.

// Counts a box in, and returns its bounds as they are kept: tagged with their size bin.
fn note_bounds(b: Bounds) -> Bounds {
    return Bounds(b.low, gather(b), b.high, b.id);
}
