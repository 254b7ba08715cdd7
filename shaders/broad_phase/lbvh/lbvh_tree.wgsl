// The tree over the sorted records: T. Karras, "Maximizing Parallelism in the Construction of BVHs,
// Octrees, and k-d Trees" (HPG 2012). Each node independently finds the records below it and its
// split position. Twin: src/broad_phase/lbvh/lbvh_tree_cpu.rs.
// Uses: broad_phase/lbvh/lbvh.wgsl, broad_phase/record.wgsl, shared/common.wgsl, shared/pair.wgsl.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> bounds_0: array<Record>;
@group(0) @binding(2) var<storage, read> bounds_1: array<Record>;
// The world of each record, if there are worlds, and its box; and the keys, the low half first.
@group(0) @binding(3) var<storage, read> order: array<Pair>;
@group(0) @binding(4) var<storage, read> sorted_keys: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> records_0: array<Record>;
@group(0) @binding(6) var<storage, read_write> records_1: array<Record>;
@group(0) @binding(7) var<storage, read_write> nodes_0: array<Record>;
@group(0) @binding(8) var<storage, read_write> nodes_1: array<Record>;

// The number of leading bits that the keys of two records have in common. Equal keys are
// distinguished by their positions. For positions out of range it is less than for any two records.
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

// Returns `true` if the records of a node extend upwards from the record with the node's number,
// and `false` if downwards.
fn extends_up(i: u32) -> bool {
    return alike(i, i32(i) + 1) > alike(i, i32(i) - 1);
}

// The escape link after a record: the largest subtree of the same world that begins with the next
// record.
fn escape_from(last: u32) -> u32 {
    let next = last + 1u;
    if next >= params.box_count { return END; }
    if params.worlds > 0u {
        if order[next].a != order[last].a { return END; }
    }
    return select(next | LEAF, next, extends_up(next));
}

// Writes the records in order, each with its escape link.
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

// Finds the records of each node, and its children. The first and the last record are stored where
// the node's corners will be.
@compute @workgroup_size(WORKGROUP)
fn link_nodes(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var i = workgroup.x * WORKGROUP + local; i + 1u < params.box_count; i += workgroups.x * WORKGROUP) {
        let own = i32(i);
        let step = select(-1, 1, extends_up(i));
        // Every record of the node has more leading bits in common with its own record.
        let least = alike(i, own - step);
        var most = 2;
        while alike(i, own + most * step) > least { most *= 2; }
        var length = 0;
        for (var part = most / 2; part > 0; part /= 2) {
            if alike(i, own + (length + part) * step) > least { length += part; }
        }
        let other = own + length * step;
        // The number of leading bits common to all of its records. The records of one child have
        // more in common.
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
