// Computes the volume of the overlap of every pair of two boxes, and its part of their union. Twin:
// src/narrow_phase/obb_obb/overlap/clip.rs, in f64. The method and its error are in
// src/narrow_phase/obb_obb/obb_overlap.rs. No invocation has an array of corners: those of a part
// are used one after the other, as they are found.
// Uses: narrow_phase/obb_obb/frame.wgsl, narrow_phase/obb_obb/overlap_record.wgsl,
// shared/boxes.wgsl, shared/common.wgsl, shared/found_pairs.wgsl, shared/obb.wgsl,
// shared/rotation.wgsl.

const WORKGROUP: u32 = 128u;

const VOLUME_ERROR: f32 = 384.0 * 0x1p-23;
// What flushed numbers may add to the size of a pair, and to the error in units of A.
const FLUSHED_SIZE: f32 = 0x1p-95;
const FLUSHED_VOLUME: f32 = 0x1p-60;
// More than what flushing the volume itself to zero may add to its error.
const LEAST_ERROR: f32 = 0x1p-118;
// Lengths in units of A below which a line counts as parallel, and a height as zero.
const LEAST_LENGTH: f32 = 0x1p-40;
// The size of a pair is less than two to the power of this and one more, in units of A.
const MOST_OCTAVES: u32 = 38u;
// The largest volume that is stored, and its exponent.
const LARGEST_VOLUME: f32 = 0x1p126;
const LARGEST_EXPONENT: u32 = 253u;
const EXPONENT_OF_ONE: u32 = 127u;

// The volume is 0 because f32 cannot decide whether the interiors meet.
const UNDECIDED: u32 = 1u;
// The volume and its error are LARGEST_VOLUME, because they may be larger.
const TOO_LARGE: u32 = 2u;

@group(0) @binding(6) var<storage, read_write> overlaps: array<OverlapRecord>;

// The part of a line with |start + part * along| <= half, as an interval of fractions of its
// length; empty if the first is larger.
fn part_within(start: f32, along: f32, half: f32) -> vec2<f32> {
    let crosses = abs(along) > LEAST_LENGTH;
    let inverse = 1.0 / select(1.0, along, crosses);
    let one = (-half - start) * inverse;
    let other = (half - start) * inverse;
    let beside = select(0.0, 2.0, abs(start) > half);
    let enters = select(beside, min(one, other), crosses);
    let leaves = select(1.0, max(one, other), crosses);
    return vec2(max(enters, 0.0), min(leaves, 1.0));
}

// The mean of max(w, 0) over a triangle on which w is linear, from its values at the corners, in
// descending order.
fn mean_excess(w: vec3<f32>) -> f32 {
    if w.x <= LEAST_LENGTH { return 0.0; }
    let mean = sum(w) / 3.0;
    if w.z >= -LEAST_LENGTH { return max(mean, 0.0); }
    if w.y <= 0.0 { return max(w.x / 3.0 * (w.x / (w.x - w.y)) * (w.x / (w.x - w.z)), 0.0); }
    return max(mean - w.z / 3.0 * (w.z / (w.x - w.z)) * (w.z / (w.y - w.z)), 0.0);
}

// The mean of clamp(z, -half, half) over a triangle with these corners.
fn mean_within(z: vec3<f32>, half: f32) -> f32 {
    let high = largest(z);
    let low = min(z.x, min(z.y, z.z));
    let middle = max(min(z.x, z.y), min(max(z.x, z.y), z.z));
    let above = mean_excess(vec3(high, middle, low) - half);
    let below = mean_excess(vec3(-low, -middle, -high) - half);
    return clamp(sum(z) / 3.0 - above + below, -half, half);
}

// A polygon as a fan of triangles: its first and its last corner, and twice the integral of the
// clamped z over the triangles so far.
struct Fan {
    first: vec3<f32>,
    last: vec3<f32>,
    begun: bool,
    doubled: f32,
}

fn with_corner(fan: Fan, corner: vec3<f32>, half: vec3<f32>) -> Fan {
    let at = vec3(clamp(corner.xy, -half.xy, half.xy), corner.z);
    if !fan.begun { return Fan(at, at, true, 0.0); }
    let p = fan.last.xy - fan.first.xy;
    let q = at.xy - fan.first.xy;
    let doubled_area = fenced(vec4(p.x * q.y - p.y * q.x), params.zero).x;
    let mean = mean_within(vec3(fan.first.z, fan.last.z, at.z), half.z);
    return Fan(fan.first, at, true, fan.doubled + doubled_area * mean);
}

// Adds the part of a side with |y| <= half.y.
fn with_side(fan: Fan, start: vec3<f32>, along: vec3<f32>, half: vec3<f32>) -> Fan {
    let part = part_within(start.y, along.y, half.y);
    if part.x > part.y { return fan; }
    let first = with_corner(fan, fenced_3(start + part.x * along, params.zero), half);
    return with_corner(first, fenced_3(start + part.y * along, params.zero), half);
}

// Twice the integral of clamp(z, -half.z, half.z) over the part of a face of B with
// |x| <= half.x and |y| <= half.y. The face has this middle, and these vectors from there to the
// middles of two sides.
fn face_integral(middle: vec3<f32>, u: vec3<f32>, v: vec3<f32>, half: vec3<f32>) -> f32 {
    var fan = Fan(vec3(0.0), vec3(0.0), false, 0.0);
    if any(abs(middle.xy) - abs(u.xy) - abs(v.xy) >= half.xy) { return 0.0; }
    // The corners of the part with |x| <= half.x: both ends of what is left of each side. The
    // last round leads back to the first of them.
    var first = vec3(0.0);
    var last = vec3(0.0);
    var begun = false;
    for (var end = 0u; end <= 8u; end += 1u) {
        var corner = first;
        if end < 8u {
            let side = end / 2u;
            let sign_u = select(-1.0, 1.0, side == 1u || side == 2u);
            let sign_v = select(-1.0, 1.0, side >= 2u);
            let start = fenced_3(middle + sign_u * u + sign_v * v, params.zero);
            let along = select(2.0 * -sign_v * u, 2.0 * sign_u * v, (side & 1u) == 1u);
            let part = part_within(start.x, along.x, half.x);
            if part.x > part.y { continue; }
            corner = fenced_3(start + select(part.x, part.y, (end & 1u) == 1u) * along, params.zero);
        }
        if begun {
            fan = with_side(fan, last, corner - last, half);
        } else {
            first = corner;
        }
        last = corner;
        begun = true;
    }
    return fan.doubled;
}

// The volume of the overlap: of the box around the origin with the half extents h, and of that
// around t whose half extents k are along the columns of c.
fn shared_volume(t: vec3<f32>, c: mat3x3<f32>, h: vec3<f32>, k: vec3<f32>) -> f32 {
    var out = k.x * c[0];
    var u = k.y * c[1];
    var v = k.z * c[2];
    var doubled = 0.0;
    for (var face = 0u; face < 6u; face += 1u) {
        let is_far = (face & 1u) == 0u;
        let integral = face_integral(t + select(-out, out, is_far), u, v, h);
        doubled += select(-integral, integral, is_far);
        if !is_far {
            let next = u;
            u = v;
            v = out;
            out = next;
        }
    }
    return 0.5 * doubled;
}

fn surface(h: vec3<f32>) -> f32 {
    return 8.0 * (h.x * h.y + h.y * h.z + h.z * h.x);
}

// Returns `true` if no extent is zero, by the bits: small ones may be flushed.
fn has_volume(h: vec3<f32>) -> bool {
    return all((bitcast<vec3<u32>>(h) & vec3(0x7fffffffu)) != vec3(0u));
}

fn exponent_of(x: f32) -> u32 {
    return (bitcast<u32>(x) >> 23u) & 0xffu;
}

fn power_of_two(exponent: u32) -> f32 {
    return bitcast<f32>(exponent << 23u);
}

// A volume in the caller's unit, at most LARGEST_VOLUME, from one in units of this exponent.
fn in_units(volume: f32, exponent: u32) -> f32 {
    let unit = power_of_two(exponent);
    let most = power_of_two(LARGEST_EXPONENT + EXPONENT_OF_ONE - max(exponent, EXPONENT_OF_ONE));
    return min(min(min(volume, most) * unit, most) * unit, most) * unit;
}

// The overlap of two boxes, of which A has the smaller surface.
fn overlap_of(a: Obb, b: Obb) -> OverlapRecord {
    let f = frame_of(a, b);
    let face = face_gap(faces_of(f));
    let edges = edges_of(f);
    let apart = lower_bound(f, face, edges) > 0.0;
    if apart || !has_volume(f.h_a) || !has_volume(f.h_b) { return OverlapRecord(0.0, 0.0, 0.0, 0u); }

    // In a unit near the largest extent of A, no product is too large, and none that matters too
    // small.
    let octave = max(exponent_of(f.size), MOST_OCTAVES + 1u) - MOST_OCTAVES;
    let unit = max(exponent_of(largest(f.h_a)), octave);
    let inverse = power_of_two(2u * EXPONENT_OF_ONE - unit);
    let h = f.h_a * inverse;
    let k = f.h_b * inverse;
    let size = (f.size + FLUSHED_SIZE) * inverse;
    let error = VOLUME_ERROR * size * surface(h) + FLUSHED_VOLUME;
    let volume_a = 8.0 * h.x * h.y * h.z;
    let volume_b = 8.0 * k.x * k.y * k.z;
    let volume = clamp(shared_volume(f.t * inverse, f.c, h, k), 0.0, min(volume_a, volume_b));
    if volume <= error && !overlapping(f, face, edges) {
        return OverlapRecord(0.0, max(in_units(error + volume, unit), LEAST_ERROR), 0.0, UNDECIDED);
    }
    let both = max(volume_a + (volume_b - volume), 0x1p-126);
    let stored = in_units(volume, unit);
    let is_large = stored >= LARGEST_VOLUME;
    return OverlapRecord(
        stored,
        select(max(in_units(error, unit), LEAST_ERROR), LARGEST_VOLUME, is_large),
        clamp(volume / both, 0.0, 1.0),
        select(0u, TOO_LARGE, is_large),
    );
}

@compute @workgroup_size(WORKGROUP)
fn obb_overlaps(
    @builtin(global_invocation_id) invocation: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let count = found_pairs();
    for (var k = invocation.x; k < count; k += workgroups.x * WORKGROUP) {
        let pair = pairs[k];
        var a = box_at(pair.a);
        var b = box_of_b(pair.b);
        if surface(half_extents(b)) < surface(half_extents(a)) {
            let larger = a;
            a = b;
            b = larger;
        }
        overlaps[k] = overlap_of(a, b);
    }
}
