//! The formulas for boxes that are rotated about z only, of the shader and of the CPU, which
//! `proofs/UprightShader.v` and `proofs/UprightCpu.v` are about.

const UPRIGHT_SAT: &str = "shaders/narrow_phase/obb_obb/upright_sat.wgsl";
const CPU: &str = super::UPRIGHT_SAT_CPU;

/// As `FORMULAS`.
pub const FORMULAS: [(&str, &str, &str); 45] = [
    (
        "cosine and sine",
        UPRIGHT_SAT,
        "return vec2(q.y * q.y - q.x * q.x, 2.0 * (q.y * q.x));",
    ),
    (
        "a vector along two axes",
        UPRIGHT_SAT,
        "return vec2(v.x * turned.x + v.y * turned.y, v.y * turned.x - v.x * turned.y);",
    ),
    ("a sum of two", UPRIGHT_SAT, "return v.x + v.y;"),
    (
        "E",
        UPRIGHT_SAT,
        "return ERROR_PER_DISTANCE * distance + ERROR_PER_RADIUS * extents + FLUSH_ERROR;",
    ),
    ("z and w of A", UPRIGHT_SAT, "let q_a = a.rotation.zw;"),
    ("z and w of B", UPRIGHT_SAT, "let q_b = b.rotation.zw;"),
    (
        "d, and its fence",
        UPRIGHT_SAT,
        "let d = fenced_3(b.center - a.center, params.zero);",
    ),
    (
        "t and n, and their fence",
        UPRIGHT_SAT,
        "let t_and_n = fenced(vec4(along(d.xy, turn(q_a)), 0.0, dot(q_a, q_a)), params.zero);",
    ),
    ("t in plan", UPRIGHT_SAT, "let t = t_and_n.xy;"),
    ("n", UPRIGHT_SAT, "let n = t_and_n.w;"),
    ("t along z", UPRIGHT_SAT, "let t_z = abs(n * d.z);"),
    ("gA", UPRIGHT_SAT, "let g_a = n * vec3(a.half_x, a.half_y, a.half_z);"),
    ("gB", UPRIGHT_SAT, "let g_b = n * vec3(b.half_x, b.half_y, b.half_z);"),
    (
        "r, and its fence",
        UPRIGHT_SAT,
        "let r = fenced(vec4(q_a.y * q_b.x - q_b.y * q_a.x, dot(q_a, q_b), 0.0, 0.0), params.zero).xy;",
    ),
    ("s", UPRIGHT_SAT, "let s = dot(r, r);"),
    ("C", UPRIGHT_SAT, "let c = turn(r);"),
    ("|C|", UPRIGHT_SAT, "let c_abs = abs(c);"),
    (
        "F of the faces of A",
        UPRIGHT_SAT,
        "let of_a = s * (abs(t) - g_a.xy) - (c_abs.x * g_b.xy + c_abs.y * g_b.yx);",
    ),
    (
        "F of the faces of B",
        UPRIGHT_SAT,
        "let of_b = abs(along(t, c)) - s * g_b.xy - (c_abs.x * g_a.xy + c_abs.y * g_a.yx);",
    ),
    ("the largest of each axis", UPRIGHT_SAT, "let faces = max(of_a, of_b);"),
    ("the largest in plan", UPRIGHT_SAT, "let plan = max(faces.x, faces.y);"),
    ("F along z", UPRIGHT_SAT, "let along_z = s * (t_z - g_a.z) - s * g_b.z;"),
    (
        "E in plan",
        UPRIGHT_SAT,
        "let error = error_of(sum(abs(t)), sum(g_a.xy) + sum(g_b.xy));",
    ),
    (
        "E along z, and the answer \"separated\"",
        UPRIGHT_SAT,
        "let error_z = error_of(t_z, g_a.z + g_b.z);\n    if plan > error || along_z > error_z { return SEPARATED; }",
    ),
    (
        "the answer \"overlapping\"",
        UPRIGHT_SAT,
        "if plan < -error && along_z < -error_z { return OVERLAPPING; }",
    ),
    (
        "turn of A on the CPU",
        CPU,
        "let (ww, zz, wz) = (w_a * w_a, z_a * z_a, w_a * z_a);",
    ),
    (
        "n, cosine and sine of A on the CPU",
        CPU,
        "let (n, cosine, sine) = (ww + zz, ww - zz, wz + wz);",
    ),
    ("d on the CPU", CPU, "let d = axes!(|i| b.center[i] - a.center[i]);"),
    (
        "t on the CPU",
        CPU,
        "let t = [cosine * d[0] + sine * d[1], cosine * d[1] - sine * d[0], n * d[2]];",
    ),
    ("gA on the CPU", CPU, "let g_a = axes!(|i| n * a.half[i]);"),
    ("gB on the CPU", CPU, "let g_b = axes!(|i| n * b.half[i]);"),
    (
        "r on the CPU",
        CPU,
        "let (r_w, r_z) = (w_a * w_b + z_a * z_b, w_a * z_b - w_b * z_a);",
    ),
    (
        "turn of r on the CPU",
        CPU,
        "let (ww, zz, wz) = (r_w * r_w, r_z * r_z, r_w * r_z);",
    ),
    (
        "s, and C on the CPU",
        CPU,
        "let (s, cosine, sine) = (ww + zz, ww - zz, wz + wz);",
    ),
    ("|C| on the CPU", CPU, "let (x, y) = (cosine.abs(), sine.abs());"),
    (
        "F of face x of A on the CPU",
        CPU,
        "s * (t[0].abs() - g_a[0]) - (x * g_b[0] + y * g_b[1]),",
    ),
    (
        "F of face y of A on the CPU",
        CPU,
        "s * (t[1].abs() - g_a[1]) - (y * g_b[0] + x * g_b[1]),",
    ),
    (
        "F of face x of B on the CPU",
        CPU,
        "(t[0] * cosine + t[1] * sine).abs() - s * g_b[0] - (x * g_a[0] + y * g_a[1]),",
    ),
    (
        "F of face y of B on the CPU",
        CPU,
        "(t[1] * cosine - t[0] * sine).abs() - s * g_b[1] - (y * g_a[0] + x * g_a[1]),",
    ),
    (
        "the largest in plan on the CPU",
        CPU,
        "let plan = of_a[0].max(of_a[1]).max(of_b[0].max(of_b[1]));",
    ),
    (
        "F along z on the CPU",
        CPU,
        "let along_z = s * (t[2].abs() - g_a[2]) - s * g_b[2];",
    ),
    (
        "E in plan on the CPU",
        CPU,
        "let error = error_of(t[0].abs() + t[1].abs(), (g_a[0] + g_a[1]) + (g_b[0] + g_b[1]));",
    ),
    (
        "E along z on the CPU",
        CPU,
        "let error_z = error_of(t[2].abs(), g_a[2] + g_b[2]);",
    ),
    (
        "the answer \"separated\" on the CPU",
        CPU,
        "plan.simd_gt(error) | along_z.simd_gt(error_z),",
    ),
    (
        "the answer \"overlapping\" on the CPU",
        CPU,
        "plan.simd_lt(-error) & along_z.simd_lt(-error_z),",
    ),
];
