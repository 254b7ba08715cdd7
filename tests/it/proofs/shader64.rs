//! The shader of boxes in `f64`, which `proofs/Shader64.v` is about.

const OBB_SAT_F64: &str = super::OBB_SAT_F64;

/// As `FORMULAS`.
pub const FORMULAS: &[(&str, &str, &str)] = &[
    (
        "M(q), column 0",
        OBB_SAT_F64,
        "vec3<f64>(d.w + d.x - d.y - d.z, 2.0lf * (q.x * q.y + q.w * q.z), 2.0lf * (q.x * q.z - q.w * q.y)),",
    ),
    (
        "M(q), column 1",
        OBB_SAT_F64,
        "vec3<f64>(2.0lf * (q.x * q.y - q.w * q.z), d.w - d.x + d.y - d.z, 2.0lf * (q.y * q.z + q.w * q.x)),",
    ),
    (
        "M(q), column 2",
        OBB_SAT_F64,
        "vec3<f64>(2.0lf * (q.x * q.z + q.w * q.y), 2.0lf * (q.y * q.z - q.w * q.x), d.w - d.x - d.y + d.z),",
    ),
    (
        "a product with a matrix",
        OBB_SAT_F64,
        "return vec3<f64>(sum(v * m[0]), sum(v * m[1]), sum(v * m[2]));",
    ),
    (
        "r",
        OBB_SAT_F64,
        "let cross = a.yzx * b.zxy - a.zxy * b.yzx;\n    let product = a * b;\n    return vec4<f64>(a.w * b.xyz - b.w * a.xyz - cross, product.w + product.x + product.y + product.z);",
    ),
    (
        "the halves of d, and their fences",
        OBB_SAT_F64,
        "let high = vec3<f64>(fenced_3(to - from_there, params.zero));\n    let low = vec3<f32>(vec3<f64>(to) - vec3<f64>(from_there) - high);\n    return high + vec3<f64>(fenced_3(low, params.zero));",
    ),
    ("d", OBB_SAT_F64, "let d = difference(b.center, a.center);"),
    ("n", OBB_SAT_F64, "let n = sum_of_squares(q_a);"),
    ("t", OBB_SAT_F64, "let t = along_columns(d, matrix(q_a));"),
    (
        "gA",
        OBB_SAT_F64,
        "let g_a = n * vec3<f64>(f64(a.half_x), f64(a.half_y), f64(a.half_z));",
    ),
    (
        "gB",
        OBB_SAT_F64,
        "let g_b = n * vec3<f64>(f64(b.half_x), f64(b.half_y), f64(b.half_z));",
    ),
    ("C and s", OBB_SAT_F64, "let c = matrix(r);"),
    (
        "E",
        OBB_SAT_F64,
        "let size = sum(abs(t)) + sum(g_a) + sum(g_b);\n    let error = ERROR_PER_SIZE * size + FLUSH_ERROR;",
    ),
    (
        "F of a face of A",
        OBB_SAT_F64,
        "let face_a = s * (abs(t) - g_a) - (x * g_b.x + y * g_b.y + z * g_b.z);",
    ),
    (
        "F of a face of B",
        OBB_SAT_F64,
        "let face_b = abs(along_columns(t, c)) - s * g_b - along_columns(g_a, mat3x3<f64>(x, y, z));",
    ),
    (
        "the largest of the faces",
        OBB_SAT_F64,
        "let face = max(largest(face_a), largest(face_b));\n    if face > error { return SEPARATED; }",
    ),
    (
        "F of two edges",
        OBB_SAT_F64,
        "let edge = abs(test.t.zxy * column.yzx - test.t.yzx * column.zxy)\n        - (test.g_a.yzx * column_abs.zxy + test.g_a.zxy * column_abs.yzx + radius_b);",
    ),
    (
        "the radii of B along edges",
        OBB_SAT_F64,
        "edge_axes(test, c[0], g_b.y * z + g_b.z * y);\n    let edges_y = edge_axes(test, c[1], g_b.z * x + g_b.x * z);\n    let edges_z = edge_axes(test, c[2], g_b.x * y + g_b.y * x);",
    ),
    (
        "the rule for parallel edges",
        OBB_SAT_F64,
        "& (vec3<f64>(test.face) < -(KAPPA * test.size * sine + vec3<f64>(2.0lf * test.error)));",
    ),
    (
        "the answers about edges",
        OBB_SAT_F64,
        "return select(UNDECIDED, OVERLAPPING, all((edge < vec3<f64>(-test.error)) | parallel));",
    ),
    (
        "overlapping",
        OBB_SAT_F64,
        "let overlapping = face < -error && max(edges_x, max(edges_y, edges_z)) == OVERLAPPING;",
    ),
];
