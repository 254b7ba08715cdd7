// Exclusive prefix sum of 32-bit counts in place, saturating, in blocks of 1,024 (Blelloch, "Prefix Sums and Their
// Applications", 1990, section 1.2): scan_blocks on every block, the same on the blocks' sums, then add_block_sums.
// Driver: src/broad_phase/scan.rs. The twin is the plain loop `scan` in src/broad_phase/grid_build_cpu.rs.

const WORKGROUP: u32 = 256u;
const PER_INVOCATION: u32 = 4u;
const BLOCK: u32 = 1024u;

@group(0) @binding(0) var<uniform> count: vec4<u32>;
@group(0) @binding(1) var<storage, read_write> values: array<u32>;
@group(0) @binding(2) var<storage, read_write> block_sums: array<u32>;

var<workgroup> sums: array<u32, 256>;

@compute @workgroup_size(WORKGROUP)
fn scan_blocks(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = workgroup.y * workgroups.x + workgroup.x;
    let first = block * BLOCK + local * PER_INVOCATION;
    var own: array<u32, 4>;
    var sum = 0u;
    for (var k = 0u; k < PER_INVOCATION; k++) {
        own[k] = sum;
        if first + k < count.x { sum = saturating_add(sum, values[first + k]); }
    }
    sums[local] = sum;
    workgroupBarrier();
    // Inclusive scan over the invocations' sums (Hillis and Steele, 1986).
    for (var step = 1u; step < WORKGROUP; step *= 2u) {
        var before = 0u;
        if local >= step { before = sums[local - step]; }
        workgroupBarrier();
        sums[local] = saturating_add(sums[local], before);
        workgroupBarrier();
    }
    var before = 0u;
    if local > 0u { before = sums[local - 1u]; }
    for (var k = 0u; k < PER_INVOCATION; k++) {
        if first + k < count.x { values[first + k] = saturating_add(before, own[k]); }
    }
    if local == WORKGROUP - 1u && block * BLOCK < count.x { block_sums[block] = sums[local]; }
}

@compute @workgroup_size(WORKGROUP)
fn add_block_sums(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block = workgroup.y * workgroups.x + workgroup.x;
    let first = block * BLOCK + local * PER_INVOCATION;
    for (var k = 0u; k < PER_INVOCATION; k++) {
        if first + k < count.x { values[first + k] = saturating_add(values[first + k], block_sums[block]); }
    }
}
