// A step of a walk over the tree. The including shader declares `record_at` and `node_at`.

fn link_of(there: Record) -> u32 { return there.low_and_tag.w; }
fn left_of(node: Record) -> u32 { return node.high_and_id.w; }

fn at_link(link: u32) -> Record {
    if link >= LEAF { return record_at(link & POSITION); }
    return node_at(link);
}

// Where a walk goes on that has met what is at a link, or not, as long as that begins before the record `end`.
fn step_from(link: u32, there: Record, met: bool, end: u32) -> u32 {
    if met && link < LEAF { return left_of(there); }
    return before(link_of(there), end);
}

// An escape link, unless it leads to the record `end` or beyond. It names the first record below it, or a node of the same number.
fn before(link: u32, end: u32) -> u32 {
    return select(link, END, (link & POSITION) >= end);
}

// The largest subtree that begins with a record, of so many. A node extends upwards or downwards from the record of its number.
fn subtree_from(first: u32, count: u32) -> u32 {
    if first + 1u < count {
        if (left_of(node_at(first)) & POSITION) >= first { return first; }
    }
    return first | LEAF;
}
