// One step of a walk over the tree. The including shader declares `record_at` and `node_at`.
// Uses: broad_phase/lbvh/lbvh.wgsl, broad_phase/lbvh/lbvh_query.wgsl or
// broad_phase/lbvh/nodes.wgsl, broad_phase/record.wgsl.

fn link_of(there: Record) -> u32 { return there.low_and_tag.w; }
fn left_of(node: Record) -> u32 { return node.high_and_id.w; }

fn at_link(link: u32) -> Record {
    if link >= LEAF { return record_at(link & POSITION); }
    return node_at(link);
}

// The next link of a walk, given whether the bounds at this link are met, or END if it begins at
// the record `end` or beyond.
fn step_from(link: u32, there: Record, met: bool, end: u32) -> u32 {
    if met && link < LEAF { return left_of(there); }
    return before(link_of(there), end);
}

// An escape link, or END if it leads to the record `end` or beyond. It holds the index of its first
// record, or the node of the same number.
fn before(link: u32, end: u32) -> u32 {
    return select(link, END, (link & POSITION) >= end);
}

// The largest subtree that begins with a record, in a tree of `count` records. A node extends
// upwards or downwards from the record with its number.
fn subtree_from(first: u32, count: u32) -> u32 {
    if first + 1u < count {
        if (left_of(node_at(first)) & POSITION) >= first { return first; }
    }
    return first | LEAF;
}
