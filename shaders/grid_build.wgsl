// Sorts the bounds by grid slot with a counting sort: count the boxes of every slot, (scan the counts,) place the records.
// Twin: src/broad_phase/grid_build_cpu.rs.

const WORKGROUP: u32 = 256u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read_write> bounds: array<Bounds>;
@group(0) @binding(3) var<storage, read_write> places: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> slot_counts: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read> slot_starts: array<u32>;
@group(0) @binding(6) var<storage, read_write> records: array<Bounds>;

// Finds every box's level, cell and slot, and its rank among the boxes of the slot. The tag of the bounds, which was the
// size bin, becomes the cell key: later kernels read the key instead of computing the cell again, so that rounding cannot
// make two of them disagree.
@compute @workgroup_size(WORKGROUP)
fn count_slots(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = global_index(workgroup, workgroups, local, WORKGROUP);
    if i >= params.box_count { return; }
    let l = plan.level_of_bin[bounds[i].tag];
    let level = plan.levels[l];
    let cell = to_cell((bounds[i].low - plan.origin) * level.inverse_cell_size, level.last_cell);
    let slot = slot_of(level, cell);
    bounds[i].tag = cell_key(l, cell);
    places[i] = vec2(slot, atomicAdd(&slot_counts[slot], 1u));
}

// Puts every record at the start of its slot's run plus its rank.
@compute @workgroup_size(WORKGROUP)
fn place_records(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let i = global_index(workgroup, workgroups, local, WORKGROUP);
    if i >= params.box_count { return; }
    let place = places[i];
    records[slot_starts[place.x] + place.y] = bounds[i];
}
