// Shared by both kernels of the separating-axis test, obb_sat.wgsl over fifteen axes and
// upright_sat.wgsl over five: the answers, and the error bound, which
// src/narrow_phase/obb_obb/separating_axes.rs derives.

const SEPARATED: u32 = 0u;
const OVERLAPPING: u32 = 1u;
const UNDECIDED: u32 = 2u;

const ERROR_PER_DISTANCE: f32 = 92.0 * 0x1p-23;
const ERROR_PER_RADIUS: f32 = 72.0 * 0x1p-23;
const FLUSH_ERROR: f32 = 0x1p-118;
