// The destination of the kernels that make bounds, which bounds.wgsl reads.
// Uses: shared/common.wgsl.
// The including shader declares: params.

@group(0) @binding(4) var<storage, read_write> bounds_0: array<Bounds>;
@group(0) @binding(5) var<storage, read_write> bounds_1: array<Bounds>;

fn put_bounds(index: u32, b: Bounds) {
    if index < params.bounds_segment {
        bounds_0[index] = b;
    } else {
        bounds_1[index - params.bounds_segment] = b;
    }
}
