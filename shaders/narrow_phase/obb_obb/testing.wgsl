// How many workgroups the kernels that test boxes are dispatched in: narrow_plan.wgsl says so to the GPU, and the kernels step by it.
// They must not ask for num_workgroups, which on DX12 is 0 in an indirect dispatch unless wgpu validates it.

const TESTING: u32 = 256u;

// As many workgroups as fill a GPU: they loop over more pairs.
override most_workgroups: u32 = 1024u;

fn testing_workgroups(count: u32) -> u32 {
    return min(count / TESTING + min(count % TESTING, 1u), most_workgroups);
}
