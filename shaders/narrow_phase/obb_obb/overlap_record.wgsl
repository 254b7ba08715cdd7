// The overlap of a pair: src/narrow_phase/obb_obb/obb_overlap.rs, OverlapRecord.
struct OverlapRecord {
    // The volume of the intersection, and a bound on its error.
    volume: f32,
    error: f32,
    // The volume of the intersection over that of the union, from 0 to 1.
    iou: f32,
    // 1 if the volume is 0 because f32 cannot decide, 2 if it is too large for f32.
    bits: u32,
}
