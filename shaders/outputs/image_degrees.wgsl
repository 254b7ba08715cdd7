// Adds the degrees of images to those of their bodies.
// Uses: engine/image_record.wgsl, shared/common.wgsl.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> images: array<ImageRecord>;
@group(0) @binding(2) var<storage, read_write> degrees: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP)
fn add_degrees(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = stride_end(params.box_count - params.images_first, workgroups);
    for (var k = workgroup.x * WORKGROUP + local; k < count; k += workgroups.x * WORKGROUP) {
        let degree = atomicLoad(&degrees[params.images_first + k]);
        if degree > 0u { atomicAdd(&degrees[images[k].body], degree); }
    }
}
