//! The separating-axis test in integer arithmetic, from the definition: no code or formula in
//! common with the narrow phase.
//!
//! A box about the origin is spanned by its edges `e_k`, half an extent along each of its axes.
//! Along any axis L, boxes A and B with their centers d apart have the gap `|d·L| - sum of |e·L|`
//! over the six edges of both. The axes are the face normals of both and the cross products of an
//! axis of A and one of B; a product of length zero gives no information. All lengths are
//! multiplied by one power of two and by `|qA|² |qB|²`, which makes them integers and changes no
//! sign.

use std::cmp::Ordering;

use num_bigint::BigInt;

use crate::reference::whole::{Fixed, Whole};
use obbligato::{Obb, Obb64, contact::Contact};

/// Classifies the contact of two boxes exactly.
pub fn contact(a: &Obb, b: &Obb) -> Contact {
    let (lengths, turns) = scaled(a, b);
    judge_any(&lengths, &turns)
}

/// Classifies the contact of two boxes with centers in `f64` exactly.
pub fn contact64(a: &Obb64, b: &Obb64) -> Contact {
    let mut lengths = [0.0; 12];
    for (place, obb) in lengths.chunks_exact_mut(6).zip([a, b]) {
        place[..3].copy_from_slice(&obb.center.to_array());
        place[3..].copy_from_slice(&obb.half_extents.to_array().map(f64::from));
    }
    let turns = [a, b].map(|obb| Scaled::new(obb.rotation.to_array()));
    judge_any(&Scaled::new(lengths), &turns)
}

fn judge_any(lengths: &Scaled<12>, turns: &[Scaled<4>; 2]) -> Contact {
    match bits(lengths, turns) {
        0..=127 => judge::<i128>(lengths, turns),
        128..=Fixed::BITS => judge::<Fixed>(lengths, turns),
        _ => judge::<BigInt>(lengths, turns),
    }
}

/// Returns the center and half extents of A, then of B; and both quaternions, each scaled by its
/// own power of two.
pub(super) fn scaled(a: &Obb, b: &Obb) -> (Scaled<12>, [Scaled<4>; 2]) {
    let mut lengths = [0.0; 12];
    for (place, obb) in lengths.chunks_exact_mut(6).zip([a, b]) {
        place[..3].copy_from_slice(&obb.center.to_array());
        place[3..].copy_from_slice(&obb.half_extents.to_array());
    }
    (
        Scaled::new(lengths),
        [a, b].map(|obb| Scaled::new(obb.rotation.to_array())),
    )
}

/// Returns an upper bound on the bits of any number in the computation.
///
/// The largest are gaps: products of a length and four numbers of each quaternion, plus bits for
/// the sums: four products in |q|² and so in its axes (2 bits, four times), two in an edge axis
/// (1), two centers in d (1), three products in a scalar product (2) and seven of those in a gap
/// (3).
fn bits(lengths: &Scaled<12>, turns: &[Scaled<4>; 2]) -> u32 {
    lengths.bits + 4 * (turns[0].bits + turns[1].bits) + 15
}

pub(super) type Vector<N> = [N; 3];

fn judge<N: Whole>(lengths: &Scaled<12>, turns: &[Scaled<4>; 2]) -> Contact {
    let lengths: [N; 12] = lengths.numbers();
    let [(axes_a, norm_a), (axes_b, norm_b)] = [frame::<N>(turns[0].numbers()), frame::<N>(turns[1].numbers())];
    let both = norm_a.times(&norm_b);
    let d: Vector<N> = std::array::from_fn(|k| lengths[6 + k].minus(&lengths[k]).times(&both));
    let edges = |axes: &[Vector<N>; 3], half: &[N], other_norm: &N| -> [Vector<N>; 3] {
        std::array::from_fn(|k| scale(&axes[k], &half[k].times(other_norm)))
    };
    let edges = [
        edges(&axes_a, &lengths[3..6], &norm_b),
        edges(&axes_b, &lengths[9..12], &norm_a),
    ];

    let products = axes_a.iter().flat_map(|u| axes_b.iter().map(move |v| cross(u, v)));
    let mut touches = false;
    for axis in axes_a.iter().chain(&axes_b).cloned().chain(products) {
        if axis.iter().all(|component| component.sign() == Ordering::Equal) {
            continue;
        }
        let mut gap = dot(&d, &axis).size();
        for edge in edges.iter().flatten() {
            gap = gap.minus(&dot(edge, &axis).size());
        }
        match gap.sign() {
            Ordering::Greater => return Contact::Separated,
            Ordering::Equal => touches = true,
            Ordering::Less => {}
        }
    }
    if touches {
        Contact::Touching
    } else {
        Contact::Overlapping
    }
}

/// Returns the images of the unit vectors under v -> q v conj(q), and their length |q|².
pub(super) fn frame<N: Whole>(q: [N; 4]) -> ([Vector<N>; 3], N) {
    let conjugate = [q[0].negated(), q[1].negated(), q[2].negated(), q[3].clone()];
    let image = |axis: usize| {
        let unit = std::array::from_fn(|k| N::new(i64::from(k == axis), 0));
        let [x, y, z, _] = hamilton(&hamilton(&q, &unit), &conjugate);
        [x, y, z]
    };
    let [.., norm] = hamilton(&q, &conjugate);
    (std::array::from_fn(image), norm)
}

/// Returns Hamilton's product, components x, y, z, w.
fn hamilton<N: Whole>(p: &[N; 4], q: &[N; 4]) -> [N; 4] {
    let sum = |signs: [bool; 4], places: [[usize; 2]; 4]| {
        let terms = signs.into_iter().zip(places);
        terms.fold(N::new(0, 0), |sum, (plus, [i, j])| {
            let product = p[i].times(&q[j]);
            if plus { sum.plus(&product) } else { sum.minus(&product) }
        })
    };
    [
        sum([true, true, true, false], [[3, 0], [0, 3], [1, 2], [2, 1]]),
        sum([true, false, true, true], [[3, 1], [0, 2], [1, 3], [2, 0]]),
        sum([true, true, false, true], [[3, 2], [0, 1], [1, 0], [2, 3]]),
        sum([true, false, false, false], [[3, 3], [0, 0], [1, 1], [2, 2]]),
    ]
}

pub(super) fn dot<N: Whole>(u: &Vector<N>, v: &Vector<N>) -> N {
    u[0].times(&v[0]).plus(&u[1].times(&v[1])).plus(&u[2].times(&v[2]))
}

pub(super) fn cross<N: Whole>(u: &Vector<N>, v: &Vector<N>) -> Vector<N> {
    let component = |i: usize, j: usize| u[i].times(&v[j]).minus(&u[j].times(&v[i]));
    [component(1, 2), component(2, 0), component(0, 1)]
}

pub(super) fn scale<N: Whole>(v: &Vector<N>, factor: &N) -> Vector<N> {
    std::array::from_fn(|k| v[k].times(factor))
}

/// Floating-point numbers as integers, all multiplied by the same power of two.
pub(super) struct Scaled<const N: usize> {
    /// Each value is first * 2^second.
    numbers: [(i64, u32); N],
    /// The numbers are multiplied by 2^(1074 - lowest).
    pub lowest: u32,
    /// Every number is below 2^bits in magnitude.
    pub bits: u32,
}

impl<const N: usize> Scaled<N> {
    pub fn new(numbers: [impl Into<f64>; N]) -> Self {
        let mut numbers = numbers.map(|number| take_apart(number.into()));
        let doublings = numbers.iter().filter(|number| number.0 != 0).map(|number| number.1);
        let lowest = doublings.min().unwrap_or(0);
        let mut bits = 0;
        for (odd, exponent) in numbers.iter_mut().filter(|number| number.0 != 0) {
            *exponent -= lowest;
            bits = bits.max(*exponent + odd.unsigned_abs().ilog2() + 1);
        }
        Self { numbers, lowest, bits }
    }

    pub fn numbers<W: Whole>(&self) -> [W; N] {
        self.numbers.map(|(odd, exponent)| W::new(odd, exponent))
    }
}

/// Returns `number * 2^1074` as an odd number (or 0) and the number of times to double it.
fn take_apart(number: f64) -> (i64, u32) {
    let bits = number.to_bits();
    let (fraction, exponent) = ((bits & ((1 << 52) - 1)) as i64, (bits >> 52 & 0x7FF) as u32);
    let (size, doublings) = match exponent {
        0 => (fraction, 0),
        _ => (fraction | 1 << 52, exponent - 1),
    };
    if size == 0 {
        return (0, 0);
    }
    let even = size.trailing_zeros();
    let odd = size >> even;
    (if bits >> 63 == 1 { -odd } else { odd }, doublings + even)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adversarial;

    /// The width of the numbers must not matter, and each width must be needed.
    #[test]
    fn every_width_gives_the_same_answer() {
        let mut narrow = 0;
        for index in 0..20_000 {
            let (a, b) = adversarial::pair(index, 9);
            let (lengths, turns) = scaled(&a, &b);
            let expected = judge::<BigInt>(&lengths, &turns);
            assert_eq!(contact(&a, &b), expected, "{a:?} {b:?}");
            if bits(&lengths, &turns) <= 127 {
                narrow += 1;
                assert_eq!(judge::<Fixed>(&lengths, &turns), expected, "{a:?} {b:?}");
            }
        }
        assert!(narrow > 1_000, "{narrow} pairs of narrow numbers");
    }
}
