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
// The number of bodies; if they may have images, ImageCounts of engine/images.wgsl.
@group(0) @binding(2) var<storage, read> count: array<u32>;
// The workgroups of each dispatch for 0, 1, 2, 4, 8, ... bodies.
@group(0) @binding(3) var<storage, read> sizes: array<u32>;
@group(0) @binding(4) var<storage, read_write> arguments: array<u32>;

// The first of the numbers of images of each kind among the words of ImageCounts.
const IMAGES: u32 = 2u;

// The number of bodies and images, and the ends among the images: of all of them, whether or not
// there is room for them.
struct Needed {
    bodies: u32,
    box_end: u32,
    capsule_end: u32,
    images: u32,
}

fn bodies_and_images() -> Needed {
    if given.image_error == 0.0 { return Needed(count[0], 0u, 0u, 0u); }
    let box_end = count[IMAGES];
    let capsule_end = box_end + count[IMAGES + 1u];
    return Needed(count[0], box_end, capsule_end, capsule_end + count[IMAGES + 2u]);
}

// The parameters of the first `bodies` of these bodies, and of the first `images`.
fn of_first(all: Params, bodies: u32, images: u32) -> Params {
    var own = all;
    own.box_count = bodies + images;
    own.range_count = own.box_count;
    own.probe_samples = min(all.probe_samples, own.box_count);
    own.images_first = min(all.images_first, bodies);
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
    let needed = bodies_and_images();
    let most_images = select(0u, given.box_count - given.images_first, given.image_error > 0.0);
    let bodies = min(needed.bodies, given.box_count - most_images);
    let images = min(needed.images, most_images);
    if local == 0u {
        params = of_first(given, bodies, images);
        params.image_box_end = min(needed.box_end, images);
        params.image_capsule_end = min(needed.capsule_end, images);
        params.bodies_needed = needed.bodies + needed.images;
    }
    // The place of the smallest of the numbers above that is not less.
    let all = bodies + images;
    let octave = select(33u - countLeadingZeros(all - 1u), 0u, all == 0u);
    for (var k = local; k < arrayLength(&sizes) / OCTAVES; k += WORKGROUP) {
        arguments[3u * k] = sizes[k * OCTAVES + octave];
        arguments[3u * k + 1u] = 1u;
        arguments[3u * k + 2u] = 1u;
    }
}
