//! The machine-checked proofs in `proofs` speak of the constants and formulas of the sources. This
//! compares the two, and needs no proof assistant; `proofs/check` checks the proofs themselves.

mod broad_phase;
mod integers;
mod last_stage;
mod margins;
mod near;
mod round;
mod shader64;
mod upright;

use std::fs;

use crate::words::project;

const SEPARATING_AXES: &str = "src/narrow_phase/obb_obb/separating_axes.rs";
const ROTATION: &str = "shaders/shared/rotation.wgsl";
const SAT: &str = "shaders/narrow_phase/obb_obb/sat.wgsl";
const OBB_SAT: &str = "shaders/narrow_phase/obb_obb/obb_sat.wgsl";
const OBB_SAT_F64: &str = "shaders/narrow_phase/obb_obb/obb_sat_f64.wgsl";
const OBB_SAT_F64_CPU: &str = "src/narrow_phase/obb_obb/obb_sat_f64_cpu.rs";
const GRID_PLAN: &str = "shaders/broad_phase/grid/grid_plan.wgsl";
const GRID_PLAN_CPU: &str = "src/broad_phase/grid/grid_plan_cpu.rs";
const GRID_QUERY_CPU: &str = "src/broad_phase/grid/grid_query_cpu.rs";
const OBB_BOUNDS: &str = "shaders/shapes/obb/obb_bounds.wgsl";
const UPRIGHT_SAT_CPU: &str = "src/narrow_phase/obb_obb/upright_sat_cpu.rs";
const ROTATION_CPU: &str = "src/geometry/rotation.rs";
const OBB_SAT_CPU: &str = "src/narrow_phase/obb_obb/obb_sat_cpu.rs";
const COMMON: &str = "shaders/shared/common.wgsl";

/// A constant of the proofs, and where it is in the sources: the file, and the text before it.
const CONSTANTS: [(&str, &str, &str); 22] = [
    ("K_T", SEPARATING_AXES, "const SHADER_DISTANCE_ERROR: f64 = "),
    ("K_G", SEPARATING_AXES, "const SHADER_RADIUS_ERROR: f64 = "),
    ("A", SEPARATING_AXES, "const FLUSH_ERROR_F32: f32 = "),
    ("KAPPA", SEPARATING_AXES, "const KAPPA: f64 = "),
    ("DISTANCE_ERROR", SEPARATING_AXES, "const DISTANCE_ERROR: f64 = "),
    ("RADIUS_ERROR", SEPARATING_AXES, "const RADIUS_ERROR: f64 = "),
    ("ERROR_FACTOR", SEPARATING_AXES, "const ERROR_FACTOR: f64 = "),
    ("EXTENT_ERROR", OBB_BOUNDS, "const EXTENT_ERROR: f32 = "),
    ("CENTER_ERROR", OBB_BOUNDS, "const CENTER_ERROR: f32 = "),
    ("ABSOLUTE_ERROR", OBB_BOUNDS, "const ABSOLUTE_ERROR: f32 = "),
    ("BASE_SLACK", GRID_PLAN, "const BASE_SLACK: f32 = "),
    ("BASE_SLACK", GRID_PLAN_CPU, "const BASE_SLACK: f32 = "),
    ("SLACK_PER_CELL", GRID_PLAN, "const SLACK_PER_CELL: f32 = "),
    ("SLACK_PER_CELL", GRID_PLAN_CPU, "const SLACK_PER_CELL: f32 = "),
    ("K_T * u", SAT, "const ERROR_PER_DISTANCE: f32 = "),
    ("K_G * u", SAT, "const ERROR_PER_RADIUS: f32 = "),
    ("A", SAT, "const FLUSH_ERROR: f32 = "),
    ("A", OBB_SAT_F64, "const FLUSH_ERROR: f64 = "),
    ("ERROR_PER_SIZE", OBB_SAT_F64, "const ERROR_PER_SIZE: f64 = "),
    ("ERROR_PER_SIZE", SEPARATING_AXES, "const SHADER_ERROR_F64: f64 = "),
    ("KAPPA", OBB_SAT, "const KAPPA: f32 = "),
    ("KAPPA", OBB_SAT_F64, "const KAPPA: f64 = "),
];

/// Formulas that the proofs are about, as the sources write them: a name, the file, the text.
const FORMULAS: [(&str, &str, &str); 71] = [
    (
        "M(q), column 0",
        ROTATION,
        "vec3(d.w + d.x - d.y - d.z, 2.0 * (q.x * q.y + q.w * q.z), 2.0 * (q.x * q.z - q.w * q.y)),",
    ),
    (
        "M(q), column 1",
        ROTATION,
        "vec3(2.0 * (q.x * q.y - q.w * q.z), d.w - d.x + d.y - d.z, 2.0 * (q.y * q.z + q.w * q.x)),",
    ),
    (
        "M(q), column 2",
        ROTATION,
        "vec3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), d.w - d.x - d.y + d.z),",
    ),
    (
        "r, and its fence",
        ROTATION,
        "return fenced(vec4(a.w * b.xyz - b.w * a.xyz - cross(a.xyz, b.xyz), dot(a, b)), params.zero);",
    ),
    (
        "what a fence is",
        COMMON,
        "return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) ^ vec4(zero));",
    ),
    (
        "what a fence of three is",
        COMMON,
        "return fenced(vec4(v, 0.0), zero).xyz;",
    ),
    (
        "d, and its fence",
        OBB_SAT,
        "let d = fenced_3(b.center - a.center, params.zero);",
    ),
    (
        "t and n, and their fence",
        OBB_SAT,
        "let t_and_n = fenced(vec4(d * matrix(a.rotation), dot(a.rotation, a.rotation)), params.zero);",
    ),
    ("gA", OBB_SAT, "let g_a = n * vec3(a.half_x, a.half_y, a.half_z);"),
    ("gB", OBB_SAT, "let g_b = n * vec3(b.half_x, b.half_y, b.half_z);"),
    ("C", OBB_SAT, "let c = matrix(r);"),
    ("s", OBB_SAT, "let s = dot(r, r);"),
    ("T", OBB_SAT, "let distance = sum(abs(t));"),
    (
        "E of the distance",
        OBB_SAT,
        "let distance_error = ERROR_PER_DISTANCE * distance + FLUSH_ERROR;",
    ),
    (
        "E of a face of A",
        OBB_SAT,
        "let error_a = distance_error + ERROR_PER_RADIUS * (g_a + sum_b);",
    ),
    (
        "E of a face of B",
        OBB_SAT,
        "let error_b = distance_error + ERROR_PER_RADIUS * (sum_a + g_b);",
    ),
    (
        "E of two edges",
        OBB_SAT,
        "let error = distance_error + ERROR_PER_RADIUS * (sum_a + sum_b);",
    ),
    (
        "F of a face of A",
        OBB_SAT,
        "let face_a = s * (abs(t) - g_a) - (x * g_b.x + y * g_b.y + z * g_b.z);",
    ),
    (
        "F of a face of B",
        OBB_SAT,
        "let face_b = abs(t * c) - s * g_b - vec3(dot(x, g_a), dot(y, g_a), dot(z, g_a));",
    ),
    (
        "F of two edges, the distance",
        OBB_SAT,
        "let edge = abs(test.t.zxy * column.yzx - test.t.yzx * column.zxy)",
    ),
    (
        "F of two edges, the radii of A",
        OBB_SAT,
        "- (test.g_a.yzx * column_abs.zxy + test.g_a.zxy * column_abs.yzx + radius_b);",
    ),
    (
        "F of edge x of B",
        OBB_SAT,
        "edge_axes(test, c[0], g_b.y * z + g_b.z * y);",
    ),
    (
        "F of edge y of B",
        OBB_SAT,
        "edge_axes(test, c[1], g_b.z * x + g_b.x * z);",
    ),
    (
        "F of edge z of B",
        OBB_SAT,
        "edge_axes(test, c[2], g_b.x * y + g_b.y * x);",
    ),
    (
        "the answer of a face of A",
        OBB_SAT,
        "if any(face_a > error_a) { return SEPARATED; }",
    ),
    (
        "the answer of a face of B",
        OBB_SAT,
        "if any(face_b > error_b) { return SEPARATED; }",
    ),
    (
        "the answer of two edges",
        OBB_SAT,
        "if largest(edge) > test.error { return SEPARATED; }",
    ),
    (
        "the rule for parallel edges",
        OBB_SAT,
        "& (vec3(test.face) < -(KAPPA * test.size * sine + 2.0 * test.error));",
    ),
    (
        "t in f64 on the CPU",
        OBB_SAT_F64_CPU,
        "t: std::array::from_fn(|i| m_a[0][i] * d[0] + m_a[1][i] * d[1] + m_a[2][i] * d[2]),",
    ),
    (
        "F of a face of A in f64 on the CPU, s",
        OBB_SAT_F64_CPU,
        "self.s * (self.t[i].abs() - self.g_a[i])",
    ),
    (
        "F of a face of A in f64 on the CPU, radii",
        OBB_SAT_F64_CPU,
        "- (row[0].abs() * self.g_b[0] + row[1].abs() * self.g_b[1] + row[2].abs() * self.g_b[2])",
    ),
    (
        "F of a face of B in f64 on the CPU, distance",
        OBB_SAT_F64_CPU,
        "let distance = self.t[0] * column[0] + self.t[1] * column[1] + self.t[2] * column[2];",
    ),
    (
        "F of a face of B in f64 on the CPU, radii",
        OBB_SAT_F64_CPU,
        "- (column[0].abs() * self.g_a[0] + column[1].abs() * self.g_a[1] + column[2].abs() * self.g_a[2])",
    ),
    (
        "F of two edges in f64 on the CPU, distance",
        OBB_SAT_F64_CPU,
        "let distance = self.t[i2] * c[i1][j] - self.t[i1] * c[i2][j];",
    ),
    (
        "S in f64 on the CPU",
        OBB_SAT_F64_CPU,
        "self.c[i1][j].abs() + self.c[i2][j].abs()",
    ),
    (
        "E in f64 on the CPU",
        OBB_SAT_F64_CPU,
        "let error = bounds.error_factor * f64::EPSILON * size + underflow;",
    ),
    (
        "the rule for parallel edges in f64 on the CPU",
        OBB_SAT_F64_CPU,
        "let too_parallel = sine < 0.5 && face_max < -(bounds.kappa * sine * size + 2.0 * error);",
    ),
    (
        "the sine of the rule",
        OBB_SAT,
        "let sine = column_abs.yzx + column_abs.zxy;",
    ),
    (
        "the largest sine of the rule",
        OBB_SAT,
        "const LARGEST_SINE: f32 = 0.5;",
    ),
    (
        "M(q) on the CPU, row 0",
        ROTATION_CPU,
        "[ww + xx - yy - zz, twice(xy - wz), twice(zx + wy)],",
    ),
    (
        "M(q) on the CPU, row 1",
        ROTATION_CPU,
        "[twice(xy + wz), ww - xx + yy - zz, twice(yz - wx)],",
    ),
    (
        "M(q) on the CPU, row 2",
        ROTATION_CPU,
        "[twice(zx - wy), twice(yz + wx), ww - xx - yy + zz],",
    ),
    ("|q|^2 on the CPU", ROTATION_CPU, "(rows, ww + xx + yy + zz)"),
    (
        "d in f32 on the CPU",
        OBB_SAT_CPU,
        "let d = axes!(|i| b.center[i] - a.center[i]);",
    ),
    (
        "t in f32 on the CPU",
        OBB_SAT_CPU,
        "let t = axes!(|i| rows_a[0][i] * d[0] + rows_a[1][i] * d[1] + rows_a[2][i] * d[2]);",
    ),
    (
        "r in f32 on the CPU, x",
        OBB_SAT_CPU,
        "aw * bx - bw * ax - (ay * bz - az * by),",
    ),
    (
        "r in f32 on the CPU, y",
        OBB_SAT_CPU,
        "aw * by - bw * ay - (az * bx - ax * bz),",
    ),
    (
        "r in f32 on the CPU, z",
        OBB_SAT_CPU,
        "aw * bz - bw * az - (ax * by - ay * bx),",
    ),
    (
        "r in f32 on the CPU, w",
        OBB_SAT_CPU,
        "ax * bx + ay * by + az * bz + aw * bw,",
    ),
    (
        "F of a face of B on the CPU, distance",
        OBB_SAT_CPU,
        "sum(axes!(|i| t[i] * c[i][j])).abs() - s * g_b[j]",
    ),
    (
        "F of a face of B on the CPU, radii",
        OBB_SAT_CPU,
        "- sum(axes!(|i| c_abs[i][j] * g_a[i])));",
    ),
    (
        "F of two edges on the CPU, radii of A",
        OBB_SAT_CPU,
        "let radius_a = g_a[i1] * c_abs[i2][j] + g_a[i2] * c_abs[i1][j];",
    ),
    (
        "F of two edges on the CPU, radii of B",
        OBB_SAT_CPU,
        "let radius_b = g_b[j1] * c_abs[i][j2] + g_b[j2] * c_abs[i][j1];",
    ),
    (
        "F of two edges on the CPU",
        OBB_SAT_CPU,
        "let edge = (t[i2] * c[i1][j] - t[i1] * c[i2][j]).abs() - (radius_a + radius_b);",
    ),
    ("S on the CPU", OBB_SAT_CPU, "let sine = c_abs[i1][j] + c_abs[i2][j];"),
    (
        "the margin of the rule on the CPU",
        OBB_SAT_CPU,
        "let margin = size * KAPPA as f32 * sine + (error + error);",
    ),
    (
        "the rule for parallel edges on the CPU",
        OBB_SAT_CPU,
        "let parallel = sine.simd_lt(LARGEST_SINE) & face.simd_lt(-margin);",
    ),
    (
        "the largest sine of the rule on the CPU",
        OBB_SAT_CPU,
        "const LARGEST_SINE: f32 = 0.5;",
    ),
    (
        "E on the CPU",
        UPRIGHT_SAT_CPU,
        "distance * ERROR_PER_DISTANCE + extents * ERROR_PER_RADIUS + FLUSH_ERROR_F32",
    ),
    (
        "the row x of M(q) in bounds",
        OBB_BOUNDS,
        "let row_x = abs(vec3(d.w + d.x - d.y - d.z, 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y)));",
    ),
    (
        "the row y of M(q) in bounds",
        OBB_BOUNDS,
        "let row_y = abs(vec3(2.0 * (q.x * q.y + q.w * q.z), d.w - d.x + d.y - d.z, 2.0 * (q.y * q.z - q.w * q.x)));",
    ),
    (
        "the row z of M(q) in bounds",
        OBB_BOUNDS,
        "let row_z = abs(vec3(2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), d.w - d.x - d.y + d.z));",
    ),
    (
        "the extent of bounds",
        OBB_BOUNDS,
        "let extent = vec3(dot(row_x, h), dot(row_y, h), dot(row_z, h)) / (d.x + d.y + d.z + d.w);",
    ),
    (
        "the widening of bounds, and its fence",
        OBB_BOUNDS,
        "let widened = fenced_3(extent + (EXTENT_ERROR * (h.x + h.y + h.z) + CENTER_ERROR * abs(box.center)) + ABSOLUTE_ERROR",
    ),
    (
        "the low corner, and its fence",
        OBB_BOUNDS,
        "let low = fenced_3(box.center - widened, params.zero);",
    ),
    (
        "the high corner, and its fence",
        OBB_BOUNDS,
        "return Bounds(low, 0u, fenced_3(box.center + widened, params.zero), id);",
    ),
    (
        "the first cell of a walk",
        GRID_QUERY_CPU,
        "first: level.cell(in_cells(low) - (ONE_CELL + level.slack)),",
    ),
    (
        "the last cell of a walk",
        GRID_QUERY_CPU,
        "last: level.cell(in_cells(high) + level.slack),",
    ),
    (
        "the slack of a level",
        GRID_PLAN_CPU,
        "level.slack = BASE_SLACK + SLACK_PER_CELL * level.last_cell.max_element() as f32;",
    ),
    (
        "the slack of a level in the shader",
        GRID_PLAN,
        "let slack = BASE_SLACK + SLACK_PER_CELL * f32(cells_rounded);",
    ),
    (
        "F of a face of A on the CPU",
        OBB_SAT_CPU,
        "let face_a = axes!(|i| s * (t[i].abs() - g_a[i]) - sum(axes!(|j| c_abs[i][j] * g_b[j])));",
    ),
];

fn text_of(file: &str) -> String {
    fs::read_to_string(project().join(file)).unwrap_or_default()
}

/// Returns the value of a number as Rust, WGSL or Coq write it, with products and quotients.
fn value(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Some((dividend, divisor)) = text.split_once('/') {
        let dividend = if dividend.trim().is_empty() {
            1.0
        } else {
            value(dividend)?
        };
        return Some(dividend / value(divisor)?);
    }
    if let Some((left, right)) = text.split_once('*') {
        return Some(value(left)? * value(right)?);
    }
    let bare = text.trim_matches(['(', ')']).trim();
    let bare = bare.split(" as ").next()?.trim_matches(['(', ')']);
    if let Some(exponent) = bare.strip_prefix("0x1p") {
        return Some(exponent.parse::<f64>().ok()?.exp2());
    }
    if let Some((one, places)) = bare.split_once("<<") {
        return one
            .starts_with('1')
            .then_some(places.trim().parse::<f64>().ok()?.exp2());
    }
    if let Some((base, exponent)) = bare.split_once('^') {
        return Some(value(base)?.powf(value(exponent)?));
    }
    bare.parse().ok()
}

/// Returns the number that follows `start`, up to `end`.
fn after(text: &str, start: &str, end: char) -> Option<f64> {
    let line = text.lines().find_map(|line| line.split_once(start))?.1;
    value(line.rsplit_once(end)?.0)
}

/// Returns the value of a constant of the proofs, or of a product of them.
fn of_proofs(name: &str) -> Option<f64> {
    let proofs = text_of("proofs/Constants.v");
    let one = |name: &str| after(&proofs, &format!("Definition {name} : R := "), '.');
    name.split(" * ").map(one).product()
}

#[test]
fn t1_constants_are_those_of_the_proofs() {
    let mut wrong = Vec::new();
    for (name, file, start) in CONSTANTS.iter().chain(round::CONSTANTS).chain(broad_phase::CONSTANTS) {
        match (of_proofs(name), after(&text_of(file), start, ';')) {
            (Some(needed), Some(found)) if found >= needed => {}
            (needed, found) => wrong.push(format!("{file}: {start}{found:?}, and the proofs have {needed:?}")),
        }
    }
    assert!(wrong.is_empty(), "below the theorem:\n{}", wrong.join("\n"));
}

#[test]
fn formulas_and_fences_are_those_of_the_proofs() {
    let missing: Vec<String> = FORMULAS
        .iter()
        .chain(&upright::FORMULAS)
        .chain(integers::FORMULAS)
        .chain(last_stage::FORMULAS)
        .chain(margins::FORMULAS)
        .chain(near::FORMULAS)
        .chain(round::FORMULAS)
        .chain(shader64::FORMULAS)
        .chain(broad_phase::FORMULAS)
        .filter(|(_, file, text)| !text_of(file).contains(text))
        .map(|(name, file, text)| format!("{file}: {name}: {text}"))
        .collect();
    assert!(
        missing.is_empty(),
        "no longer what the proofs speak of; change proofs/ first:\n{}",
        missing.join("\n")
    );
}
