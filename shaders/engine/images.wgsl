// The images of bodies in space that repeats, as records after those of the bodies: each image
// whose bounds reach those of the scene, and of two opposite ones the one whose first whole number
// that is not 0 is positive. So each pair of a body and an image is there once:
// docs/src/design/periodic.md, "Recorded frames".
//
// Both kernels run once for each kind of bodies, one after the other, so that the images of a kind
// follow those of the kinds before.
// Uses: engine/image_record.wgsl, shared/common.wgsl, shared/rotation.wgsl, shared/validity.wgsl.

const WORKGROUP: u32 = 256u;

// Kinds of bodies: src/engine/gpu/images.rs, ImageParams.
const CAPSULES: u32 = 1u;
const SPHERES: u32 = 2u;

// Widening of bounds per unit of length, for rounding.
const SIZE_ERROR: f32 = 0x1p-16;
// The number of bodies is that of the caller.
const IN_BUFFER: u32 = 0xffffffffu;
// The place of the own margins in the rules.
const MARGINS: u32 = 8u;
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
    // The kind; the position of its first body and the number of its bodies; the first unit of 16
    // bytes of their records, and the units of a record.
    kind: u32,
    first: u32,
    count: u32,
    first_unit: u32,
    units: u32,
    // The number of bodies of all kinds, or IN_BUFFER; images that there is room for, and the first
    // unit of these.
    bodies: u32,
    most: u32,
    images_unit: u32,
    // The distance that a body has from its own images at least.
    between: f32,
    // As in Params.
    zero: u32,
    // 1 if there are flags of active bodies, and if bodies have margins of their own.
    masked: u32,
    own_margins: u32,
}

// src/engine/gpu/images.rs, ImageCounts
struct ImageCounts {
    bodies: u32,
    out_of_period: atomic<u32>,
    // Of each kind, stored or not.
    images: array<atomic<u32>, 3>,
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
// The number of bodies; or any buffer, if the host has it.
@group(0) @binding(7) var<storage, read> caller_count: array<u32>;
// The rules: rules/lists.wgsl; or any buffer, if no body has a margin of its own.
@group(0) @binding(8) var<storage, read> rules_b: array<u32>;

var<workgroup> reach_of_group: array<atomic<u32>, 6>;

// A number as an unsigned integer with the same order.
fn ordered(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return select(bits ^ 0x80000000u, ~bits, bits >= 0x80000000u);
}

fn unordered(key: u32) -> f32 {
    return bitcast<f32>(select(~key, key ^ 0x80000000u, key >= 0x80000000u));
}

// The number of bodies of all kinds, which may exceed the most.
fn all_bodies() -> u32 {
    if params.bodies != IN_BUFFER { return params.bodies; }
    return caller_count[0];
}

// The number of bodies of this kind, if there are this many of all kinds: the first ones.
fn bodies_of_kind(all: u32) -> u32 {
    return min(max(all, params.first) - params.first, params.count);
}

// A body's own margin, rounded up.
fn own_margin(i: u32) -> f32 {
    if params.own_margins == 0u { return 0.0; }
    return bitcast<f32>(rules_b[rules_b[MARGINS] + params.first + i]) * (1.0 + SIZE_ERROR);
}

// A body's center, and half the size of its bounds.
struct Body {
    center: vec3<f32>,
    extent: vec3<f32>,
    hopeless: bool,
}

fn is_active(i: u32) -> bool {
    if params.masked == 0u { return true; }
    return active_bodies[params.first + i] > 0u;
}

// The first unit of a body of the kind.
fn unit_of(i: u32) -> u32 {
    return params.first_unit + i * params.units;
}

fn body_at(i: u32) -> Body {
    let unit = unit_of(i);
    let first = bitcast<vec4<f32>>(given[unit]);
    if params.kind == SPHERES {
        let radius = vec3(first.w);
        return Body(first.xyz, radius * (1.0 + SIZE_ERROR), beyond(first.xyz) || beyond(radius));
    }
    let middle = bitcast<vec4<f32>>(given[unit + 1u]);
    let others = bitcast<vec4<f32>>(given[unit + 2u]);
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
    let all = all_bodies();
    if workgroup.x == 0u && local == 0u { counts.bodies = all; }
    if local < 6u { atomicStore(&reach_of_group[local], 0u); }
    workgroupBarrier();
    var below = vec3(0u);
    var above = vec3(0u);
    let count = stride_end(bodies_of_kind(all), workgroups);
    for (var i = workgroup.x * WORKGROUP + local; i < count; i += workgroups.x * WORKGROUP) {
        let body = body_at(i);
        if body.hopeless || !is_active(i) { continue; }
        let widened = body.extent + (params.widening + own_margin(i));
        let low = body.center - widened;
        let high = body.center + widened;
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
    // After all images of the kinds before, which are listed.
    var before = 0u;
    for (var kind = 0u; kind < params.kind; kind++) { before += atomicLoad(&counts.images[kind]); }
    let place = before + atomicAdd(&counts.images[params.kind], 1u);
    if place >= params.most { return; }
    images[place] = ImageRecord(params.first + i, image.x, image.y, image.z);
    // Those before spheres take three units each.
    let unit = params.images_unit + select(3u * place, 2u * before + place, params.kind == SPHERES);
    put_body(i, unit);
    put_center(unit, center);
}

// Copies the record of a body to its first unit.
fn put_body(i: u32, first: u32) {
    for (var unit = 0u; unit < params.units; unit++) { bodies[first + unit] = given[unit_of(i) + unit]; }
}

// Gives the body with this first unit another center.
fn put_center(first: u32, center: vec3<f32>) {
    let unit = first + select(1u, 0u, params.kind == SPHERES);
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
    let count = stride_end(bodies_of_kind(counts.bodies), workgroups);
    for (var i = workgroup.x * WORKGROUP + local; i < count; i += workgroups.x * WORKGROUP) {
        put_body(i, unit_of(i));
        if !is_active(i) { continue; }
        let body = body_at(i);
        let own = own_margin(i);
        let widened = body.extent + (params.widening + own);
        let low = body.center - widened;
        let high = body.center + widened;
        let upwards = repeats & (low + length <= highest);
        let downwards = repeats & (high - length >= lowest);
        // Too wide, too far from the origin, or with images beyond the next ones.
        let outside = (2.0 * (body.extent + own) + params.between >= length) | (abs(body.center) > length)
            | (low + 2.0 * length <= highest) | (high - 2.0 * length >= lowest);
        if any(repeats & outside) && !body.hopeless {
            atomicAdd(&counts.out_of_period, 1u);
            put_center(unit_of(i), vec3(NOWHERE));
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
