// The tree over the sorted records: T. Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees" (HPG
// 2012). Each node finds by itself which records are below it, and where it is divided. Twin: src/broad_phase/lbvh/lbvh_tree_cpu.rs.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> bounds_0: array<Record>;
@group(0) @binding(2) var<storage, read> bounds_1: array<Record>;
// The world of each record where there are worlds, and its box; and the keys, the low half first.
@group(0) @binding(3) var<storage, read> order: array<Pair>;
@group(0) @binding(4) var<storage, read> sorted_keys: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> records_0: array<Record>;
@group(0) @binding(6) var<storage, read_write> records_1: array<Record>;
@group(0) @binding(7) var<storage, read_write> nodes_0: array<Record>;
@group(0) @binding(8) var<storage, read_write> nodes_1: array<Record>;

// How many leading bits the keys of two records have in common; their positions tell equal keys apart. Beyond the ends, less than
// any two records have.
fn alike(i: u32, place: i32) -> i32 {
    if place < 0 || place >= i32(params.box_count) { return -1; }
    let j = u32(place);
    if params.worlds > 0u {
        let worlds = order[i].a ^ order[j].a;
        if worlds > 0u { return i32(countLeadingZeros(worlds)); }
    }
    let differ = sorted_keys[i] ^ sorted_keys[j];
    if differ.y > 0u { return 32 + i32(countLeadingZeros(differ.y)); }
    if differ.x > 0u { return 64 + i32(countLeadingZeros(differ.x)); }
    return 96 + i32(countLeadingZeros(i ^ j));
}

// Whether the records of a node extend from the record of its own number upwards, and not downwards.
fn extends_up(i: u32) -> bool {
    return alike(i, i32(i) + 1) > alike(i, i32(i) - 1);
}

// What a walk comes to after a record: the largest subtree of the same world that begins with the next record.
fn escape_from(last: u32) -> u32 {
    let next = last + 1u;
    if next >= params.box_count { return END; }
    if params.worlds > 0u {
        if order[next].a != order[last].a { return END; }
    }
    return select(next | LEAF, next, extends_up(next));
}

// Puts the records in order, each with where a walk goes on after it.
@compute @workgroup_size(WORKGROUP)
fn place_leaves(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var i = workgroup.x * WORKGROUP + local; i < params.box_count; i += workgroups.x * WORKGROUP) {
        let from_box = order[i].b;
        var record: Record;
        if from_box < params.bounds_segment {
            record = bounds_0[from_box];
        } else {
            record = bounds_1[from_box - params.bounds_segment];
        }
        record.low_and_tag.w = escape_from(i);
        if i < params.bounds_segment {
            records_0[i] = record;
        } else {
            records_1[i - params.bounds_segment] = record;
        }
    }
}

// Finds the records of each node, and its children. The first and the last record are where the node's corners will be.
@compute @workgroup_size(WORKGROUP)
fn link_nodes(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var i = workgroup.x * WORKGROUP + local; i + 1u < params.box_count; i += workgroups.x * WORKGROUP) {
        let own = i32(i);
        let step = select(-1, 1, extends_up(i));
        // No record of the node has less in common with its own.
        let least = alike(i, own - step);
        var most = 2;
        while alike(i, own + most * step) > least { most *= 2; }
        var length = 0;
        for (var part = most / 2; part > 0; part /= 2) {
            if alike(i, own + (length + part) * step) > least { length += part; }
        }
        let other = own + length * step;
        // What all of its records have in common; the records of one child have more.
        let alike_all = alike(i, other);
        var divided = 0;
        for (var part = length; part > 1;) {
            part = (part + 1) / 2;
            if alike(i, own + (divided + part) * step) > alike_all { divided += part; }
        }
        let first = u32(min(own, other));
        let last = u32(max(own, other));
        let left = u32(own + divided * step + min(step, 0));
        let node = Record(
            vec4(first, last, 0u, escape_from(last)),
            vec4(0u, 0u, 0u, select(left, left | LEAF, left == first)),
        );
        if i < params.bounds_segment {
            nodes_0[i] = node;
        } else {
            nodes_1[i - params.bounds_segment] = node;
        }
    }
}
