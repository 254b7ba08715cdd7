// The list of closest points, for the kernels that compute some of them.
// Uses: narrow_phase/obb_obb/closest_record.wgsl.

// The distance is 0 because f32 cannot decide whether the bodies collide.
const UNDECIDED: u32 = 1u;

@group(0) @binding(6) var<storage, read_write> closest: array<ClosestRecord>;
