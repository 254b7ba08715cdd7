// The tree of a scene, over two bindings of nodes and two of records.
// Uses: broad_phase/record.wgsl, shared/common.wgsl.

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> nodes_0: array<Record>;
@group(0) @binding(2) var<storage, read> nodes_1: array<Record>;
@group(0) @binding(3) var<storage, read> records_0: array<Record>;
@group(0) @binding(4) var<storage, read> records_1: array<Record>;
@group(0) @binding(5) var<storage, read_write> candidates: CandidateList;

// `true` if there are more records than the first binding holds. A constant, so that the innermost
// loop need not test it.
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
