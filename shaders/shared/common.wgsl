// Records shared by all kernels. Each has a twin in Rust with the same layout; src/gpu/shader_tests.rs compares the offsets.

// src/boxes.rs, Obb
struct Obb {
    rotation: vec4<f32>,
    center: vec3<f32>,
    half_x: f32,
    half_y: f32,
    half_z: f32,
    memberships: u32,
    groups_filter: u32,
}

// src/bounds/mod.rs, Bounds
struct Bounds {
    low: vec3<f32>,
    tag: u32,
    high: vec3<f32>,
    id: u32,
}

// src/boxes.rs, Pair
struct Pair {
    a: u32,
    b: u32,
}

// src/gpu/buffers.rs, Params
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
    margin: f32,
    half_margin: f32,
}

// What is counted in a frame, as indices into `counters`: src/gpu/buffers.rs, Counters.
const COUNTERS: u32 = 13u;
const SUSPECTS: u32 = 0u;
const PLACED: u32 = 1u;
const TILTED: u32 = 2u;
const CANDIDATES: u32 = 3u;
const TOO_MANY: u32 = 4u;
const ROWS: u32 = 5u;
const COMPARISONS: u32 = 7u;
const PAIRS: u32 = 9u;
const UNDECIDED_PAIRS: u32 = 10u;
const UNCLEAR_PAIRS: u32 = 11u;
const NEAR_PAIRS: u32 = 12u;

const OUTPUT_PAIRS: u32 = 0u;
const OUTPUT_DEGREES: u32 = 1u;
const OUTPUT_COUNT: u32 = 2u;

const PRECISION_EXACT: u32 = 0u;
const PRECISION_FAST: u32 = 1u;
const PRECISION_CONSERVATIVE: u32 = 2u;
