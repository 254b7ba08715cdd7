// The bodies of sorted pairs of bodies and images, and the pairs that are turned: those whose first
// body is the one with the greater position. A body that is put into the cell again meets the same
// partners in other images, and with some of them is turned from then on.
// Uses: engine/image_record.wgsl, shared/outcome.wgsl, shared/pair.wgsl.

const WORKGROUP: u32 = 256u;

// The position of a pair that was not there.
const NEW: u32 = 0xffffffffu;
// Set in the position of a pair that was turned, if it no longer is, or the other way round.
const TURNED: u32 = 0x80000000u;

@group(0) @binding(0) var<storage, read> outcome: Outcome;
@group(0) @binding(1) var<storage, read> pairs: array<Pair>;
@group(0) @binding(2) var<storage, read> images: array<ImageRecord>;
@group(0) @binding(3) var<storage, read_write> of_bodies: array<Pair>;
@group(0) @binding(4) var<storage, read_write> turned: array<u32>;
@group(0) @binding(5) var<storage, read> turned_before: array<u32>;
@group(0) @binding(6) var<storage, read_write> previous_pairs: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn name_bodies(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var k = workgroup.x * WORKGROUP + local; k < outcome.pairs; k += workgroups.x * WORKGROUP) {
        let pair = pairs[k];
        var b = pair.b;
        if b >= outcome.first_image { b = images[b - outcome.first_image].body; }
        of_bodies[k] = Pair(min(pair.a, b), max(pair.a, b));
        turned[k] = select(0u, TURNED, b < pair.a);
    }
}

@compute @workgroup_size(WORKGROUP)
fn mark_turned(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var k = workgroup.x * WORKGROUP + local; k < outcome.pairs; k += workgroups.x * WORKGROUP) {
        let place = previous_pairs[k];
        if place != NEW { previous_pairs[k] = place | (turned[k] ^ turned_before[place]); }
    }
}
