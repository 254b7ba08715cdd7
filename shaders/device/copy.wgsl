// Copies memory, to measure the peak bandwidth (src/device/bandwidth.rs). Not a step of a check, so
// it has no CPU twin.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<storage, read> source: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> copied: array<vec4<u32>>;

@compute @workgroup_size(WORKGROUP)
fn copy_memory(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var k = workgroup.x * WORKGROUP + local; k < arrayLength(&source); k += workgroups.x * WORKGROUP) {
        copied[k] = source[k];
    }
}
