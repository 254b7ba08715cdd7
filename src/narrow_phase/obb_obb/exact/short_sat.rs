//! [`wide_sat`](super::wide_sat) for pairs of few digits, which most are: quaternions then fit 31 bits and lengths 61,
//! all but the last products are machine numbers, and f takes 192 bits.

use std::cmp::Ordering;

use glam::Vec3;

use crate::geometry::rotation::{cross, matrix, others, relative};
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::exact::algebra::column;
use crate::narrow_phase::obb_obb::exact::scale::{Scale, split};
use crate::narrow_phase::obb_obb::exact::wide::Wide;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes;
use crate::shapes::obb::record::Obb;

/// Decides the pair from `axes` if its numbers are short enough; all other axes must be known to have f < 0.
pub(super) fn classify(a: &Obb, b: &Obb, scale: Scale, axes: Axes) -> Option<Contact> {
    let short = scale.rotation_a.exponent.min(scale.rotation_b.exponent) >= -30 && scale.lengths.bits() <= 61;
    short.then(|| Contact::from_largest(ShortPair::new(a, b, scale).largest(axes)))
}

/// A pair in whole numbers, with the names of [`separating_axes`](crate::narrow_phase::obb_obb::separating_axes).
///
/// A quaternion is below 1.01 * 2^30 in length, so the entries of its matrix are below 2^61, and those of C below
/// 2^121. A component of d is below 2^62. A sum of products is no larger than the lengths of the two vectors allow.
struct ShortPair {
    d: [i64; 3],
    h_a: [i64; 3],
    h_b: [i64; 3],
    m_a: [[i64; 3]; 3],
    m_b: [[i64; 3]; 3],
    n_a: i64,
    n_b: i64,
    c: [[i128; 3]; 3],
    s: i128,
}

impl ShortPair {
    fn new(a: &Obb, b: &Obb, scale: Scale) -> Self {
        let whole = |number: f32, exponent: i32| {
            let (whole, power) = split(number);
            i64::from(whole) << (power - exponent).max(0)
        };
        let lengths = |v: Vec3| v.to_array().map(|number| whole(number, scale.lengths.exponent));
        let q_a = a
            .rotation
            .to_array()
            .map(|number| whole(number, scale.rotation_a.exponent));
        let q_b = b
            .rotation
            .to_array()
            .map(|number| whole(number, scale.rotation_b.exponent));
        let (center_a, center_b) = (lengths(a.center), lengths(b.center));
        let ((m_a, n_a), (m_b, n_b)) = (matrix(q_a), matrix(q_b));
        let (c, s) = matrix(relative(q_a, q_b).map(i128::from));
        Self {
            d: [0, 1, 2].map(|k| center_b[k] - center_a[k]),
            h_a: lengths(a.half_extents),
            h_b: lengths(b.half_extents),
            m_a,
            m_b,
            n_a,
            n_b,
            c,
            s,
        }
    }

    /// The sign of the largest f.
    fn largest(&self, axes: Axes) -> Ordering {
        let mut largest = Ordering::Less;
        for axis in axes.iter() {
            let sign = match axis {
                0..3 => self.face_a(axis),
                3..6 => self.face_b(axis - 3),
                _ => self.edges((axis - 6) / 3, (axis - 6) % 3),
            };
            largest = largest.max(sign);
        }
        largest
    }

    fn face_a(&self, i: usize) -> Ordering {
        let distance = dot(column(&self.m_a, i), self.d).abs();
        let radius = Wide::product(self.s, self.h_a[i]) + sizes(self.c[i], self.h_b);
        (Wide::product(distance, self.n_b) - radius).sign()
    }

    fn face_b(&self, j: usize) -> Ordering {
        let distance = dot(column(&self.m_b, j), self.d).abs();
        let radius = Wide::product(self.s, self.h_b[j]) + sizes(column(&self.c, j), self.h_a);
        (Wide::product(distance, self.n_a) - radius).sign()
    }

    /// Parallel edges have no axis and separate nothing: they count as f < 0.
    fn edges(&self, i: usize, j: usize) -> Ordering {
        let ([i1, i2], [j1, j2]) = (others(i), others(j));
        let c = &self.c;
        if c[i1][j] == 0 && c[i2][j] == 0 {
            return Ordering::Less;
        }
        let axis = cross(
            column(&self.m_a, i).map(i128::from),
            column(&self.m_b, j).map(i128::from),
        );
        let [x, y, z] = [0, 1, 2].map(|k| Wide::product(axis[k], self.d[k]));
        let radius_a = sizes([c[i2][j], c[i1][j], 0], [self.h_a[i1], self.h_a[i2], 0]);
        let radius_b = sizes([c[i][j2], c[i][j1], 0], [self.h_b[j1], self.h_b[j2], 0]);
        ((x + y + z).abs() - radius_a - radius_b).sign()
    }
}

fn dot(u: [i64; 3], v: [i64; 3]) -> i128 {
    let product = |k: usize| i128::from(u[k]) * i128::from(v[k]);
    product(0) + product(1) + product(2)
}

/// The sum of the products of the first vector's absolute values with the second's components.
fn sizes(u: [i128; 3], v: [i64; 3]) -> Wide<3> {
    let product = |k: usize| Wide::product(u[k].abs(), v[k]);
    product(0) + product(1) + product(2)
}
