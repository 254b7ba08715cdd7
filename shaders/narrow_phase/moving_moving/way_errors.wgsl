// Errors subtracted from a gap between two bodies in motion:
// src/narrow_phase/moving_moving/moving_sat_cpu.rs, E.
const SIZE_ERROR: f32 = 0x1p-14;
const WAY_ERROR: f32 = 0x1p-17;
const FLUSH_ERROR: f32 = 0x1p-110;
// Paths and distances below this have no direction.
const LEAST_WAY: f32 = 0x1p-100;
// The relative error of a quotient and a product, with a margin.
const QUOTIENT_ERROR: f32 = 0x1p-20;
