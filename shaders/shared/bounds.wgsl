// The bounds of a scene, over two bindings because the size of a binding is limited:
// src/device/segments.rs.
// Uses: shared/common.wgsl.
// The including shader declares: params.

@group(0) @binding(1) var<storage, read> bounds_0: array<Bounds>;
@group(0) @binding(2) var<storage, read> bounds_1: array<Bounds>;

fn bounds_at(index: u32) -> Bounds {
    if index < params.bounds_segment { return bounds_0[index]; }
    return bounds_1[index - params.bounds_segment];
}
