//! The numbers of the exact tests and what they decide, which `proofs/Numbers.v`,
//! `proofs/Decided.v`, `proofs/NearNumbers.v` and `proofs/Products.v` are about; the segment and
//! the box of `proofs/SegmentBox.v`, `proofs/BoxCapsuleExact.v` and `proofs/Swept.v`; the boxes of
//! `proofs/Around.v`; and the differences of centers in `f64` of `proofs/Cpu64.v` and
//! `proofs/Cpu32.v`.

const REAL: &str = "src/narrow_phase/round/real.rs";
const ROUND_BOX: &str = "src/narrow_phase/round/round_box.rs";
const CAPSULES: &str = "src/narrow_phase/round/capsules.rs";
const BODIES: &str = "src/narrow_phase/round/bodies.rs";
const WITHIN: &str = "src/narrow_phase/obb_obb/within.rs";
const AROUND: &str = "src/shapes/obb64/around.rs";
const ROTATION: &str = "src/geometry/rotation.rs";

const OBB64_PAIRS: &str = "src/narrow_phase/obb_obb/obb64_pairs.rs";
const APART: &str = "src/narrow_phase/obb_obb/exact/apart.rs";
const OBB_SAT_F64_CPU: &str = super::OBB_SAT_F64_CPU;

/// As `FORMULAS`.
pub const FORMULAS: &[(&str, &str, &str)] = &[
    (
        "the difference of centers in f64 for f32",
        OBB64_PAIRS,
        "sets[0][k] = a.centered_at(Vec3::ZERO);\n            sets[1][k] = b.centered_at((b.center - a.center).as_vec3());",
    ),
    (
        "the difference of centers in f64",
        APART,
        "let sums = [0, 1, 2].mapped(|k| exact_sum(to[k], -from[k]));",
    ),
    (
        "the stages of boxes with centers in f64",
        APART,
        "match obb_sat_f64_cpu::classify_apart(a, b, apart.rounded().to_array()) {",
    ),
    (
        "what E has for underflow with centers in f64",
        OBB_SAT_F64_CPU,
        "decide(&Terms::apart(a, b, d), Bounds::PROVED, f64::MIN_POSITIVE)",
    ),
    (
        "what it has with centers in f32",
        OBB_SAT_F64_CPU,
        "decide(&Terms::new(a, b), bounds, 0.0)",
    ),
    (
        "the absolute value of a number",
        REAL,
        "Some(if self.sign()?.is_lt() { -self } else { self })",
    ),
    (
        "the comparison of numbers",
        REAL,
        "fn compare(self, other: Self) -> Option<Ordering> {\n        (self - other).sign()\n    }",
    ),
    (
        "the rounding of an error",
        REAL,
        "false => error * (1.0 + 8.0 * ROUNDING) + f64::MIN_POSITIVE,",
    ),
    ("the unit of that rounding", REAL, "const ROUNDING: f64 = f64::EPSILON;"),
    (
        "a sum and its error",
        REAL,
        "let (a, b) = (self.value, other.value);\n        let sum = a + b;",
    ),
    (
        "the error of a sum",
        REAL,
        "let from_b = sum - a;\n        let lost = (a - (sum - from_b)) + (b - from_b);\n        Self::rounded(sum, self.error + other.error + lost.abs())",
    ),
    ("a difference", REAL, "self + -other"),
    (
        "the error of a product",
        REAL,
        "let error = self.value.abs() * other.error + other.value.abs() * self.error + self.error * other.error;",
    ),
    (
        "the part of that error which underflow leaves",
        REAL,
        "let kept = if self.error == 0.0 && other.error == 0.0 {\n            0.0\n        } else {\n            f64::MIN_POSITIVE\n        };\n        Self::rounded(product, error + lost(self.value, other.value, product) + kept)",
    ),
    (
        "the sign of a number with an error",
        REAL,
        "match self.value.abs() > self.error {\n            true => self.value.partial_cmp(&0.0),\n            false => (self.value == 0.0 && self.error == 0.0).then_some(Ordering::Equal),\n        }",
    ),
    (
        "a product without a factor",
        REAL,
        "if a == 0.0 || b == 0.0 {\n        return 0.0;\n    }",
    ),
    (
        "a tiny product",
        REAL,
        "if product.abs() < SMALL {\n        return product.abs() * ROUNDING + f64::MIN_POSITIVE;\n    }",
    ),
    (
        "the largest tiny product",
        REAL,
        "const SMALL: f64 = f64::from_bits((1023 - 900) << 52);",
    ),
    (
        "the halves of a factor",
        REAL,
        "let scaled = x * f64::from((1u32 << 27) + 1);\n        let high = scaled - (scaled - x);\n        (high, x - high)",
    ),
    (
        "the rest of a product",
        REAL,
        "(((a * b - product) + a * b_low + a_low * b) + a_low * b_low).abs()",
    ),
    (
        "the numbers that stand for themselves",
        REAL,
        "(self.sum(Near::exact), self.others.mapped(Near::exact))",
    ),
    (
        "the vector between the centers",
        REAL,
        "parts.reduce(plus).unwrap_or([T::zero(); 3])",
    ),
    (
        "a point in a frame",
        REAL,
        "by_index(|axis| dot(rows.mapped(|row| row[axis]), point))",
    ),
    ("a scalar product", REAL, "u[0] * v[0] + u[1] * v[1] + u[2] * v[2]"),
    (
        "a cross product",
        ROTATION,
        "u[1] * v[2] - u[2] * v[1],\n        u[2] * v[0] - u[0] * v[2],\n        u[0] * v[1] - u[1] * v[0],",
    ),
    (
        "the other axes",
        ROTATION,
        "pub(crate) const fn others(i: usize) -> [usize; 2] {\n    [(i + 1) % 3, (i + 2) % 3]\n}",
    ),
    (
        "a segment and a box",
        ROUND_BOX,
        "if !least.is_lt() {\n        if meets_box(ends, half)? {\n            return T::zero().compare(reach);\n        }",
    ),
    (
        "twice the middle and the half of a segment",
        ROUND_BOX,
        "let (middle, along) = (plus(ends[0], ends[1]), minus(ends[1], ends[0]));",
    ),
    (
        "twice the half extents",
        ROUND_BOX,
        "let twice = half.mapped(|half| half + half);",
    ),
    (
        "the axes that separate a segment and a box",
        ROUND_BOX,
        "let apart = middle[axis].size()?.compare(twice[axis] + size[axis])?.is_gt();\n        let across = (middle[j] * along[k] - middle[k] * along[j]).size()?;\n        if apart || across.compare(twice[j] * size[k] + twice[k] * size[j])?.is_gt() {\n            return Some(false);\n        }",
    ),
    (
        "all three of each kind",
        ROUND_BOX,
        "for axis in 0..3 {\n        let [j, k] = others(axis);",
    ),
    (
        "the twelve edges",
        ROUND_BOX,
        "(0..12).map(move |edge| {\n        let (axis, signs) = (edge / 4, edge % 4);",
    ),
    (
        "the ends of an edge of a box",
        ROUND_BOX,
        "for (axis, is_positive) in [(axis, end), (j, signs & 1 == 1), (k, signs & 2 == 2)] {\n                if !is_positive {\n                    corner[axis] = -half[axis];\n                }\n            }",
    ),
    (
        "the differences of the ends of two segments",
        CAPSULES,
        "let (u, v, w) = (minus(p[1], p[0]), minus(q[1], q[0]), minus(p[0], q[0]));",
    ),
    (
        "a capsule and a box",
        BODIES,
        "let ends = ends(apart, &rows_round, others[3]).mapped(|end| in_frame(&rows, end));\n    segment_to_box(ends, half, reach * reach)",
    ),
    (
        "two capsules by their ends",
        CAPSULES,
        "let reach = radii[0] + radii[1];\n    Some(Contact::from_largest(cores(ends, points, reach * reach)?))",
    ),
    (
        "the words of two capsules by their ends",
        CAPSULES,
        "with_words!(6 * (grain.bits() + 4) + 4, exact(grain, numbers, points))",
    ),
    (
        "a capsule by its ends and a box",
        ROUND_BOX,
        "let from_center = minus(vector(k), vector(0));\n        by_index(|axis| dot(rows.mapped(|row| row[axis]), from_center))",
    ),
    (
        "the reach of a capsule by its ends",
        ROUND_BOX,
        "let radius = lengths[12] * scale;\n    let order = match point {\n        true => point_to_box(end(2), half, radius * radius)?,\n        false => segment_to_box([end(2), end(3)], half, radius * radius)?,\n    };",
    ),
    (
        "the words of a capsule by its ends and a box",
        ROUND_BOX,
        "let bits = grains[0].bits() + 2 * grains[1].bits() + 5;\n            with_words!(6 * (bits + 4) + 4, exact(grains, lengths, turn, point))",
    ),
    (
        "the corners of a box",
        WITHIN,
        "(0..3).fold(center, |point, axis| {\n            let along = rows.mapped(|row| row[axis] * half[axis]);\n            match corner >> axis & 1 {\n                0 => minus(point, along),\n                _ => plus(point, along),\n            }\n        })",
    ),
    (
        "features that are open",
        WITHIN,
        "match near.within(feature) {\n            Some(true) => return true,\n            Some(false) => {}\n            None => open.push(feature),\n        }",
    ),
    (
        "what integers decide of them",
        WITHIN,
        "open.iter().any(|&feature| features.within(feature).unwrap_or(true))",
    ),
    (
        "how far a coordinate is moved",
        AROUND,
        "let (high, low) = exact_sum(obb.center[axis], -self.origin[axis]);\n            let (high, low) = (high * self.times, low * self.times);\n            center[axis] = high as f32;\n            moved[axis] = (high - f64::from(center[axis])).abs() + low.abs();",
    ),
    (
        "how far the box around reaches",
        AROUND,
        "false => (half + moved.length() + LEAST) * (1.0 + 8.0 * f64::EPSILON),",
    ),
    ("what underflow of squares takes", AROUND, "const LEAST: f64 = 1e-150;"),
    (
        "the half extents of the box around",
        AROUND,
        "half_extents: Vec3::from_array(reach.to_array().map(above)),\n            ..obb.centered_at(center)",
    ),
];
