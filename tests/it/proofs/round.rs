//! The constants and formulas of the tests of round bodies in `f32`, of shaders and of the CPU,
//! which `proofs/Balls.v`, `proofs/Segments.v` and `proofs/RoundBox.v` are about; and those of the
//! exact stage, of `proofs/Orders.v`, `proofs/RoundExact.v`, `proofs/RoundWidths.v` and
//! `proofs/BoxBallExact.v`.

const FILTER: &str = "src/narrow_phase/round/filter.rs";
const ANSWERS: &str = "shaders/narrow_phase/round/answers.wgsl";
const CORES: &str = "shaders/narrow_phase/round/cores.wgsl";
const SEGMENTS: &str = "shaders/narrow_phase/round/segments.wgsl";
const BALLS: &str = "shaders/narrow_phase/round/sphere_sphere.wgsl";
const ROUND_ROUND: &str = "shaders/narrow_phase/round/round_round.wgsl";
const BOX_ROUND: &str = "shaders/narrow_phase/round/box_round.wgsl";
const ANSWERS_CPU: &str = "src/narrow_phase/round/answers.rs";
const BALLS_CPU: &str = "src/narrow_phase/round/sphere_sphere_cpu.rs";
const ROUND_ROUND_CPU: &str = "src/narrow_phase/round/round_round_cpu.rs";
const BOX_ROUND_CPU: &str = "src/narrow_phase/round/box_round_cpu.rs";
const BODIES: &str = "src/narrow_phase/round/bodies.rs";
const CAPSULES: &str = "src/narrow_phase/round/capsules.rs";

/// As `CONSTANTS`.
pub const CONSTANTS: &[(&str, &str, &str)] = &[
    ("SPHERES_ERROR", FILTER, "const SPHERES_ERROR: f32 = "),
    ("SPHERES_ERROR", BALLS, "const SPHERES_ERROR: f32 = "),
    ("SEGMENTS_ERROR", FILTER, "const SEGMENTS_ERROR: f32 = "),
    ("SEGMENTS_ERROR", ROUND_ROUND, "const SEGMENTS_ERROR: f32 = "),
    ("BOX_ERROR", FILTER, "const BOX_ERROR: f32 = "),
    ("BOX_ERROR", BOX_ROUND, "const BOX_ERROR: f32 = "),
    ("FLUSH_SQUARE", FILTER, "const FLUSH_SQUARE: f32 = "),
    ("FLUSH_SQUARE", BALLS, "const FLUSH_SQUARE: f32 = "),
    ("FLUSH_LENGTH", FILTER, "const FLUSH_LENGTH: f32 = "),
    ("FLUSH_LENGTH", SEGMENTS, "const FLUSH_LENGTH: f32 = "),
    ("u", ANSWERS, "const ULP: f32 = "),
];

/// As `FORMULAS`.
pub const FORMULAS: &[(&str, &str, &str)] = &[
    (
        "d of two balls, and its fence",
        BALLS,
        "let d = fenced_3(b.xyz - a.xyz, params.zero);",
    ),
    ("D of two balls", BALLS, "let squared = vec2(dot(d, d));"),
    (
        "E of two balls, and its fence",
        BALLS,
        "let error = fenced(vec4(SPHERES_ERROR * ULP * (squared + reach * reach) + FLUSH_SQUARE, 0.0, 0.0), params.zero).xy;",
    ),
    ("F of two balls", BALLS, "let f = squared - reach * reach;"),
    ("two balls overlap", BALLS, "let overlapping = f < -error;"),
    (
        "two balls are separated",
        BALLS,
        "return answer(f > error, overlapping, f > vec2(0.0));",
    ),
    ("the reach", ANSWERS, "let both = radii.x + radii.y;"),
    (
        "the reach with the margin, and its fence",
        ANSWERS,
        "return fenced(vec4(both, both + bitcast<f32>(margin), 0.0, 0.0), params.zero).xy;",
    ),
    (
        "the square of the distance of two balls on the CPU",
        BALLS_CPU,
        "let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];",
    ),
    (
        "the reach with the margin on the CPU",
        BALLS_CPU,
        "compare::<S>(square, reach + margins(simd, margin, pair))",
    ),
    (
        "E of two balls on the CPU",
        BALLS_CPU,
        "let error = (square + squared_reach) * ERROR + FLUSH_SQUARE;",
    ),
    (
        "K u of two balls on the CPU",
        BALLS_CPU,
        "const ERROR: f32 = SPHERES_ERROR / (1u32 << 24) as f32;",
    ),
    (
        "F of two balls on the CPU",
        BALLS_CPU,
        "let rest = square - squared_reach;",
    ),
    (
        "the answers of two balls on the CPU",
        BALLS_CPU,
        "above: rest.simd_gt(error),\n        below: rest.simd_lt(-error),",
    ),
    (
        "the column z of M(q)",
        SEGMENTS,
        "let turned = vec3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), d.w - d.x - d.y + d.z);",
    ),
    (
        "a direction, and its fence",
        SEGMENTS,
        "return fenced_3(turned / (d.x + d.y + d.z + d.w), params.zero);",
    ),
    (
        "d of two capsules, and its fence",
        ROUND_ROUND,
        "let d = fenced_3(b.center - a.center, params.zero);",
    ),
    (
        "the first place is clamped",
        SEGMENTS,
        "return vec2(clamp(f + t * cosine, -h_a, h_a), t);",
    ),
    (
        "the second place is clamped",
        SEGMENTS,
        "let t = clamp(first * cosine - g, -h_b, h_b);",
    ),
    (
        "w of two capsules, and its fence",
        ROUND_ROUND,
        "let w = fenced_3(d + places.y * z_b - places.x * z_a, params.zero);",
    ),
    (
        "G of two capsules",
        ROUND_ROUND,
        "let gap = dot(w, d) - h_a * abs(dot(w, z_a)) - h_b * abs(dot(w, z_b));",
    ),
    (
        "S of two capsules",
        ROUND_ROUND,
        "let error = error_of_cores(SEGMENTS_ERROR, sum(abs(d)) + h_a + h_b, reach);",
    ),
    (
        "the answer about two capsules",
        ROUND_ROUND,
        "return answer_of_cores(sqrt(dot(w, w)), gap, 0.0, reach, error);",
    ),
    (
        "E of cores, and its fence",
        CORES,
        "return fenced(vec4(part * ULP * (vec2(size) + reach) + FLUSH_LENGTH, 0.0, 0.0), params.zero).xy;",
    ),
    (
        "separated cores",
        CORES,
        "let separated = vec2(gap) > (reach + error) * (distance + FLUSH_LENGTH);",
    ),
    (
        "a point inside a box",
        CORES,
        "let inside = (vec2(depth) > error) & (reach > vec2(0.0));",
    ),
    (
        "overlapping cores",
        CORES,
        "let overlapping = (vec2(distance) + error < reach) | inside;",
    ),
    (
        "p, and its fence",
        BOX_ROUND,
        "let p = fenced_3((d * matrix(rotation)) / dot(rotation, rotation), params.zero);",
    ),
    (
        "z of a capsule, seen from a box",
        BOX_ROUND,
        "core.z = axis_of(relative(rotation, round.rotation));",
    ),
    (
        "the place is clamped",
        SEGMENTS,
        "return clamp(interval.x + clamp(-first / growth, 0.0, 1.0) * (interval.y - interval.x), -h, h);",
    ),
    (
        "x, and its fence",
        BOX_ROUND,
        "let x = fenced_3(p + t * core.z, params.zero);",
    ),
    (
        "w of a box, and its fence",
        BOX_ROUND,
        "let w = fenced_3(x - clamp(x, -half, half), params.zero);",
    ),
    (
        "G of a box",
        BOX_ROUND,
        "let gap = dot(w, p) - dot(half, abs(w)) - round.half_length * abs(dot(w, core.z));",
    ),
    ("how deep x is", BOX_ROUND, "let inside = half - abs(x);"),
    (
        "S of a box",
        BOX_ROUND,
        "let error = error_of_cores(BOX_ERROR, sum(abs(p)) + sum(half) + round.half_length, reach);",
    ),
    (
        "E of cores on the CPU",
        ANSWERS_CPU,
        "let error = (self.size + reach) * error + FLUSH_LENGTH;",
    ),
    (
        "separated cores on the CPU",
        ANSWERS_CPU,
        "above: self.gap.simd_gt((reach + error) * (self.length + FLUSH_LENGTH)),",
    ),
    (
        "overlapping cores on the CPU",
        ANSWERS_CPU,
        "below: (self.length + error).simd_lt(reach) | inside,",
    ),
    (
        "a point inside a box on the CPU",
        ANSWERS_CPU,
        "let inside = self.depth.simd_gt(error) & reach.simd_gt(S::f32s::splat(simd, 0.0));",
    ),
    (
        "K u of capsules on the CPU",
        ROUND_ROUND_CPU,
        "const ERROR: f32 = SEGMENTS_ERROR / (1u32 << 24) as f32;",
    ),
    (
        "a direction on the CPU",
        ROUND_ROUND_CPU,
        "(along_x + along_x) / square,\n        (along_y + along_y) / square,\n        (ww - xx - yy + zz) / square,",
    ),
    (
        "the places are clamped on the CPU",
        ROUND_ROUND_CPU,
        "let t = (s * cosine - along_b).max(-half_b).min(half_b);\n    let s = (along_a + t * cosine).max(-half_a).min(half_a);",
    ),
    (
        "w of two capsules on the CPU",
        ROUND_ROUND_CPU,
        "let w = axes!(|i| d[i] + t * z_b[i] - s * z_a[i]);",
    ),
    (
        "the projections of two capsules on the CPU",
        ROUND_ROUND_CPU,
        "let radii = half_a * dot::<S>(w, z_a).abs() + half_b * dot::<S>(w, z_b).abs();",
    ),
    (
        "S of two capsules on the CPU",
        ROUND_ROUND_CPU,
        "let size = d[0].abs() + d[1].abs() + d[2].abs() + half_a + half_b;",
    ),
    (
        "L, G and I of two capsules on the CPU",
        ROUND_ROUND_CPU,
        "length: dot::<S>(w, w).sqrt(),\n        gap: dot::<S>(w, d) - radii,\n        size,\n        depth: -size,",
    ),
    (
        "K u of a box on the CPU",
        BOX_ROUND_CPU,
        "const ERROR: f32 = BOX_ERROR / (1u32 << 24) as f32;",
    ),
    (
        "p on the CPU",
        BOX_ROUND_CPU,
        "let middle = axes!(|i| (rows[0][i] * d[0] + rows[1][i] * d[1] + rows[2][i] * d[2]) / square);",
    ),
    (
        "x and w of a box on the CPU",
        BOX_ROUND_CPU,
        "let x = axes!(|i| self.middle[i] + place * self.along[i]);\n        (x, axes!(|i| x[i] - x[i].max(-self.half[i]).min(self.half[i])))",
    ),
    (
        "the place is clamped on the CPU",
        BOX_ROUND_CPU,
        "(low + part * (high - low)).max(-self.half_length).min(self.half_length)",
    ),
    (
        "the projections of a box on the CPU",
        BOX_ROUND_CPU,
        "let radius = half[0] * w[0].abs() + half[1] * w[1].abs() + half[2] * w[2].abs();",
    ),
    (
        "how deep x is on the CPU",
        BOX_ROUND_CPU,
        "let inside = axes!(|i| half[i] - x[i].abs());",
    ),
    (
        "L, G and S of a box on the CPU",
        BOX_ROUND_CPU,
        "length: (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt(),\n        gap: from_middle - radius - frame.half_length * along.abs(),\n        size: (middle[0].abs() + middle[1].abs() + middle[2].abs()) + (half[0] + half[1] + half[2]) + frame.half_length,",
    ),
    (
        "the order of two balls",
        BODIES,
        "let reach = a + b + margin;\n    dot(apart, apart).compare(reach * reach)",
    ),
    (
        "the words of two balls",
        BODIES,
        "with_words!(2 * (grain.bits() + 4) + 4, exact_balls(grain, &lengths))",
    ),
    (
        "the ends of two capsules, and their reach",
        BODIES,
        "let p = ends([T::zero(); 3], &rows_a, others[0]).mapped(|end| end.mapped(|x| x * n_b));\n    let q = ends(apart.mapped(|x| x * n_b), &rows_b, others[1]).mapped(|end| end.mapped(|x| x * n_a));\n    let reach = (others[2] + others[3] + others[4]) * n_a * n_b;\n    cores([p, q], points, reach * reach)",
    ),
    (
        "the ends of a core",
        BODIES,
        "let along = rows.mapped(|row| row[2] * half_length);\n    [minus(center, along), plus(center, along)]",
    ),
    (
        "the points among two capsules",
        BODIES,
        "let points = [a, b].mapped(|round| round.half_length == 0.0);",
    ),
    (
        "the words of two capsules",
        BODIES,
        "let bits = grain.bits() + 2 * (grains[0].bits() + grains[1].bits()) + 8;\n        with_words!(6 * (bits + 4) + 4, exact_rounds(grain, grains, &lengths, turns, points))",
    ),
    (
        "cores that are points",
        CAPSULES,
        "[true, true] => dot(apart, apart).compare(reach),\n        [true, false] => point_to_segment(apart, minus(q[1], q[0]), reach),\n        [false, true] => point_to_segment(minus(q[0], p[0]), minus(p[1], p[0]), reach),\n        [false, false] => segments([p, q], reach),",
    ),
    (
        "the order of a point and a segment",
        CAPSULES,
        "if place.sign()?.is_le() {\n        return dot(point, point).compare(reach);\n    }\n    if place.compare(square)?.is_ge() {\n        let rest = minus(point, along);\n        return dot(rest, rest).compare(reach);\n    }",
    ),
    (
        "segments whose ends decide",
        CAPSULES,
        "if least.is_lt() || square.sign()?.is_le() {\n        return Some(least);\n    }",
    ),
    (
        "the order of a box and a ball",
        BODIES,
        "let apart = apart.mapped(|x| x * n_round);\n    let scale = n_box * n_round;\n    let half = vector(&others, 0).mapped(|half| half * scale);\n    let reach = (others[4] + others[5]) * scale;\n    if point {\n        return point_to_box(in_frame(&rows, apart), half, reach * reach);\n    }",
    ),
    (
        "the words of a box and a ball",
        BODIES,
        "let bits = grain.bits() + 2 * (grains[0].bits() + grains[1].bits()) + 10;\n        with_words!(6 * (bits + 4) + 4, exact_box(grain, grains, &lengths, turns, point))",
    ),
];
