// Sorts the bounds by grid slot with a counting sort: count the boxes of every slot, allocate a run of records to each, place
// the records. Twin: src/broad_phase/grid/grid_build_cpu.rs.

const WORKGROUP: u32 = 256u;
const PER_INVOCATION: u32 = 4u;

// A box's slot, its rank among the boxes of the slot, and its cell key. The key is computed once and read by later kernels,
// so that rounding cannot make two of them disagree about a cell.
struct Place {
    slot: u32,
    rank: u32,
    key: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> plan: Plan;
@group(0) @binding(4) var<storage, read_write> places: array<Place>;
// The same buffer, counted in and read.
@group(0) @binding(5) var<storage, read_write> slot_counts: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> slot_counts_by_four: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> slot_starts: array<u32>;
// As many in each as there are bounds in a binding.
@group(0) @binding(8) var<storage, read_write> records_0: array<Bounds>;
@group(0) @binding(9) var<storage, read_write> records_1: array<Bounds>;
@group(0) @binding(10) var<storage, read_write> candidates: CandidateList;

@compute @workgroup_size(WORKGROUP)
fn count_slots(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var i = workgroup.x * WORKGROUP + local; i < params.box_count; i += workgroups.x * WORKGROUP) {
        let b = bounds_at(i);
        let l = plan.level_of_bin[b.tag];
        let level = plan.levels[l];
        let cell = to_cell(level, in_cells(level, b.low, plan.origin));
        let slot = slot_of(level, cell, displacement_of_world(level, world_of_b(b.id)));
        places[i] = Place(slot, atomicAdd(&slot_counts[slot], 1u), cell_key(l, cell));
    }
}

var<workgroup> sums: array<u32, 256>;
var<workgroup> block_start: u32;

// Gives every slot a run of records as long as its count: consecutive runs within a block of slots, and to each block the
// next free records. So no pass over all counts has to precede another, and blocks come in no certain order. The counts
// are left at zero, for the next frame.
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
        // Inclusive scan over the invocations' sums (Hillis and Steele, "Data Parallel Algorithms", 1986).
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

@compute @workgroup_size(WORKGROUP)
fn place_records(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var i = workgroup.x * WORKGROUP + local; i < params.box_count; i += workgroups.x * WORKGROUP) {
        let place = places[i];
        var record = bounds_at(i);
        record.tag = place.key;
        let k = slot_starts[start_of(place.slot)] + place.rank;
        if k < params.bounds_segment {
            records_0[k] = record;
        } else {
            records_1[k - params.bounds_segment] = record;
        }
    }
}
