// The lists of manifolds and of their points, for the kernels that append to them.
// Uses: narrow_phase/obb_obb/manifold_record.wgsl, narrow_phase/obb_obb/point_record.wgsl,
// shared/found_pairs.wgsl.

// The index of the number of points in `counts`.
const POINTS: u32 = 0u;

// Fields of the `bits` of a manifold, above the features of a and b:
const REFERENCE_SHIFT: u32 = 16u;
const COUNT_SHIFT: u32 = 20u;
const UNDECIDED: u32 = 0x80000000u;
// The reference is a, b, or neither.
const NEITHER: u32 = 2u;

// The fraction by which the overlap along an axis must be smaller to replace that of a face.
const PREFERENCE: f32 = 0.01;
// The slop, in units of the largest length of the smaller body, and the effect of rounding, in
// units of the pair's size.
const SLOP: f32 = 1e-4;
const ROUNDING: f32 = 16.0 * 0x1p-23;

@group(0) @binding(6) var<storage, read_write> manifolds: array<ManifoldRecord>;
@group(0) @binding(7) var<storage, read_write> points: array<PointRecord>;
@group(0) @binding(8) var<storage, read_write> counts: array<atomic<u32>>;

fn count_on(list: u32, count: u32) -> u32 {
    return atomicAdd(&counts[list], count);
}

// There are at most eight points for each of at most 2^31 pairs. Their number may wrap, and then no
// points are stored.
fn note_overflow() {
    atomicStore(&counts[POINTS], 0xffffffffu);
}

// The number of the `len` points from `first` on that are stored: all or none.
fn stored(first: u32, len: u32) -> u32 {
    let fit = first <= params.point_capacity && len <= params.point_capacity - first;
    return select(0u, len, fit);
}

// The features of both bodies; `of_b` is `true` if the feature of b comes first.
fn packed(features: vec2<u32>, of_b: bool) -> u32 {
    let ordered = select(features.xy, features.yx, of_b);
    return ordered.x | (ordered.y << 8u);
}
