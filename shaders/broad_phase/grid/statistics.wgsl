// The grid's hook in the kernels that make bounds, in workgroups of 256 invocations: the statistics
// that the grid is planned from. Twin: src/broad_phase/grid/statistics.rs.
// Uses: shared/common.wgsl.

struct SceneStatsAtomic {
    below: array<atomic<u32>, 3>,
    suspects: atomic<u32>,
    above: array<atomic<u32>, 3>,
    tilted: atomic<u32>,
    boxes_of_bin: array<atomic<u32>, 256>,
    largest_of_bin: array<atomic<u32>, 256>,
}

@group(0) @binding(6) var<storage, read_write> stats: SceneStatsAtomic;

const SIZE_ERROR: f32 = 0x1p-20;
const COARSENESS: f32 = 0x1p-22;

var<workgroup> below_of_group: array<atomic<u32>, 3>;
var<workgroup> above_of_group: array<atomic<u32>, 3>;
var<workgroup> boxes_of_bin: array<atomic<u32>, 256>;
var<workgroup> largest_of_bin: array<atomic<u32>, 256>;

var<private> below: vec3<u32>;
var<private> above: vec3<u32>;

// A number as an unsigned integer with the same order.
fn ordered(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    return select(bits ^ 0x80000000u, ~bits, bits >= 0x80000000u);
}

// Called by all invocations of the workgroup, like end_bounds.
fn begin_bounds(local: u32) {
    atomicStore(&boxes_of_bin[local], 0u);
    atomicStore(&largest_of_bin[local], 0u);
    if local < 3u {
        atomicStore(&below_of_group[local], 0u);
        atomicStore(&above_of_group[local], 0u);
    }
    below = vec3(0u);
    above = vec3(0u);
    workgroupBarrier();
}

// Adds a box to the statistics, and returns its size bin.
fn gather(b: Bounds) -> u32 {
    let farthest = max(abs(b.low), abs(b.high));
    let coarseness = max(farthest.x, max(farthest.y, farthest.z)) * COARSENESS;
    let extent = b.high - b.low;
    let size = max(max(extent.x, max(extent.y, extent.z)), coarseness) * (1.0 + SIZE_ERROR);
    let bits = bitcast<u32>(max(size, 0.0)) & 0x7fffffffu;
    let bin = bits >> 23u;
    atomicAdd(&boxes_of_bin[bin], 1u);
    // A load is cheaper than an atomic operation that changes nothing, as nearly all of them would.
    if bits > atomicLoad(&largest_of_bin[bin]) { atomicMax(&largest_of_bin[bin], bits); }
    below = max(below, ~vec3(ordered(b.low.x), ordered(b.low.y), ordered(b.low.z)));
    above = max(above, vec3(ordered(b.high.x), ordered(b.high.y), ordered(b.high.z)));
    return bin;
}

fn end_bounds(local: u32) {
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

// Notes a box that may be invalid.
fn note_suspect() {
    atomicAdd(&stats.suspects, 1u);
}

// Notes a box that is rotated about an axis other than z. The host needs only whether there are
// any, so few invocations write.
fn note_tilted() {
    if atomicLoad(&stats.tilted) == 0u { atomicStore(&stats.tilted, 1u); }
}
