// How far bounds are widened for margins. The including shader declares `params`.

const MARGIN_ERROR: f32 = 0x1p-20;

// By the margin's share of all boxes, and by the box's own margin: src/rules/filter.rs, SetRules::widening.
fn widening_of(id: u32) -> f32 {
    return params.half_margin + margin_of_b(id) * (1.0 + MARGIN_ERROR);
}
