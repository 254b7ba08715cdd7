// The bounds of the tree's nodes. A node's records are consecutive, so its bounds are those of some
// blocks of records and of some single records. Twin: src/broad_phase/lbvh/lbvh_bounds_cpu.rs.
//
// In Karras's method the second of two children to arrive continues to the parent. It then reads
// what another workgroup has written in the same dispatch, for which WGSL guarantees nothing: its
// atomics order only themselves. Here no invocation reads what another has written since the last
// dispatch.
// Uses: broad_phase/record.wgsl, shared/common.wgsl.

const WORKGROUP: u32 = 256u;
// Records in a block, or blocks in a larger one.
const BLOCK: u32 = 8u;

@group(0) @binding(0) var<uniform> params: Params;
// The size of the blocks to make: 1 for blocks of records, 2 for blocks of eight of these, ...
@group(0) @binding(1) var<uniform> level: Segment;
@group(0) @binding(2) var<storage, read> records_0: array<Record>;
@group(0) @binding(3) var<storage, read> records_1: array<Record>;
@group(0) @binding(4) var<storage, read_write> blocks: array<Record>;
@group(0) @binding(5) var<storage, read_write> nodes_0: array<Record>;
@group(0) @binding(6) var<storage, read_write> nodes_1: array<Record>;

fn record_at(i: u32) -> Record {
    if i < params.bounds_segment { return records_0[i]; }
    return records_1[i - params.bounds_segment];
}

struct Corners {
    low: vec3<f32>,
    high: vec3<f32>,
}

fn corners_of(record: Record) -> Corners {
    return Corners(low_of(record), high_of(record));
}

fn united(a: Corners, b: Corners) -> Corners {
    return Corners(min(a.low, b.low), max(a.high, b.high));
}

fn without_links(corners: Corners) -> Record {
    return Record(vec4(bitcast<vec3<u32>>(corners.low), 0u), vec4(bitcast<vec3<u32>>(corners.high), 0u));
}

// Computes the bounds of the full blocks of eight records each.
@compute @workgroup_size(WORKGROUP)
fn unite_records(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = params.box_count / BLOCK;
    for (var k = workgroup.x * WORKGROUP + local; k < count; k += workgroups.x * WORKGROUP) {
        var corners = corners_of(record_at(k * BLOCK));
        for (var j = 1u; j < BLOCK; j++) { corners = united(corners, corners_of(record_at(k * BLOCK + j))); }
        blocks[k] = without_links(corners);
    }
}

// Computes the bounds of the full blocks of eight blocks each.
@compute @workgroup_size(WORKGROUP)
fn unite_blocks(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    // The index of the first of the blocks that are united.
    var begin = 0u;
    var count = params.box_count / BLOCK;
    for (var l = 2u; l < level.number; l++) {
        begin += count;
        count /= BLOCK;
    }
    let own = begin + count;
    for (var k = workgroup.x * WORKGROUP + local; k < count / BLOCK; k += workgroups.x * WORKGROUP) {
        var corners = corners_of(blocks[begin + k * BLOCK]);
        for (var j = 1u; j < BLOCK; j++) { corners = united(corners, corners_of(blocks[begin + k * BLOCK + j])); }
        blocks[own + k] = without_links(corners);
    }
}

// The bounds of the records from `first` on, before `end`. The records before the first full block
// and after the last one are united one by one, and likewise the blocks before and after those of
// eight blocks.
fn bounds_of(first: u32, end: u32) -> Corners {
    var corners = corners_of(record_at(first));
    var low = first + 1u;
    var high = end;
    for (; low < high && low % BLOCK > 0u; low++) { corners = united(corners, corners_of(record_at(low))); }
    for (; low < high && high % BLOCK > 0u; high--) { corners = united(corners, corners_of(record_at(high - 1u))); }
    var begin = 0u;
    var count = params.box_count / BLOCK;
    while low < high {
        low /= BLOCK;
        high /= BLOCK;
        for (; low < high && low % BLOCK > 0u; low++) { corners = united(corners, corners_of(blocks[begin + low])); }
        for (; low < high && high % BLOCK > 0u; high--) {
            corners = united(corners, corners_of(blocks[begin + high - 1u]));
        }
        begin += count;
        count /= BLOCK;
    }
    return corners;
}

@compute @workgroup_size(WORKGROUP)
fn bound_nodes(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var i = workgroup.x * WORKGROUP + local; i + 1u < params.box_count; i += workgroups.x * WORKGROUP) {
        let in_first = i < params.bounds_segment;
        var node: Record;
        if in_first { node = nodes_0[i]; } else { node = nodes_1[i - params.bounds_segment]; }
        let corners = bounds_of(node.low_and_tag.x, node.low_and_tag.y + 1u);
        node.low_and_tag = vec4(bitcast<vec3<u32>>(corners.low), node.low_and_tag.w);
        node.high_and_id = vec4(bitcast<vec3<u32>>(corners.high), node.high_and_id.w);
        if in_first { nodes_0[i] = node; } else { nodes_1[i - params.bounds_segment] = node; }
    }
}
