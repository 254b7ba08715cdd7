// The states of bodies, from pairs: bit 0 is set if a body touches another, bit 1 if it overlaps
// one, bit 2 if it is a partner of the picked one.

@group(0) @binding(0) var<storage, read> pairs: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> states: array<atomic<u32>>;
// Free, touching and overlapping bodies.
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 3>;

// The bit that pairs set.
override state: u32 = 0u;

const WIDTH = 256u;

@compute @workgroup_size(WIDTH)
fn mark_pairs(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var k = id.x; k < arrayLength(&pairs); k += WIDTH * groups.x) {
        atomicOr(&states[pairs[k].x], state);
        atomicOr(&states[pairs[k].y], state);
    }
}

@compute @workgroup_size(WIDTH)
fn forget_partners(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var k = id.x; k < arrayLength(&states); k += WIDTH * groups.x) {
        atomicAnd(&states[k], 3u);
    }
}

@compute @workgroup_size(WIDTH)
fn count_states(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var k = id.x; k < arrayLength(&states); k += WIDTH * groups.x) {
        let own = atomicLoad(&states[k]) & 3u;
        atomicAdd(&counts[min(own, 2u)], 1u);
    }
}
