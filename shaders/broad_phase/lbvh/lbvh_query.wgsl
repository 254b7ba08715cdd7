// Movers against a tree of boxes at rest: finds for each mover the boxes at rest whose bounds
// overlap its own. Twin: src/broad_phase/lbvh/lbvh_query_cpu.rs.
// Uses: broad_phase/lbvh/lbvh.wgsl, broad_phase/lbvh/step.wgsl, broad_phase/operations.wgsl,
// broad_phase/record.wgsl, rules/lists.wgsl, rules/may_meet.wgsl, rules/two_sets.wgsl,
// shared/append.wgsl, shared/append_portable.wgsl or shared/append_subgroup.wgsl,
// shared/common.wgsl, shared/loops.wgsl, shared/outcome.wgsl, shared/pair.wgsl.

const WORKGROUP: u32 = 64u;
// The number of boxes that an invocation keeps until the places of its pairs are known. An
// invocation that finds more walks a second time.
const KEPT: u32 = 24u;
// The most comparisons that one invocation does alone for a mover. Beyond that the whole workgroup
// shares the work.
const MOST_ALONE: u32 = 2048u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> nodes: array<Record>;
@group(0) @binding(2) var<storage, read> records: array<Record>;
// Its field `pairs` is the number of boxes at rest.
@group(0) @binding(3) var<uniform> outcome: Outcome;
@group(0) @binding(4) var<storage, read> movers: array<Record>;
@group(0) @binding(5) var<storage, read_write> candidates: CandidateList;

// KEPT boxes for each invocation, in columns. No invocation reads another's.
var<workgroup> kept: array<u32, 1536>;
// Movers with too much work for one invocation.
var<workgroup> large: array<u32, 64>;
var<workgroup> large_count: atomic<u32>;

fn record_at(i: u32) -> Record { return records[i]; }
fn node_at(i: u32) -> Record { return nodes[i]; }

// One invocation's share of the work for a mover.
struct Work {
    mover: Record,
    // The range of records to search.
    first: u32,
    end: u32,
    local: u32,
    // `true` in the second walk, which writes the pairs that were not kept; and the place of the
    // first pair.
    again: bool,
    start: u32,
}

fn write(place: u32, box: u32, mover: u32) {
    if place >= params.candidate_capacity { return; }
    candidates.pairs[place] = Pair(box, mover);
    put_margin(place, box, mover);
}

// The first record of a world or of a later one.
fn first_of_world(world: u32) -> u32 {
    var low = 0u;
    var high = outcome.pairs;
    while low < high {
        let middle = low + (high - low) / 2u;
        if rule_a(rule_a(WORLDS) + id_of(records[middle])) < world { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

// The records that a mover can meet: those of its world, if the boxes at rest have worlds.
fn reach_of(mover: Record) -> vec2<u32> {
    var reach = vec2(0u, outcome.pairs);
    if ruled {
        if rule_a(WORLDS) > 0u {
            let world = world_of_b(id_of(mover));
            reach.x = first_of_world(world);
            if world < 0xffffffffu { reach.y = first_of_world(world + 1u); }
        }
    }
    return vec2(max(reach.x, params.partners_first), min(reach.y, params.partners_end));
}

// The number of boxes found, and whether these are all.
struct Partners {
    found: u32,
    all: bool,
}

// Finds boxes, with at most `most` comparisons. The first walk keeps as many as fit; the second
// (`again`) writes the others.
fn partners_of(work: Work, most: u32) -> Partners {
    var found = 0u;
    var count = 0u;
    var link = END;
    if work.first < work.end { link = subtree_from(work.first, outcome.pairs); }
    while link != END && count < most {
        let there = at_link(link);
        let met = meet(work.mover, there);
        count += 1u;
        if met && link >= LEAF {
            if may_meet(id_of(there), id_of(work.mover)) {
                if work.again {
                    if found >= KEPT { write(work.start + found, id_of(there), id_of(work.mover)); }
                } else if found < KEPT {
                    kept[found * WORKGROUP + work.local] = id_of(there);
                }
                found += 1u;
            }
        }
        link = step_from(link, there, met, work.end);
    }
    if count_operations && !work.again { comparisons += count; }
    return Partners(found, link == END);
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
        partners_of(others, END);
    }
}

@compute @workgroup_size(WORKGROUP)
fn lbvh_query(
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
            let mover = movers[i];
            let reach = reach_of(mover);
            work = Work(mover, reach.x, reach.y, local, false, 0u);
            let partners = partners_of(work, MOST_ALONE);
            if partners.all {
                count = partners.found;
            } else {
                large[atomicAdd(&large_count, 1u)] = i;
            }
        }
        emit(work, count);

        workgroupBarrier();
        let large_movers = bound_of_loop(atomicLoad(&large_count), local);
        for (var k = 0u; k < large_movers; k++) {
            let mover = movers[large[k]];
            let reach = reach_of(mover);
            let records_each = (max(reach.y, reach.x) - reach.x) / WORKGROUP + 1u;
            let begin = reach.x + local * records_each;
            let share = Work(mover, begin, min(begin + records_each, reach.y), local, false, 0u);
            emit(share, partners_of(share, END).found);
        }
        add_operations();
        workgroupBarrier();
    }
    note_ended_loops();
}
