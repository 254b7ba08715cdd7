// Two boxes by their positions: src/geometry/pair.rs, Pair.
struct Pair {
    a: u32,
    b: u32,
}
