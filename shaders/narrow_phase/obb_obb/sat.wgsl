// What both kernels of the separating-axis test have, obb_sat.wgsl over fifteen axes and upright_sat.wgsl over five: bindings,
// answers, and the error bound, which src/narrow_phase/obb_obb/separating_axes.rs derives.

const WORKGROUP: u32 = 256u;

const SEPARATED: u32 = 0u;
const OVERLAPPING: u32 = 1u;
const UNDECIDED: u32 = 2u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(4) var<storage, read_write> candidates: CandidateList;
@group(0) @binding(5) var<storage, read_write> found: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> undecided: array<Pair>;

const ERROR_PER_DISTANCE: f32 = 44.0 * 0x1p-23;
const ERROR_PER_RADIUS: f32 = 34.0 * 0x1p-23;
const FLUSH_ERROR: f32 = 0x1p-118;
