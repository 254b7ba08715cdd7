// The plan as a uniform, for kernels that bind many buffers.
// Uses: broad_phase/grid/grid.wgsl.

// src/broad_phase/grid/layout.rs, Plan; four bins in a vector, because a uniform cannot hold an
// array of scalars.
struct UniformPlan {
    origin: vec3<f32>,
    level_count: u32,
    high: vec3<f32>,
    slots: u32,
    levels: array<Level, 16>,
    level_of_bin: array<vec4<u32>, 64>,
    order: u32,
    kept: u32,
    spare: u32,
    tables: array<LayerTable, 64>,
    extents: array<Extent, 4>,
}

@group(0) @binding(7) var<uniform> plan: UniformPlan;

fn level_of_bin(bin: u32) -> u32 { return plan.level_of_bin[bin / 4u][bin % 4u]; }
