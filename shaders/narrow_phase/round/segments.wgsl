// The closest places of two segments, and of a segment to a box. Formulas:
// src/narrow_phase/round/filter.rs.
// Uses: shared/common.wgsl.
// The including shader declares: params.

const FLUSH_LENGTH: f32 = 0x1p-60;
const LEAST_SINE: f32 = 0x1p-40;
const LEAST_SLOPE: f32 = 0x1p-40;

// The direction of a segment that lies along z, rotated.
fn axis_of(q: vec4<f32>) -> vec3<f32> {
    let d = q * q;
    let turned = vec3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), d.w - d.x - d.y + d.z);
    return fenced_3(turned / (d.x + d.y + d.z + d.w), params.zero);
}

// The approximate places of two segments that are closest to each other, relative to the middle of
// each; d is the vector from one middle to the other. Ericson, Real-Time Collision Detection,
// 5.1.9.
fn closest_places(d: vec3<f32>, z_a: vec3<f32>, h_a: f32, z_b: vec3<f32>, h_b: f32) -> vec2<f32> {
    let cosine = dot(z_a, z_b);
    let f = dot(z_a, d);
    let g = dot(z_b, d);
    let first = clamp((f - cosine * g) / max(1.0 - cosine * cosine, LEAST_SINE), -h_a, h_a);
    let t = clamp(first * cosine - g, -h_b, h_b);
    return vec2(clamp(f + t * cosine, -h_a, h_a), t);
}

// A segment in the frame of a box about the origin: its middle, its direction, and half of its
// length; and the half extents of the box.
struct Core {
    p: vec3<f32>,
    z: vec3<f32>,
    half_length: f32,
    half: vec3<f32>,
}

// Half the derivative of the squared distance to the box, at a place of the segment. It increases
// along the segment.
fn slope_at(core: Core, t: f32) -> f32 {
    let x = core.p + t * core.z;
    return dot(core.z, fenced_3(x - clamp(x, -core.half, core.half), params.zero));
}

// The part of an interval, cut at a place, that contains the place closest to the box.
fn cut(interval: vec2<f32>, core: Core, t: f32) -> vec2<f32> {
    return select(vec2(interval.x, min(interval.y, t)), vec2(max(interval.x, t), interval.y), slope_at(core, t) <= 0.0);
}

// The approximate place of the segment that is closest to the box.
fn closest_place(core: Core) -> f32 {
    let h = core.half_length;
    // The crossings with the planes of the faces. Between them the slope is linear.
    let parallel = abs(core.z) < vec3(LEAST_SLOPE);
    let z = select(core.z, vec3(1.0), parallel);
    let low = select(clamp((-core.half - core.p) / z, vec3(-h), vec3(h)), vec3(0.0), parallel);
    let high = select(clamp((core.half - core.p) / z, vec3(-h), vec3(h)), vec3(0.0), parallel);
    var interval = vec2(-h, h);
    interval = cut(interval, core, low.x);
    interval = cut(interval, core, high.x);
    interval = cut(interval, core, low.y);
    interval = cut(interval, core, high.y);
    interval = cut(interval, core, low.z);
    interval = cut(interval, core, high.z);
    let first = slope_at(core, interval.x);
    let growth = max(slope_at(core, interval.y) - first, FLUSH_LENGTH);
    return clamp(interval.x + clamp(-first / growth, 0.0, 1.0) * (interval.y - interval.x), -h, h);
}
