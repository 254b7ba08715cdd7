//! The error of the [distance](super::distance) of two boxes, for all stages.
//!
//! Everything is computed in the frame of A, in which B has the center `t = R(qA)ᵀ (cB - cA)` and
//! the axes `C = R(conj(qA) qB)`, which preserves precision far from the origin. Let
//! `Z = |t|_1 + |hA|_1 + |hB|_1`, and u the relative error of an operation, as for the
//! [separating-axis test](super::separating_axes), from which these figures come:
//!
//! - t errs by 15 u |t| before its division by `|qA|²`, and by 23 u |t| after it. The relative
//!   quaternion errs by 8 u of its length, which turns B by at most 16 u; evaluating its matrix and
//!   dividing it by its squared length adds 12 u to an entry, 21 u to a column. So the box that the
//!   numbers describe is within `23 u |t| + 37 u |hB|_1` of the true B, and its distance from A is
//!   as close to the true distance.
//! - Corners of B: four operations per coordinate, a difference, the length: 7 u Z more. Corners of
//!   A are transformed into B's frame with the transpose of C, which is not quite its inverse: 54 u
//!   Z in total.
//! - Edges: θ is the sine of their angle, taken from the two entries of C that vanish with it.
//!   The position on B's edge errs by 12 u Z / θ, which is large where θ is small, but moves the
//!   two points along together: within the edges, `D² = |w|² + (θ times the offset)²`, which leaves
//!   12 u Z. Clamping the position on A's edge and then recomputing and clamping the one on B's
//!   keeps this true near the ends. The total is at most 60 u Z. Edges with `θ <= 8 u` are not
//!   tried: moving along both until one ends leads to a corner and adds at most
//!   `θ min(2 hA_i, 2 hB_j) <= 8 u Z`.
//! - Gaps: `θ` times the gap errs by less than 64 u Z, θ by 40 u, signs by 96 u of the quantity
//!   they belong to.
//!
//! - A margin, if one is compared with the distance, is an `f64` rounded up to `f32`, and perhaps
//!   added to others: it errs by 4 u. The bound has room for this because the margin counts toward
//!   Z.
//!
//! `ERROR_FACTOR` is twice the largest of these: `|computed - true| <= K u Z`. It also serves as
//! the tolerance for signs and for the choice of axes. In f32 squares may underflow, which adds
//! `FLUSH_ERROR_F32`.

/// K on the CPU: the error of a computed distance in units of u Z, u being 2^-24 in f32 and 2^-52
/// in f64. The proof needs at least 64; twice that leaves a few more pairs that f32 cannot decide.
/// See the [module](self).
pub(crate) const ERROR_FACTOR: f64 = 128.0;

/// Edges at an angle of this sine or less, in units of u, count as parallel. See the
/// [module](self).
pub(crate) const PARALLEL_FACTOR: f64 = 8.0;

/// The most that flushing squares below 2^-126 to zero can add to the error of a distance in f32:
/// each of three squares loses less than 2^-126, so the length errs by less than 2^-62; nothing
/// else loses as much.
pub(crate) const FLUSH_ERROR_F32: f32 = 1.0 / (1u64 << 60) as f32;

/// K of shaders, in units of u Z with u = 2^-23. Compilers with fast math may rewrite the formulas
/// (`src/base/rewriting.rs`), except for what is fenced: d, t, the relative quaternion and C, the
/// error, and differences before they are squared. Then t errs by `14 * 3 + 8 = 50` u of its length
/// instead of 23 (12 monomials of degree 4, one of them 1 / |q|²), which adds 27 to each of the
/// figures above. Sums that are written out, and a root within 6 u, add at most 20 more. The proof
/// needs at least 112.
#[cfg_attr(not(test), expect(dead_code, reason = "a test holds it against the shader"))]
pub(crate) const SHADER_ERROR_FACTOR: f64 = 192.0;

/// The error of a length in f64, in units of Z.
pub(super) const ERROR: f64 = ERROR_FACTOR * f64::EPSILON;
/// [`PARALLEL_FACTOR`] as a sine in f64.
pub(super) const PARALLEL: f64 = PARALLEL_FACTOR * f64::EPSILON;
