// A contact point: src/narrow_phase/obb_obb/obb_manifold.rs, PointRecord.
struct PointRecord {
    // On a, from a's center, along the axes of the world; on b it is `depth` away against the
    // normal.
    x: f32,
    y: f32,
    z: f32,
    depth: f32,
    // Bits 0 to 7: the feature of a; 8 to 15: that of b.
    bits: u32,
}
