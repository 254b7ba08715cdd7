//! The overlap of two boxes in general position, from the edges of the overlap alone, one pair per
//! lane.
//!
//! # Method
//!
//! By the divergence theorem, applied to a solid and to each of its faces, six times the volume of
//! a polytope is the sum, over its edges, of `length (f e + g d)`: f and g are the distances of the
//! edge's two faces from the origin, and e and d the distances, within each face, of the edge from
//! the face's point nearest to the origin; all are negative where the origin is beyond. The origin
//! is the center of A. The edges of the overlap are
//!
//! - the parts in B of the 12 edges of A, with `f e + g d = 2 hA_k hA_l`;
//! - the parts in A of the 12 edges of B: `2 H_m H_n`, H being the distance of a face of B;
//! - the parts in both of the 36 lines in which a face of A meets one of B at the angle θ:
//!   `(2 hA_i H_j - cos θ (hA_i² + H_j²)) / sin θ`. The direction `a_i × b_j`, of length sin θ,
//!   measures the length, so that no root is needed.
//!
//! Each part is an interval: the largest of some lower ends, the smallest of some upper ends. There
//! are no branches.
//!
//! # Error
//!
//! An end is a quotient by an entry of the rotation `C = Aᵀ B`. Let κ be the smallest absolute
//! value of these nine, so `sin θ >= κ √2`; Z as in [`clip`](super::clip), and u the relative error
//! of an operation, 2^-53. Entries of C are off by 28 u, t by 23 u Z, and the distances H by 76 u
//! Z.
//!
//! All ends of an edge use the same computed C, and a quotient by a number that is off is the end
//! of an edge that is turned by as much. So lengths are off by at most 256 u Z / κ on the edges of
//! A, by 128 u Z / κ on those of B, and by 560 u Z / κ on the lines, where ends are measured from
//! two points whose distance is off as well. Only edges that are longer than minus that count.
//! Their weights are off by at most 152 u Z times the sum of both distances on B, and by 220 u Z
//! times it on the lines. Sums and products are off by 66 u of the sum of all terms, of which
//! lengths are at most 2 Z. Together a sixth of `u Z (700 / κ × sum of weights + 220 × sum of
//! distances × lengths)`. [`ENDS`] and [`WEIGHTS`] are larger. The weights of lines are divided by
//! sin θ; `1 / sin² θ` is larger. If boxes are nearly aligned, this is too much, and
//! [`clip`](super::clip) takes over.

use fearless_simd::prelude::*;

use crate::base::lanes::{Simd, axes};
use crate::geometry::rotation::{matrix, relative};

/// The error of a length, in units of Z / κ: 2^10 u. See the [module](self).
const ENDS: f64 = 512.0 * f64::EPSILON;

/// The error of a weight, in units of Z times the sum of the distances of its faces: 2^8 u.
const WEIGHTS: f64 = 128.0 * f64::EPSILON;

/// The numbers of pairs, one in each lane: quaternions, vectors between centers, half extents.
pub(super) struct Pairs<V> {
    pub turns: [[V; 4]; 2],
    pub apart: [V; 3],
    pub half: [[V; 3]; 2],
}

/// The pairs in the frame of A.
struct Frames<V> {
    /// The center of B, and the negative center of A in the frame of B.
    t: [V; 3],
    tau: [V; 3],
    /// The rotation of B, by rows, and 1 over each entry.
    c: [[V; 3]; 3],
    inverse: [[V; 3]; 3],
    /// The half extents of A and of B.
    h: [V; 3],
    k: [V; 3],
}

/// Signs of two faces: `true` if negative.
const SIGNS: [[bool; 2]; 4] = [[false, false], [false, true], [true, false], [true, true]];

#[inline(always)]
fn signed<V: SimdFloat<S, Element = f64>, S: Simd>(number: V, negative: bool) -> V {
    if negative { -number } else { number }
}

/// Returns the volumes of the overlaps, and bounds on their errors, which are not finite for boxes
/// with a common axis.
#[inline(always)]
pub(super) fn volumes<S: Simd>(simd: S, pairs: &Pairs<S::f64s>) -> [S::f64s; 2] {
    let (rows, length) = matrix(pairs.turns[0]);
    let d = pairs.apart;
    let t = axes!(|i| (rows[0][i] * d[0] + rows[1][i] * d[1] + rows[2][i] * d[2]) / length);
    let (c, scale) = matrix(relative(pairs.turns[0], pairs.turns[1]));
    let c = axes!(|i| axes!(|j| c[i][j] / scale));
    let one = S::f64s::splat(simd, 1.0);
    let [h, k] = pairs.half;
    let frames = Frames {
        t,
        tau: axes!(|j| t[0] * c[0][j] + t[1] * c[1][j] + t[2] * c[2][j]),
        c,
        inverse: axes!(|i| axes!(|j| one / c[i][j])),
        h,
        k,
    };
    let least = axes!(|i| c[i][0].abs().min(c[i][1].abs()).min(c[i][2].abs()));
    let kappa = least[0].min(least[1]).min(least[2]);
    let along = axes!(|i| t[i].abs() + h[i] + k[i]);
    let size = along[0] + along[1] + along[2];
    let zero = S::f64s::splat(simd, 0.0);
    let mut sums = Sums {
        slack: -(size * ENDS / kappa),
        volume: zero,
        ends: zero,
        weights: zero,
    };
    frames.of_a(simd, &mut sums);
    frames.of_b(simd, &mut sums);
    for i in 0..3 {
        for j in 0..3 {
            frames.crossings(simd, i, j, &mut sums);
        }
    }
    let error = sums.weights * size * WEIGHTS - sums.ends * sums.slack;
    [sums.volume * (1.0 / 6.0), error * (1.0 / 6.0)]
}

/// Sums over edges.
struct Sums<V> {
    /// Minus the error of a length.
    slack: V,
    /// Six times the volume.
    volume: V,
    /// The weights of the edges that may have a length.
    ends: V,
    /// The distances of their faces times their lengths.
    weights: V,
}

impl<V> Sums<V> {
    /// Adds an edge of this length, which may be negative: then it is none. Its slack is `stretch`
    /// times as long as usual.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, weight: V, length: V, distances: V, stretch: V)
    where
        V: SimdFloat<S, Element = f64>,
    {
        let zero = V::splat(simd, 0.0);
        let length_or_none = length.max(zero);
        self.volume += weight * length_or_none;
        self.weights += distances * length_or_none;
        let counts = length.simd_gt(self.slack * stretch);
        self.ends += counts.select(weight.abs() * stretch, zero);
    }
}

/// Returns the length of what three intervals and one around 0 have in common; negative if nothing.
#[inline(always)]
fn length<V: SimdFloat<S, Element = f64>, S: Simd>(middle: [V; 3], radius: [V; 3], last: V) -> V {
    let low = axes!(|j| middle[j] - radius[j]);
    let high = axes!(|j| middle[j] + radius[j]);
    let low = low[0].max(low[1]).max(low[2]).max(-last);
    let high = high[0].min(high[1]).min(high[2]).min(last);
    high - low
}

impl<V> Frames<V> {
    /// Adds the edges of A. Their weights have no error.
    #[inline(always)]
    fn of_a<S: Simd>(&self, simd: S, sums: &mut Sums<V>)
    where
        V: SimdFloat<S, Element = f64>,
    {
        let Self {
            tau, c, inverse, h, k, ..
        } = self;
        let (zero, one) = (V::splat(simd, 0.0), V::splat(simd, 1.0));
        for i in 0..3 {
            let (p, q) = ((i + 1) % 3, (i + 2) % 3);
            let radius = axes!(|j| k[j] * inverse[i][j].abs());
            let middle = axes!(|j| tau[j] * inverse[i][j]);
            let of_p = axes!(|j| c[p][j] * h[p] * inverse[i][j]);
            let of_q = axes!(|j| c[q][j] * h[q] * inverse[i][j]);
            let weight = h[p] * h[q];
            for [at_p, at_q] in SIGNS {
                let middle = axes!(|j| middle[j] - signed(of_p[j], at_p) - signed(of_q[j], at_q));
                sums.add(simd, weight + weight, length(middle, radius, h[i]), zero, one);
            }
        }
    }

    /// Adds the edges of B.
    #[inline(always)]
    fn of_b<S: Simd>(&self, simd: S, sums: &mut Sums<V>)
    where
        V: SimdFloat<S, Element = f64>,
    {
        let Self {
            t,
            tau,
            c,
            inverse,
            h,
            k,
        } = self;
        let one = V::splat(simd, 1.0);
        for j in 0..3 {
            let (m, n) = ((j + 1) % 3, (j + 2) % 3);
            let radius = axes!(|i| h[i] * inverse[i][j].abs());
            let middle = axes!(|i| t[i] * inverse[i][j]);
            let of_m = axes!(|i| c[i][m] * k[m] * inverse[i][j]);
            let of_n = axes!(|i| c[i][n] * k[n] * inverse[i][j]);
            for [at_m, at_n] in SIGNS {
                let middle = axes!(|i| -(middle[i] + signed(of_m[i], at_m) + signed(of_n[i], at_n)));
                let far = [k[m] + signed(tau[m], at_m), k[n] + signed(tau[n], at_n)];
                let (weight, distances) = (far[0] * far[1], far[0].abs() + far[1].abs());
                let length = length(middle, radius, k[j]);
                sums.add(simd, weight + weight, length, distances, one);
            }
        }
    }

    /// Adds the four lines of faces across axis i of A and axis j of B. A line is measured along
    /// `a_i × b_j`, from its point nearest to the center of A.
    #[inline(always)]
    fn crossings<S: Simd>(&self, simd: S, i: usize, j: usize, sums: &mut Sums<V>)
    where
        V: SimdFloat<S, Element = f64>,
    {
        let Self {
            t,
            tau,
            c,
            inverse,
            h,
            k,
        } = self;
        let (p, q, m, n) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let square = V::splat(simd, 1.0) / (c[p][j] * c[p][j] + c[q][j] * c[q][j]);
        // The point nearest to the center of B.
        let shift = (t[q] * c[p][j] - t[p] * c[q][j]) * square;
        // The slabs of A and those of B across their other axes.
        let slope_a = [c[p][j] * inverse[q][j] * square, c[q][j] * inverse[p][j] * square];
        let slope_b = [c[i][m] * inverse[i][n] * square, c[i][n] * inverse[i][m] * square];
        let radius_a = [h[p] * inverse[q][j].abs(), h[q] * inverse[p][j].abs()];
        let radius_b = [k[m] * inverse[i][n].abs(), k[n] * inverse[i][m].abs()];
        let (own, other) = (h[i] * c[i][j], k[j] * c[i][j]);
        for [at_i, at_j] in SIGNS {
            let far = k[j] + signed(tau[j], at_j);
            let from_a = signed(far, at_j) - signed(own, at_i);
            let from_b = signed(h[i], at_i) - t[i] - signed(other, at_j);
            let middle_a = [from_a * slope_a[0], -(from_a * slope_a[1])];
            let middle_b = [shift - from_b * slope_b[0], shift + from_b * slope_b[1]];
            let low_a = (middle_a[0] - radius_a[0]).max(middle_a[1] - radius_a[1]);
            let low_b = (middle_b[0] - radius_b[0]).max(middle_b[1] - radius_b[1]);
            let high_a = (middle_a[0] + radius_a[0]).min(middle_a[1] + radius_a[1]);
            let high_b = (middle_b[0] + radius_b[0]).min(middle_b[1] + radius_b[1]);
            let length = high_a.min(high_b) - low_a.max(low_b);
            let cosine = signed(c[i][j], at_i != at_j);
            let product = h[i] * far;
            let weight = product + product - cosine * (h[i] * h[i] + far * far);
            sums.add(simd, weight, length, h[i] + far.abs(), square);
        }
    }
}
