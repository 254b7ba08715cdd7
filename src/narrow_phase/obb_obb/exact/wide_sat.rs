//! The sign of f along any of the fifteen axes, in whole numbers.
//!
//! Every f, times `s = |qA|² |qB|²`, is a polynomial of degree 2 in qA, 2 in qB and 1 in the lengths, under absolute
//! values. The components of qA are whole multiples of a power of two, and so are those of qB and all lengths; scaled
//! by these three powers, which does not change a sign, everything is a whole number.

use std::cmp::Ordering;

use glam::Vec3;

use crate::geometry::rotation::{cross, matrix, others, relative};
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::exact::algebra::{column, dot, subtract};
use crate::narrow_phase::obb_obb::exact::scale::{Grain, Scale};
use crate::narrow_phase::obb_obb::exact::short_sat;
use crate::narrow_phase::obb_obb::exact::wide::Wide;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes;
use crate::shapes::obb::record::Obb;

/// Decides the pair from `axes`; all others must be known to have f < 0.
pub fn classify(a: &Obb, b: &Obb, axes: Axes) -> Contact {
    let scale = Scale::of(a, b);
    short_sat::classify(a, b, scale, axes).unwrap_or_else(|| classify_long(a, b, scale, axes))
}

/// The same for numbers of any length.
pub(crate) fn classify_long(a: &Obb, b: &Obb, scale: Scale, axes: Axes) -> Contact {
    // Scaled, |q|² is below 1.01 * 2^(-2 exponent), and |f| <= |d| + |hA|_1 + |hB|_1 is below 9.5 times the largest
    // length. So s f and all its summands take as many bits as these powers and a length, 4 more, and a sign.
    match -2 * (scale.rotation_a.exponent + scale.rotation_b.exponent) + scale.lengths.bits() + 5 {
        ..=128 => largest::<2>(a, b, scale, axes),
        129..=192 => largest::<3>(a, b, scale, axes),
        193..=256 => largest::<4>(a, b, scale, axes),
        257..=384 => largest::<6>(a, b, scale, axes),
        // The smallest f32 is 2^-149, and lengths end at 2^60: at most 2 (149 + 149) + 61 + 149 + 5 = 811 bits.
        _ => largest::<13>(a, b, scale, axes),
    }
}

/// Decides a pair of equal rotations from those of the three common axes that are in `axes`.
///
/// Here `|q|² f = |M(q)ᵀ d| - |q|² (hA + hB)`, of degree 2 in q.
pub fn classify_parallel(a: &Obb, b: &Obb, axes: Axes) -> Contact {
    let (rotation, lengths) = (Grain::of_rotation(a), Grain::of_lengths(a, b));
    match -2 * rotation.exponent + lengths.bits() + 5 {
        ..=128 => largest_parallel::<2>(a, b, rotation, lengths, axes),
        129..=192 => largest_parallel::<3>(a, b, rotation, lengths, axes),
        _ => largest_parallel::<13>(a, b, rotation, lengths, axes),
    }
}

fn largest<const N: usize>(a: &Obb, b: &Obb, scale: Scale, axes: Axes) -> Contact {
    ScaledPair::<N>::new(a, b, scale).largest(axes)
}

fn largest_parallel<const N: usize>(a: &Obb, b: &Obb, rotation: Grain, lengths: Grain, axes: Axes) -> Contact {
    let (m, n) = matrix(rotation.apply::<4, N>(a.rotation.to_array()));
    let whole = |v: Vec3| lengths.apply::<3, N>(v.to_array());
    let (h_a, h_b) = (whole(a.half_extents), whole(b.half_extents));
    let d = subtract(whole(b.center), whole(a.center));
    let common = axes.iter().filter(|&axis| axis < 3);
    let signs = common.map(|i| (dot(column(&m, i), d).abs() - n * (h_a[i] + h_b[i])).sign());
    Contact::from_largest(signs.max().unwrap_or(Ordering::Less))
}

/// A pair in whole numbers, with the names of [`separating_axes`](crate::narrow_phase::obb_obb::separating_axes).
pub(crate) struct ScaledPair<const N: usize> {
    pub d: [Wide<N>; 3],
    pub h_a: [Wide<N>; 3],
    pub h_b: [Wide<N>; 3],
    pub m_a: [[Wide<N>; 3]; 3],
    m_b: [[Wide<N>; 3]; 3],
    n_a: Wide<N>,
    pub n_b: Wide<N>,
    pub c: [[Wide<N>; 3]; 3],
    pub s: Wide<N>,
}

impl<const N: usize> ScaledPair<N> {
    fn new(a: &Obb, b: &Obb, scale: Scale) -> Self {
        let lengths = |v: Vec3| scale.lengths.apply(v.to_array());
        let rotations = [
            scale.rotation_a.apply(a.rotation.to_array()),
            scale.rotation_b.apply(b.rotation.to_array()),
        ];
        let d = subtract(lengths(b.center), lengths(a.center));
        Self::of(rotations, d, [a, b].map(|obb| lengths(obb.half_extents)))
    }

    /// Built from the rotations, the vector between the centers, and the half extents.
    pub fn of([q_a, q_b]: [[Wide<N>; 4]; 2], d: [Wide<N>; 3], [h_a, h_b]: [[Wide<N>; 3]; 2]) -> Self {
        let ((m_a, n_a), (m_b, n_b)) = (matrix(q_a), matrix(q_b));
        let (c, s) = matrix(relative(q_a, q_b));
        Self {
            d,
            h_a,
            h_b,
            m_a,
            m_b,
            n_a,
            n_b,
            c,
            s,
        }
    }

    /// The answer from these axes; all others must be known to have f < 0.
    pub fn largest(&self, axes: Axes) -> Contact {
        let mut largest = Ordering::Less;
        for axis in axes.iter() {
            let Some(direction) = self.direction(axis) else {
                continue;
            };
            let sign = (dot(direction, self.d).abs() - self.radius(axis)).sign();
            if sign == Ordering::Greater {
                return Contact::Separated;
            }
            largest = largest.max(sign);
        }
        Contact::from_largest(largest)
    }

    /// The axis as a vector in the world, `s` times as long as in f. Parallel edges have none and separate nothing.
    pub fn direction(&self, axis: usize) -> Option<[Wide<N>; 3]> {
        match axis {
            0..3 => Some(column(&self.m_a, axis).map(|entry| self.n_b * entry)),
            3..6 => Some(column(&self.m_b, axis - 3).map(|entry| self.n_a * entry)),
            _ => {
                let (i, j) = ((axis - 6) / 3, (axis - 6) % 3);
                let [k, l] = others(i);
                let parallel = [self.c[k][j], self.c[l][j]]
                    .iter()
                    .all(|entry| entry.sign() == Ordering::Equal);
                (!parallel).then(|| cross(column(&self.m_a, i), column(&self.m_b, j)))
            }
        }
    }

    /// The sum of both radii along the axis.
    pub fn radius(&self, axis: usize) -> Wide<N> {
        let c = &self.c;
        match axis {
            0..3 => self.s * self.h_a[axis] + dot(c[axis].map(Wide::abs), self.h_b),
            3..6 => {
                let j = axis - 3;
                self.s * self.h_b[j] + dot(column(c, j).map(Wide::abs), self.h_a)
            }
            _ => {
                let (i, j) = ((axis - 6) / 3, (axis - 6) % 3);
                let ([i1, i2], [j1, j2]) = (others(i), others(j));
                let radius_a = self.h_a[i1] * c[i2][j].abs() + self.h_a[i2] * c[i1][j].abs();
                radius_a + self.h_b[j1] * c[i][j2].abs() + self.h_b[j2] * c[i][j1].abs()
            }
        }
    }
}
