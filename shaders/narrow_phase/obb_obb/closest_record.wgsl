// The distance and the closest points of a pair: src/narrow_phase/obb_obb/obb_closest.rs,
// ClosestRecord.
struct ClosestRecord {
    // Both points from a's center, along the axes of the world.
    on_a: vec3<f32>,
    distance: f32,
    on_b: vec3<f32>,
    // 1 if the distance is 0 because f32 cannot decide.
    bits: u32,
}
