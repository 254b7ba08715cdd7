// Movers against a grid of boxes at rest: finds for each mover the boxes at rest whose bounds
// overlap its own. Twin: src/broad_phase/grid/grid_query_cpu.rs, which explains why every box is
// found exactly once.
// Uses: broad_phase/grid/grid.wgsl, broad_phase/grid/rows.wgsl, broad_phase/operations.wgsl,
// broad_phase/record.wgsl, rules/lists.wgsl, rules/may_meet.wgsl, shared/append.wgsl,
// shared/append_portable.wgsl or shared/append_subgroup.wgsl, shared/common.wgsl,
// shared/loops.wgsl, shared/pair.wgsl.

const WORKGROUP: u32 = 64u;
// The number of boxes that an invocation keeps until the places of its pairs are known. An
// invocation that finds more walks a second time.
const KEPT: u32 = 24u;
// The cost of looking up a row of cells, in comparisons of bounds.
const ROW_COST: f32 = 10.0;
// The most work that one invocation does alone for a mover, in comparisons of bounds. Beyond that
// the whole workgroup shares the work.
const MOST_ALONE: f32 = 2048.0;

@group(0) @binding(0) var<uniform> params: Params;
// The beginning of the plan: the part that a walk needs.
struct PlanAtRest {
    origin: vec3<f32>,
    level_count: u32,
    high: vec3<f32>,
    slots: u32,
    levels: array<Level, 16>,
}

@group(0) @binding(1) var<uniform> plan: PlanAtRest;
@group(0) @binding(2) var<storage, read> records: array<Record>;
@group(0) @binding(3) var<storage, read> slot_starts: array<u32>;
@group(0) @binding(4) var<storage, read> movers: array<Record>;
@group(0) @binding(5) var<storage, read_write> candidates: CandidateList;

// KEPT boxes for each invocation, in columns. No invocation reads another's.
var<workgroup> kept: array<u32, 1536>;
// Movers with too much work for one invocation.
var<workgroup> large: array<u32, 64>;
var<workgroup> large_count: atomic<u32>;

// One invocation's share of the work for a mover: every `shares`th run of records from `share` on
// if a level has at least `shares` runs, else every `shares`th record.
struct Work {
    mover: Record,
    // The part of the mover's bounds inside the world of the boxes at rest.
    low: vec3<f32>,
    high: vec3<f32>,
    share: u32,
    shares: u32,
    local: u32,
    // `true` in the second walk, which writes the pairs that were not kept; and the place of the
    // first pair.
    again: bool,
    start: u32,
}

// The cells of a level that boxes of a mover may be in.
struct Walk {
    first: vec3<u32>,
    last: vec3<u32>,
    // In comparisons of bounds, estimated from the mean number of boxes in a slot.
    cost: f32,
}

fn walk_over(level: Level, low: vec3<f32>, high: vec3<f32>) -> Walk {
    let first = to_cell(level, in_cells(level, low, plan.origin) - (ONE_CELL + level.slack));
    let last = to_cell(level, in_cells(level, high, plan.origin) + level.slack);
    let cells = vec3<f32>(last - first + 1u);
    let folds = f32((last.x >> level.fold_bits.x) - (first.x >> level.fold_bits.x) + 1u);
    let boxes_in_cells = cells.x * cells.y * cells.z * (f32(level.boxes) / f32(level.slots));
    return Walk(first, last, cells.z * cells.y * folds * ROW_COST + boxes_in_cells);
}

fn write(place: u32, box: u32, mover: u32) {
    if place >= params.candidate_capacity { return; }
    candidates.pairs[place] = Pair(box, mover);
    put_margin(place, box, mover);
}

var<private> found: u32;

// The runs that an invocation visits, and the records that it visits in each.
struct Part {
    first_run: u32,
    run_step: u32,
    first_record: u32,
    record_step: u32,
}

fn part_of(work: Work, runs: u32) -> Part {
    if runs < work.shares { return Part(0u, 1u, work.share, work.shares); }
    return Part(work.share, work.shares, 0u, 1u);
}

// Visits a run of records: those of the `cells` cells in x from `cell` on, or any if `cells` is 0.
fn look_at(work: Work, part: Part, run_first: u32, run_end: u32, level: Level, cell: vec3<u32>, cells: u32) {
    let run = part_of_run(run_first, run_end);
    if count_operations && part.first_record == 0u {
        rows += select(0u, 1u, cells > 0u);
        comparisons += run.y - run.x;
    }
    for (var j = run.x + part.first_record; j < run.y; j += part.record_step) {
        let other = records[j];
        if !meet(work.mover, other) { continue; }
        if cells > 0u {
            let own = home_cell(key_of(other), to_cell(level, in_cells(level, low_of(other), plan.origin)));
            if own.z != cell.z || own.y != cell.y || own.x < cell.x || own.x >= cell.x + cells { continue; }
        }
        if !may_meet(id_of(other), id_of(work.mover)) { continue; }
        if work.again {
            if found >= KEPT { write(work.start + found, id_of(other), id_of(work.mover)); }
        } else if found < KEPT {
            kept[found * WORKGROUP + work.local] = id_of(other);
        }
        found += 1u;
    }
}

// Visits all boxes of a level, block by block.
fn scan(work: Work, level: Level) {
    let end = level.first_slot + level.slots;
    let first_block = level.first_slot / BLOCK;
    let part = part_of(work, (end - 1u) / BLOCK - first_block + 1u);
    for (var block = first_block + part.first_run; block * BLOCK < end; block += part.run_step) {
        let first_slot = max(block * BLOCK, level.first_slot);
        let last_slot = min(block * BLOCK + BLOCK, end) - 1u;
        let first = slot_starts[start_of(first_slot)];
        look_at(work, part, first, slot_starts[start_of(last_slot) + 1u], level, vec3(0u), 0u);
    }
}

// Visits the boxes of a level in a walk's cells, row by row.
fn run(work: Work, level: Level, walk: Walk) {
    let displacement = displacement_of(level, world_of_b(id_of(work.mover)));
    let across = walk.last.y - walk.first.y + 1u;
    let count = across * (walk.last.z - walk.first.z + 1u);
    let part = part_of(work, count);
    for (var row = part.first_run; row < count; row += part.run_step) {
        let y = walk.first.y + row % across;
        let z = walk.first.z + row / across;
        var x = walk.first.x;
        // A row is one run of records, cut at the ends of folds and of blocks of slots.
        while x <= walk.last.x {
            let cell = vec3(x, y, z);
            let slot = slot_of(level, cell, displacement);
            let in_fold = min(walk.last.x, x | ((1u << level.fold_bits.x) - 1u));
            let cells = min(in_fold - x + 1u, BLOCK - slot % BLOCK);
            let first = start_of(slot);
            look_at(work, part, slot_starts[first], slot_starts[first + cells], level, cell, cells);
            x += cells;
        }
    }
}

// Finds boxes and returns their number. The first walk keeps as many as fit; the second (`again`)
// writes the others.
fn partners_of(work: Work) -> u32 {
    found = 0u;
    for (var l = 0u; l < plan.level_count; l++) {
        let level = plan.levels[l];
        let walk = walk_over(level, work.low, work.high);
        if walk.cost > f32(level.boxes) {
            scan(work, level);
        } else {
            run(work, level, walk);
        }
    }
    return found;
}

// All of the work for a mover, in one share.
fn work_for(i: u32, local: u32) -> Work {
    let mover = movers[i];
    return Work(mover, max(low_of(mover), plan.origin), min(high_of(mover), plan.high), 0u, 1u, local, false, 0u);
}

fn is_too_much(work: Work) -> bool {
    var cost = 0.0;
    for (var l = 0u; l < plan.level_count; l++) {
        cost += min(walk_over(plan.levels[l], work.low, work.high).cost, f32(plan.levels[l].boxes));
    }
    return cost > MOST_ALONE;
}

// Writes the pairs of all invocations of the workgroup.
fn emit(work: Work, count: u32) {
    let start = append(count, CANDIDATES, work.local);
    for (var k = 0u; k < min(count, KEPT); k++) {
        write(start + k, kept[k * WORKGROUP + work.local], id_of(work.mover));
    }
    if count > KEPT {
        var others = work;
        others.again = true;
        others.start = start;
        partners_of(others);
    }
    // The comparisons of a second walk are not counted.
    comparisons = 0u;
    rows = 0u;
}

@compute @workgroup_size(WORKGROUP)
fn grid_query(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var first = workgroup.x * WORKGROUP; first < params.range_count; first += workgroups.x * WORKGROUP) {
        if local == 0u { atomicStore(&large_count, 0u); }
        workgroupBarrier();
        var work: Work;
        work.local = local;
        var count = 0u;
        if first + local < params.range_count {
            let i = params.range_first + first + local;
            work = work_for(i, local);
            // A mover outside the world meets nothing in it.
            if all(work.low <= work.high) {
                if is_too_much(work) {
                    large[atomicAdd(&large_count, 1u)] = i;
                } else {
                    count = partners_of(work);
                    add_operations();
                }
            }
        }
        emit(work, count);

        workgroupBarrier();
        let large_movers = bound_of_loop(atomicLoad(&large_count), local);
        for (var k = 0u; k < large_movers; k++) {
            var shared_work = work_for(large[k], local);
            shared_work.share = local;
            shared_work.shares = WORKGROUP;
            let share_count = partners_of(shared_work);
            add_operations();
            emit(shared_work, share_count);
        }
        workgroupBarrier();
    }
    note_ended_loops();
}
