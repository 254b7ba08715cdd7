// What both kernels of the separating-axis test have, obb_sat.wgsl over fifteen axes and upright_sat.wgsl over five: bindings,
// answers, and the error bound, which src/narrow_phase/mod.rs derives.

const WORKGROUP: u32 = 256u;

const SEPARATED: u32 = 0u;
const OVERLAPPING: u32 = 1u;
const UNDECIDED: u32 = 2u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(4) var<storage, read> candidates: array<Pair>;
@group(0) @binding(5) var<storage, read_write> pairs: array<Pair>;
@group(0) @binding(6) var<storage, read_write> undecided: array<Pair>;
@group(0) @binding(7) var<storage, read_write> degrees: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read_write> counters: array<atomic<u32>, COUNTERS>;

const ERROR_PER_DISTANCE: f32 = 44.0 * 0x1p-23;
const ERROR_PER_RADIUS: f32 = 34.0 * 0x1p-23;
const FLUSH_ERROR: f32 = 0x1p-118;
