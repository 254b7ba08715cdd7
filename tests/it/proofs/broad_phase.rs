//! The CPU's bounds, whose derivation is in `src/geometry/bounds.rs`, and the grid and the tree,
//! which `proofs/Levels.v`, `proofs/Folds.v` and `proofs/Tree.v` are about.

const OBB_BOUNDS_CPU: &str = "src/shapes/obb/obb_bounds_cpu.rs";
const BOUNDS: &str = "src/geometry/bounds.rs";
const SHAPE_BOUNDS: &str = "src/shapes/bounds.rs";
const LAYOUT: &str = "src/broad_phase/grid/layout.rs";
const LEVEL_WALK: &str = "src/broad_phase/grid/level_walk.rs";
const GRID_PAIRS_CPU: &str = "src/broad_phase/grid/grid_pairs_cpu.rs";
const GRID_BOUNDS: &str = "src/broad_phase/grid/grid_bounds.rs";
const TABLE: &str = "src/broad_phase/grid/table.rs";
const GRID: &str = "shaders/broad_phase/grid/grid.wgsl";
const GRID_PAIRS: &str = "shaders/broad_phase/grid/grid_pairs.wgsl";
const LBVH_PAIRS: &str = "shaders/broad_phase/lbvh/lbvh_pairs.wgsl";
const LBVH_PAIRS_CPU: &str = "src/broad_phase/lbvh/lbvh_pairs_cpu.rs";
const STEP: &str = "shaders/broad_phase/lbvh/step.wgsl";

/// As `FORMULAS`.
pub const FORMULAS: &[(&str, &str, &str)] = &[
    (
        "EXTENT_ERROR on the CPU",
        BOUNDS,
        "pub(crate) const EXTENT_ERROR: f32 = 1.0 / (1u32 << 18) as f32;",
    ),
    (
        "CENTER_ERROR on the CPU",
        BOUNDS,
        "pub(crate) const CENTER_ERROR: f32 = 1.0 / (1u32 << 22) as f32;",
    ),
    (
        "M(q) and n of bounds on the CPU",
        OBB_BOUNDS_CPU,
        "let (rows, length_squared) = matrix($boxes.rotation);\n        let sum = hx + hy + hz;",
    ),
    (
        "|M(q)| of bounds on the CPU",
        OBB_BOUNDS_CPU,
        "let [x, y, z] = [rows[axis][0].abs(), rows[axis][1].abs(), rows[axis][2].abs()];",
    ),
    (
        "the extent of bounds on the CPU",
        OBB_BOUNDS_CPU,
        "let extent = (x * hx + y * hy + z * hz) / length_squared;",
    ),
    (
        "the widening of bounds on the CPU",
        OBB_BOUNDS_CPU,
        "let error = extent_error * sum + center_error * $boxes.center[axis].abs();\n            extent + error + absolute_error + $margin",
    ),
    (
        "the corners on the CPU",
        OBB_BOUNDS_CPU,
        "low: axes!(|axis| boxes.center[axis] - reach[axis]),\n        high: axes!(|axis| boxes.center[axis] + reach[axis]),",
    ),
    (
        "the corners of four boxes on the CPU",
        SHAPE_BOUNDS,
        "let low = axes!(|axis| center[axis] - reach[axis]);\n        let high = axes!(|axis| center[axis] + reach[axis]);",
    ),
    (
        "a cell about zero on the CPU",
        LAYOUT,
        "(position.floor().clamp(-below, self.last_cell.as_vec3() - below) + below).as_uvec3()",
    ),
    (
        "a cell about zero",
        GRID,
        "return vec3<u32>(clamp(floor(position), -below, vec3<f32>(level.last_cell) - below) + below);",
    ),
    (
        "a whole cell",
        LAYOUT,
        "pub(crate) const ONE_CELL: f32 = 1.0 + 1.0 / (1u32 << 20) as f32;",
    ),
    (
        "the ends of a walk",
        GRID_PAIRS,
        "var first = max(least, to_cell(level, near - (ONE_CELL + level.slack)));\n    let last = to_cell(level, far + level.slack);",
    ),
    (
        "the ends of a walk on the CPU",
        LEVEL_WALK,
        "first: self.cell::<ABOUT_ZERO>(near - self.before),",
    ),
    (
        "the first slice of half a walk",
        GRID_PAIRS,
        "first.z = home.z;\n    }\n    for (var z = first.z; z <= last.z; z++) {\n        let own_slice = walk.half && z == home.z;",
    ),
    (
        "the first row of half a walk",
        GRID_PAIRS,
        "for (var y = select(first.y, home.y, own_slice); y <= last.y; y++) {\n            let own_row = own_slice && y == home.y;\n            var x = select(first.x, home.x, own_row);",
    ),
    (
        "the first record of half a walk",
        GRID_PAIRS,
        "let start = select(slot_starts[place], walk.i + 1u, own_row && x == home.x);",
    ),
    (
        "half a walk on the CPU",
        GRID_PAIRS_CPU,
        "for z in if own { home.z } else { first.z }..=last.z {\n            let own_slice = own && z == home.z;\n            for y in if own_slice { home.y } else { first.y }..=last.y {\n                let own_row = own_slice && y == home.y;\n                let mut x = if own_row { home.x } else { first.x };",
    ),
    (
        "the first record of half a walk on the CPU",
        GRID_PAIRS_CPU,
        "true => self.number as usize + 1,",
    ),
    (
        "the coarser levels",
        GRID_PAIRS,
        "for (var coarser = 0u; coarser <= own_level; coarser++) {",
    ),
    (
        "a slot",
        GRID,
        "let place = inner.x + (((inner.z << bits.y) + inner.y + fold_hash(fold) + displacement) << bits.x);\n    return level.first_slot + (place & (level.slots - 1u));",
    ),
    (
        "a slot on the CPU",
        TABLE,
        "self.first_slot + (inner.x.wrapping_add(row) & self.within)",
    ),
    ("the end of a fold on the CPU", TABLE, "last.min(x | self.inner.x)"),
    (
        "the slot of a cell if each has one",
        TABLE,
        "self.first_slot + cell.x + cell.y * self.row + cell.z * self.slice",
    ),
    (
        "a key",
        GRID,
        "return low.x | (low.y << CELL_KEY_BITS) | (low.z << (2u * CELL_KEY_BITS)) | (place << (3u * CELL_KEY_BITS));",
    ),
    (
        "a key on the CPU",
        LAYOUT,
        "low.x | low.y << KEY_BITS | low.z << (2 * KEY_BITS) | place << (3 * KEY_BITS)",
    ),
    (
        "a record in a row",
        GRID_PAIRS,
        "return (((key ^ start) >> CELL_KEY_BITS) == 0u) & (((key - start) & CELL_KEY_MASK) < length);",
    ),
    (
        "a record in a row on the CPU",
        GRID_BOUNDS,
        "let same_row = ((keys ^ key) >> KEY_BITS).simd_eq(0);\n                let in_row = same_row & ((keys - key) & KEY_MASK).simd_lt(length);",
    ),
    (
        "the cell that a key names",
        LAYOUT,
        "(low.wrapping_sub(near) << (32 - KEY_BITS)) as i32 >> (32 - KEY_BITS);",
    ),
    (
        "a step of the tree's walk",
        STEP,
        "if met && link < LEAF { return left_of(there); }\n    return before(link_of(there), end);",
    ),
    ("what the tree's walk finds", LBVH_PAIRS, "if met && link >= LEAF {"),
    (
        "the tree's walk on the CPU",
        LBVH_PAIRS_CPU,
        "let mut link = record.tag;\n            while link != END {\n                let there = self.at(link);\n                let (met, is_leaf) = (record.overlaps(there), link >= LEAF);",
    ),
    (
        "a step of the tree's walk on the CPU",
        LBVH_PAIRS_CPU,
        "link = if met & !is_leaf { there.id } else { there.tag };",
    ),
];
