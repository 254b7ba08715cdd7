// The digit by which a pass sorts a pair.
// Uses: outputs/sort_pairs.wgsl, shared/pair.wgsl.

fn digit_of(pair: Pair) -> u32 {
    return (select(pair.b, pair.a, digit.of_a > 0u) >> digit.shift) & digit.mask;
}
