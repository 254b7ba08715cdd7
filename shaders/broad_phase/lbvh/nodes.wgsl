// The tree of a scene, over two bindings each of nodes and of records.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> nodes_0: array<Record>;
@group(0) @binding(2) var<storage, read> nodes_1: array<Record>;
@group(0) @binding(3) var<storage, read> records_0: array<Record>;
@group(0) @binding(4) var<storage, read> records_1: array<Record>;
@group(0) @binding(5) var<storage, read_write> candidates: CandidateList;

// Whether there are more records than the first binding holds. No question for the innermost loop.
override split: bool = false;

fn record_at(i: u32) -> Record {
    if split {
        if i >= params.bounds_segment { return records_1[i - params.bounds_segment]; }
    }
    return records_0[i];
}

fn node_at(i: u32) -> Record {
    if split {
        if i >= params.bounds_segment { return nodes_1[i - params.bounds_segment]; }
    }
    return nodes_0[i];
}
