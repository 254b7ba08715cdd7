//! The decisions of `f32` about a sphere or a capsule and another body, as every stage in `f32`
//! computes them: the lanes of the CPU and the shaders. Each test has three answers: separated,
//! overlapping, undecided. Undecided pairs are decided without rounding
//! ([`bodies`](super::bodies)).
//!
//! A round body is a core, the center of a sphere or the segment of a capsule, and a radius. Two
//! bodies are separated, touch or overlap if the distance of their cores, one of which may be a
//! box, is larger than, equal to or less than the *reach* R: the sum of the radii. With a margin,
//! the same numbers answer a second question, with a reach that is larger by the margin: if the
//! bodies are within it.
//!
//! `u` is 2^-24 on the CPU, which rounds to the nearest, and 2^-23 in shaders, where `+ - *` return
//! either neighbour and compilers use fast math (`src/base/rewriting.rs`). `fenced` marks where
//! shaders put a fence; the CPU needs none. Products and sums in between may be rewritten and
//! fused. `c`, `q`, `h`, `r`, `m` are center, quaternion, half length or half extents, radius and
//! margin.
//!
//! # Two spheres
//!
//! ```text
//! d = fenced(cB - cA)
//! R = fenced(rA + rB + m)
//! D = |d|²
//! E = fenced(SPHERES_ERROR u (D + R²) + FLUSH_SQUARE)
//! F = D - R²
//!
//! separated     F > E
//! overlapping   F < -E
//! ```
//!
//! # Two segments, one of which may be a point
//!
//! The answer is proved by two *witnesses*, however they are found: numbers s and t that name a
//! point of each core, and the vector w between the two points, as a direction. The cores are no
//! further apart than the points, and at least as far apart as their projections onto w. So nothing
//! must be proved about how s and t are found; if they are not the best, more pairs are undecided.
//!
//! ```text
//! d = fenced(cB - cA)
//! z = fenced((2 (xz + wy), 2 (yz - wx), w² - x² - y² + z²) / |q|²)     of both: the direction of the segment
//!
//! b = zA·zB,  f = zA·d,  g = zB·d                                      (Ericson, Real-Time Collision Detection, 5.1.9)
//! s = clamp((f - b g) / max(1 - b², LEAST_SINE), ±hA)
//! t = clamp(s b - g, ±hB)
//! s = clamp(f + t b, ±hA)
//! w = fenced(d + t zB - s zA)
//!
//! L = sqrt(|w|²)                                                       the points' distance
//! G = w·d - hA |w·zA| - hB |w·zB|                                      the distance of the projections, times |w|
//! S = |d_0| + |d_1| + |d_2| + hA + hB
//! K = SEGMENTS_ERROR
//! ```
//!
//! # A box and a segment, which may be a point
//!
//! The test is the same, in the frame of the box, whose center is the origin. The point of the box
//! nearest to a point of the segment is that point with clamped coordinates, so only one number
//! must be found: the place where the squared distance is least. Half its derivative, `φ`,
//! increases along the segment, and is linear between the planes of the faces.
//!
//! ```text
//! d    = fenced(cB - cA)                          from the box to the segment
//! p    = fenced(M(qA)ᵀ d / |qA|²)
//! r    = fenced(conj(qA) qB)
//! z    = fenced((2 (xz + wy), 2 (yz - wx), w² - x² - y² + z²) / |r|²), of r
//! φ(t) = z·w(t),  w(t) = fenced(x - clamp(x, ±hA)),  x = p + t z
//!
//! l = -hB,  k = hB
//! for each plane, i = 0..3 and σ = -1, 1:         t = clamp((σ hA_i - p_i) / z_i, ±hB), 0 if |z_i| < LEAST_SLOPE
//!     φ(t) <= 0:  l = max(l, t)       else:  k = min(k, t)
//! t = clamp(l + clamp(-φ(l) / max(φ(k) - φ(l), FLUSH_LENGTH), 0, 1) (k - l), ±hB)
//! x = fenced(p + t z)
//! w = fenced(x - clamp(x, ±hA))
//!
//! L = sqrt(|w|²)
//! G = w·p - (hA_0 |w_0| + hA_1 |w_1| + hA_2 |w_2|) - hB |w·z|
//! I = min over i of (hA_i - |x_i|)                how deep inside the box the point is
//! S = |p_0| + |p_1| + |p_2| + hA_0 + hA_1 + hA_2 + hB
//! K = BOX_ERROR
//! ```
//!
//! If φ(l) >= 0 or φ(k) <= 0, this place is l or k. For a sphere hB = 0, t = 0 and the search is
//! omitted.
//!
//! # The answers about cores
//!
//! ```text
//! R = fenced(the radii, or the radius, + m)
//! E = fenced(K u (S + R) + FLUSH_LENGTH)
//!
//! separated     G > (R + E) (L + FLUSH_LENGTH)
//! overlapping   L + E < R,  or for a box  I > E and R > 0
//! ```
//!
//! So no pair overlaps if its reach is 0: it touches, if it meets at all, and is undecided. Nothing
//! grows beyond degree 2 in the lengths, 2^60 each, and the margins, three times that: no number is
//! above 2^127.
//!
//! # Their use
//!
//! Without a margin, [`Precision::Exact`](crate::Precision::Exact) returns the proved answers.
//! `Conservative` reports all but separated pairs. `Fast` decides by the sign of F, or of L - R.
//! With a margin, there are (separated, overlapping) for the radii alone and (beyond, within) for
//! the reach with the margin. A pair is beyond the margin if beyond; colliding if overlapping; near
//! if separated and within; else undecided. `Conservative` reports pairs as colliding if they are
//! not separated, and as near if they are not beyond. `Fast` uses both signs.

/// K of two spheres, in units of u: F errs by at most `K u (D + R²)`, apart from flushes.
///
/// Each component of d, and so D, is off by 1 u (2 when squared). R, a sum of three, is off by 2 u,
/// and by up to 2.5 u more for the margin, which is an `f64` rounded up, and perhaps a sum (9 when
/// squared). `F - E` and `F + E` have three monomials of D, one of R² and the one that is E, of
/// degree 2 at most: by the lemma in `src/base/rewriting.rs` they add `5 + 2 - 2` u. The total is
/// 14 u; 16 leaves room for the rounding of E itself and for second-order terms. `balls_separated`
/// and `balls_overlapping` (`proofs/Balls.v`) prove both answers for 15 and more.
pub(crate) const SPHERES_ERROR: f32 = 16.0;

/// K of two segments, in units of u: the error of a length, as a fraction of `S + R`.
///
/// In units of u, and as lengths of vectors unless stated otherwise:
///
/// - d: 1, as it is fenced.
/// - z: a component is a sum of four monomials, if 2 x is written x + x, of degree 3 with
///   `1 / |q|²`, whose magnitudes add up to at most 1: 5, hence 9 for the vector. `|q|²` takes 4,
///   its reciprocal 2.5, and a quotient that is a product with it 1; all components share the
///   first two, which scale the vector: 17 in total.
/// - w: against the true vector between the points s and t, three monomials of degree 2: 3 + 1 on
///   d, 3 + 17 on hA and hB.
/// - L: 3 for a sum of squares, half of it after the root, which takes 6 (by WGSL it is a
///   reciprocal, 2.5, of an inverse root, 2): 7.5 of L, which is at most `|d| + hA + hB`.
/// - R: 2, and 2.5 for the rounding of the margin.
/// - Overlapping: `L + E - R` adds 2. The total is 4 + 7.5 + 2 on d, 20 + 7.5 + 2 on half lengths,
///   4.5 + 2 on R.
/// - Separated, with w as the direction that it is: w·d has 1 from d, `w·z` 17 from z and its
///   own 3. The whole has 3 + 2 monomials of G and 4 of the product, of degree 2: 9. The total is
///   10 on d, 29 on half lengths, 4.5 + 7.5 + 9 on R, times |w|.
///
/// 36 leaves room for the rounding of E and S and for second-order terms. `segments_separated` and
/// `segments_overlapping` (`proofs/Segments.v`) prove both answers for 32 and more.
pub(crate) const SEGMENTS_ERROR: f32 = 36.0;

/// K of a box and a segment, in the same units.
///
/// - p: 12 monomials of degree 4, whose magnitudes have a matrix of norm 3 at most (see
///   `separating_axes`): 14 times 3, with 8 for `1 / |q|²` and its product, and 1 for d: 51.
/// - r: 8 of its length, which turns the axis by twice as much, 16; z: with less than 23 for its
///   evaluation, 39.
/// - x: two monomials of degree 2: 53 on d, 41 on hB. The distance of a point to the box changes no
///   more than the point.
/// - w: 1 more; L: 8.5 in total.
/// - Overlapping: 53 + 8.5 + 2 on d, 41 + 8.5 + 2 on hB. The extents are exact; I: 1.
/// - Separated: 3 + 3 + 1 monomials of G and 4 of the product: 11. On d 51 + 11, on hB 39 + 3 + 11,
///   on hA 11, on R 4.5 + 7.5 + 11.
///
/// S contains p instead of d, which differs by 51 u. 80 leaves room for that and for the rest.
/// `round_box_separated` and `round_box_overlapping` (`proofs/RoundBox.v`) prove all answers for 76
/// and more, with 61 for z.
pub(crate) const BOX_ERROR: f32 = 80.0;

/// The most that flushing numbers below φ = 2^-126 to zero can add to the error of F: 2^-118.
///
/// A component of d may be off by 3 φ (operands and result), which changes its square by less than
/// 6 φ |d| + 9 φ²: less than u times the square, or than 2^-200. Squares, sums and R² lose about 12
/// φ.
pub(crate) const FLUSH_SQUARE: f32 = 1.0 / (1u128 << 118) as f32;

/// More than flushing can add to the error of L: 2^-60.
///
/// Three squares that lose φ each change the root by less than 2^-62, and lengths lose a few φ. The
/// difference of G and the product loses about 30 φ in products of lengths, and about
/// `(|d| + hA + hB) φ` if w or `w·z` are flushed, while `E FLUSH_LENGTH` is at least 2^-120 = 64 φ,
/// and more than `2^-80 S`.
pub(crate) const FLUSH_LENGTH: f32 = 1.0 / (1u64 << 60) as f32;

/// The squared sine below which segments are as good as parallel: any of their points may be the
/// first to be examined. 2^-40.
pub(crate) const LEAST_SINE: f32 = 1.0 / (1u64 << 40) as f32;

/// The component of a direction of length 1 below which it changes nothing, 2^-40: the segment
/// stays on one side of a plane, up to rounding.
pub(crate) const LEAST_SLOPE: f32 = 1.0 / (1u64 << 40) as f32;
