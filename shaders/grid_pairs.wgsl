// Candidate pairs: for every record the records after it whose bounds overlap its own, in its level and the coarser ones.
// Twin: src/broad_phase/grid_pairs_cpu.rs. Why each pair is found exactly once: src/broad_phase/grid.rs.

const WORKGROUP: u32 = 64u;
const ONE_CELL: f32 = 1.0 + 0x1p-20;

// Two passes over the same walk: the first counts the pairs of every record, the second writes those whose index, after
// the counts were scanned, falls into the window.
override emit: bool = false;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> plan: Plan;
@group(0) @binding(2) var<storage, read> records: array<Bounds>;
@group(0) @binding(3) var<storage, read> slot_starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(5) var<storage, read_write> candidates: array<Pair>;

fn overlap(a: Bounds, b: Bounds) -> bool {
    return all(a.low <= b.high) && all(b.low <= a.high);
}

// Whether a record's cell lies in the row of cells that starts at `start` (a key) and is `length` long.
fn in_row(key: u32, start: u32, length: u32) -> bool {
    return ((key ^ start) >> CELL_KEY_BITS) == 0u && ((key - start) & CELL_KEY_MASK) < length;
}

// The cell with a record's key next to where its position puts it.
fn home_cell(key: u32, near: vec3<u32>) -> vec3<u32> {
    let low = vec3(key, key >> 9u, key >> 18u);
    let difference = vec3<i32>((low - near) << vec3(23u)) >> vec3(23u);
    return near + vec3<u32>(difference);
}

@compute @workgroup_size(WORKGROUP)
fn grid_pairs(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let home_index = global_index(workgroup, workgroups, local, WORKGROUP);
    if home_index >= params.range_count { return; }
    let i = params.range_first + home_index;

    var found = 0u;
    let window_end = saturating_add(params.window_first, params.candidate_capacity);
    if emit {
        found = offsets[home_index];
        if found >= window_end || offsets[home_index + 1u] <= params.window_first { return; }
    }

    let record = records[i];
    let own_level = record.tag >> 27u;
    for (var coarser = 0u; coarser <= own_level; coarser++) {
        let l = own_level - coarser;
        let level = plan.levels[l];
        let own = coarser == 0u;
        let near = (record.low - plan.origin) * level.inverse_cell_size;
        let far = (record.high - plan.origin) * level.inverse_cell_size;
        var first = to_cell(near - ONE_CELL - level.slack, level.last_cell);
        let last = to_cell(far + level.slack, level.last_cell);
        var home = vec3(0u);
        if own {
            home = home_cell(record.tag, to_cell(near, level.last_cell));
            first.z = home.z;
        }
        for (var z = first.z; z <= last.z; z++) {
            let own_slice = own && z == home.z;
            for (var y = select(first.y, home.y, own_slice); y <= last.y; y++) {
                let own_row = own_slice && y == home.y;
                var x = select(first.x, home.x, own_row);
                // A row is one run of slots, cut where it leaves a fold.
                while x <= last.x {
                    let end = min(last.x, x | ((1u << level.fold_bits.x) - 1u));
                    let slot = slot_of(level, vec3(x, y, z));
                    let key = cell_key(l, vec3(x, y, z));
                    let run_end = slot_starts[slot + end - x + 1u];
                    // In its own cell a record meets those after it only.
                    for (var j = select(slot_starts[slot], i + 1u, own_row && x == home.x); j < run_end; j++) {
                        let other = records[j];
                        if overlap(record, other) && in_row(other.tag, key, end - x + 1u) {
                            if emit && found >= params.window_first && found < window_end {
                                let pair = Pair(min(record.id, other.id), max(record.id, other.id));
                                candidates[found - params.window_first] = pair;
                            }
                            found += 1u;
                        }
                    }
                    x = end + 1u;
                }
            }
        }
    }
    if !emit {
        offsets[home_index] = found;
    }
}
