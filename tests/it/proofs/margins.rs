//! The formulas that decide whether boxes are within a margin, which `proofs/Margins.v`,
//! `proofs/Distances.v` and `proofs/MarginWidths.v` are about.

const WITHIN: &str = "src/narrow_phase/obb_obb/within.rs";
const ROUND_BOX: &str = "src/narrow_phase/round/round_box.rs";
const CAPSULES: &str = "src/narrow_phase/round/capsules.rs";
const REAL: &str = "src/narrow_phase/round/real.rs";

/// As `FORMULAS`.
pub const FORMULAS: &[(&str, &str, &str)] = &[
    ("the features", WITHIN, "const FEATURES: usize = 12 + 8;"),
    ("all lengths times one number", WITHIN, "let scale = n_a * n_b;"),
    ("the margin", WITHIN, "let reach = others[6] * scale;"),
    ("its square", WITHIN, "reach: reach * reach,"),
    (
        "corners of B in the frame of A",
        WITHIN,
        "corners(apart.mapped(|x| x * n_b), &rows_b, half_b)\n                .mapped(|corner| in_frame(&rows_a, corner)),",
    ),
    (
        "corners of A in the frame of B",
        WITHIN,
        "corners(apart.mapped(|x| -x * n_a), &rows_a, half_a)\n                .mapped(|corner| in_frame(&rows_b, corner)),",
    ),
    (
        "the edges of B",
        WITHIN,
        "let (axis, signs) = (feature / 4, feature % 4);\n                let [j, k] = others(axis);\n                let start = (signs & 1) << j | (signs >> 1) << k;\n                let ends = [start, start | 1 << axis].mapped(|corner| self.corners_of_b[corner]);\n                segment_to_box(ends, self.half_a, self.reach)?",
    ),
    (
        "the corners of A",
        WITHIN,
        "_ => point_to_box(self.corners_of_a[feature - 12], self.half_b, self.reach)?,",
    ),
    ("within", WITHIN, "Some(order.is_le())"),
    (
        "the bits of a coordinate",
        WITHIN,
        "let bits = grain.bits() + 2 * (grains[0].bits() + grains[1].bits()) + 12;",
    ),
    ("the words", WITHIN, "6 * (bits + 4) + 4,"),
    (
        "the words of intervals",
        WITHIN,
        "with_words!(2 * (grain.bits() + 4) + 4, exact_aligned(grain, lengths))",
    ),
    (
        "the excess of intervals",
        WITHIN,
        "let half = plus(vector(&others, 0), vector(&others, 1));\n    let order = point_to_box(apart, half, others[6] * others[6])?;",
    ),
    (
        "the excess of a point",
        ROUND_BOX,
        "let excess = point[axis].size()? - half[axis];\n        if excess.sign()?.is_gt() {\n            square = square + excess * excess;\n        }",
    ),
    (
        "the ends of an edge",
        ROUND_BOX,
        "let mut least = point_to_box(ends[0], half, reach)?.min(point_to_box(ends[1], half, reach)?);",
    ),
    (
        "the edges of the box",
        ROUND_BOX,
        "for edge in edges(half) {\n            least = least.min(segments([ends, edge], reach)?);\n        }",
    ),
    (
        "the ends of a segment",
        CAPSULES,
        "let mut least = point_to_segment(w, v, reach)?;\n    least = least.min(point_to_segment(minus(p[1], q[0]), v, reach)?);\n    least = least.min(point_to_segment(minus(q[0], p[0]), u, reach)?);\n    least = least.min(point_to_segment(minus(q[1], p[0]), u, reach)?);",
    ),
    (
        "the closest points of two lines",
        CAPSULES,
        "for place in [dot(cross(v, w), normal), dot(cross(u, w), normal)] {\n        if place.sign()?.is_lt() || place.compare(square)?.is_gt() {\n            return Some(least);\n        }\n    }",
    ),
    (
        "the distance of two lines",
        CAPSULES,
        "let along = dot(w, normal);\n    Some(least.min((along * along).compare(reach * square)?))",
    ),
    (
        "a point and a line",
        CAPSULES,
        "let across = cross(point, along);\n    dot(across, across).compare(reach * square)",
    ),
    (
        "the number of words",
        REAL,
        "..=256 => $crate::narrow_phase::round::real::outlined(|| $function::<4>($($argument),*)),\n            257..=512 => $crate::narrow_phase::round::real::outlined(|| $function::<8>($($argument),*)),\n            513..=1024 => $crate::narrow_phase::round::real::outlined(|| $function::<16>($($argument),*)),\n            1025..=2048 => $crate::narrow_phase::round::real::outlined(|| $function::<32>($($argument),*)),\n            2049..=6144 => $crate::narrow_phase::round::real::outlined(|| $function::<96>($($argument),*)),\n            _ => $crate::narrow_phase::round::real::outlined(|| $function::<168>($($argument),*)),",
    ),
];
