//! Exact tests of the side of a plane or a line on which a point lies.
//!
//! The predicates are Shewchuk's ("Adaptive Precision Floating-Point Arithmetic and Fast Robust
//! Geometric Predicates", 1997): f64 with an error bound, then as many terms as the sign requires.
//! They are exact as long as no product is rounded to zero or infinity. Products of three `f32` are
//! multiples of 2^-447, and below 2^187 up to [`COORDINATE_LIMIT`](crate::shape::COORDINATE_LIMIT):
//! far inside the range of `f64`.

use glam::Vec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Returns six times the volume of the tetrahedron `abcd`, positive if `d` is above the plane
/// `abc`: on the side from which `a`, `b` and `c` are seen counter-clockwise. The sign is exact,
/// and so is 0.
pub(crate) fn above(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> f64 {
    let coordinates = |p: Vec3| Coord3D { x: p.x, y: p.y, z: p.z };
    -orient3d(coordinates(a), coordinates(b), coordinates(c), coordinates(d))
}

/// Returns twice the areas of the triangle `abc` seen along x, y and z; positive if it turns
/// counter-clockwise in the plane of the two other axes, in cyclic order. The signs are exact, and
/// so is 0.
pub(crate) fn areas(a: Vec3, b: Vec3, c: Vec3) -> [f64; 3] {
    [0, 1, 2].map(|axis| area(axis, a, b, c))
}

/// Returns the area of [`areas`] along one axis.
pub(crate) fn area(axis: usize, a: Vec3, b: Vec3, c: Vec3) -> f64 {
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let coordinates = |p: Vec3| Coord { x: p[u], y: p[v] };
    orient2d(coordinates(a), coordinates(b), coordinates(c))
}

/// Returns `true` if three points lie on one line.
pub(crate) fn are_collinear(a: Vec3, b: Vec3, c: Vec3) -> bool {
    areas(a, b, c) == [0.0; 3]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::split_mix::SplitMix;
    use obbligato_verify::reference::rational::Rational;

    fn exact(points: [Vec3; 4]) -> std::cmp::Ordering {
        let d = points[3].to_array().map(Rational::from);
        let [a, b, c] = [0, 1, 2].map(|k| {
            let p = points[k].to_array().map(Rational::from);
            [0, 1, 2].map(|axis| p[axis].clone() - d[axis].clone())
        });
        let minor = |u: usize, v: usize| b[u].clone() * c[v].clone() - b[v].clone() * c[u].clone();
        let sum = a[0].clone() * minor(1, 2) + a[1].clone() * minor(2, 0) + a[2].clone() * minor(0, 1);
        // d is above if it sees a, b and c counter-clockwise.
        Rational::zero().cmp(&sum)
    }

    #[test]
    fn signs_are_exact_over_the_whole_range() {
        let mut random = SplitMix(1);
        let mut zeros = 0;
        for round in 0..20_000 {
            let (spread, values) = ([1, 8, 60, 209][round % 4], [3, 17][round / 4 % 2]);
            let mut number = || {
                let digits = (random.next() % values) as f32 - (values / 2) as f32;
                let power = 60 - 4 - (random.next() % spread) as i32;
                // In two steps, because 2^-149 is not the product of a number and a normal power of
                // two.
                digits * 2f32.powi(power / 2) * 2f32.powi(power - power / 2)
            };
            let points: [Vec3; 4] = std::array::from_fn(|_| Vec3::new(number(), number(), number()));
            let [a, b, c, d] = points;
            let found = above(a, b, c, d).partial_cmp(&0.0).expect("a number");
            assert_eq!(found, exact(points), "{points:?}");
            zeros += usize::from(found.is_eq());
        }
        assert!(zeros > 200, "{zeros}");
    }
}
