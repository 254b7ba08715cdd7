// Two boxes by their indices: src/geometry/pair.rs, Pair.
struct Pair {
    a: u32,
    b: u32,
}
