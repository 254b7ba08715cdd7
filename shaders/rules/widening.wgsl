// The distance by which bounds are widened for margins.
// Uses: rules/lists.wgsl.
// The including shader declares: params.

const MARGIN_ERROR: f32 = 0x1p-19;
const MARGIN_FLUSH: f32 = 0x1p-120;

// The share of the margin of all boxes, plus the box's own margin: src/rules/filter.rs,
// SetRules::widening.
fn widening_of(id: u32) -> f32 {
    let own = margin_of_b(id);
    return params.half_margin + select(0.0, bitcast<f32>(own) * (1.0 + MARGIN_ERROR) + MARGIN_FLUSH, own > 0u);
}
