// Measures how crowded cells of each size would be: hashes samples of the boxes into a table for
// each size group, and counts the pairs that share a slot. Twin:
// src/broad_phase/grid/grid_probe_cpu.rs.
// Uses: broad_phase/grid/grid.wgsl, rules/lists.wgsl, shared/bounds.wgsl, shared/common.wgsl.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> size_groups: SizeGroups;
@group(0) @binding(4) var<storage, read_write> table: array<atomic<u32>>;

// A hash of the cell of a position, in cells of a group's size.
fn cell_hash(position: vec3<f32>, group: u32) -> u32 {
    let cell_size = size_groups.groups[group].cell_size;
    if size_groups.groups[group].below_zero == 0u {
        let cell = floor((position - size_groups.origin) / cell_size);
        return fold_hash(vec3<u32>(clamp(cell, vec3(0.0), vec3(0x1p21))) + 1u);
    }
    // Large boxes are far beyond the cells of the level. The low bits of integral floats are mostly
    // zeros.
    return fold_hash(reverseBits(bitcast<vec3<u32>>(floor(position / cell_size))));
}

@compute @workgroup_size(WORKGROUP)
fn grid_probe(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if size_groups.kept > 0u { return; }
    for (var k = workgroup.x * WORKGROUP + local; k < stride_end(params.probe_samples, workgroups); k += workgroups.x * WORKGROUP) {
        let i = k * (params.box_count / params.probe_samples);
        let low = bounds_at(i).low;
        let displacement = fold_hash(vec3(world_of_b(i), 0u, 0u));
        for (var g = 0u; g < size_groups.count; g++) {
            let slot_hash = cell_hash(low, g) + displacement;
            let slot = g * params.probe_slots + (slot_hash & (params.probe_slots - 1u));
            let met = atomicAdd(&table[slot], 1u);
            if met > 0u { atomicAdd(&size_groups.groups[g].coincidences, met); }
        }
    }
}
