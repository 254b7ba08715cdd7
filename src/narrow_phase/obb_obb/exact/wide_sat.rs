//! The sign of f along any of the fifteen axes, in integers.
//!
//! Every f, times `s = |qA|² |qB|²`, is a polynomial of degree 2 in qA, 2 in qB and 1 in the
//! lengths, under absolute values. The components of qA are integer multiples of a power of two,
//! and so are those of qB and all lengths. Scaled by these three powers, which does not change a
//! sign, everything is an integer.

use crate::base::arrays::Mapped;
use std::cmp::Ordering;

use glam::Vec3;

use crate::geometry::rotation::{cross, matrix, others, relative};
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::exact::algebra::{column, subtract};
use crate::narrow_phase::obb_obb::exact::digits::{Digits, Long, Short, Tiny, Turned, Whole};
use crate::narrow_phase::obb_obb::exact::scale::{Grain, Scale, ShortLengths, short_turns};
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes;
use crate::shapes::obb::record::Obb;

/// Decides the pair from `axes`. All other axes must be known to have f < 0 or no length.
pub fn classify(a: &Obb, b: &Obb, axes: Axes) -> Contact {
    classify_short(a, b, axes).unwrap_or_else(|| classify_long(a, b, Scale::of(a, b), axes))
}

/// [`classify`] for quaternions with few digits, if the lengths have few digits too or the
/// quaternions have very few, as in most pairs. All products, or all but the last, are then machine
/// integers.
pub(crate) fn classify_short(a: &Obb, b: &Obb, axes: Axes) -> Option<Contact> {
    let (tiny, lengths) = (short_turns(a, b, Tiny::GRAIN), ShortLengths::of(a, b));
    match (tiny, lengths) {
        (Some(turns), Some(lengths)) => Some(ScaledPair::<Tiny>::short(turns, &lengths).largest(axes)),
        (None, Some(lengths)) => {
            let turns = short_turns(a, b, Short::GRAIN)?;
            Some(ScaledPair::<Short>::short(turns, &lengths).largest(axes))
        }
        (Some(turns), None) => {
            let grain = Grain::of_lengths(a, b);
            Some(match Tiny::TURNS + grain.bits() + 5 {
                ..=192 => turned::<3>(a, b, turns, grain).largest(axes),
                // As below: 61 + 61 + 149 + 5 bits.
                _ => turned::<5>(a, b, turns, grain).largest(axes),
            })
        }
        (None, None) => None,
    }
}

fn turned<const N: usize>(a: &Obb, b: &Obb, turns: [[i64; 4]; 2], grain: Grain) -> ScaledPair<Turned<N>> {
    let lengths = |v: Vec3| grain.apply(v.to_array());
    let d = subtract(lengths(b.center), lengths(a.center));
    ScaledPair::of(turns, d, [a, b].mapped(|obb| lengths(obb.half_extents)))
}

/// [`classify`] for numbers of any length.
pub(crate) fn classify_long(a: &Obb, b: &Obb, scale: Scale, axes: Axes) -> Contact {
    // Scaled, |q|² is below 1.01 * 2^(-2 exponent), and |f| <= |d| + |hA|_1 + |hB|_1 is below 9.5
    // times the largest length. So s f and all its summands take as many bits as these powers and a
    // length, 4 more, and a sign: `wide_sign` of `proofs`.
    match -2 * (scale.rotation_a.exponent + scale.rotation_b.exponent) + scale.lengths.bits() + 5 {
        ..=128 => largest::<2>(a, b, scale, axes),
        129..=192 => largest::<3>(a, b, scale, axes),
        193..=256 => largest::<4>(a, b, scale, axes),
        257..=384 => largest::<6>(a, b, scale, axes),
        // The smallest f32 is 2^-149, and lengths end at 2^60: at most
        // `2 (149 + 149) + 61 + 149 + 5 = 811` bits.
        _ => largest::<13>(a, b, scale, axes),
    }
}

/// Decides a pair of equal rotations from those of the three common axes that are in `axes`.
///
/// Here `|q|² f = |M(q)ᵀ d| - |q|² (hA + hB)`, of degree 2 in q.
pub fn classify_parallel(a: &Obb, b: &Obb, axes: Axes) -> Contact {
    let Some([q, _]) = short_turns(a, a, Short::GRAIN) else {
        return classify_parallel_long(a, b, axes);
    };
    // M is below 2^62.1, and its products with short lengths are below 2^125.
    let (m, n) = matrix(q);
    if let Some(lengths) = ShortLengths::of(a, b) {
        return parallel::<Tiny>(m, n, lengths.d, lengths.half_extents, axes);
    }
    let grain = Grain::of_lengths(a, b);
    // At most 63 + 61 + 149 + 5 bits.
    match 63 + grain.bits() + 5 {
        ..=192 => parallel_turned::<3>(a, b, (m, n), grain, axes),
        _ => parallel_turned::<5>(a, b, (m, n), grain, axes),
    }
}

fn parallel_turned<const N: usize>(
    a: &Obb,
    b: &Obb,
    (m, n): ([[i64; 3]; 3], i64),
    grain: Grain,
    axes: Axes,
) -> Contact {
    let lengths = |v: Vec3| grain.apply(v.to_array());
    let d = subtract(lengths(b.center), lengths(a.center));
    parallel::<Turned<N>>(m, n, d, [a, b].mapped(|obb| lengths(obb.half_extents)), axes)
}

/// [`classify_parallel`] for numbers of any length.
pub(crate) fn classify_parallel_long(a: &Obb, b: &Obb, axes: Axes) -> Contact {
    let (rotation, lengths) = (Grain::of_rotation(a), Grain::of_lengths(a, b));
    match -2 * rotation.exponent + lengths.bits() + 5 {
        ..=128 => largest_parallel::<2>(a, b, rotation, lengths, axes),
        129..=192 => largest_parallel::<3>(a, b, rotation, lengths, axes),
        _ => largest_parallel::<13>(a, b, rotation, lengths, axes),
    }
}

fn largest<const N: usize>(a: &Obb, b: &Obb, scale: Scale, axes: Axes) -> Contact {
    ScaledPair::<Long<N>>::new(a, b, scale).largest(axes)
}

fn largest_parallel<const N: usize>(a: &Obb, b: &Obb, rotation: Grain, lengths: Grain, axes: Axes) -> Contact {
    let (m, n) = matrix(rotation.apply::<4, N>(a.rotation.to_array()));
    let whole = |v: Vec3| lengths.apply::<3, N>(v.to_array());
    let d = subtract(whole(b.center), whole(a.center));
    parallel::<Long<N>>(m, n, d, [a, b].mapped(|obb| whole(obb.half_extents)), axes)
}

/// Returns the answer from those of the three common axes that are in `axes`, given the matrix of
/// both rotations.
#[inline(always)]
pub(crate) fn parallel<D: Digits>(
    m: [[D::Turn; 3]; 3],
    n: D::Turn,
    d: [D::Length; 3],
    [h_a, h_b]: [[D::Length; 3]; 2],
    axes: Axes,
) -> Contact {
    let common = axes.iter().filter(|&axis| axis < 3);
    let signs = common.map(|i| (D::dot(column(&m, i), d).abs() - D::times(n, h_a[i] + h_b[i])).sign());
    Contact::from_largest(signs.max().unwrap_or(Ordering::Less))
}

/// A pair in integers, with the names of
/// [`separating_axes`](crate::narrow_phase::obb_obb::separating_axes).
pub(crate) struct ScaledPair<D: Digits> {
    pub d: [D::Length; 3],
    pub h_a: [D::Length; 3],
    pub h_b: [D::Length; 3],
    pub m_a: [[D::Turn; 3]; 3],
    m_b: [[D::Turn; 3]; 3],
    n_a: D::Turn,
    pub n_b: D::Turn,
    pub c: [[D::Turn; 3]; 3],
    pub s: D::Turn,
}

impl<const N: usize> ScaledPair<Long<N>> {
    fn new(a: &Obb, b: &Obb, scale: Scale) -> Self {
        let lengths = |v: Vec3| scale.lengths.apply(v.to_array());
        let rotations = [
            scale.rotation_a.apply(a.rotation.to_array()),
            scale.rotation_b.apply(b.rotation.to_array()),
        ];
        let d = subtract(lengths(b.center), lengths(a.center));
        Self::of(rotations, d, [a, b].mapped(|obb| lengths(obb.half_extents)))
    }
}

impl<D: Digits<Length = i64, Turn: From<i64>>> ScaledPair<D> {
    /// Builds the pair from short numbers.
    #[inline(always)]
    pub fn short(turns: [[i64; 4]; 2], lengths: &ShortLengths) -> Self {
        Self::of(
            turns.mapped(|q| q.mapped(D::Turn::from)),
            lengths.d,
            lengths.half_extents,
        )
    }
}

impl<D: Digits> ScaledPair<D> {
    /// Builds the pair from the rotations, the vector between the centers, and the half extents.
    #[inline(always)]
    pub fn of([q_a, q_b]: [[D::Turn; 4]; 2], d: [D::Length; 3], [h_a, h_b]: [[D::Length; 3]; 2]) -> Self {
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

    /// Returns the answer from these axes. All others must be known to have f < 0 or no length.
    pub fn largest(&self, axes: Axes) -> Contact {
        let mut largest = Ordering::Less;
        for axis in axes.iter() {
            let Some(direction) = self.direction(axis) else {
                continue;
            };
            let sign = (D::dot(direction, self.d).abs() - self.radius(axis)).sign();
            if sign == Ordering::Greater {
                return Contact::Separated;
            }
            largest = largest.max(sign);
        }
        Contact::from_largest(largest)
    }

    /// Returns the axis as a vector in the world, `s` times as long as in f, or `None` for parallel
    /// edges, which have no axis and separate nothing.
    pub fn direction(&self, axis: usize) -> Option<[D::Turn; 3]> {
        match axis {
            0..3 => Some(column(&self.m_a, axis).mapped(|entry| self.n_b * entry)),
            3..6 => Some(column(&self.m_b, axis - 3).mapped(|entry| self.n_a * entry)),
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

    /// Returns the sum of both radii along the axis.
    pub fn radius(&self, axis: usize) -> D::Product {
        let c = &self.c;
        match axis {
            0..3 => D::times(self.s, self.h_a[axis]) + D::dot(c[axis].mapped(Whole::abs), self.h_b),
            3..6 => {
                let j = axis - 3;
                D::times(self.s, self.h_b[j]) + D::dot(column(c, j).mapped(Whole::abs), self.h_a)
            }
            _ => {
                let (i, j) = ((axis - 6) / 3, (axis - 6) % 3);
                let ([i1, i2], [j1, j2]) = (others(i), others(j));
                let part = |turn: D::Turn, half: D::Length| D::times(turn.abs(), half);
                let radius_a = part(c[i2][j], self.h_a[i1]) + part(c[i1][j], self.h_a[i2]);
                radius_a + part(c[i][j2], self.h_b[j1]) + part(c[i][j1], self.h_b[j2])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::pair;
    use crate::narrow_phase::obb_obb::exact::same_rotation;

    /// Arithmetic with few digits gives the same answers as that with many.
    #[test]
    fn short_and_long_integers_agree() {
        let (mut tiny, mut short, mut turned, mut parallel) = (0, 0, 0, 0);
        for index in 0..60_000 {
            let (a, b) = pair(index, 17);
            let long = classify_long(&a, &b, Scale::of(&a, &b), Axes::ALL);
            let has = |grain: i32| short_turns(&a, &b, grain).is_some();
            if let Some(contact) = classify_short(&a, &b, Axes::ALL) {
                assert_eq!(contact, long, "{a:?} {b:?}");
                match (has(Tiny::GRAIN), ShortLengths::of(&a, &b).is_some()) {
                    (true, true) => tiny += 1,
                    (true, false) => turned += 1,
                    (false, _) => short += 1,
                }
            }
            if same_rotation(&a, &b) {
                assert_eq!(classify_parallel(&a, &b, Axes::ALL), long, "{a:?} {b:?}");
                assert_eq!(classify_parallel_long(&a, &b, Axes::ALL), long, "{a:?} {b:?}");
                parallel += usize::from(has(Short::GRAIN) && ShortLengths::of(&a, &b).is_some());
            }
        }
        let counts = [tiny, short, turned, parallel];
        assert!(counts.iter().all(|&count| count > 1_000), "{counts:?}");
    }
}
