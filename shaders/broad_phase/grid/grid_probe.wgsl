// Measures how crowded cells of each size would be: sorts samples of the boxes into a table for each size group, and counts
// the pairs that meet in a slot. Twin: src/broad_phase/grid/grid_probe_cpu.rs.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> size_groups: SizeGroups;
@group(0) @binding(4) var<storage, read_write> table: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP)
fn grid_probe(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var k = workgroup.x * WORKGROUP + local; k < params.probe_samples; k += workgroups.x * WORKGROUP) {
        let b = bounds_at(k * (params.box_count / params.probe_samples));
        let displacement = fold_hash(vec3(world_of_b(b.id), 0u, 0u));
        for (var g = 0u; g < size_groups.count; g++) {
            let cell = to_cell((b.low - size_groups.origin) / size_groups.groups[g].cell_size, vec3(1u << 21u));
            let slot = g * params.probe_slots + ((fold_hash(cell + 1u) + displacement) & (params.probe_slots - 1u));
            let met = atomicAdd(&table[slot], 1u);
            if met > 0u { atomicAdd(&size_groups.groups[g].coincidences, met); }
        }
    }
}
