// Candidate pairs: for every record the records after it whose bounds overlap its own, in its level and the coarser ones.
// Twin: src/broad_phase/grid/grid_pairs_cpu.rs. Why each pair is found exactly once: src/broad_phase/grid/layout.rs.

const WORKGROUP: u32 = 64u;
// Partners that an invocation keeps until it is known where its pairs go. One that finds more walks again.
const KEPT: u32 = 24u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read> records_0: array<Bounds>;
@group(0) @binding(3) var<storage, read> records_1: array<Bounds>;
@group(0) @binding(4) var<storage, read> slot_starts: array<u32>;
@group(0) @binding(5) var<storage, read_write> candidates: CandidateList;

// Whether there are more records than the first binding holds. No question for the innermost loop.
override split: bool = false;
// Pairs that an invocation may find along with all others of its workgroup, so that 32 bits count them together.
override most_counted: u32 = 0x3ffffffu;

// KEPT for each invocation, in columns; no invocation reads another's.
var<workgroup> kept: array<u32, 1536>;

// Whether a record's cell lies in the row of cells that starts at `start` (a key) and is `length` long.
fn in_row(key: u32, start: u32, length: u32) -> bool {
    return ((key ^ start) >> CELL_KEY_BITS) == 0u && ((key - start) & CELL_KEY_MASK) < length;
}

fn record_at(i: u32) -> Bounds {
    if split {
        if i >= params.bounds_segment { return records_1[i - params.bounds_segment]; }
    }
    return records_0[i];
}

fn write(place: u32, a: u32, b: u32) {
    if place >= params.candidate_capacity { return; }
    candidates.pairs[place] = Pair(min(a, b), max(a, b));
    put_margin(place, min(a, b), max(a, b));
}

// Finds the partners of record i and returns how many there are. The first walk keeps as many as there is room for; the
// second (`again`) writes the others to the candidate pairs, the first of all at `start`.
fn walk(i: u32, record: Bounds, local: u32, again: bool, start: u32) -> u32 {
    var found = 0u;
    let own_level = record.tag >> 27u;
    let world = world_of_b(record.id);
    for (var coarser = 0u; coarser <= own_level; coarser++) {
        let l = own_level - coarser;
        let level = plan.levels[l];
        let own = coarser == 0u;
        let displacement = displacement_of_world(level, world);
        let near = in_cells(level, record.low, plan.origin);
        let far = in_cells(level, record.high, plan.origin);
        var first = to_cell(level, near - (ONE_CELL + level.slack));
        let last = to_cell(level, far + level.slack);
        var home = vec3(0u);
        if own {
            home = home_cell(record.tag, to_cell(level, near));
            first.z = home.z;
        }
        for (var z = first.z; z <= last.z; z++) {
            let own_slice = own && z == home.z;
            for (var y = select(first.y, home.y, own_slice); y <= last.y; y++) {
                let own_row = own_slice && y == home.y;
                var x = select(first.x, home.x, own_row);
                // A row is one run of records, cut where it leaves a fold or a block of slots.
                while x <= last.x {
                    let slot = slot_of(level, vec3(x, y, z), displacement);
                    let end = min(min(last.x, x | ((1u << level.fold_bits.x) - 1u)), x + (BLOCK - 1u - slot % BLOCK));
                    let key = cell_key(l, vec3(x, y, z));
                    let run = start_of(slot);
                    // In its own cell a record meets those after it only.
                    let run_start = select(slot_starts[run], i + 1u, own_row && x == home.x);
                    let part = part_of_run(run_start, slot_starts[run + end - x + 1u]);
                    if count_operations {
                        rows += 1u;
                        comparisons += part.y - part.x;
                    }
                    for (var j = part.x; j < part.y; j++) {
                        let other = record_at(j);
                        if overlap(record, other) && in_row(other.tag, key, end - x + 1u) {
                            if !may_meet(min(record.id, other.id), max(record.id, other.id)) { continue; }
                            if again {
                                if found >= KEPT { write(start + found, record.id, other.id); }
                            } else if found < KEPT {
                                kept[found * WORKGROUP + local] = other.id;
                            }
                            found += 1u;
                        }
                    }
                    x = end + 1u;
                }
            }
        }
    }
    return found;
}

// As many of the pairs found as can be counted, and TOO_MANY if those are not all: the host divides the range then. What
// a single record has, can be.
fn countable(found: u32) -> u32 {
    if found <= most_counted || params.range_count == 1u { return found; }
    atomicMax(&candidates.counters[TOO_MANY], 1u);
    return most_counted;
}

@compute @workgroup_size(WORKGROUP)
fn grid_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    for (var first = workgroup.x * WORKGROUP; first < params.range_count; first += workgroups.x * WORKGROUP) {
        let i = params.range_first + first + local;
        var record: Bounds;
        var found = 0u;
        if first + local < params.range_count {
            record = record_at(i);
            found = walk(i, record, local, false, 0u);
            add_operations();
        }
        let start = append(countable(found), CANDIDATES, local);
        for (var k = 0u; k < min(found, KEPT); k++) {
            write(start + k, record.id, kept[k * WORKGROUP + local]);
        }
        if found > KEPT { walk(i, record, local, true, start); }
    }
    note_ended_loops();
}
