// Plans the grid from the scene's statistics: groups the boxes by size, and, after the probe has
// measured how crowded cells of each group's size would be, lays out levels and their cell tables.
// Twin: src/broad_phase/grid/grid_plan_cpu.rs, which explains each rule.
// Uses: broad_phase/grid/grid.wgsl, shared/common.wgsl, shared/scene_stats.wgsl.

const WORKGROUP: u32 = 256u;
const SMALLEST_CELL: f32 = 0x1p-100;
const CELLS_ACROSS: f32 = 0x1p-20;
const BASE_SLACK: f32 = 0x1p-10;
const SLACK_PER_CELL: f32 = 0x1p-20;
const ROW_COST: f32 = 10.0;
const INFINITE_COST: f32 = 0x1p127;
// The factor by which cells are larger than the largest box if the next frame may keep the plan:
// bounds change as boxes turn.
const ROOM_TO_GROW: f32 = 1.0 + 0x1p-6;
// This many additional boxes do not crowd a level, even if it had few.
const FEW_BOXES: u32 = 8u;
// The flags of `params.worlds`.
const WORLDS: u32 = 1u;
const LAYERS: u32 = 2u;
const MAX_LAYERS: u32 = 4u;
const MAX_SLOTS_PER_BOX: u32 = 4u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> stats: SceneStats;
@group(0) @binding(2) var<storage, read_write> size_groups: SizeGroups;
@group(0) @binding(3) var<storage, read_write> plan: Plan;

fn unordered(key: u32) -> f32 {
    return bitcast<f32>(select(~key, key ^ 0x80000000u, key >= 0x80000000u));
}

var<workgroup> boxes_of_bin: array<u32, 256>;
var<workgroup> largest_of_bin: array<u32, 256>;
var<workgroup> group_of_bin: array<u32, 256>;
// The number of boxes in each level of the existing plan, and the bits of the largest size in each.
var<workgroup> boxes_of_level: array<atomic<u32>, MAX_LEVELS>;
var<workgroup> largest_of_level: array<atomic<u32>, MAX_LEVELS>;
// A bit for each bin that has boxes. Few bins have any, and one invocation visits these.
var<workgroup> occupied: array<atomic<u32>, BINS / 32u>;

// One invocation per bin reads and writes all bins in parallel; the first makes the groups.
@compute @workgroup_size(WORKGROUP)
fn group_sizes(@builtin(local_invocation_index) local: u32) {
    boxes_of_bin[local] = stats.boxes_of_bin[local];
    largest_of_bin[local] = stats.largest_of_bin[local];
    group_of_bin[local] = 0u;
    if local < BINS / 32u { atomicStore(&occupied[local], 0u); }
    if local < MAX_LEVELS {
        atomicStore(&boxes_of_level[local], 0u);
        atomicStore(&largest_of_level[local], 0u);
    }
    workgroupBarrier();
    if boxes_of_bin[local] > 0u {
        atomicOr(&occupied[local / 32u], 1u << (local % 32u));
        let level = min(plan.level_of_bin[local], MAX_LEVELS - 1u);
        atomicAdd(&boxes_of_level[level], boxes_of_bin[local]);
        atomicMax(&largest_of_level[level], largest_of_bin[local]);
    }
    workgroupBarrier();
    if local == 0u { make_groups(); }
    workgroupBarrier();
    size_groups.group_of_bin[local] = group_of_bin[local];
}

// Returns `true` if the plan of an earlier frame, by which the boxes have been counted, is kept.
// Its pairs are correct if no box is larger than the cells of its level:
// src/broad_phase/grid/layout.rs, "Plans that are kept". The other conditions check that it is
// worth keeping.
fn may_be_kept(low: vec3<f32>, high: vec3<f32>) -> bool {
    if params.refit == 0u || plan.order != params.order { return false; }
    for (var l = 0u; l < plan.level_count; l++) {
        let largest = atomicLoad(&largest_of_level[l]);
        let cell_size = plan.levels[l].cell_size;
        if largest > bitcast<u32>(cell_size) { return false; }
        if 4.0 * bitcast<f32>(largest) < cell_size && cell_size > SMALLEST_CELL { return false; }
        let boxes = atomicLoad(&boxes_of_level[l]);
        if boxes > 2u * plan.levels[l].boxes + FEW_BOXES || 2u * boxes < plan.levels[l].boxes { return false; }
    }
    let span = plan.high - plan.origin;
    let cell = vec3(plan.levels[0].cell_size);
    let room = 0.125 * span + cell;
    return all(low >= plan.origin - room) && all(high <= plan.high + room) && all(high - low >= 0.5 * span - cell);
}

// The extent of the bodies of a layer; empty if it has none.
fn extent_of(layer: u32) -> Extent {
    let below = stats.layers[layer].below;
    let above = stats.layers[layer].above;
    if above[0] == 0u { return Extent(vec3(1.0), vec3(-1.0)); }
    let low = vec3(unordered(~below[0]), unordered(~below[1]), unordered(~below[2]));
    return Extent(low, vec3(unordered(above[0]), unordered(above[1]), unordered(above[2])));
}

fn make_groups() {
    let low = vec3(unordered(~stats.below[0]), unordered(~stats.below[1]), unordered(~stats.below[2]));
    let high = vec3(unordered(stats.above[0]), unordered(stats.above[1]), unordered(stats.above[2]));
    let span = high - low;
    let from_corner = max(span.x, max(span.y, span.z)) * CELLS_ACROSS;
    size_groups.kept = select(0u, 1u, may_be_kept(low, high));
    if (params.worlds & LAYERS) > 0u {
        for (var layer = 0u; layer < MAX_LAYERS; layer++) { plan.extents[layer] = extent_of(layer); }
    }
    size_groups.origin = low;
    size_groups.high = high;
    var octaves = 0u;
    for (var word = 0u; word < BINS / 32u; word++) { octaves += countOneBits(atomicLoad(&occupied[word])); }
    let octaves_per_group = max((octaves + MAX_LEVELS - 1u) / MAX_LEVELS, 1u);

    var count = 0u;
    var boxes = 0u;
    var cell_size = 0.0;
    octaves = 0u;
    var word = BINS / 32u;
    var left = 0u;
    loop {
        // The largest occupied bin that is left.
        for (; left == 0u && word > 0u; word--) { left = atomicLoad(&occupied[word - 1u]); }
        if left == 0u { break; }
        let bit = firstLeadingBit(left);
        left ^= 1u << bit;
        let bin = word * 32u + bit;
        if count == 0u || (octaves % octaves_per_group == 0u && cell_size > SMALLEST_CELL) {
            cell_size = max(bitcast<f32>(largest_of_bin[bin]), SMALLEST_CELL);
            let about_zero = cell_size < from_corner;
            if about_zero {
                cell_size = power_of_two(cell_size);
            } else if params.order > 0u {
                cell_size *= ROOM_TO_GROW;
            }
            size_groups.groups[count].cell_size = cell_size;
            size_groups.groups[count].below_zero = select(0u, CELLS_BELOW_ZERO, about_zero);
            atomicStore(&size_groups.groups[count].coincidences, 0u);
            count += 1u;
            boxes = 0u;
        }
        octaves += 1u;
        boxes += boxes_of_bin[bin];
        size_groups.groups[count - 1u].boxes = boxes;
        group_of_bin[bin] = count - 1u;
    }
    size_groups.count = count;
}

// The smallest power of two that is not less than a positive number.
fn power_of_two(x: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(x) + 0x7fffffu) & 0xff800000u);
}

// The number of cells, given the last one, or 0 if there are more than `most`.
fn cells_up_to(last_cell: vec3<u32>, most: u32) -> u32 {
    let size = last_cell + 1u;
    if size.x > most || size.y > most / size.x || size.z > most / (size.x * size.y) { return 0u; }
    return size.x * size.y * size.z;
}

// Binary logarithm of the size of a table that is not plain: two to four slots per box.
fn table_bits(boxes: u32) -> u32 {
    return min(32u - countLeadingZeros(boxes), 30u) + 1u;
}

// The bits of a table that cells leave for places of worlds, if there are several.
fn spare_bits(table: u32, bits: vec3<u32>) -> u32 {
    return select(0u, table - bits.x - bits.y - bits.z, (params.worlds & WORLDS) > 0u);
}

// Distributes a table's bits over the axes, always to the one with most cells per slot, until every
// cell has a slot.
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

// The average number of other boxes in a box's cell, if all were sorted into the group's cells.
fn occupancy(group: u32, boxes: f32) -> f32 {
    let samples = f32(params.probe_samples);
    let by_chance = samples * samples / (2.0 * f32(params.probe_slots));
    let pairs = max(f32(atomicLoad(&size_groups.groups[group].coincidences)) - by_chance, 0.0);
    return 2.0 * pairs / samples * (boxes / samples);
}

// The average number of other boxes in a box's cell, in a level of the groups
// `first..end`.
fn crowding(first: u32, end: u32) -> f32 {
    var all = 0.0;
    var own = 0.0;
    for (var g = 0u; g < size_groups.count; g++) {
        let boxes = f32(size_groups.groups[g].boxes);
        all += boxes;
        if g >= first && g < end { own += boxes; }
    }
    return own / all * occupancy(first, all);
}

// The cost of such a level, in comparisons of bounds.
fn level_cost(first: u32, end: u32) -> f32 {
    let crowd = crowding(first, end);
    var cost = 0.0;
    for (var g = first; g < size_groups.count; g++) {
        let reach = 1.0 + size_groups.groups[g].cell_size / size_groups.groups[first].cell_size;
        let part = select(1.0, 0.5, g < end);
        cost += part * f32(size_groups.groups[g].boxes) * reach * reach * (ROW_COST + reach * crowd);
    }
    return cost;
}

var<workgroup> costs: array<f32, 256>;
// By the place of a table in the plan.
var<workgroup> boxes_of_table: array<atomic<u32>, MAX_LEVELS * MAX_LAYERS>;
var<workgroup> level_of_group: array<u32, 16>;
// Whether there are layers: not from `params` directly, for the reason of `stride_end`.
var<workgroup> layered: u32;

// One invocation per pair of a first and a last group computes a cost; then the first invocation
// chooses.
@compute @workgroup_size(WORKGROUP)
fn choose_levels(@builtin(local_invocation_index) local: u32) {
    let first = local / MAX_LEVELS;
    let last = local % MAX_LEVELS;
    let kept = size_groups.kept > 0u;
    costs[local] = INFINITE_COST;
    if !kept && first <= last && last < size_groups.count { costs[local] = level_cost(first, last + 1u); }
    workgroupBarrier();
    if local == 0u {
        if !kept { lay_out_levels(); }
        plan.order = params.order;
        plan.kept = size_groups.kept;
        layered = params.worlds & LAYERS;
    }
    if local < MAX_LEVELS * MAX_LAYERS { atomicStore(&boxes_of_table[local], 0u); }
    let by_layers = workgroupUniformLoad(&layered);
    var level = plan.level_of_bin[local];
    if !kept {
        level = level_of_group[min(size_groups.group_of_bin[local], MAX_LEVELS - 1u)];
        plan.level_of_bin[local] = level;
    }
    if by_layers == 0u { return; }
    for (var layer = 0u; layer < MAX_LAYERS; layer++) {
        let boxes = stats.layers[layer].boxes_of_bin[local];
        if boxes > 0u { atomicAdd(&boxes_of_table[min(level, MAX_LEVELS - 1u) * MAX_LAYERS + layer], boxes); }
    }
    workgroupBarrier();
    if local == 0u { lay_out_tables(kept); }
}

// Gives each layer a table in each level, with two to four slots per body, or four times as many if
// there are enough. A layer without bodies in a level has the table of another layer: in a frame
// that keeps the plan, it may get bodies. A plan that is kept keeps its tables.
fn lay_out_tables(kept: bool) {
    let most_slots = MAX_SLOTS_PER_BOX * params.box_count;
    var least_slots = 1u;
    for (var place = 0u; place < MAX_LEVELS * MAX_LAYERS; place++) {
        let boxes = atomicLoad(&boxes_of_table[place]);
        if boxes > 0u { least_slots += 1u << table_bits(boxes); }
    }
    var extra = most_slots - min(least_slots, most_slots);
    var first_slot = 0u;
    for (var l = 0u; l < plan.level_count; l++) {
        let last_cell = plan.levels[l].last_cell;
        let first_of_level = first_slot;
        var last = l * MAX_LAYERS;
        for (var layer = 0u; layer < MAX_LAYERS; layer++) {
            let place = l * MAX_LAYERS + layer;
            let boxes = atomicLoad(&boxes_of_table[place]);
            if kept { plan.tables[place].boxes = boxes; }
            if kept || boxes == 0u { continue; }
            var bits = table_bits(boxes);
            let more = 3u << min(bits, 29u);
            if more <= extra / 4u {
                // Many bodies may search a layer of few bodies, which then costs hardly more than
                // its own.
                bits += 2u;
                extra -= more;
            } else if first_slot + (1u << bits) >= most_slots {
                // At least one slot must be spare.
                bits -= 1u;
            }
            plan.tables[place] = layer_table(last_cell, bits, first_slot, boxes);
            first_slot += plan.tables[place].slots;
            last = place;
        }
        if kept { continue; }
        for (var layer = 0u; layer < MAX_LAYERS; layer++) {
            let place = l * MAX_LAYERS + layer;
            if atomicLoad(&boxes_of_table[place]) > 0u { continue; }
            plan.tables[place] = plan.tables[last];
            plan.tables[place].boxes = 0u;
        }
        plan.levels[l].first_slot = first_of_level;
        plan.levels[l].slots = first_slot - first_of_level;
    }
    if kept { return; }
    plan.spare = min(most_slots - first_slot, BLOCK);
    plan.slots = first_slot + plan.spare;
}

fn layer_table(last_cell: vec3<u32>, table: u32, first_slot: u32, boxes: u32) -> LayerTable {
    let bits = fold_bits(last_cell, table);
    let world_bits = spare_bits(table, bits);
    return LayerTable(bits, first_slot, 1u << (bits.x + bits.y + bits.z + world_bits), world_bits, boxes);
}

fn lay_out_levels() {
    let count = size_groups.count;
    // The smallest cost of the groups from an index on, and the group after the first level of that
    // choice.
    var best_cost: array<f32, 17>;
    var best_end: array<u32, 17>;
    best_cost[count] = 0.0;
    for (var k = count; k > 0u; k--) {
        let from_group = k - 1u;
        best_cost[from_group] = INFINITE_COST;
        best_end[from_group] = count;
        for (var end = k; end <= count; end++) {
            let cost = costs[from_group * MAX_LEVELS + end - 1u] + best_cost[end];
            if cost < best_cost[from_group] {
                best_cost[from_group] = cost;
                best_end[from_group] = end;
            }
        }
    }

    plan.origin = size_groups.origin;
    plan.high = size_groups.high;
    let span = size_groups.high - size_groups.origin;
    var levels = 0u;
    var first_slot = 0u;
    for (var begin = 0u; begin < count;) {
        let end = best_end[begin];
        var boxes = 0u;
        for (var g = begin; g < end; g++) {
            boxes += size_groups.groups[g].boxes;
            level_of_group[g] = levels;
        }
        let cell_size = size_groups.groups[begin].cell_size;
        let below_zero = size_groups.groups[begin].below_zero;
        var inverse = 1.0 / cell_size;
        // The inverse of a power of two is exact this way; division may be inexact.
        if below_zero > 0u { inverse = bitcast<f32>((254u << 23u) - bitcast<u32>(cell_size)); }
        var last_cell = vec3<u32>(min(span * inverse, vec3(0x1p21)));
        if below_zero > 0u {
            let below = vec3(f32(below_zero));
            last_cell = vec3<u32>(clamp(floor(size_groups.high * inverse), -below, below - 1.0) + below);
        }
        let table = table_bits(boxes);
        var bits = vec3(PLAIN);
        var world_bits = 0u;
        var slots = select(cells_up_to(last_cell, MAX_SLOTS_PER_BOX * boxes), 0u, (params.worlds & WORLDS) > 0u);
        if slots == 0u {
            bits = fold_bits(last_cell, table);
            world_bits = spare_bits(table, bits);
            slots = 1u << (bits.x + bits.y + bits.z + world_bits);
        }
        let cells_rounded = select(max(last_cell.x, max(last_cell.y, last_cell.z)), 0u, below_zero > 0u);
        let slack = BASE_SLACK + SLACK_PER_CELL * f32(cells_rounded);
        plan.levels[levels] = Level(
            last_cell, first_slot, bits, slots, cell_size, inverse, slack, boxes,
            crowding(begin, end), level_cost(begin, end), world_bits, below_zero,
        );
        first_slot += slots;
        levels += 1u;
        begin = end;
    }
    plan.level_count = levels;
    plan.slots = first_slot;
}
