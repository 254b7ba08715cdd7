// Plans the grid from the scene's statistics: levels by box size, cell sizes, and the cell table of each level.
// Twin: src/broad_phase/grid_plan_cpu.rs, where each rule is explained.

const MAX_BOXES_PER_CELL: f32 = 2.0;
const MAX_OCTAVES: u32 = 2u;
const SMALLEST_CELL: f32 = 0x1p-100;
const CELLS_ACROSS: f32 = 0x1p-20;
const BASE_SLACK: f32 = 0x1p-10;
const SLACK_PER_CELL: f32 = 0x1p-21;

@group(0) @binding(0) var<storage, read> stats: SceneStats;
@group(0) @binding(1) var<storage, read_write> plan: Plan;

fn unordered(key: u32) -> f32 {
    return bitcast<f32>(select(~key, key ^ 0x80000000u, key >= 0x80000000u));
}

// Bits a table of two slots a box has.
fn table_bits(boxes: u32) -> u32 {
    return min(32u - countLeadingZeros(boxes), 30u) + 1u;
}

fn boxes_per_cell(boxes: u32, cell_size: f32, span: vec3<f32>) -> f32 {
    let share = vec3(cell_size) / max(span, vec3(cell_size));
    return f32(boxes) * share.x * share.y * share.z;
}

// Gives a table's bits to the axes, the one with most cells a slot first.
fn fold_bits(last_cell: vec3<u32>, bits: u32) -> vec3<u32> {
    var given = vec3(0u);
    for (var k = 0u; k < bits; k++) {
        let left = last_cell >> given;
        let most = max(left.x, max(left.y, left.z));
        if most == 0u { break; }
        if left.x == most { given.x += 1u; } else if left.y == most { given.y += 1u; } else { given.z += 1u; }
    }
    return given;
}

@compute @workgroup_size(1)
fn grid_plan() {
    let low = vec3(unordered(stats.low[0]), unordered(stats.low[1]), unordered(stats.low[2]));
    let high = vec3(unordered(stats.high[0]), unordered(stats.high[1]), unordered(stats.high[2]));
    let span = high - low;
    let smallest_cell = max(max(span.x, max(span.y, span.z)) * CELLS_ACROSS, SMALLEST_CELL);
    plan.origin = low;

    var count = 0u;
    var top_bin = 0u;
    var boxes = 0u;
    var cell_size = 0.0;
    for (var bin = BINS; bin > 0u; bin--) {
        let b = bin - 1u;
        let more = stats.boxes_of_bin[b];
        if more == 0u { continue; }
        let merge = count > 0u && (count == MAX_LEVELS || cell_size == smallest_cell
            || (top_bin - b < MAX_OCTAVES && boxes_per_cell(boxes + more, cell_size, span) <= MAX_BOXES_PER_CELL));
        if merge {
            boxes += more;
        } else {
            count += 1u;
            top_bin = b;
            boxes = more;
            cell_size = max(bitcast<f32>(stats.largest_of_bin[b]), smallest_cell);
            plan.levels[count - 1u].cell_size = cell_size;
        }
        plan.levels[count - 1u].boxes = boxes;
        plan.level_of_bin[b] = count - 1u;
    }
    plan.level_count = count;

    var first_slot = 0u;
    for (var l = 0u; l < count; l++) {
        let inverse = 1.0 / plan.levels[l].cell_size;
        let last_cell = vec3<u32>(min(span * inverse, vec3(0x1p21)));
        let bits = fold_bits(last_cell, table_bits(plan.levels[l].boxes));
        let slots = 1u << (bits.x + bits.y + bits.z);
        plan.levels[l].inverse_cell_size = inverse;
        plan.levels[l].last_cell = last_cell;
        plan.levels[l].slack = BASE_SLACK + SLACK_PER_CELL * f32(max(last_cell.x, max(last_cell.y, last_cell.z)));
        plan.levels[l].fold_bits = bits;
        plan.levels[l].slots = slots;
        plan.levels[l].first_slot = first_slot;
        first_slot += slots;
    }
}
