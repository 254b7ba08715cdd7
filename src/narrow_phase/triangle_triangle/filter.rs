//! The decisions of `f32` about two triangles, as every stage in `f32` computes them: the lanes of
//! the CPU and the shader. There are three answers: separated, meeting, undecided. Undecided pairs
//! are decided without rounding ([`exact`](super::exact)).
//!
//! `u` is 2^-24 on the CPU, which rounds to the nearest, and 2^-23 in shaders, where `+ - *` return
//! either neighbour and compilers use fast math (`src/base/rewriting.rs`). `fenced` marks where
//! shaders put a fence; the CPU needs none. Formulas between two fences may be rewritten and fused.
//! `m(v)` is the largest magnitude of a component of v, and i, j range over 0, 1, 2, cyclically.
//!
//! # Neighbours
//!
//! If some `a_i = b_j` as numbers (0 is -0), the two share that corner. Depending on the query,
//! such a pair counts always, never, or only if the triangles share more than the common corner or
//! edge, which is decided [below](#intersection-of-neighbours). Shaders compare bits, because a
//! device may flush small numbers to zero: numbers are equal if `x ^ y` is 0, or `(x | y) << 1` is.
//!
//! # Scale
//!
//! ```text
//! S = the largest m of a_1 - a_0, a_2 - a_0, b_0 - a_0, b_1 - a_0, b_2 - a_0
//! s = the power of two with 1 <= s S < 2, but 2^64 at most
//! p_i = fenced(s a_i),  q_j = fenced(s b_j)
//! ```
//!
//! By its bits, `s` is `min(254 - (bits(S) >> 23), 127 + 64) << 23`. Scaling rounds nothing,
//! whatever the coordinates are, and nothing after it overflows: all differences are below 4, up to
//! a rounding. `m` of a difference is called its size.
//!
//! # Planes
//!
//! ```text
//! e = fenced(q_1 - q_0),  f = fenced(q_2 - q_0),  n = e × f,  d_i = fenced(p_i - q_0)
//! h_i = n·d_i                                     of the corners of A over the plane of B; and likewise g_j of those of B over that of A
//! E = VOLUME_ERROR u m(e) m(f) max(m(d_0), m(d_1), m(d_2)) + FLUSH
//!
//! separated   all h_i > E, or all h_i < -E; or the same of the g_j
//! ```
//!
//! # Crossing planes
//!
//! If all h_i and g_j are larger than their E in magnitude, both triangles meet the line on which
//! the planes cross, each in an interval, and the triangles meet if the intervals overlap (Guigue
//! and Devillers, "Fast and Robust Triangle-Triangle Overlap Test Using Orientation Predicates",
//! 2003; Möller, "A Fast Triangle-Triangle Intersection Test", 1997, computes the intervals
//! instead). One corner of each triangle is alone on its side. The corners from that one on are P,
//! Q, R of A and P', Q', R' of B. Q and R change places if P' is below the plane of A, and Q' and
//! R' if P is below that of B.
//!
//! ```text
//! v = fenced(P' - P)
//! V = v·(fenced(Q - P) × fenced(Q' - P'))
//! W = v·(fenced(R - P) × fenced(R' - P'))
//! E = VOLUME_ERROR u m(v) m(Q - P) m(Q' - P') + FLUSH     of V, and with R of W
//!
//! separated   V < -E or W > E
//! meeting     V > E and W < -E
//! ```
//!
//! # In plan
//!
//! Triangles of one plane remain, such as those of flat faces. Seen along some coordinate axis,
//! here that of the largest |n_k|, they may be separated by the line of an edge. y and z are the
//! two other coordinates in cyclic order. For the edge from p to p' of one and each corner x of the
//! other, and for the third corner x of the one,
//!
//! ```text
//! e = fenced(p' - p),  w = fenced(x - p)
//! F(x) = e_y w_z - e_z w_y
//! E = AREA_ERROR u m(e) + FLUSH
//!
//! separated   the least F of the other > max(0, F of the one) + E, or the largest < min(0, F of the one) - E, for some edge of either
//! ```
//!
//! The F of the one must be computed from the same edge as those of the other. As an area of the
//! whole triangle it would be the same for each edge, but its error would not.
//!
//! # Intersection of neighbours
//!
//! c is the common corner of A = c, c + u, c + v and of B = c, c + w, c + z. If there are two
//! common corners, c is the one from which A turns to the other, c + u; then c + z is the corner of
//! B that is not common, and w does not matter. The pair is undecided if there are three common
//! corners, or if A has another number of common corners than B, as only triangles with equal
//! corners do. Corners are numbered so that c is common and the one before it is not.
//!
//! ```text
//! S = the largest m of the differences from c,  s as above
//! u, v, w, z = fenced(s fenced(x - c))  of the corners x
//!
//! h_w = (u × v)·w, h_z = (u × v)·z,  g_u = (w × z)·u, g_v = (w × z)·v
//! E = VOLUME_ERROR u m(u) m(v) max(m(w), m(z)) + FLUSH   of the h, and likewise of the g
//! ```
//!
//! With one common corner, both triangles are parts of cones with the tip c, and share more than c
//! if and only if the cones share a ray. They do not if w and z are on one side of the plane of A,
//! or u and v on one side of that of B. Otherwise the planes cross in a line through c. In this
//! line, the direction of A is `(u × v) × (w × z) = g_u v - g_v u` if `g_u > 0 > g_v`, and that of
//! B is the opposite if `h_w > 0 > h_z`.
//!
//! ```text
//! one common corner:
//! separated   h_w and h_z > E, or both < -E; or the same of the g
//!             all larger than their E in magnitude, and h_w and g_u of one sign
//! meeting     all larger than their E in magnitude, h_w and h_z, g_u and g_v, and h_w and g_u of different signs
//! two:
//! separated   h_z > E or h_z < -E
//! ```
//!
//! In plan, seen along the axis of the largest |n_k| of n = u × v, with two coordinates of each
//! vector,
//!
//! ```text
//! F(x, y) = x_1 y_2 - x_2 y_1
//! E = CONE_ERROR u m(x) m(y) + FLUSH
//!
//! one common corner:
//! separated   none of w and z is in the cone of u and v, nor the other way round: x is not between e and f
//!             if F(e, f) > E, and F(e, x) < -E or F(x, f) < -E; or all of this with the other sign
//! two:
//! separated   F(u, v) and F(u, z) are of different signs, and larger than their E in magnitude
//! ```
//!
//! Two cones of a plane share a ray if and only if one contains a bounding ray of the other. A
//! triangle whose F(e, f) is not 0 is not seen edge on, so pairs that are separated in plan are
//! separated.
//!
//! All other pairs are undecided: exact contacts, flat ones among them, and pairs within about 1e-5
//! of them.

/// The error of a volume, in units of u times the product of the three sizes: 6 · 16.
///
/// A volume has 6 monomials, each with a magnitude of at most the product of the three sizes, so at
/// most 6 times it in total. Each of three differences errs by 1 u of itself, by `fenced`. By the
/// lemma in `src/base/rewriting.rs` a polynomial of N = 8 monomials (6, E and FLUSH, which a
/// compiler may bring to one side) of degree D = 4 (E has a constant) errs by N + D - 2 = 10 u of
/// all magnitudes. The sum is 13 u of the magnitudes of the volume, and 10 u of E, which is
/// negligible: 16 leaves room for both and for second-order terms. Minima, maxima and absolute
/// values end polynomials. On the CPU, 3 for the differences, 3 for a component of the cross
/// product and 3 for the sum are less.
pub(crate) const VOLUME_ERROR: f32 = 96.0;

/// The error of an area in plan, in units of u times the size of the edge: 2 · 2 · 8 · 4.
///
/// An area has 2 monomials, each with a magnitude of at most the product of the two sizes, of which
/// one is at most 4. Two differences err by 1 u each; N = 4 and D = 3 with E and FLUSH add 5 u: 7
/// u, for which 8 leaves room. Two areas are compared with each other.
pub(crate) const AREA_ERROR: f32 = 128.0;

/// The error of an area in plan of two vectors from a common corner, in units of u times the
/// product of the two sizes: 2 · 8.
///
/// It has 2 monomials, each with a magnitude of at most the product of the two sizes. As for
/// [`AREA_ERROR`], 8 units leave room.
pub(crate) const CONE_ERROR: f32 = 16.0;

/// The most that flushing subnormal numbers to zero can add to a volume or an area, after scaling:
/// 2^-50.
///
/// A flushed coordinate is off by less than 2^-126, and by 2^-62 once it is multiplied by s. A
/// difference is then off by 2^-61, and a volume, a product of three differences below 4, by at
/// most 6 · 3 · 2^-61 · 16 < 2^-52. Flushes after scaling are negligible compared with it, and so
/// is, on the CPU, the loss in subnormal products.
pub(crate) const FLUSH: f32 = 1.0 / (1u64 << 50) as f32;

/// The exponent of the largest scale, 2^64, as stored in the bits of a number.
pub(crate) const LARGEST_SCALE: u32 = 127 + 64;
