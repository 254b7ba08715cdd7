// Candidate pairs: for every record, the records after it whose bounds overlap its own, in its
// level and the coarser ones. Twin: src/broad_phase/grid/grid_pairs_cpu.rs.
// src/broad_phase/grid/layout.rs explains why each pair is found exactly once.
// Uses: broad_phase/grid/grid.wgsl, broad_phase/grid/layers.wgsl, broad_phase/grid/rows.wgsl,
// broad_phase/operations.wgsl, broad_phase/record.wgsl, rules/lists.wgsl, rules/may_meet.wgsl,
// shared/append.wgsl, shared/common.wgsl, shared/loops.wgsl, shared/pair.wgsl.

const WORKGROUP: u32 = 64u;
// The number of pairs that an invocation keeps until their places in the list are known. An
// invocation with more takes its own places for these.
const KEPT: u32 = 12u;
// Records that are compared at a time. Runs are short, and a subgroup waits for memory as often as
// its longest run requires.
const AT_ONCE: u32 = 2u;
// The most records that an invocation walks for before it takes places, if there are many records
// with few partners: this saves atomics on the number of pairs.
const MOST_RECORDS_EACH: u32 = 4u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read> records_0: array<Record>;
@group(0) @binding(3) var<storage, read> records_1: array<Record>;
@group(0) @binding(4) var<storage, read> slot_starts: array<u32>;
@group(0) @binding(5) var<storage, read_write> candidates: CandidateList;

// `true` if there are more records than the first binding holds. A constant, so that the innermost
// loop need not test it.
override split: bool = false;
// The number of workgroups of 256 invocations that fill a GPU.
override most_workgroups: u32 = 1024u;

// KEPT pairs for each invocation, in columns. No invocation reads another's.
var<workgroup> kept: array<Pair, KEPT * WORKGROUP>;
var<private> kept_count: u32;

// Returns `true` if a record's cell lies in the row of `length` cells that starts at the cell with
// key `start`.
fn in_row(key: u32, start: u32, length: u32) -> bool {
    return (((key ^ start) >> CELL_KEY_BITS) == 0u) & (((key - start) & CELL_KEY_MASK) < length);
}

fn record_at(i: u32) -> Record {
    if split {
        if i >= params.bounds_segment { return records_1[i - params.bounds_segment]; }
    }
    return records_0[i];
}

// Writes the pairs that an invocation keeps from place `start` on, as far as the capacity allows.
fn write_kept(start: u32, local: u32) {
    let room = params.candidate_capacity - min(start, params.candidate_capacity);
    for (var k = 0u; k < min(kept_count, room); k++) {
        let pair = kept[k * WORKGROUP + local];
        candidates.pairs[start + k] = pair;
        put_margin(start + k, pair.a, pair.b);
    }
    kept_count = 0u;
}

// Keeps the pair of two records whose bounds overlap, unless the rules exclude it.
fn keep(record: Record, other: Record, local: u32) {
    let pair = Pair(min(id_of(record), id_of(other)), max(id_of(record), id_of(other)));
    if may_meet(pair.a, pair.b) {
        kept[kept_count * WORKGROUP + local] = pair;
        kept_count += 1u;
    }
}

// Compares a record with a run of records, from a row of `length` cells that starts at the cell
// with this key.
fn compare(record: Record, run: vec2<u32>, key: u32, length: u32, local: u32) {
    var j = run.x;
    loop {
        for (; j < run.y && kept_count + AT_ONCE <= KEPT; j += AT_ONCE) {
            let first = record_at(j);
            // At the end of the run, reads the last record twice: both records are loaded before
            // either is compared.
            let second = record_at(min(j + 1u, run.y - 1u));
            if meet(record, first) & in_row(key_of(first), key, length) { keep(record, first, local); }
            if meet(record, second) & in_row(key_of(second), key, length) & (j + 1u < run.y) { keep(record, second, local); }
        }
        if j >= run.y { break; }
        write_kept(take_places(CANDIDATES, kept_count), local);
    }
}

// Finds the partners of record i.
fn walk(i: u32, local: u32) {
    let record = record_at(i);
    let own_level = level_of_key(key_of(record));
    let layer = layer_of_key(key_of(record));
    if meets_none(low_of(record), high_of(record), layer) { return; }
    let world = world_of_b(id_of(record));
    let met = layers_met_by(layer);
    for (var coarser = 0u; coarser <= own_level; coarser++) {
        let own = coarser == 0u;
        // In its own level a record searches lower layers only. These contain fewer records, so the
        // work is spread over many invocations with little work each.
        var layers = select(met, met & ((2u << layer) - 1u), own);
        while layers > 0u {
            let other = firstTrailingBit(layers);
            layers &= layers - 1u;
            walk_level(record, Walk(i, own_level - coarser, other, world, own && other == layer), local);
        }
    }
}

// A record's search for partners in one level and layer.
struct Walk {
    i: u32,
    level: u32,
    layer: u32,
    world: u32,
    // It meets only those after itself.
    half: bool,
}

fn walk_level(record: Record, walk: Walk, local: u32) {
    let level = level_of(walk.level, walk.layer);
    var low = low_of(record);
    var high = high_of(record);
    var least = vec3(0u);
    if has_layers() && !walk.half {
        // Partners in a layer are where that is, and so are their low corners.
        if plan.tables[walk.level * MAX_LAYERS + walk.layer].boxes == 0u { return; }
        let there = plan.extents[walk.layer];
        low = max(low, there.low);
        high = min(high, there.high);
        if any(low > high) { return; }
        least = to_cell(level, in_cells(level, there.low, plan.origin) - level.slack);
    }
    let displacement = displacement_of(level, walk.world);
    let near = in_cells(level, low, plan.origin);
    let far = in_cells(level, high, plan.origin);
    var first = max(least, to_cell(level, near - (ONE_CELL + level.slack)));
    let last = to_cell(level, far + level.slack);
    var home = vec3(0u);
    if walk.half {
        home = home_cell(key_of(record), to_cell(level, near));
        first.z = home.z;
    }
    for (var z = first.z; z <= last.z; z++) {
        let own_slice = walk.half && z == home.z;
        for (var y = select(first.y, home.y, own_slice); y <= last.y; y++) {
            let own_row = own_slice && y == home.y;
            var x = select(first.x, home.x, own_row);
            // A row is one run of records, cut at the ends of folds and of blocks of slots.
            while x <= last.x {
                let slot = slot_of(level, vec3(x, y, z), displacement);
                let end = min(min(last.x, x | ((1u << level.fold_bits.x) - 1u)), x + (BLOCK - 1u - slot % BLOCK));
                let place = start_of(slot);
                // In its own cell a record meets only those after it.
                let start = select(slot_starts[place], walk.i + 1u, own_row && x == home.x);
                let run = part_of_run(start, slot_starts[place + end - x + 1u]);
                if count_operations {
                    rows += 1u;
                    comparisons += run.y - run.x;
                }
                compare(record, run, cell_key(walk.level, walk.layer, vec3(x, y, z)), end - x + 1u, local);
                x = end + 1u;
            }
        }
    }
}

// The number of records of the range to walk for.
fn records_to_walk() -> u32 {
    if params.most_work <= 0.0 { return params.range_count; }
    var work = 0.0;
    for (var l = 0u; l < plan.level_count; l++) { work += plan.levels[l].cost; }
    let records = params.most_work / max(work / f32(params.box_count), 1.0);
    return min(u32(clamp(records, 1.0, 0x1p31)), params.range_count);
}

// The number of records that an invocation walks for before it takes places.
fn records_each(count: u32) -> u32 {
    // The number of pairs of boxes that share a cell, about as many as there are partners in all.
    var met = 0.0;
    for (var l = 0u; l < plan.level_count; l++) { met += plan.levels[l].crowding * f32(plan.levels[l].boxes); }
    let by_partners = 0.5 * f32(KEPT) * f32(params.box_count) / max(met, 1.0);
    return u32(clamp(min(by_partners, f32(count / (most_workgroups * 256u))), 1.0, f32(MOST_RECORDS_EACH)));
}

@compute @workgroup_size(WORKGROUP)
fn grid_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let count = records_to_walk();
    if workgroup.x == 0u && local == 0u { atomicStore(&candidates.counters[WALKED], count); }
    let each = records_each(count);
    for (var first = workgroup.x * each * WORKGROUP; first < count; first += workgroups.x * each * WORKGROUP) {
        kept_count = 0u;
        for (var k = first + local; k < min(first + each * WORKGROUP, count); k += WORKGROUP) {
            walk(params.range_first + k, local);
        }
        add_operations();
        let start = append(kept_count, CANDIDATES, local);
        write_kept(start, local);
    }
    note_ended_loops();
}
