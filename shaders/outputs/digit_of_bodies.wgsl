// The digit by which a pass sorts a pair of a body and an image: a digit of the smaller or of the
// larger of the positions of both bodies.
// Uses: engine/image_record.wgsl, outputs/sort_pairs.wgsl, shared/pair.wgsl.

@group(0) @binding(6) var<storage, read> images: array<ImageRecord>;

fn digit_of(pair: Pair) -> u32 {
    var b = pair.b;
    if b >= outcome.first_image { b = images[b - outcome.first_image].body; }
    return (select(max(pair.a, b), min(pair.a, b), digit.of_a > 0u) >> digit.shift) & digit.mask;
}
