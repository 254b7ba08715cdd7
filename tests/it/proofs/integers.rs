//! The integers of the last stage of boxes, which `proofs/Wide.v`, `proofs/Integers.v`,
//! `proofs/MachineWidths.v` and `proofs/Widths.v` are about.

const WIDE: &str = "src/narrow_phase/obb_obb/exact/wide.rs";
const DIGITS: &str = "src/narrow_phase/obb_obb/exact/digits.rs";
const SCALE: &str = "src/narrow_phase/obb_obb/exact/scale.rs";
const WIDE_SAT: &str = "src/narrow_phase/obb_obb/exact/wide_sat.rs";
const APART: &str = "src/narrow_phase/obb_obb/exact/apart.rs";
const RECORD: &str = "src/base/problem.rs";
const MACHINE_WIDTHS: &str = "proofs/MachineWidths.v";
const WIDTHS: &str = "proofs/Widths.v";
const ROTATION: &str = super::ROTATION_CPU;

/// As `FORMULAS`.
pub const FORMULAS: &[(&str, &str, &str)] = &[
    ("a carry", WIDE, "(*word, carry) = x.0[i].carrying_add(y.0[i], carry);"),
    (
        "a borrow",
        WIDE,
        "(*word, borrow) = x.0[i].borrowing_sub(y.0[i], borrow);",
    ),
    ("a negative number", WIDE, "Self([0; N]) - self"),
    (
        "the sum of a word of a product",
        WIDE,
        "u128::from(x.0[i]) * u128::from(y.0[j]) + u128::from(product[i + j]) + u128::from(carry);",
    ),
    ("the words of a truncated product", WIDE, "for j in 0..N - i {"),
    (
        "a word of a product and its carry",
        WIDE,
        "product[i + j] = sum as u64;\n            carry = (sum >> 64) as u64;",
    ),
    (
        "a word of a product with a machine integer",
        WIDE,
        "let sum = u128::from(*word) * u128::from(factor.unsigned_abs()) + carry;\n            (*word, carry) = (sum as u64, sum >> 64);",
    ),
    (
        "its sign",
        WIDE,
        "if factor < 0 { -Self(product) } else { Self(product) }",
    ),
    (
        "the sum of a word of a full product",
        WIDE,
        "let sum = u128::from(x.0[i]) * u128::from(y.0[j]) + u128::from(*word) + u128::from(carry);",
    ),
    ("the last word of a row of it", WIDE, "product[1][i] = carry;"),
    (
        "a machine integer in its place",
        WIDE,
        "let low = u128::from(value.unsigned_abs()) << bits;",
    ),
    (
        "its words",
        WIDE,
        "0 => low as u64,\n            1 => (low >> 64) as u64,\n            _ => 0,",
    ),
    (
        "its sign in place",
        WIDE,
        "if value < 0 { -magnitude } else { magnitude }",
    ),
    (
        "a product of 128 and 64 bits, low",
        WIDE,
        "let low = i128::from(x as u64) * i128::from(y);",
    ),
    (
        "a product of 128 and 64 bits, high",
        WIDE,
        "let high = (x >> 64) * i128::from(y) + (low >> 64);",
    ),
    (
        "a product of 128 and 64 bits, words",
        WIDE,
        "Self([low as u64, high as u64, (high >> 64) as u64, (high >> 127) as u64])",
    ),
    ("the sign bit", WIDE, "self.0[N - 1] >> 63 != 0"),
    (
        "an absolute value",
        WIDE,
        "if self.is_negative() { -self } else { self }",
    ),
    ("the grain of Tiny", DIGITS, "pub const GRAIN: i32 = -14;"),
    (
        "the grain of Tiny in the proofs",
        MACHINE_WIDTHS,
        "Z.abs (v n) <= most_part 14",
    ),
    ("the bits of Tiny", DIGITS, "pub const TURNS: i32 = 61;"),
    ("the bits of Tiny in the proofs", WIDTHS, "Definition TURNS : Z := 61."),
    ("the grain of Short", DIGITS, "pub const GRAIN: i32 = -30;"),
    (
        "the grain of Short in the proofs",
        MACHINE_WIDTHS,
        "Z.abs (v n) <= most_part 30",
    ),
    ("the bits of lengths", DIGITS, "pub(crate) const SHORT: i32 = 61;"),
    (
        "the bits of lengths in the proofs",
        MACHINE_WIDTHS,
        "Definition SHORT : Z := 61.",
    ),
    (
        "the types of Tiny",
        DIGITS,
        "type Turn = i64;\n    type Length = i64;\n    type Product = i128;",
    ),
    (
        "the types of Short",
        DIGITS,
        "type Turn = i128;\n    type Length = i64;\n    type Product = Wide<4>;",
    ),
    (
        "the types of Turned",
        DIGITS,
        "type Turn = i64;\n    type Length = Wide<N>;\n    type Product = Wide<N>;",
    ),
    (
        "the types of Long",
        DIGITS,
        "type Turn = Wide<N>;\n    type Length = Wide<N>;\n    type Product = Wide<N>;",
    ),
    (
        "a sum of three products",
        DIGITS,
        "product(0) + product(1) + product(2)",
    ),
    (
        "the most of a short quaternion",
        SCALE,
        "let most: u64 = (1 << -grain) + (1 << (-grain - 9));",
    ),
    ("its parts", SCALE, ".all(|part| part.unsigned_abs() <= most)"),
    (
        "a stored number",
        SCALE,
        "let whole = fraction | i32::from(exponent != 0) << 23;",
    ),
    (
        "the power of a stored number",
        SCALE,
        "(if negative { -whole } else { whole }, exponent.max(1) - 150)",
    ),
    (
        "the grain and the limit",
        SCALE,
        "let exponent = split(f32::from_bits(smallest)).1;\n        let limit = split(f32::from_bits(largest)).1 + 24;",
    ),
    ("the bits of scaled numbers", SCALE, "self.limit - self.exponent"),
    (
        "the integer in a number in f64",
        SCALE,
        "let whole = fraction | i64::from(exponent != 0) << 52;",
    ),
    (
        "the power of two of a number in f64",
        SCALE,
        "let odd = whole >> even;\n    (\n        if bits >> 63 == 1 { -odd } else { odd },\n        exponent.max(1) - 1075 + even as i32,\n    )",
    ),
    (
        "the bits of a number in f64",
        SCALE,
        "exponent: power,\n            limit: power + 64 - odd.unsigned_abs().leading_zeros() as i32,",
    ),
    (
        "the grain of numbers in f64",
        SCALE,
        "exponent: a.exponent.min(b.exponent),\n            limit: a.limit.max(b.limit),",
    ),
    (
        "scaled numbers in f64",
        SCALE,
        "Wide::shifted(odd, (power - self.exponent).max(0) as u32)",
    ),
    (
        "a scaled number",
        SCALE,
        "Wide::shifted(whole, (power - self.exponent).max(0) as u32)",
    ),
    (
        "the limit of coordinates",
        RECORD,
        "pub const COORDINATE_LIMIT: f32 = (1u64 << 60) as f32;",
    ),
    (
        "r of integers, x to z",
        ROTATION,
        "aw * bx - bw * ax - cx,\n        aw * by - bw * ay - cy,\n        aw * bz - bw * az - cz,",
    ),
    ("r of integers, w", ROTATION, "aw * bw + ax * bx + ay * by + az * bz,"),
    (
        "a cross product",
        ROTATION,
        "u[1] * v[2] - u[2] * v[1],\n        u[2] * v[0] - u[0] * v[2],\n        u[0] * v[1] - u[1] * v[0],",
    ),
    (
        "an axis of A",
        WIDE_SAT,
        "0..3 => Some(column(&self.m_a, axis).mapped(|entry| self.n_b * entry)),",
    ),
    (
        "an axis of B",
        WIDE_SAT,
        "3..6 => Some(column(&self.m_b, axis - 3).mapped(|entry| self.n_a * entry)),",
    ),
    (
        "an axis of two edges",
        WIDE_SAT,
        "(!parallel).then(|| cross(column(&self.m_a, i), column(&self.m_b, j)))",
    ),
    (
        "the gap",
        WIDE_SAT,
        "let sign = (D::dot(direction, self.d).abs() - self.radius(axis)).sign();",
    ),
    (
        "the radii along a face of A",
        WIDE_SAT,
        "D::times(self.s, self.h_a[axis]) + D::dot(c[axis].mapped(Whole::abs), self.h_b)",
    ),
    (
        "the radii along a face of B",
        WIDE_SAT,
        "D::times(self.s, self.h_b[j]) + D::dot(column(c, j).mapped(Whole::abs), self.h_a)",
    ),
    (
        "the radii of A along two edges",
        WIDE_SAT,
        "let radius_a = part(c[i2][j], self.h_a[i1]) + part(c[i1][j], self.h_a[i2]);",
    ),
    (
        "the radii of B along two edges",
        WIDE_SAT,
        "radius_a + part(c[i][j2], self.h_b[j1]) + part(c[i][j1], self.h_b[j2])",
    ),
    (
        "the gap of boxes of one rotation",
        WIDE_SAT,
        "(D::dot(column(&m, i), d).abs() - D::times(n, h_a[i] + h_b[i])).sign()",
    ),
    (
        "the width of Turned",
        WIDE_SAT,
        "Some(match Tiny::TURNS + grain.bits() + 5 {\n                ..=192 => turned::<3>(a, b, turns, grain).largest(axes),",
    ),
    (
        "the largest width of Turned",
        WIDE_SAT,
        "_ => turned::<5>(a, b, turns, grain).largest(axes),",
    ),
    (
        "the widths of Long",
        WIDE_SAT,
        "match -2 * (scale.rotation_a.exponent + scale.rotation_b.exponent) + scale.lengths.bits() + 5 {\n        ..=128 => largest::<2>(a, b, scale, axes),\n        129..=192 => largest::<3>(a, b, scale, axes),\n        193..=256 => largest::<4>(a, b, scale, axes),\n        257..=384 => largest::<6>(a, b, scale, axes),",
    ),
    (
        "the largest width of Long",
        WIDE_SAT,
        "_ => largest::<13>(a, b, scale, axes),",
    ),
    (
        "the widths of Turned for one rotation",
        WIDE_SAT,
        "match 63 + grain.bits() + 5 {\n        ..=192 => parallel_turned::<3>(a, b, (m, n), grain, axes),\n        _ => parallel_turned::<5>(a, b, (m, n), grain, axes),",
    ),
    (
        "the widths of Long for one rotation",
        WIDE_SAT,
        "match -2 * rotation.exponent + lengths.bits() + 5 {\n        ..=128 => largest_parallel::<2>(a, b, rotation, lengths, axes),\n        129..=192 => largest_parallel::<3>(a, b, rotation, lengths, axes),\n        _ => largest_parallel::<13>(a, b, rotation, lengths, axes),",
    ),
    (
        "the widths for centers in f64",
        APART,
        "match -2 * (rotations[0].exponent + rotations[1].exponent) + lengths.bits() + 5 {\n        ..=192 => largest::<3>(a, b, apart, rotations, lengths, axes),\n        193..=256 => largest::<4>(a, b, apart, rotations, lengths, axes),\n        257..=384 => largest::<6>(a, b, apart, rotations, lengths, axes),",
    ),
    (
        "the largest width for centers in f64",
        APART,
        "_ => largest::<28>(a, b, apart, rotations, lengths, axes),",
    ),
    (
        "the widths for centers in f64 and one rotation",
        APART,
        "..=192 => largest_parallel::<3>(a, b, apart, rotation, lengths, axes),\n        193..=384 => largest_parallel::<6>(a, b, apart, rotation, lengths, axes),\n        _ => largest_parallel::<28>(a, b, apart, rotation, lengths, axes),",
    ),
    (
        "what all widths spare, in the proofs",
        WIDTHS,
        "Definition SPARE : Z := 5.",
    ),
    (
        "the largest widths, in the proofs",
        WIDTHS,
        "enough 13 (2 * (p + p')) bits /\\ enough 13 (2 * p) bits /\\ enough 5 TURNS bits /\\ enough 5 63 bits /\\\n  enough 28 (2 * (p + p')) bits64 /\\ enough 28 (2 * p) bits64.",
    ),
];
