// The depth, the normal and the points of a pair: src/narrow_phase/obb_obb/obb_manifold.rs,
// ManifoldRecord.
struct ManifoldRecord {
    // From a to b, of unit length.
    normal_x: f32,
    normal_y: f32,
    normal_z: f32,
    depth: f32,
    // The index of its first point.
    first: u32,
    // Bits 0 to 7: the feature of a; 8 to 15: that of b; 16 and 17: the body whose face has the
    // normal (0 a, 1 b, 2 neither); 20 to 23: the number of points; 31: f32 cannot decide.
    bits: u32,
}
