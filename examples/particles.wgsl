// The application's kernels, which run before and after a check. Outcome::WGSL and Pair::WGSL are
// prepended.

// The center of each ball, and its radius.
@group(0) @binding(0) var<storage, read_write> balls: array<vec4<f32>>;

// Moves every ball in its own direction.
@compute @workgroup_size(64)
fn shift(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&balls) { return; }
    let phase = f32(id.x) * 2.4;
    balls[id.x] += 0.01 * vec4(cos(phase), sin(phase), cos(1.7 * phase), 0.0);
}

@group(0) @binding(0) var<storage, read> outcome: Outcome;
@group(0) @binding(1) var<storage, read> pairs: array<Pair>;
@group(0) @binding(2) var<storage, read_write> marks: array<atomic<u32>>;

// Counts every particle's partners.
@compute @workgroup_size(64)
fn mark(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let k = (workgroup.y * outcome.workgroups.x + workgroup.x) * 64u + local;
    if k >= outcome.pairs { return; }
    atomicAdd(&marks[pairs[k].a], 1u);
    atomicAdd(&marks[pairs[k].b], 1u);
}
