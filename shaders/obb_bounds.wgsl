// Conservative bounds of oriented boxes, input validation, and the statistics the grid is planned from.
// Twin: src/bounds/obb_bounds_cpu.rs. The derivation of the widening is in src/bounds/mod.rs.

const WORKGROUP: u32 = 256u;
const EXTENT_ERROR: f32 = 0x1p-18;
const CENTER_ERROR: f32 = 0x1p-22;
const ABSOLUTE_ERROR: f32 = 0x1p-100;
const SIZE_ERROR: f32 = 0x1p-20;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> boxes: array<Obb>;
@group(0) @binding(2) var<storage, read_write> bounds: array<Bounds>;
@group(0) @binding(3) var<storage, read_write> stats: SceneStatsAtomic;
@group(0) @binding(4) var<storage, read_write> counters: array<atomic<u32>, COUNTERS>;

var<workgroup> below_of_group: array<atomic<u32>, 3>;
var<workgroup> above_of_group: array<atomic<u32>, 3>;
var<workgroup> boxes_of_bin: array<atomic<u32>, 256>;
var<workgroup> largest_of_bin: array<atomic<u32>, 256>;

// Whether a number is an infinity or a NaN, by its bits: compilers may assume that there are none.
fn not_finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) == 0x7f800000u;
}

// Whether a number is below zero, by its bits: comparisons may take the smallest numbers for zero.
fn negative(x: f32) -> bool {
    return bitcast<u32>(x) > 0x80000000u;
}

// Whether the box may be invalid. The verdict is the host's (Obb::problem): the tolerance here is slightly tighter, so
// that rounding lets no bad box through.
fn suspect(box: Obb) -> bool {
    let q = box.rotation;
    let c = box.center;
    let h = vec3(box.half_x, box.half_y, box.half_z);
    if not_finite(q.x) || not_finite(q.y) || not_finite(q.z) || not_finite(q.w) { return true; }
    if not_finite(c.x) || not_finite(c.y) || not_finite(c.z) { return true; }
    if not_finite(h.x) || not_finite(h.y) || not_finite(h.z) { return true; }
    if negative(h.x) || negative(h.y) || negative(h.z) { return true; }
    if abs(dot(q, q) - 1.0) > 0.00199 { return true; }
    return max(max(max(abs(c.x), abs(c.y)), max(abs(c.z), h.x)), max(h.y, h.z)) > 0x1p60;
}

// A number as an unsigned integer with the same order.
fn ordered(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return select(bits ^ 0x80000000u, ~bits, bits >= 0x80000000u);
}

fn bounds_of(box: Obb, id: u32) -> Bounds {
    let q = box.rotation;
    let h = vec3(box.half_x, box.half_y, box.half_z);
    let d = q * q;
    let row_x = abs(vec3(d.w + d.x - d.y - d.z, 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y)));
    let row_y = abs(vec3(2.0 * (q.x * q.y + q.w * q.z), d.w - d.x + d.y - d.z, 2.0 * (q.y * q.z - q.w * q.x)));
    let row_z = abs(vec3(2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), d.w - d.x - d.y + d.z));
    let extent = vec3(dot(row_x, h), dot(row_y, h), dot(row_z, h)) / (d.x + d.y + d.z + d.w);
    let widened = extent + (EXTENT_ERROR * (h.x + h.y + h.z) + CENTER_ERROR * abs(box.center)) + ABSOLUTE_ERROR;
    return Bounds(box.center - widened, 0u, box.center + widened, id);
}

@compute @workgroup_size(WORKGROUP)
fn obb_bounds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    atomicStore(&boxes_of_bin[local], 0u);
    atomicStore(&largest_of_bin[local], 0u);
    if local < 3u {
        atomicStore(&below_of_group[local], 0u);
        atomicStore(&above_of_group[local], 0u);
    }
    workgroupBarrier();

    var below = vec3(0u);
    var above = vec3(0u);
    for (var i = workgroup.x * WORKGROUP + local; i < params.box_count; i += workgroups.x * WORKGROUP) {
        let box = boxes[i];
        if suspect(box) { atomicAdd(&counters[SUSPECTS], 1u); }
        // A non-finite box must not reach the grid; the host rejects the scene when it reads SUSPECTS.
        var b = Bounds(vec3(0.0), 0u, vec3(0.0), i);
        let candidate = bounds_of(box, i);
        let span = candidate.high - candidate.low;
        if !(not_finite(span.x) || not_finite(span.y) || not_finite(span.z)) { b = candidate; }
        let size = max(max(b.high.x - b.low.x, b.high.y - b.low.y), b.high.z - b.low.z) * (1.0 + SIZE_ERROR);
        let bits = bitcast<u32>(max(size, 0.0)) & 0x7fffffffu;
        let bin = bits >> 23u;
        b.tag = bin;
        bounds[i] = b;
        atomicAdd(&boxes_of_bin[bin], 1u);
        // Reading is cheaper than an atomic operation that changes nothing, which nearly all would be.
        if bits > atomicLoad(&largest_of_bin[bin]) { atomicMax(&largest_of_bin[bin], bits); }
        below = max(below, ~vec3(ordered(b.low.x), ordered(b.low.y), ordered(b.low.z)));
        above = max(above, vec3(ordered(b.high.x), ordered(b.high.y), ordered(b.high.z)));
    }
    for (var axis = 0u; axis < 3u; axis++) {
        atomicMax(&below_of_group[axis], below[axis]);
        atomicMax(&above_of_group[axis], above[axis]);
    }
    workgroupBarrier();

    let count = atomicLoad(&boxes_of_bin[local]);
    if count > 0u {
        atomicAdd(&stats.boxes_of_bin[local], count);
        atomicMax(&stats.largest_of_bin[local], atomicLoad(&largest_of_bin[local]));
    }
    if local < 3u {
        atomicMax(&stats.below[local], atomicLoad(&below_of_group[local]));
        atomicMax(&stats.above[local], atomicLoad(&above_of_group[local]));
    }
}
