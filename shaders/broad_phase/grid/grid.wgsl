// The grid's records and cell arithmetic, shared by the kernels that plan, build and walk it.
// Twin: src/broad_phase/grid/layout.rs, where the layout and the rounding argument are explained.
// Uses: shared/common.wgsl.
// The including shader declares: params.

const BINS: u32 = 256u;
const MAX_LEVELS: u32 = 16u;

// src/broad_phase/grid/layout.rs, Level
struct Level {
    last_cell: vec3<u32>,
    first_slot: u32,
    fold_bits: vec3<u32>,
    slots: u32,
    cell_size: f32,
    inverse_cell_size: f32,
    slack: f32,
    boxes: u32,
    crowding: f32,
    cost: f32,
    world_bits: u32,
    below_zero: u32,
}

// src/broad_phase/grid/layout.rs, LayerTable
struct LayerTable {
    fold_bits: vec3<u32>,
    first_slot: u32,
    slots: u32,
    world_bits: u32,
    boxes: u32,
}

// src/broad_phase/grid/layout.rs, Extent
struct Extent {
    low: vec3<f32>,
    high: vec3<f32>,
}

// src/broad_phase/grid/layout.rs, Plan
struct Plan {
    origin: vec3<f32>,
    level_count: u32,
    high: vec3<f32>,
    slots: u32,
    levels: array<Level, 16>,
    level_of_bin: array<u32, 256>,
    // The number of the order that the plan was made for, and whether the last frame kept the plan.
    order: u32,
    kept: u32,
    // The last slots, of no table.
    spare: u32,
    // MAX_LAYERS for each level.
    tables: array<LayerTable, 64>,
    extents: array<Extent, 4>,
}

// src/broad_phase/grid/layout.rs, SizeGroup
struct SizeGroup {
    cell_size: f32,
    boxes: u32,
    coincidences: atomic<u32>,
    below_zero: u32,
}

// src/broad_phase/grid/layout.rs, SizeGroups
struct SizeGroups {
    origin: vec3<f32>,
    count: u32,
    high: vec3<f32>,
    kept: u32,
    groups: array<SizeGroup, 16>,
    group_of_bin: array<u32, 256>,
}

// Slots whose runs of records are allocated together. The records of slots in different blocks are
// not neighbours.
const BLOCK: u32 = 1024u;

// The fold bits of plain tables, in which each cell has a slot, row by row.
const PLAIN: u32 = 31u;

// The index in `slot_starts` of the start of a slot's records. Every block has one additional
// entry, the end of its last slot.
fn start_of(slot: u32) -> u32 {
    return slot + slot / BLOCK;
}

const LEVEL_BITS: u32 = 4u;
const CELL_KEY_BITS: u32 = 8u;
const CELL_KEY_MASK: u32 = 255u;

// The cell modulo 256 in every axis, its level, and the layer of the bodies.
fn cell_key(level: u32, layer: u32, cell: vec3<u32>) -> u32 {
    let low = cell & vec3(CELL_KEY_MASK);
    let place = level | (layer << LEVEL_BITS);
    return low.x | (low.y << CELL_KEY_BITS) | (low.z << (2u * CELL_KEY_BITS)) | (place << (3u * CELL_KEY_BITS));
}

fn level_of_key(key: u32) -> u32 { return (key >> (3u * CELL_KEY_BITS)) & (MAX_LEVELS - 1u); }

fn layer_of_key(key: u32) -> u32 { return key >> (3u * CELL_KEY_BITS + LEVEL_BITS); }

// The tag of bounds before they are sorted: the size bin, and after counting also the cell modulo
// 256 in every axis.
fn counted_tag(bin: u32, cell: vec3<u32>) -> u32 {
    let low = cell & vec3(255u);
    return bin | (low.x << 8u) | (low.y << 16u) | (low.z << 24u);
}

fn bin_of_tag(tag: u32) -> u32 { return tag & 255u; }

// The number of cells on each side of position 0, in levels whose cells are aligned with zero.
const CELLS_BELOW_ZERO: u32 = 1u << 22u;

// A position in units of cells, relative to the world's low corner.
fn in_cells(level: Level, position: vec3<f32>, origin: vec3<f32>) -> vec3<f32> {
    let from_there = select(origin, vec3(0.0), level.below_zero > 0u);
    return fenced_3(position - from_there, params.zero) * level.inverse_cell_size;
}

// The cell of a position given in units of cells. Integers of this size are exact in f32.
fn to_cell(level: Level, position: vec3<f32>) -> vec3<u32> {
    let below = vec3(f32(level.below_zero));
    return vec3<u32>(clamp(floor(position), -below, vec3<f32>(level.last_cell) - below) + below);
}

// A multiplicative hash with a finalizer as in C. Wellons, "Prospecting for Hash Functions" (2018).
// It maps (0, 0, 0) to 0.
fn fold_hash(fold: vec3<u32>) -> u32 {
    var hash = fold.x * 0x9e3779b1u + fold.y * 0x85ebca77u + fold.z * 0xc2b2ae3du;
    hash = (hash ^ (hash >> 16u)) * 0x7feb352du;
    return hash ^ (hash >> 15u);
}

// By how many rows a world is displaced in a table. World 0 is not. Plain tables have no worlds.
fn displacement_of(level: Level, world: u32) -> u32 {
    let place = world & ((1u << level.world_bits) - 1u);
    return (place << (level.fold_bits.y + level.fold_bits.z)) + fold_hash(vec3(world >> level.world_bits, 0u, 0u));
}

// The slot of a cell. In a folded table: its place in a fold of 2^(fold_bits.x + .y + .z) slots, x
// fastest. Each fold is displaced by a hash of its number; the first fold is not displaced. In
// addition, all folds are displaced by `displacement` rows.
fn slot_of(level: Level, cell: vec3<u32>, displacement: u32) -> u32 {
    let bits = level.fold_bits;
    if bits.x == PLAIN {
        let size = level.last_cell + 1u;
        return level.first_slot + cell.x + (cell.y + cell.z * size.y) * size.x;
    }
    let fold = cell >> bits;
    let inner = cell & ((vec3(1u) << bits) - 1u);
    let place = inner.x + (((inner.z << bits.y) + inner.y + fold_hash(fold) + displacement) << bits.x);
    return level.first_slot + (place & (level.slots - 1u));
}
