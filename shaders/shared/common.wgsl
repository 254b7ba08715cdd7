// Records shared by all kernels, and functions that keep compilers from rewriting sums. Each record
// has a twin in Rust with the same layout, and a test compares the two.
// Uses: shared/pair.wgsl.

// Returns the same numbers, after an XOR of their bits with a word that is zero, which only the
// host knows. A compiler cannot tell that they are unchanged, so it cannot combine the arithmetic
// before with that after. Metal and HLSL are compiled with fast math, which may otherwise
// distribute (a - b) * c, and with it the rounding of a and b. The assumptions of the proofs:
// src/base/rewriting.rs.
fn fenced(v: vec4<f32>, zero: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) ^ vec4(zero));
}

// `fenced` for three components.
fn fenced_3(v: vec3<f32>, zero: u32) -> vec3<f32> {
    return fenced(vec4(v, 0.0), zero).xyz;
}

// Returns `count`, the end of a loop in strides of all workgroups. lavapipe (Mesa 22.3) compiles
// some kernels again for each dispatch if conditions depend on uniforms alone: here the number of
// workgroups takes part.
fn stride_end(count: u32, workgroups: vec3<u32>) -> u32 {
    return select(0u, count, workgroups.x > 0u);
}

// src/geometry/bounds.rs, Bounds
struct Bounds {
    low: vec3<f32>,
    tag: u32,
    high: vec3<f32>,
    id: u32,
}

// src/frame/params.rs, Params
struct Params {
    box_count: u32,
    range_first: u32,
    range_count: u32,
    candidate_capacity: u32,
    most_candidates: u32,
    partial: u32,
    pair_capacity: u32,
    undecided_capacity: u32,
    output: u32,
    exactness: u32,
    again: u32,
    probe_samples: u32,
    probe_slots: u32,
    has_f64: u32,
    movers: u32,
    box_segment: u32,
    bounds_segment: u32,
    worlds: u32,
    // By its bits, because a device may flush a small number to zero.
    margin: u32,
    half_margin: f32,
    own_margins: u32,
    partners_first: u32,
    partners_end: u32,
    most_work: f32,
    // 0, which no compiler knows: see `fenced`.
    zero: u32,
    // The end of the boxes and of the capsules among the bodies that a pair's `b` refers to, and
    // among those that its `a` refers to; spheres follow.
    box_end: u32,
    capsule_end: u32,
    box_end_of_a: u32,
    capsule_end_of_a: u32,
    // Words of the candidate list before its queues: queues.wgsl.
    queues_first: u32,
    // The number of the order that the broad phase makes or keeps, and whether it keeps one.
    order: u32,
    refit: u32,
    // 1 if the caller visits the pairs, and undecided ones too: visit_pairs.wgsl.
    visits_undecided: u32,
    // The number of bodies that the device has decided, which may exceed box_count:
    // engine/count_bodies.wgsl.
    bodies_needed: u32,
    // The distance between an image and its place at most; 0 without images: images.wgsl.
    image_error: f32,
    // The first unit of 16 bytes of the images in the list of bodies, the position of the first
    // image, and the ends of the boxes and of the capsules among the images.
    images_unit: u32,
    images_first: u32,
    image_box_end: u32,
    image_capsule_end: u32,
}

// The segment of a streamed array that a dispatch sees: src/frame/slots.rs, SEGMENT.
struct Segment {
    number: u32,
    unused_a: u32,
    unused_b: u32,
    unused_c: u32,
}

// The counters of a frame, as indices into `candidates.counters`: src/frame/counters.rs, Counters.
const COUNTERS: u32 = 20u;
const PLACED: u32 = 0u;
const CANDIDATES: u32 = 1u;
const TOO_MANY: u32 = 2u;
const ROWS: u32 = 3u;
const COMPARISONS: u32 = 5u;
const WALKED: u32 = 7u;
const PAIRS: u32 = 8u;
const UNDECIDED_PAIRS: u32 = 9u;
const LEFT_PAIRS: u32 = 10u;
const NEAR_PAIRS: u32 = 11u;
const QUEUE_ENDS: u32 = 12u;
// The value of TOO_MANY if the order to be kept is not there: no pairs are searched.
const STALE_ORDER: u32 = 3u;

// The candidate pairs, after the counters. If boxes have margins of their own, the margins of the
// pairs follow from params.candidate_capacity on, two in the space of a pair; then the queues of
// pairs by kinds, if there are several kinds.
struct CandidateList {
    counters: array<atomic<u32>, COUNTERS>,
    pairs: array<Pair>,
}

const OUTPUT_PAIRS: u32 = 0u;
const OUTPUT_DEGREES: u32 = 1u;
const OUTPUT_COUNT: u32 = 2u;

const PRECISION_EXACT: u32 = 0u;
const PRECISION_FAST: u32 = 1u;
const PRECISION_CONSERVATIVE: u32 = 2u;
