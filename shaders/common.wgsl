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
    window_first: u32,
    candidate_capacity: u32,
    pair_capacity: u32,
    undecided_capacity: u32,
    output: u32,
    exactness: u32,
    again: u32,
    probe_samples: u32,
    probe_slots: u32,
    most_candidates: u32,
    unused_a: u32,
    unused_b: u32,
    unused_c: u32,
}

const OUTPUT_PAIRS: u32 = 0u;
const OUTPUT_DEGREES: u32 = 1u;
const OUTPUT_COUNT: u32 = 2u;

const PRECISION_EXACT: u32 = 0u;
const PRECISION_FAST: u32 = 1u;
const PRECISION_CONSERVATIVE: u32 = 2u;

// The position of an invocation in a dispatch whose workgroups are folded into y (src/gpu/kernel.rs).
fn global_index(workgroup: vec3<u32>, workgroups: vec3<u32>, local: u32, size: u32) -> u32 {
    return (workgroup.y * workgroups.x + workgroup.x) * size + local;
}

// Addition that stops at the largest number instead of wrapping; associative, so a scan may use it.
fn saturating_add(a: u32, b: u32) -> u32 {
    let sum = a + b;
    return select(sum, 0xffffffffu, sum < a);
}
