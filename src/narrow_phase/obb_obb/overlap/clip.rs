//! The overlap of two boxes, whatever their position: the faces of B clipped by A.
//!
//! # Method
//!
//! In the frame of A, the overlap is the set of points of B with `|x| <= hx`, `|y| <= hy`,
//! `|z| <= hz`. By the divergence theorem its volume is the sum, over the faces of B, of the
//! integral of `clamp(z, -hz, hz) dx dy` over the part with `|x| <= hx` and `|y| <= hy`, where
//! `dx dy` is positive if the face looks up. Each face is clipped on its own. There is no solid to
//! keep consistent, and faces that coincide with those of A count right without being recognised,
//! because the integral is a continuous function of the corners of B.
//!
//! # Error
//!
//! Let `Z = |t|_1 + |hA|_1 + |hB|_1` and let u be the relative error of an operation.
//! [`distance_error`](crate::narrow_phase::obb_obb::distance_error) shows that the corners of B are
//! off by at most 54 u Z. Six clips move corners off the edges by 8 u Z each. Moving all corners by
//! at most e changes the integral of a face by at most e times the lengths of the sides of its part
//! times hz, plus e times its area, which is at most `3 e S` for all faces, S being the surface
//! `8 (hx hy + hy hz + hz hx)` of A; if the faces stay together, by at most `e S`. That is
//! `54 u Z S + 144 u Z S`. The sums over triangles are off by 480 u of the volume of A, which is at
//! most `160 u Z S`. Together the result is off by less than 360 u Z S: relative to the volume of
//! A, by 360 u Z times the sum of 1 / h. [`FACTOR`] is larger.

use crate::narrow_phase::obb_obb::overlap::float::Float;
use crate::narrow_phase::obb_obb::overlap::polygon::Polygon;
use crate::narrow_phase::obb_obb::overlap::two::Placed;

/// The error of an overlap, in units of the relative error of an operation, the size of the pair,
/// the sum of 1 / h and the volume of A. See the [module](self).
pub(super) const FACTOR: f64 = 512.0;

/// Returns the volume of the overlap.
pub(super) fn volume<T: Float>(placed: &Placed<T>) -> T {
    let mut sum = T::from(0.0);
    let mut polygons = [Polygon::empty(), Polygon::empty()];
    for face in 0..3 {
        let edge: [[T; 3]; 3] = [0, 1, 2].map(|k| {
            let axis = (face + k) % 3;
            [0, 1, 2].map(|i| placed.c[i][axis] * placed.half[1][axis])
        });
        let at = |k: usize, far: bool| {
            if far {
                placed.t[k] + edge[0][k]
            } else {
                placed.t[k] - edge[0][k]
            }
        };
        for far in [true, false] {
            let part = Face {
                middle: [at(0, far), at(1, far), at(2, far)],
                sides: [edge[1], edge[2]],
            };
            let below = part.below(&placed.half[0], &mut polygons);
            sum = if far { sum + below } else { sum - below };
        }
    }
    sum / T::from(6.0)
}

/// A face of B.
struct Face<T> {
    middle: [T; 3],
    /// From the middle to the middles of two edges.
    sides: [[T; 3]; 2],
}

impl<T: Float> Face<T> {
    /// Returns six times the integral of the clamped z over the part above and below A.
    #[inline(always)]
    fn below(&self, half: &[T; 3], [part, other]: &mut [Polygon<T, 3>; 2]) -> T {
        let radius = |k: usize| self.sides[0][k].size() + self.sides[1][k].size();
        let reach = [0, 1, 2].map(|k| [self.middle[k] - radius(k), self.middle[k] + radius(k)]);
        let is_beside = |k: usize| reach[k][0] >= half[k] || reach[k][1] <= -half[k];
        if is_beside(0) || is_beside(1) {
            return T::from(0.0);
        }
        part.set(self.corners());
        for axis in 0..2 {
            if reach[axis][0] < -half[axis] || reach[axis][1] > half[axis] {
                part.clip_both(axis, half[axis], other);
            }
        }
        let height = half[2] * T::from(3.0);
        let mut area = part.doubled_area();
        if reach[2][0] >= half[2] {
            return height * area;
        }
        if reach[2][1] <= -half[2] {
            return -(height * area);
        }
        part.clip(2, half[2], false, other);
        let left = other.doubled_area();
        let above = height * (area - left);
        area = left;
        other.clip(2, -half[2], true, part);
        let under = height * (area - part.doubled_area());
        above - under + part.sum(|doubled, [a, b, c]| doubled * (a[2] + b[2] + c[2]))
    }

    /// Returns the corners, counter-clockwise seen from the end of the positive axis.
    #[inline(always)]
    fn corners(&self) -> [[T; 3]; 4] {
        let Self { middle, sides: [u, v] } = self;
        let corner = |a: bool, b: bool| {
            let along = |k: usize| {
                let side = if a { middle[k] + u[k] } else { middle[k] - u[k] };
                if b { side + v[k] } else { side - v[k] }
            };
            [along(0), along(1), along(2)]
        };
        [
            corner(false, false),
            corner(true, false),
            corner(true, true),
            corner(false, true),
        ]
    }
}
