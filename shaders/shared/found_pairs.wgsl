// The pairs that a frame has stored, for kernels that examine each of them.
// Uses: shared/images.wgsl, shared/outcome.wgsl, shared/pair.wgsl.

// src/narrow_phase/obb_obb/found_pairs.rs, PairParams
struct PairParams {
    pair_capacity: u32,
    point_capacity: u32,
    box_segment: u32,
    movers: u32,
    // As in Params.
    zero: u32,
    box_end: u32,
    capsule_end: u32,
    box_end_of_a: u32,
    capsule_end_of_a: u32,
    images_unit: u32,
    images_first: u32,
    image_box_end: u32,
    image_capsule_end: u32,
}

@group(0) @binding(0) var<uniform> params: PairParams;
@group(0) @binding(4) var<uniform> outcome: Outcome;
@group(0) @binding(5) var<storage, read> pairs: array<Pair>;

fn found_pairs() -> u32 {
    return min(outcome.pairs, params.pair_capacity);
}

// Returns `true` for a pair of two boxes. All other pairs have their own kernels.
fn are_boxes(pair: Pair) -> bool {
    let kinds = kinds_of_b(pair.b);
    return pair.a < params.box_end_of_a && pair.b - kinds.first < kinds.box_end;
}
