// Sorts the bounds by grid slot with a counting sort: count the boxes of every slot, allocate a run
// of records for each slot, and place the records. Twin: src/broad_phase/grid/grid_build_cpu.rs.
// Uses: broad_phase/grid/grid.wgsl, broad_phase/grid/layers.wgsl, broad_phase/grid/plan.wgsl,
// rules/lists.wgsl, shared/bounds.wgsl, shared/common.wgsl.

const WORKGROUP: u32 = 256u;
const PER_INVOCATION: u32 = 4u;
// The bin of a body that meets nothing: no number has such a size.
const NO_BIN: u32 = 255u;

@group(0) @binding(0) var<uniform> params: Params;
// The bounds, before and after counting. After counting, the id's field holds the rank in the slot
// (the id equals the index), and the tag holds the cell. The cell is computed once and read by
// later kernels, so that rounding cannot make two of them disagree about it.
@group(0) @binding(3) var<storage, read_write> counted_0: array<Bounds>;
@group(0) @binding(4) var<storage, read_write> counted_1: array<Bounds>;
// One buffer, bound twice: for counting and for reading.
@group(0) @binding(5) var<storage, read_write> slot_counts: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> slot_counts_by_four: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> slot_starts: array<u32>;
// Each holds as many records as a binding holds bounds.
@group(0) @binding(9) var<storage, read_write> records_0: array<Bounds>;
@group(0) @binding(10) var<storage, read_write> records_1: array<Bounds>;
@group(0) @binding(11) var<storage, read_write> candidates: CandidateList;
@group(0) @binding(12) var<storage, read_write> size_groups: SizeGroups;
@group(0) @binding(13) var<storage, read_write> table: array<u32>;

// If a plan was to be kept but cannot be: discards the counts made with it, and clears the probe's
// table.
@compute @workgroup_size(WORKGROUP)
fn discard_counts(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if size_groups.kept > 0u { return; }
    let step = workgroups.x * WORKGROUP;
    let probed = size_groups.count * params.probe_slots;
    for (var k = workgroup.x * WORKGROUP + local; k < probed; k += step) { table[k] = 0u; }
    if plan.order != params.order { return; }
    // Whole blocks, because they are allocated whole.
    let fours = (plan.slots + BLOCK - 1u) / BLOCK * WORKGROUP;
    for (var k = workgroup.x * WORKGROUP + local; k < fours; k += step) { slot_counts_by_four[k] = vec4(0u); }
}

// The slot of a body that meets nothing.
fn spare_slot(i: u32) -> u32 {
    return plan.slots - plan.spare + i % plan.spare;
}

@compute @workgroup_size(WORKGROUP)
fn count_slots(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    // With a plan that is kept, they are counted already, if there are no layers.
    let count = select(params.box_count, 0u, (plan.kept > 0u) & !has_layers());
    for (var i = workgroup.x * WORKGROUP + local; i < stride_end(count, workgroups); i += workgroups.x * WORKGROUP) {
        let split = i >= params.bounds_segment;
        var low: vec3<f32>;
        var high: vec3<f32>;
        var bin: u32;
        if split {
            low = counted_1[i - params.bounds_segment].low;
            high = counted_1[i - params.bounds_segment].high;
            bin = bin_of_tag(counted_1[i - params.bounds_segment].tag);
        } else {
            low = counted_0[i].low;
            high = counted_0[i].high;
            bin = bin_of_tag(counted_0[i].tag);
        }
        let layer = layer_of_b(i);
        let level = level_of(level_of_bin(bin), layer);
        let cell = to_cell(level, in_cells(level, low, plan.origin));
        var tag = counted_tag(bin, cell);
        var slot = slot_of(level, cell, displacement_of(level, world_of_b(i)));
        if has_layers() && (bin == NO_BIN || meets_none(low, high, layer)) {
            tag = counted_tag(NO_BIN, cell);
            slot = spare_slot(i);
        }
        let rank = atomicAdd(&slot_counts[slot], 1u);
        if split {
            counted_1[i - params.bounds_segment].tag = tag;
            counted_1[i - params.bounds_segment].id = rank;
        } else {
            counted_0[i].tag = tag;
            counted_0[i].id = rank;
        }
    }
}

var<workgroup> sums: array<u32, 256>;
var<workgroup> block_start: u32;

// Gives every slot a run of records as long as its count: consecutive runs within a block of slots,
// and to each block the next free records. Therefore no pass over all counts must come first, and
// blocks are in no particular order. The counts are reset to zero for the next frame.
@compute @workgroup_size(WORKGROUP)
fn allocate_runs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var block = workgroup.x; block * BLOCK < plan.slots; block += workgroups.x) {
        let group = block * WORKGROUP + local;
        let counts = slot_counts_by_four[group];
        slot_counts_by_four[group] = vec4(0u);
        sums[local] = counts.x + counts.y + counts.z + counts.w;
        workgroupBarrier();
        // Inclusive scan over the invocations' sums (Hillis and Steele, "Data Parallel Algorithms",
        // 1986).
        for (var step = 1u; step < WORKGROUP; step *= 2u) {
            var before = 0u;
            if local >= step { before = sums[local - step]; }
            workgroupBarrier();
            sums[local] += before;
            workgroupBarrier();
        }
        if local == WORKGROUP - 1u { block_start = atomicAdd(&candidates.counters[PLACED], sums[local]); }
        workgroupBarrier();
        let end = block_start + sums[local];
        let first = start_of(group * PER_INVOCATION);
        slot_starts[first + 3u] = end - counts.w;
        slot_starts[first + 2u] = end - counts.w - counts.z;
        slot_starts[first + 1u] = end - counts.w - counts.z - counts.y;
        slot_starts[first] = end - counts.w - counts.z - counts.y - counts.x;
        if local == WORKGROUP - 1u { slot_starts[first + PER_INVOCATION] = end; }
        workgroupBarrier();
    }
}

// The cell that a box was counted in: the cell nearest to its position that has the tag's low bits.
fn counted_cell(tag: u32, near: vec3<u32>) -> vec3<u32> {
    let low = vec3(tag >> 8u, tag >> 16u, tag >> 24u);
    return near + vec3<u32>(vec3<i32>((low - near) << vec3(24u)) >> vec3(24u));
}

@compute @workgroup_size(WORKGROUP)
fn place_records(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var i = workgroup.x * WORKGROUP + local; i < params.box_count; i += workgroups.x * WORKGROUP) {
        let counted = bounds_at(i);
        let bin = bin_of_tag(counted.tag);
        let l = level_of_bin(bin);
        let layer = layer_of_b(i);
        let level = level_of(l, layer);
        let cell = counted_cell(counted.tag, to_cell(level, in_cells(level, counted.low, plan.origin)));
        var slot = slot_of(level, cell, displacement_of(level, world_of_b(i)));
        if has_layers() && bin == NO_BIN { slot = spare_slot(i); }
        let record = Bounds(counted.low, cell_key(l, layer, cell), counted.high, i);
        let k = slot_starts[start_of(slot)] + counted.id;
        if k < params.bounds_segment {
            records_0[k] = record;
        } else {
            records_1[k - params.bounds_segment] = record;
        }
    }
}
