//! The CPU's bounds, those of round bodies, and margins, which `proofs/BoundsCpu.v` and
//! `proofs/RoundBounds.v` are about; the grid and the tree, which `proofs/Levels.v`,
//! `proofs/Folds.v`, `proofs/Tree.v` and `proofs/Nodes.v` are about; space that repeats and tiny
//! scenes, which `proofs/Images.v` and `proofs/Rescaled.v` are about.

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
const BOUNDS_AROUND: &str = "shaders/shapes/round/bounds_around.wgsl";
const CAPSULE_BOUNDS: &str = "shaders/shapes/round/capsule_bounds.wgsl";
const SPHERE_BOUNDS: &str = "shaders/shapes/round/sphere_bounds.wgsl";
const ROUND_BOUNDS_CPU: &str = "src/shapes/round/round_bounds_cpu.rs";
const WIDENING: &str = "shaders/rules/widening.wgsl";
const FILTER: &str = "src/rules/filter.rs";
const LBVH_BOUNDS: &str = "shaders/broad_phase/lbvh/lbvh_bounds.wgsl";
const LBVH_BOUNDS_CPU: &str = "src/broad_phase/lbvh/lbvh_bounds_cpu.rs";
const LBVH_TREE_CPU: &str = "src/broad_phase/lbvh/lbvh_tree_cpu.rs";
const CELLS: &str = "src/engine/cpu/cells.rs";
const SURFACE: &str = "src/engine/cpu/surface.rs";
const BORDER: &str = "src/engine/cpu/border.rs";
const RESCALED: &str = "src/shapes/rescaled.rs";
const AROUND: &str = "src/shapes/obb64/around.rs";
const SUBJECT: &str = "src/engine/gpu/subject.rs";

/// As `CONSTANTS`.
pub const CONSTANTS: &[(&str, &str, &str)] = &[
    ("EXTENT_ERROR", BOUNDS, "const EXTENT_ERROR: f32 = "),
    ("CENTER_ERROR", BOUNDS, "const CENTER_ERROR: f32 = "),
    ("MARGIN_ERROR", BOUNDS, "const MARGIN_ERROR: f32 = "),
    ("EXTENT_ERROR", BOUNDS_AROUND, "const EXTENT_ERROR: f32 = "),
    ("CENTER_ERROR", BOUNDS_AROUND, "const CENTER_ERROR: f32 = "),
    ("ABSOLUTE_ERROR", BOUNDS_AROUND, "const ABSOLUTE_ERROR: f32 = "),
    ("MARGIN_ERROR", WIDENING, "const MARGIN_ERROR: f32 = "),
    ("MARGIN_FLUSH", WIDENING, "const MARGIN_FLUSH: f32 = "),
];

/// As `FORMULAS`.
pub const FORMULAS: &[(&str, &str, &str)] = &[
    (
        "a block of eight",
        LBVH_BOUNDS_CPU,
        "let own = &items[k * BLOCK..(k + 1) * BLOCK];\n        own[1..].iter().fold(own[0], united)",
    ),
    (
        "the bounds of a node",
        LBVH_BOUNDS_CPU,
        "while low < high {\n        while low < high && low % BLOCK > 0 {\n            all = united(all, &items[low]);\n            low += 1;\n        }\n        while low < high && high % BLOCK > 0 {\n            high -= 1;\n            all = united(all, &items[high]);\n        }\n        low /= BLOCK;\n        high /= BLOCK;\n        (items, rest) = rest.split_at(count);\n        count /= BLOCK;\n    }",
    ),
    (
        "the records of a node",
        LBVH_TREE_CPU,
        "..bounds_of(records, blocks, below.first as usize, below.last as usize + 1)",
    ),
    (
        "a block of eight in the shader",
        LBVH_BOUNDS,
        "for (var j = 1u; j < BLOCK; j++) { corners = united(corners, corners_of(blocks[begin + k * BLOCK + j])); }\n        blocks[own + k] = without_links(corners);",
    ),
    (
        "the bounds of a node in the shader",
        LBVH_BOUNDS,
        "low /= BLOCK;\n        high /= BLOCK;\n        for (; low < high && low % BLOCK > 0u; low++) { corners = united(corners, corners_of(blocks[begin + low])); }\n        for (; low < high && high % BLOCK > 0u; high--) {\n            corners = united(corners, corners_of(blocks[begin + high - 1u]));\n        }\n        begin += count;\n        count /= BLOCK;",
    ),
    (
        "the faces of the cell",
        CELLS,
        "let high = (low + length).next_down().next_down();",
    ),
    (
        "the corners in f32 that are beyond a face",
        CELLS,
        "cells.faces[axis] = [-above(-low), above(high)];",
    ),
    (
        "a body that sticks out below",
        CELLS,
        "record.low[axis] <= self.faces[axis][0]",
    ),
    (
        "a body that sticks out above",
        CELLS,
        "record.high[axis] >= self.faces[axis][1]",
    ),
    (
        "the bodies that are looked up",
        SURFACE,
        "surface.add(cells, (&record, below), image, scene, None)?;\n                surface.add(cells, (&record, above), image.map(|times| -times), scene, Some(axis))?;",
    ),
    (
        "the periods to the cell",
        CELLS,
        "-((center[axis] - first[axis]) / length).floor() as i64",
    ),
    (
        "a place in the cell",
        CELLS,
        "exact_sum_of_four([center[k], moved[k].0, moved[k].1, 0.0])[0]",
    ),
    (
        "the largest place",
        CELLS,
        "Some(first[axis].abs() + 2.0 * along(axis)?)",
    ),
    (
        "the widening for places",
        CELLS,
        "self.rounding = above(largest * f64::from(f32::EPSILON));",
    ),
    (
        "the widening for places in f64",
        CELLS,
        "self.rounding = above(largest * f64::EPSILON);",
    ),
    (
        "bounds in the cell",
        CELLS,
        "rounding => (margin(id) + rounding).next_up(),",
    ),
    (
        "the images that are tried",
        SURFACE,
        "std::cmp::Ordering::Less => 0..=0,\n            std::cmp::Ordering::Equal => 1..=reached,\n            std::cmp::Ordering::Greater => -reached..=reached,",
    ),
    (
        "how far images reach",
        SURFACE,
        "Some(length) => ((high[axis] - low[axis]) / length + 1e-9).floor().max(0.0) as u64,",
    ),
    (
        "the partners that are passed over",
        BORDER,
        "let is_passed_over = |axis| move |a: u32| cells.sticks_out_below(&search.record(a as usize), axis);\n                let is_passed_over = run.passes_over.map(is_passed_over);",
    ),
    (
        "bounds moved by an image",
        BOUNDS,
        "let moved = place + way + 4.0 * f64::EPSILON * (place.abs() + way.abs());",
    ),
    (
        "the factor of tiny scenes",
        RESCALED,
        "let exponent = (largest.to_bits() >> 52) as i32 - 1023;\n        Some(Self(2f64.powi(-exponent)))",
    ),
    ("a larger copy", RESCALED, "(length.as_dvec3() * self.0).as_vec3()"),
    (
        "the factor of tiny scenes with centers in f64",
        AROUND,
        "true => 2f64.powi(-exponent),",
    ),
    (
        "a larger center in f64",
        AROUND,
        "let (high, low) = (high * self.times, low * self.times);",
    ),
    (
        "ABSOLUTE_ERROR on the CPU",
        BOUNDS,
        "pub(crate) const ABSOLUTE_ERROR: f32 = f32::from_bits((127 - 100) << 23);",
    ),
    (
        "MARGIN_FLUSH on the CPU",
        BOUNDS,
        "pub(crate) const MARGIN_FLUSH: f32 = f32::from_bits((127 - 120) << 23);",
    ),
    (
        "half of a margin",
        BOUNDS,
        "true => 0.5 * margin * (1.0 + MARGIN_ERROR) + MARGIN_FLUSH,\n        false => 0.0,",
    ),
    (
        "the widening for margins",
        WIDENING,
        "return params.half_margin + select(0.0, bitcast<f32>(own) * (1.0 + MARGIN_ERROR) + MARGIN_FLUSH, own > 0u);",
    ),
    (
        "half of the margin of all pairs, on the GPU",
        SUBJECT,
        "None => half_margin(above(config.margin)),",
    ),
    (
        "half of the margin of all pairs",
        FILTER,
        "let (of_all, margins) = (half_margin(above(margin)), self.margins.as_deref());",
    ),
    (
        "the widening for margins on the CPU",
        FILTER,
        "Some(margins) => of_all + half_margin(2.0 * margins[id as usize]),",
    ),
    (
        "bounds around a center, and their fence",
        BOUNDS_AROUND,
        "let error = EXTENT_ERROR * size + CENTER_ERROR * abs(center);\n    let widened = fenced_3(extent + error + ABSOLUTE_ERROR + widening_of(id), params.zero);",
    ),
    (
        "the corners around a center, and their fences",
        BOUNDS_AROUND,
        "let low = fenced_3(center - widened, params.zero);\n    return Bounds(low, 0u, fenced_3(center + widened, params.zero), id);",
    ),
    (
        "the extent of a capsule",
        CAPSULE_BOUNDS,
        "let axis = abs(vec3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), d.w - d.x - d.y + d.z));\n    let extent = axis * capsule.half_length / (d.x + d.y + d.z + d.w) + capsule.radius;\n    return bounds_around(capsule.center, extent, capsule.half_length + capsule.radius, id);",
    ),
    (
        "the extent of a ball",
        SPHERE_BOUNDS,
        "b = bounds_around(ball.center, vec3(ball.radius), ball.radius, i);",
    ),
    (
        "the widening of round bodies on the CPU",
        ROUND_BOUNDS_CPU,
        "let error = f32x4::splat(EXTENT_ERROR) * sum + f32x4::splat(CENTER_ERROR) * center.abs();\n    reach + error + f32x4::splat(ABSOLUTE_ERROR) + margin",
    ),
    (
        "the extent of a capsule on the CPU",
        ROUND_BOUNDS_CPU,
        "let along = rows[axis][2].abs() * half_length / square;\n            widened(four.center[axis], along + radius, half_length + radius, margin)",
    ),
    (
        "the extent of a ball on the CPU",
        ROUND_BOUNDS_CPU,
        "let reach = axes!(|axis| widened(center[axis], radius, radius, margin));",
    ),
    (
        "the corners of a ball in the grid",
        ROUND_BOUNDS_CPU,
        "let reach = widened(ball, radius, radius, f32x4::ZERO);\n    [ball - reach, ball + reach]",
    ),
    (
        "a ball in the grid with a margin",
        ROUND_BOUNDS_CPU,
        "radius: self.radius + margins,",
    ),
    (
        "the bounds of balls in lanes",
        ROUND_BOUNDS_CPU,
        "radius + (radius * EXTENT_ERROR + center.abs() * CENTER_ERROR) + ABSOLUTE_ERROR",
    ),
    (
        "the corners of balls in lanes",
        ROUND_BOUNDS_CPU,
        "low: axes!(|axis| center[axis] - reach[axis]),\n            high: axes!(|axis| center[axis] + reach[axis]),",
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
        "self.first_slot + (inner.x.wrapping_add(row) & (self.slots - 1))",
    ),
    ("the end of a fold on the CPU", TABLE, "last.min(x | self.inner.x)"),
    (
        "the slot of a cell if each has one",
        GRID,
        "let size = level.last_cell + 1u;\n        return level.first_slot + cell.x + (cell.y + cell.z * size.y) * size.x;",
    ),
    (
        "the slot of a cell if each has one on the CPU",
        TABLE,
        "self.first_slot + cell.x + cell.y * self.row + cell.z * self.slice",
    ),
    (
        "the slots of a slice if each cell has one",
        TABLE,
        "true => (level.last_cell + 1).to_array(),",
    ),
    ("the slots of a slice", TABLE, "slice: row * rows,"),
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
