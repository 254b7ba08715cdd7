//! Exact test of whether two boxes that do not collide are within a margin: the true answer for the
//! stored numbers and an `f64` margin.
//!
//! 1. The [`distance`](super::distance) in `f64` decides wherever it differs from the margin by
//!    more than its [error](super::distance_error). The remaining boxes are mostly those whose gap
//!    is meant to be the margin.
//! 2. Boxes with their faces along the world's axes: the square of the margin is compared with the
//!    sum of the squares of the gaps along the three axes.
//! 3. Others: the distance is attained between an edge of B and the box A (a corner of B and a face
//!    of A, or two edges), or between a corner of A and the box B. The squares of these twenty
//!    distances are compared with that of the margin, each as a polynomial in the stored numbers.
//!    In the frame of A all lengths are multiplied by `|qA|² |qB|²`, so that nothing is divided.
//!
//! In steps 2 and 3, `f64` with a running bound on its error decides first, and integers decide the
//! rest. The theorems `within_is`, `aligned_within_is` and `margin_fits` of `proofs` prove that
//! these comparisons are enough, and the integers wide enough.

use crate::base::arrays::{Mapped, by_index};
use glam::Vec3;

use crate::geometry::rotation::{matrix, others};
use crate::narrow_phase::obb_obb::exact::aligned::world_half_extents;
use crate::narrow_phase::obb_obb::exact::apart::Apart;
use crate::narrow_phase::obb_obb::exact::scale::{Grain, Grain64};
use crate::narrow_phase::obb_obb::frame::Frame;
use crate::narrow_phase::round::real::{Lengths, Near, Real, Vector, in_frame, minus, plus, vector, whole, with_words};
use crate::narrow_phase::round::round_box::{point_to_box, segment_to_box};
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;

/// The most that underflow of squares can add to the error of a distance in `f64`: three squares
/// below 2^-1074 are lost. 2^-500.
const UNDERFLOW: f64 = f64::from_bits((1023 - 500) << 52);

/// Returns `true` if two boxes that do not collide are at most `margin` apart; always `false` if it
/// is 0.
pub(crate) fn within(a: &Obb, b: &Obb, margin: f64) -> bool {
    margin > 0.0 && {
        let apart = Apart::between(a.center.as_dvec3(), b.center.as_dvec3());
        is_within(&Frame::new(a, b), [a, b], &apart, margin)
    }
}

impl Obb64 {
    /// See [`within`].
    pub(crate) fn within(&self, other: &Self, margin: f64) -> bool {
        margin > 0.0 && {
            let apart = Apart::between(self.center, other.center);
            let boxes = [self, other].mapped(|obb| obb.centered_at(Vec3::ZERO));
            is_within(&self.frame_with(other), boxes.each_ref(), &apart, margin)
        }
    }
}

/// [`within`] for boxes whose centers are `apart`, wherever they are.
pub(crate) fn is_within(frame: &Frame, [a, b]: [&Obb; 2], apart: &Apart, margin: f64) -> bool {
    let excess = frame.distance_apart() - margin;
    if excess.abs() > frame.error + UNDERFLOW {
        return excess < 0.0;
    }
    let aligned = [world_half_extents(a), world_half_extents(b)];
    let [h_a, h_b] = match aligned {
        [Some(h_a), Some(h_b)] => [h_a, h_b],
        _ => [a.half_extents, b.half_extents],
    }
    .mapped(|half| half.as_dvec3().to_array());
    let ([ax, ay, az], [bx, by, bz]) = (h_a, h_b);
    let lengths = Lengths {
        apart: apart.parts(),
        others: [ax, ay, az, bx, by, bz, margin],
    };
    match aligned {
        [Some(_), Some(_)] => aligned_within(&lengths),
        _ => features_within(&lengths, [a, b].mapped(|obb| obb.rotation.to_array())),
    }
}

/// The vector between the centers; and the half extents, and the margin.
type Numbers<T> = (Vector<T>, [T; 7]);

/// Decides boxes with their faces along the world's axes, given the half extents along those.
fn aligned_within(lengths: &Lengths<'_, 7>) -> bool {
    decide_aligned(lengths.near()).unwrap_or_else(|| {
        let grain = lengths.grain();
        with_words!(2 * (grain.bits() + 4) + 4, exact_aligned(grain, lengths))
    })
}

fn exact_aligned<const N: usize>(grain: Grain64, lengths: &Lengths<'_, 7>) -> bool {
    decide_aligned(lengths.whole::<N>(grain)).unwrap_or(true)
}

fn decide_aligned<T: Real>((apart, others): Numbers<T>) -> Option<bool> {
    let half = plus(vector(&others, 0), vector(&others, 1));
    let order = point_to_box(apart, half, others[6] * others[6])?;
    Some(order.is_le())
}

/// Decides boxes with any rotations.
fn features_within(lengths: &Lengths<'_, 7>, turns: [[f32; 4]; 2]) -> bool {
    let near = Features::of(lengths.near(), turns.mapped(|turn| turn.mapped(Near::exact)));
    let mut open = Vec::new();
    for feature in 0..FEATURES {
        match near.within(feature) {
            Some(true) => return true,
            Some(false) => {}
            None => open.push(feature),
        }
    }
    if open.is_empty() {
        return false;
    }
    let grain = lengths.grain();
    let grains = turns.mapped(Grain::of);
    // A coordinate takes the bits of a length and two of each rotation, and 12 for the sums; edges
    // take six of them.
    let bits = grain.bits() + 2 * (grains[0].bits() + grains[1].bits()) + 12;
    with_words!(
        6 * (bits + 4) + 4,
        exact_features((grain, lengths), grains, turns, &open)
    )
}

fn exact_features<const N: usize>(
    (grain, lengths): (Grain64, &Lengths<'_, 7>),
    grains: [Grain; 2],
    turns: [[f32; 4]; 2],
    open: &[usize],
) -> bool {
    let turns = [0, 1].mapped(|k| whole::<4, N>(grains[k], turns[k]));
    let features = Features::of(lengths.whole::<N>(grain), turns);
    open.iter().any(|&feature| features.within(feature).unwrap_or(true))
}

/// The features between which the distance may be attained.
const FEATURES: usize = 12 + 8;

/// The corners of each box in the frame of the other, about its center. All lengths are multiplied
/// by the same number.
struct Features<T> {
    corners_of_b: [Vector<T>; 8],
    corners_of_a: [Vector<T>; 8],
    half_a: Vector<T>,
    half_b: Vector<T>,
    /// The square of the margin.
    reach: T,
}

impl<T: Real> Features<T> {
    fn of((apart, others): Numbers<T>, turns: [[T; 4]; 2]) -> Self {
        let [half_a, half_b] = [vector(&others, 0), vector(&others, 1)];
        let [(rows_a, n_a), (rows_b, n_b)] = turns.mapped(matrix);
        let scale = n_a * n_b;
        let reach = others[6] * scale;
        Self {
            corners_of_b: corners(apart.mapped(|x| x * n_b), &rows_b, half_b)
                .mapped(|corner| in_frame(&rows_a, corner)),
            corners_of_a: corners(apart.mapped(|x| -x * n_a), &rows_a, half_a)
                .mapped(|corner| in_frame(&rows_b, corner)),
            half_a: half_a.mapped(|half| half * scale),
            half_b: half_b.mapped(|half| half * scale),
            reach: reach * reach,
        }
    }

    /// Returns `true` if a feature of one box is within the margin of the other box, or `None` if
    /// that is undecided.
    fn within(&self, feature: usize) -> Option<bool> {
        let order = match feature {
            0..12 => {
                let (axis, signs) = (feature / 4, feature % 4);
                let [j, k] = others(axis);
                let start = (signs & 1) << j | (signs >> 1) << k;
                let ends = [start, start | 1 << axis].mapped(|corner| self.corners_of_b[corner]);
                segment_to_box(ends, self.half_a, self.reach)?
            }
            _ => point_to_box(self.corners_of_a[feature - 12], self.half_b, self.reach)?,
        };
        Some(order.is_le())
    }
}

/// Returns the corners of a box, all lengths times `n`. Bit k of a corner's number gives its side
/// along axis k.
fn corners<T: Real>(center: Vector<T>, rows: &[Vector<T>; 3], half: Vector<T>) -> [Vector<T>; 8] {
    by_index(|corner| {
        (0..3).fold(center, |point, axis| {
            let along = rows.mapped(|row| row[axis] * half[axis]);
            match corner >> axis & 1 {
                0 => minus(point, along),
                _ => plus(point, along),
            }
        })
    })
}
