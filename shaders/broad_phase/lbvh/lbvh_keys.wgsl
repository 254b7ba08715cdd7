// The sort keys of the tree's records: their positions along a Morton curve, separately for each
// world. Twin: src/broad_phase/lbvh/lbvh_keys_cpu.rs.
// Uses: rules/lists.wgsl, shared/bounds.wgsl, shared/common.wgsl, shared/outcome.wgsl,
// shared/pair.wgsl, shared/scene_stats.wgsl.

const WORKGROUP: u32 = 256u;
const CELLS_ACROSS: f32 = 0x1p21;
const LAST_CELL: f32 = 0x1p21 - 1.0;
const SMALLEST_SPAN: f32 = 0x1p-90;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> stats: SceneStats;
// The keys by box: the low half of a key, and the high half.
@group(0) @binding(4) var<storage, read_write> keys: array<vec2<u32>>;
// The elements to sort: a word of the key, and the box it belongs to.
@group(0) @binding(5) var<storage, read_write> order: array<Pair>;
@group(0) @binding(6) var<storage, read_write> sorted_keys: array<vec2<u32>>;
// The number of elements to sort, for the kernels that sort, and the number of the order, for
// frames that keep it.
@group(0) @binding(7) var<storage, read_write> outcome: Outcome;

fn unordered(key: u32) -> f32 {
    return bitcast<f32>(select(~key, key ^ 0x80000000u, key >= 0x80000000u));
}

// The low ten bits of each number, with two zeros between them.
fn spread(cell: vec3<u32>) -> vec3<u32> {
    var x = cell & vec3(0x3ffu);
    x = (x | (x << vec3(16u))) & vec3(0x030000ffu);
    x = (x | (x << vec3(8u))) & vec3(0x0300f00fu);
    x = (x | (x << vec3(4u))) & vec3(0x030c30c3u);
    return (x | (x << vec3(2u))) & vec3(0x09249249u);
}

// Interleaves the bits of the three numbers, x first.
fn woven(cell: vec3<u32>) -> u32 {
    let bits = spread(cell);
    return bits.x | (bits.y << 1u) | (bits.z << 2u);
}

// The position along a Morton curve of a cell with 21 bits in each axis.
fn morton(cell: vec3<u32>) -> vec2<u32> {
    let middle = (cell >> vec3(10u)) & vec3(1u);
    let low = woven(cell) | (middle.x << 30u) | (middle.y << 31u);
    return vec2(low, middle.z | (woven(cell >> vec3(11u)) << 1u));
}

@compute @workgroup_size(WORKGROUP)
fn make_keys(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if workgroup.x == 0u && local == 0u {
        outcome.pairs = params.box_count;
        outcome.fits = params.order;
    }
    let low = vec3(unordered(~stats.below[0]), unordered(~stats.below[1]), unordered(~stats.below[2]));
    let high = vec3(unordered(stats.above[0]), unordered(stats.above[1]), unordered(stats.above[2]));
    let span = high - low;
    // Cells are cubes. If all boxes are at one place, all keys are equal.
    let cells = CELLS_ACROSS / max(max(span.x, max(span.y, span.z)), SMALLEST_SPAN);
    for (var i = workgroup.x * WORKGROUP + local; i < params.box_count; i += workgroups.x * WORKGROUP) {
        let b = bounds_at(i);
        let center = 0.5 * b.low + 0.5 * b.high;
        let key = morton(vec3<u32>(clamp((center - low) * cells, vec3(0.0), vec3(LAST_CELL))));
        keys[i] = key;
        order[i] = Pair(key.x, i);
    }
}

// After the sort by the low halves of the keys, the records are sorted by the high halves.
@compute @workgroup_size(WORKGROUP)
fn take_high_halves(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var i = workgroup.x * WORKGROUP + local; i < params.box_count; i += workgroups.x * WORKGROUP) {
        order[i].a = keys[order[i].b].y;
    }
}

// Last, they are sorted by their compartments: worlds, and layers of these.
@compute @workgroup_size(WORKGROUP)
fn take_worlds(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var i = workgroup.x * WORKGROUP + local; i < params.box_count; i += workgroups.x * WORKGROUP) {
        order[i].a = compartment_of_b(order[i].b);
    }
}

// The keys in the order of the records.
@compute @workgroup_size(WORKGROUP)
fn gather_keys(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var i = workgroup.x * WORKGROUP + local; i < params.box_count; i += workgroups.x * WORKGROUP) {
        sorted_keys[i] = keys[order[i].b];
    }
}
