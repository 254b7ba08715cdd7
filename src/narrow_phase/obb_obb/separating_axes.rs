//! The separating-axis test of two oriented boxes, as every stage computes it.
//!
//! The shaders (`obb_sat.wgsl` and `upright_sat.wgsl` in `f32`, `obb_sat_f64.wgsl`) and their CPU
//! twins evaluate the same polynomials; only the exact stage ([`exact`](super::exact)) uses others
//! of lower degree. No stage divides or takes a root. With `qA`, `qB` the stored quaternions,
//! `M(q)` the quaternion matrix with homogeneous diagonal (`w² + x² - y² - z²`, `2(xy - wz)`, ...)
//! and indices cyclic modulo 3:
//!
//! ```text
//! d  = cB - cA
//! MA = M(qA),  n = wA² + xA² + yA² + zA²          n and the diagonal of MA share the four squares
//! t  = MAᵀ d                                      t_i = MA_0i d_0 + MA_1i d_1 + MA_2i d_2
//! gA = n hA,  gB = n hB
//! r  = conj(qA) qB                                r_w = wA wB + vA·vB,  r_v = wA vB - wB vA - vA × vB
//! C  = M(r),  s = r_w² + r_x² + r_y² + r_z²       C_ij = s (axis i of A)·(axis j of B)
//!
//! face i of A:      F = s (|t_i| - gA_i) - (|C_i0| gB_0 + |C_i1| gB_1 + |C_i2| gB_2)
//! face j of B:      F = |t_0 C_0j + t_1 C_1j + t_2 C_2j| - s gB_j - (|C_0j| gA_0 + |C_1j| gA_1 + |C_2j| gA_2)
//! edges i, j:       F = |t_(i+2) C_(i+1)j - t_(i+1) C_(i+2)j|
//!                       - (gA_(i+1) |C_(i+2)j| + gA_(i+2) |C_(i+1)j| + gB_(j+1) |C_i(j+2)| + gB_(j+2) |C_i(j+1)|)
//! ```
//!
//! All fifteen carry the same factor `n s`: `F = n s f`, where `f` is the distance of the centers
//! along the axis less the two radii (the axis of two edges is `a_i × b_j`, whose length is the
//! sine of their angle). They are of degree 1 in the lengths, so nothing overflows, and of degree 7
//! in total.
//!
//! ```text
//! Z      = |t_0| + |t_1| + |t_2| + gA_0 + gA_1 + gA_2 + gB_0 + gB_1 + gB_2
//! T      = |t_0| + |t_1| + |t_2|
//! E      = u (K_T T + K_G G) + A         bound on the error of an F in f32: G the sum of the gA and gB in that F,
//!                                        A = FLUSH_ERROR_F32; on the CPU u = 2^-24, K_T = DISTANCE_ERROR, K_G =
//!                                        RADIUS_ERROR, in shaders u = 2^-23, K_T = SHADER_DISTANCE_ERROR, K_G =
//!                                        SHADER_RADIUS_ERROR
//! S_ij   = |C_(i+1)j| + |C_(i+2)j|       at least s sin(angle of edge i of A and edge j of B), up to its error
//! F_max  = the largest F of the six face axes
//! ```
//!
//! - **Separated** if some F > E.
//! - **Overlapping** if F < -E on all six faces and, for each of the nine pairs of edges, F < -E or
//!   (`S_ij < 0.5` and `F_max < -(KAPPA S_ij Z + 2 E)`), with the E of all extents.
//! - **Undecided** otherwise.
//!
//! f64 leaves so few pairs undecided that it uses the simpler `E = K u Z` for all, with u = 2^-52
//! and K = [`ERROR_FACTOR`] on the CPU, and `E = SHADER_ERROR_F64 Z + A` in the shader.
//!
//! If both boxes are rotated about z only, which their quaternions state exactly (x = y = 0), five
//! of these axes suffice, and `upright_sat.wgsl` and its twin compute no others: the rectangles in
//! plan are convex polygons with these four sides, and z is an interval. The F of an axis in plan
//! contains no z, and the F of z contains nothing else. Each may therefore use an E with only the T
//! and G that occur in it. The same rules distinguish separated from overlapping boxes, and the
//! rule for edges is not needed.
//!
//! Exact contacts are therefore undecided. The answers are proved only for valid boxes: these are
//! so far from the largest `f32` that no stage ever sees an infinity or a NaN, about which shaders
//! guarantee nothing. The second condition is needed because the axis of nearly parallel edges is
//! so short that its F drowns in E; [`KAPPA`] proves the condition.

/// K_T on the CPU: the contribution of the distance T to the error of an F, in units of u (2^-24
/// for f32, 2^-53 for f64).
///
/// It holds for `+ - *` that are off by at most u, in any order of summation, fused or not, and for
/// `|q|² = 1 ± 0.0021`. Rust evaluates what is written and rounds to the nearest. Shader compilers
/// do more: see [`SHADER_DISTANCE_ERROR`].
///
/// A sum of m products errs by at most m u times the sum of their absolute values, to first order
/// (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., section 3.1). In units of u:
///
/// - `n`: 4 n, since all four products are positive. `g = n h`: 5 g.
/// - An entry of `M(q)`: 4 n on the diagonal, 2 n off it, where `2 (|x y| + |w z|) <= n`. The
///   matrix of these errors has the norm 8 n. So `t`, with 1 for `d` and 3 for the sum (over
///   `|MA|`, whose norm is at most sqrt(3) n), has an error of length at most (8 + 3 sqrt(3) + 1) n
///   |d| < 15 |t|; one component at most (sqrt(24) + 3 + 1) |t| < 9 |t|.
/// - A component of `r`: 4 times the sum of its absolute products, itself at most |qA| |qB| =
///   sqrt(s); hence a vector of length at most 8 sqrt(s). Entries of `C`, and `s`, are quadratic
///   forms of `r` with eigenvalues in [-1, 1], which turn this into 2 sqrt(s) * 8 sqrt(s) = 16 s;
///   with 4 s for their own evaluation 20 s.
/// - Face of A: on `t` 20 + 9 + 5 (a subtraction, a product, three additions), on `gA` 20 + 5 + 5,
///   on `gB` 20 + 5 + 4.
/// - Face of B: on `t` 20 + 15 + 7 = 42 (seven products), on `gA` and `gB` 20 + 5 + 7.
/// - Edges: on `t` 20 + 15 + 6, on `gA` and `gB` 20 + 5 + 6.
///
/// An error of a column of `C` is weighted with the sum of the |t_i|, an error of `t` with its
/// length, both at most T. Every F therefore errs by at most `s u (42 T + 32 G)`, where G holds the
/// extents that occur in that F: one of A's on a face of A, one of B's on a face of B. With `s` <
/// 1.0043, 44 and 34 leave room for second-order terms and for the rounding of E. The proof needs
/// at least 43 and 33. The largest error seen over millions of pairs of
/// `adversarial` of obbligato-verify is 3.5 u Z. The bound is safe, and its price, an undecided
/// rate below 1e-4 in f32, is small compared with the cost of a wrong answer.
pub const DISTANCE_ERROR: f64 = 44.0;

/// K_G on the CPU: the contribution of the extents G to the error of an F; see [`DISTANCE_ERROR`].
pub const RADIUS_ERROR: f64 = 34.0;

/// K_T of shaders in `f32`, in units of u = 2^-23: WGSL requires that `+ - *` return one of the two
/// neighbours of the true result, and does not say which.
///
/// It holds whatever a compiler with fast math makes of the formulas, as listed in
/// `src/base/rewriting.rs`: sums and products in any order, distributed, factored and fused, terms
/// moved across comparisons. By the lemma there, a value between fences errs by at most `N + D - 2`
/// u of the sum of its monomials' magnitudes, where N is their number and D their degree. The
/// fences are around d, (t, n) and r. In units of u:
///
/// - `d`: 1, even far from the origin, because it is fenced.
/// - `t`: a component has 12 monomials of degree 3 (an entry of `M(q)` has 4, if 2 x is written x +
///   x), so 13. The matrix of their magnitudes has entries of at most n and rows of at most
///   `n + 2 (|x| + |w|) (|y| + |z|) <= 3 n`, hence a norm of at most 3 n: `t` errs by
///   `13 * 3 + 1 = 40 |t|` in length, and by `13 sqrt(3) + 1 < 24 |t|` in a component. `n`: 4.
/// - `r`: as on the CPU, 8 sqrt(s) in length, which turns into 16 s in entries of `C` and in `s`.
///   These have 4 monomials of degree 2, whose magnitudes add up to at most s: 4 more if an
///   absolute value ends them.
/// - Face of A with its E: `s |t_i|` 4 monomials, `s n hA` 4, `|C| n hB` 3, E 8 (three |t_k|, four
///   g, A): 18 additions. On `t` 16 + 24 + 18 + 2, on extents at most 20 + 4 + 18 + 3.
/// - Face of B with its E: within the absolute value 12 monomials of degree 3, whose magnitudes add
///   up to at most `s T`: 13; then 1 + 4 + 3, and 8 of E: 15 additions. On `t` 16 + 13 + 40 + 15 =
///   84, on extents at most 20 + 4 + 15 + 3.
/// - Edges with their E: within the absolute value 8 monomials, 9; then 1 + 4 + 10, 14 additions.
///   On `t` 16 + 9 + 40 + 14, on extents 20 + 4 + 14 + 2.
/// - The rule for parallel edges, `F_max + KAPPA S Z + 2 E < 0`, needs the most: 11 monomials of a
///   face, 18 of `KAPPA S Z` (nine lengths, two sines), 20 of 2 E: 48 additions. The face: on `t`
///   16 + 13 + 40 + 48, on extents 20 + 4 + 48 + 3. `KAPPA S Z`, at most 0.58 Z: 33 for the sine
///   (below, at `KAPPA`) and 0.58 (48 + 3). The totals are 180 and 138, of which 2 E takes half: 90
///   and 69.
///
/// With `s` < 1.0043, 92 and 72 leave room for second-order terms and for the rounding of E. The
/// tests in `rewritten.rs` check it, and the theorems `f32_shader_separated` and
/// `f32_shader_overlapping` of `proofs` prove it.
#[cfg_attr(not(test), expect(dead_code, reason = "a test holds it against the shader"))]
pub(crate) const SHADER_DISTANCE_ERROR: f64 = 92.0;

/// K_G of shaders in `f32`; see [`SHADER_DISTANCE_ERROR`].
#[cfg_attr(not(test), expect(dead_code, reason = "a test holds it against the shader"))]
pub(crate) const SHADER_RADIUS_ERROR: f64 = 72.0;

/// The contribution of Z to the error of an F in the shader in `f64`: 2^-35, that is 2^17 u with
/// u = 2^-52.
///
/// It needs no fences except around the two halves of d, whose sum is off by less than 2^-44 of its
/// length (`halves_are` of `proofs`). Then the components of `t` have 24 monomials, entries of `C`
/// and `s` 64 of degree 4, whose magnitudes add up to at most 4 s; `t C` in a face of B has 4608 of
/// degree 7, with magnitudes of at most `3 sqrt(3) 4 s |t| < 21 s |t|` together. With the roundings
/// of all else, the error is less than 7/8 of 2^17 u: `shader_f64_separated` and
/// `shader_f64_overlapping`. `f64` has bits to spare: in every scene that we know, 2^-35 leaves no
/// more pairs undecided than 2^-46.
#[cfg_attr(not(test), expect(dead_code, reason = "a test holds it against the shader"))]
pub(crate) const SHADER_ERROR_F64: f64 = 1.0 / (1u64 << 35) as f64;

/// `K_T u` for `f32` on the CPU, with the u of rounding to nearest, which Rust guarantees: half of
/// the shader's.
pub(crate) const ERROR_PER_DISTANCE: f32 = DISTANCE_ERROR as f32 / (1u32 << 24) as f32;

/// `K_G u` for `f32` on the CPU, likewise.
pub(crate) const ERROR_PER_RADIUS: f32 = RADIUS_ERROR as f32 / (1u32 << 24) as f32;

/// K: both combined, for any F on the CPU. Its error is at most `K u Z`, with u = 2^-52 in f64,
/// twice what is necessary.
pub const ERROR_FACTOR: f64 = 48.0;

/// A: the most that flushing subnormal f32 to zero can add to the error of an F, in the caller's
/// unit: 2^-118.
///
/// A flush, of an operand or of a result, changes a value by less than φ = 2^-126. Among the
/// quaternions and in `C`, relative to values near 1, this is negligible compared with u. For
/// lengths, the theorem `length_rewriting_error` of `proofs` bounds the flushes of N monomials of
/// degree D by (D + 1) N φ: `d` gets 3 φ per component, `t` 90 φ in length, the distance of a face
/// of B another 49 φ, and its F with E 81 φ, with their weights 233 φ, the others less; the rule
/// for edges 506 φ. 2^-118 = 256 φ covers each F, and 2 E the rule, as `f32_shader_separated`,
/// `f32_shader_overlapping` and the theorems of the CPU prove.
///
/// The f64 shader needs the same term, because its boxes are f32 too, and a GPU may flush them when
/// reading them (Vulkan permits flushing any subnormal operand or result): fewer than the above.
/// Its flushes in f64 itself, 2^-1022 at a time, are negligible compared with these.
///
/// f64 on the CPU flushes nothing and needs no such term: products of up to seven f32 are at least
/// 2^-1043 in size, where f64 loses at most 2^-1075, while Z is 0 (then every F is 0 too) or at
/// least 2^-150, so that `u Z` is at least 2^-202: the theorem `cpu_f64_separated`.
pub const FLUSH_ERROR_F32: f32 = 1.0 / (1u128 << 118) as f32;

/// κ: the condition under which nearly parallel edges cannot separate two boxes.
///
/// Claim: if `L = a_1 × b_1`, of length s = sin θ with cos θ > 0 (else flip b_1), has f >= 0, then
/// a face axis has `f >= -(s / cos θ) (|d| + |hA|_1 + |hB|_1)`.
///
/// P is the plane orthogonal to a_1. L lies in P, and b_1 has no part along L; so f(L) >= 0
/// means that along L the rectangle of A in P (sides along a_2, a_3) and the parallelogram of B in
/// P without its first edge (sides along P b_2, P b_3) share at most their ends. Their Minkowski
/// difference is a polygon with sides along those of the two, and the offset of the centers is not
/// in its interior, so it is not strictly inside all of them: f >= 0, for the two figures, along a
/// normal of one of these sides. (If the polygon has shrunk to a segment or a point because extents
/// are zero, a normal of the sides has no radius at all, and f >= 0 there.) The normal is
///
/// 1. a_2 (or a_3). The true f lacks only the radius of b_1:
///    `f(a_2) >= -hB_1 |b_1·a_2| >= -s hB_1`.
/// 2. `m = (a_1 × b_2) / N`, N its length (P b_3 is the same with b_3). Write
///    `a_1 = cos θ b_1 + s (p b_2 + r b_3)` with p² + r² = 1; then
///    `a_1 × b_2 = cos θ b_3 - s r b_1`, N <= 1, and `b_3 = (N m + s r b_1) / cos θ`. Along m,
///    `f >= 0` reads `|d·m| >= R_A(m) + hB_3 cos θ / N`, R_A being A's radius. Hence
///    `|d·b_3| >= N R_A(m) / cos θ + hB_3 - s |r| |d·b_1| / cos θ`, and with
///    `R_A(b_3) <= (N R_A(m) + s |r| R_A(b_1)) / cos θ`:
///    `f(b_3) >= -(s / cos θ) (|d·b_1| + R_A(b_1))`.
///
/// So if every face axis has f strictly below that, L has f strictly below 0: the pair overlaps and
/// does not just touch. `S_ij < 0.5` gives sin θ < 0.503 and 1 / cos θ < 1.158, for any `|q|²` and
/// rounding within their bounds. The error of `S_ij` against s sin θ is at most sqrt(2) * 20 u s,
/// which adds less than 34 u Z to the right-hand side: together with the error of F_max this is
/// less than 2 E. The theorem `parallel_edges` of `proofs` turns A about L instead, and needs 1.08.
pub const KAPPA: f64 = 1.16;
