//! The answers of the last stage of boxes, what it leaves out, and exact sums, which
//! `proofs/LastStage.v`, `proofs/Aligned.v`, `proofs/Staged.v` and `proofs/TwoSum.v` are about.

const CONTACT: &str = "src/narrow_phase/contact.rs";
const EXACT: &str = "src/narrow_phase/obb_obb/exact.rs";
const WIDE_SAT: &str = "src/narrow_phase/obb_obb/exact/wide_sat.rs";
const ALIGNED: &str = "src/narrow_phase/obb_obb/exact/aligned.rs";
const ROUNDING: &str = "src/geometry/rounding.rs";
const OBB_SAT_F64_CPU: &str = super::OBB_SAT_F64_CPU;

/// As `FORMULAS`.
pub const FORMULAS: &[(&str, &str, &str)] = &[
    (
        "the answer for a sign",
        CONTACT,
        "Ordering::Greater => Self::Separated,\n            Ordering::Equal => Self::Touching,\n            Ordering::Less => Self::Overlapping,",
    ),
    (
        "the largest sign",
        WIDE_SAT,
        "let mut largest = Ordering::Less;\n        for axis in axes.iter() {\n            let Some(direction) = self.direction(axis) else {\n                continue;\n            };",
    ),
    (
        "the first gap",
        WIDE_SAT,
        "if sign == Ordering::Greater {\n                return Contact::Separated;\n            }\n            largest = largest.max(sign);\n        }\n        Contact::from_largest(largest)",
    ),
    (
        "parallel edges",
        WIDE_SAT,
        "let [k, l] = others(i);\n                let parallel = [self.c[k][j], self.c[l][j]]\n                    .iter()\n                    .all(|entry| entry.sign() == Ordering::Equal);",
    ),
    (
        "the axes of one rotation",
        WIDE_SAT,
        "let common = axes.iter().filter(|&axis| axis < 3);",
    ),
    (
        "the largest of their signs",
        WIDE_SAT,
        "Contact::from_largest(signs.max().unwrap_or(Ordering::Less))",
    ),
    (
        "one rotation",
        EXACT,
        "a.rotation == b.rotation || a.rotation == -b.rotation",
    ),
    (
        "the arithmetic for one rotation",
        EXACT,
        "match same_rotation(a, b) {\n        true => wide_sat::classify_parallel(a, b, axes),\n        false => wide_sat::classify(a, b, axes),\n    }",
    ),
    (
        "the stages",
        EXACT,
        "if let Some(contact) = aligned::classify(a, b) {\n        return (contact, Arithmetic::Aligned);\n    }\n    match obb_sat_f64_cpu::classify(a, b) {\n        Decision::Decided(contact) => (contact, Arithmetic::F64),\n        Decision::Unclear(axes) => (classify_wide(a, b, axes), Arithmetic::Wide),\n    }",
    ),
    (
        "a face that f64 leaves out",
        OBB_SAT_F64_CPU,
        "if f >= -error || f.is_nan() {\n            unclear.insert(axis);\n        }",
    ),
    (
        "the largest F of the faces in f64",
        OBB_SAT_F64_CPU,
        "face_max = face_max.max(f);",
    ),
    (
        "edges that f64 leaves out",
        OBB_SAT_F64_CPU,
        "if !(f < -error || too_parallel) {\n                unclear.insert(6 + 3 * i + j);\n            }",
    ),
    (
        "no axis left",
        OBB_SAT_F64_CPU,
        "if unclear == Axes::default() {\n        Decision::Decided(Contact::Overlapping)\n    } else {\n        Decision::Unclear(unclear)\n    }",
    ),
    (
        "a quaternion without x, y and z",
        ALIGNED,
        "if x == 0.0 && y == 0.0 && z == 0.0 {\n        return Some(h);\n    }",
    ),
    (
        "parts of one size",
        ALIGNED,
        "if component.abs() == size {\n            present |= 1 << bit;\n        } else if component != 0.0 {\n            return None;\n        }",
    ),
    (
        "the number of negative parts",
        ALIGNED,
        "let odd = (x < 0.0) ^ (y < 0.0) ^ (z < 0.0) ^ (w < 0.0);",
    ),
    ("one part", ALIGNED, "0b0001 | 0b0010 | 0b0100 | 0b1000 => Some(h),"),
    (
        "x and y, or z and w",
        ALIGNED,
        "0b0011 | 0b1100 => Some(Vec3::new(h.y, h.x, h.z)),",
    ),
    (
        "y and z, or x and w",
        ALIGNED,
        "0b0110 | 0b1001 => Some(Vec3::new(h.x, h.z, h.y)),",
    ),
    (
        "x and z, or y and w",
        ALIGNED,
        "0b0101 | 0b1010 => Some(Vec3::new(h.z, h.y, h.x)),",
    ),
    (
        "four parts",
        ALIGNED,
        "0b1111 if odd => Some(Vec3::new(h.y, h.z, h.x)),\n        0b1111 => Some(Vec3::new(h.z, h.x, h.y)),\n        _ => None,",
    ),
    ("the gap of intervals", ALIGNED, "let sign = 1f64.copysign(distance);"),
    (
        "its leading part and the rest",
        ALIGNED,
        "let leading = distance * sign - radius;\n    let rest = distance_rest * sign - radius_rest;\n    if leading == 0.0 { rest } else { leading }",
    ),
    (
        "the largest gap",
        ALIGNED,
        "let largest = gap(0).max(gap(1)).max(gap(2));",
    ),
    (
        "the gap of intervals in lanes",
        ALIGNED,
        "distance.simd_gt(radius) | (equal & rest.simd_gt(0.0)),\n            distance.simd_lt(radius) | (equal & rest.simd_lt(0.0)),",
    ),
    (
        "the rest in lanes",
        ALIGNED,
        "let rest = S::f32s::from_bits(distance_rest.to_bits() ^ flip) - radius_rest;",
    ),
    (
        "the answers in lanes",
        ALIGNED,
        "separated: (signs[0][0] | signs[1][0] | signs[2][0]).to_bitmask(),\n        overlapping: (signs[0][1] & signs[1][1] & signs[2][1]).to_bitmask(),",
    ),
    (
        "a sum and its rest",
        ROUNDING,
        "let sum = x + y;\n    let y_part = sum - x;\n    let x_part = sum - y_part;\n    (sum, (x - x_part) + (y - y_part))",
    ),
    (
        "a term is added to the numbers so far",
        ROUNDING,
        "for place in &mut grown[..count] {\n            (rest, *place) = exact_sum(rest, *place);\n        }\n        grown[count] = rest;",
    ),
    (
        "down from the largest",
        ROUNDING,
        "for part in grown[..3].iter().rev() {\n        let (rounded, rest) = exact_sum(sum, *part);\n        sum = rounded;\n        if rest != 0.0 {\n            down[bottom] = rounded;\n            (bottom, sum) = (bottom - 1, rest);\n        }\n    }",
    ),
    (
        "and up",
        ROUNDING,
        "for part in &down[bottom + 1..] {\n        let (rounded, rest) = exact_sum(*part, sum);\n        sum = rounded;\n        if rest != 0.0 {\n            (parts[top], top) = (rest, top + 1);\n        }\n    }\n    parts[top] = sum;\n    parts[..=top].reverse();\n    (parts[0], parts[1]) = exact_sum(parts[0], parts[1]);",
    ),
];
