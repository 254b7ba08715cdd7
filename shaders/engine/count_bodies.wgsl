// Takes over the number of bodies that the device has decided: the parameters of the frame for that
// many bodies, and the dispatches of its kernels. Twin of the parameters: `Params::of_first` in
// src/frame/params.rs.
// Uses: shared/common.wgsl.

const WORKGROUP: u32 = 64u;
// src/engine/gpu/count_bodies.rs, OCTAVES
const OCTAVES: u32 = 34u;

// The parameters for as many bodies as there may be, and for as many as there are.
@group(0) @binding(0) var<uniform> given: Params;
@group(0) @binding(1) var<storage, read_write> params: Params;
@group(0) @binding(2) var<storage, read> count: array<u32>;
// The workgroups of each dispatch for 0, 1, 2, 4, 8, ... bodies.
@group(0) @binding(3) var<storage, read> sizes: array<u32>;
@group(0) @binding(4) var<storage, read_write> arguments: array<u32>;

// The parameters of the first `bodies` of these bodies.
fn of_first(all: Params, bodies: u32) -> Params {
    var own = all;
    own.box_count = bodies;
    own.range_count = bodies;
    own.probe_samples = min(all.probe_samples, bodies);
    own.box_end = min(all.box_end, bodies);
    own.capsule_end = min(all.capsule_end, bodies);
    if all.movers == 0u {
        own.box_end_of_a = own.box_end;
        own.capsule_end_of_a = own.capsule_end;
    }
    return own;
}

@compute @workgroup_size(WORKGROUP)
fn count_bodies(@builtin(local_invocation_index) local: u32) {
    let needed = count[0];
    let bodies = min(needed, given.box_count);
    if local == 0u {
        params = of_first(given, bodies);
        params.bodies_needed = needed;
    }
    // The place of the smallest of the numbers above that is not less.
    let octave = select(33u - countLeadingZeros(bodies - 1u), 0u, bodies == 0u);
    for (var k = local; k < arrayLength(&sizes) / OCTAVES; k += WORKGROUP) {
        arguments[3u * k] = sizes[k * OCTAVES + octave];
        arguments[3u * k + 1u] = 1u;
        arguments[3u * k + 2u] = 1u;
    }
}
