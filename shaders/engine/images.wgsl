// The images of bodies in space that repeats, as records after those of the bodies: each image
// whose bounds reach those of the scene, and of two opposite ones the one whose first whole number
// that is not 0 is positive. So each pair of a body and an image is there once:
// docs/src/design/periodic.md, "Recorded frames".
// Uses: engine/image_record.wgsl, shared/common.wgsl, shared/rotation.wgsl, shared/validity.wgsl.

const WORKGROUP: u32 = 256u;

// Kinds of bodies: src/engine/gpu/images.rs, ImageParams.
const CAPSULES: u32 = 1u;
const SPHERES: u32 = 2u;

// Widening of bounds per unit of length, for rounding.
const SIZE_ERROR: f32 = 0x1p-16;
// No valid coordinate: the frame reports the body.
const NOWHERE: f32 = 0x1p+61;
// The number of images that touch the cell, and the first of those after the cell itself.
const AROUND: u32 = 27u;
const AFTER_ITSELF: u32 = 14u;

// src/engine/gpu/images.rs, ImageParams
struct ImageParams {
    // The length after which space repeats along each axis; 0 where it does not.
    length: vec3<f32>,
    // The amount by which bounds are widened for the margin and for rounding.
    widening: f32,
    // Bodies, and images that there is room for.
    count: u32,
    most: u32,
    kind: u32,
    // The number of units of 16 bytes in a record.
    units: u32,
    // The distance that a body has from its own images at least.
    between: f32,
    // As in Params.
    zero: u32,
    // 1 if there are flags of active bodies.
    masked: u32,
    unused: u32,
}

// src/engine/gpu/images.rs, ImageCounts
struct ImageCounts {
    // Bodies, and their images, stored or not.
    bodies: atomic<u32>,
    out_of_period: atomic<u32>,
}

@group(0) @binding(0) var<uniform> params: ImageParams;
@group(0) @binding(1) var<storage, read> given: array<vec4<u32>>;
// The low and the high corner of the scene, as in SceneStats.
@group(0) @binding(2) var<storage, read_write> reach: array<atomic<u32>, 6>;
@group(0) @binding(3) var<storage, read_write> counts: ImageCounts;
@group(0) @binding(4) var<storage, read_write> bodies: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> images: array<ImageRecord>;
// 0 for a body that is not active; or any buffer, if there are no flags.
@group(0) @binding(6) var<storage, read> active_bodies: array<u32>;

var<workgroup> reach_of_group: array<atomic<u32>, 6>;

// A number as an unsigned integer with the same order.
fn ordered(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return select(bits ^ 0x80000000u, ~bits, bits >= 0x80000000u);
}

fn unordered(key: u32) -> f32 {
    return bitcast<f32>(select(~key, key ^ 0x80000000u, key >= 0x80000000u));
}

// A body's center, and half the size of its bounds.
struct Body {
    center: vec3<f32>,
    extent: vec3<f32>,
    hopeless: bool,
}

fn is_active(i: u32) -> bool {
    if params.masked == 0u { return true; }
    return active_bodies[i] > 0u;
}

fn body_at(i: u32) -> Body {
    let first = bitcast<vec4<f32>>(given[i * params.units]);
    if params.kind == SPHERES {
        let radius = vec3(first.w);
        return Body(first.xyz, radius * (1.0 + SIZE_ERROR), beyond(first.xyz) || beyond(radius));
    }
    let middle = bitcast<vec4<f32>>(given[i * params.units + 1u]);
    let others = bitcast<vec4<f32>>(given[i * params.units + 2u]);
    // A capsule is a segment along z with a radius.
    let is_capsule = params.kind == CAPSULES;
    let half = select(vec3(middle.w, others.xy), vec3(0.0, 0.0, middle.w), is_capsule);
    let radius = select(0.0, others.x, is_capsule);
    if beyond(middle.xyz) || beyond(half) || beyond(vec3(radius)) || hopeless_rotation(first) {
        return Body(middle.xyz, vec3(0.0), true);
    }
    let axes = matrix(first);
    let extent = (abs(axes[0]) * half.x + abs(axes[1]) * half.y + abs(axes[2]) * half.z) / dot(first, first);
    return Body(middle.xyz, extent + radius + SIZE_ERROR * (sum(half) + radius), false);
}

@compute @workgroup_size(WORKGROUP)
fn find_reach(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if workgroup.x == 0u && local == 0u { atomicStore(&counts.bodies, params.count); }
    if local < 6u { atomicStore(&reach_of_group[local], 0u); }
    workgroupBarrier();
    var below = vec3(0u);
    var above = vec3(0u);
    for (var i = workgroup.x * WORKGROUP + local; i < params.count; i += workgroups.x * WORKGROUP) {
        let body = body_at(i);
        if body.hopeless || !is_active(i) { continue; }
        let low = body.center - (body.extent + params.widening);
        let high = body.center + (body.extent + params.widening);
        below = max(below, ~vec3(ordered(low.x), ordered(low.y), ordered(low.z)));
        above = max(above, vec3(ordered(high.x), ordered(high.y), ordered(high.z)));
    }
    for (var axis = 0u; axis < 3u; axis++) {
        atomicMax(&reach_of_group[axis], below[axis]);
        atomicMax(&reach_of_group[3u + axis], above[axis]);
    }
    workgroupBarrier();
    if local < 6u { atomicMax(&reach[local], atomicLoad(&reach_of_group[local])); }
}

// Appends the image of a body at a center, if there is room.
fn append_image(i: u32, image: vec3<i32>, center: vec3<f32>) {
    let place = atomicAdd(&counts.bodies, 1u) - params.count;
    if place >= params.most { return; }
    images[place] = ImageRecord(i, image.x, image.y, image.z);
    put_body(i, params.count + place);
    put_center(params.count + place, center);
}

// Copies the record of a body to a place.
fn put_body(i: u32, place: u32) {
    for (var unit = 0u; unit < params.units; unit++) {
        bodies[place * params.units + unit] = given[i * params.units + unit];
    }
}

// Gives the body at a place another center.
fn put_center(place: u32, center: vec3<f32>) {
    let unit = place * params.units + select(1u, 0u, params.kind == SPHERES);
    bodies[unit] = vec4(bitcast<vec3<u32>>(center), bodies[unit].w);
}

@compute @workgroup_size(WORKGROUP)
fn list_images(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let lowest = vec3(unordered(~atomicLoad(&reach[0])), unordered(~atomicLoad(&reach[1])), unordered(~atomicLoad(&reach[2])));
    let highest = vec3(unordered(atomicLoad(&reach[3])), unordered(atomicLoad(&reach[4])), unordered(atomicLoad(&reach[5])));
    let length = params.length;
    let repeats = length > vec3(0.0);
    for (var i = workgroup.x * WORKGROUP + local; i < params.count; i += workgroups.x * WORKGROUP) {
        put_body(i, i);
        if !is_active(i) { continue; }
        let body = body_at(i);
        let low = body.center - (body.extent + params.widening);
        let high = body.center + (body.extent + params.widening);
        let upwards = repeats & (low + length <= highest);
        let downwards = repeats & (high - length >= lowest);
        // Too wide, too far from the origin, or with images beyond the next ones.
        let outside = (2.0 * body.extent + params.between >= length) | (abs(body.center) > length)
            | (low + 2.0 * length <= highest) | (high - 2.0 * length >= lowest);
        if any(repeats & outside) && !body.hopeless {
            atomicAdd(&counts.out_of_period, 1u);
            put_center(i, vec3(NOWHERE));
            continue;
        }
        if body.hopeless || !any(upwards | downwards) { continue; }
        for (var code = AFTER_ITSELF; code < AROUND; code++) {
            let image = vec3<i32>(vec3(code / 9u, code / 3u % 3u, code % 3u)) - 1;
            let is_near = (image == vec3(0)) | (upwards & (image > vec3(0))) | (downwards & (image < vec3(0)));
            if all(is_near) { append_image(i, image, fenced_3(body.center + vec3<f32>(image) * length, params.zero)); }
        }
    }
}
