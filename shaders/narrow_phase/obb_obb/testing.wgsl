// The number of workgroups of the kernels that test boxes: narrow_plan.wgsl writes it to the
// dispatch arguments, and the kernels use it as their stride. They must not read num_workgroups,
// which on DX12 is 0 in an indirect dispatch unless wgpu validates it.

const TESTING: u32 = 256u;

// The number of workgroups that fill a GPU. If there are more pairs, workgroups loop over them.
override most_workgroups: u32 = 1024u;

fn testing_workgroups(count: u32) -> u32 {
    return min(count / TESTING + min(count % TESTING, 1u), most_workgroups);
}
