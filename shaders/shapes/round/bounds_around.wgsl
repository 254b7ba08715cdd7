// Conservative bounds of round bodies: shared by capsule_bounds.wgsl and sphere_bounds.wgsl. Twin:
// src/shapes/round/round_bounds_cpu.rs. The derivation of the widening is in
// src/geometry/bounds.rs. The broad phase hooks in with begin_bounds, note_bounds, note_suspect and
// end_bounds.
// Uses: rules/widening.wgsl, shared/common.wgsl.

const WORKGROUP: u32 = 256u;

const EXTENT_ERROR: f32 = 0x1p-18;
const CENTER_ERROR: f32 = 0x1p-22;
const ABSOLUTE_ERROR: f32 = 0x1p-100;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(2) var<uniform> segment: Segment;

// Computes bounds from the body's extent along each axis and the sum of its lengths.
fn bounds_around(center: vec3<f32>, extent: vec3<f32>, size: f32, id: u32) -> Bounds {
    let error = EXTENT_ERROR * size + CENTER_ERROR * abs(center);
    let widened = fenced_3(extent + error + ABSOLUTE_ERROR + widening_of(id), params.zero);
    let low = fenced_3(center - widened, params.zero);
    return Bounds(low, 0u, fenced_3(center + widened, params.zero), id);
}
