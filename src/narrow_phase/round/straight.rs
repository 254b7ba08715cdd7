//! Exact test of whether two bodies that move straight, one of them round, share a point up to a
//! time.
//!
//! Seen from one body, the core of the other sweeps over a segment if it is a point, and over a
//! parallelogram otherwise. The bodies share a point at some time if and only if the swept figure
//! is within the sum of the radii of the core that stays: its segment or box.
//!
//! A parallelogram and a convex solid with corners, edges and faces share a point, or else they are
//! closest where a side of the parallelogram is closest to all of the solid, or where a corner of
//! the solid is above the inside of the parallelogram: the argument is that of
//! [`distance`](crate::narrow_phase::obb_obb::distance). If they share a point, a side of the
//! parallelogram meets the solid, or an edge of the solid passes through the inside. A flat
//! parallelogram consists of its sides.
//!
//! With `u` and `w` the sides at the corner `c`, and `n = u × w`, a point is at `s u + t w + h n`
//! with `s |n|² = ((p - c) × w)·n`, `t |n|² = (u × (p - c))·n` and `h |n|² = (p - c)·n`. Nothing is
//! divided; the largest degree is 7, for an edge that passes through.

use crate::base::arrays::{Mapped, by_index};
use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use crate::geometry::rotation::matrix;
use crate::narrow_phase::obb_obb::exact::apart::Apart;
use crate::narrow_phase::obb_obb::exact::scale::Grain;
use crate::narrow_phase::round::bodies::ends;
use crate::narrow_phase::round::capsules::segments;
use crate::narrow_phase::round::real::{Lengths, Near, Real, Vector, cross, dot, in_frame, minus, plus, vector, whole};
use crate::narrow_phase::round::round_box::segment_to_box;
use crate::narrow_phase::round::whole_step::{WholeStep, near_way};
use crate::shapes::bodies::core::Core;

/// Returns `true` if two bodies that do not rotate share a point at any time from 0 to `time`,
/// which must be finite and not negative. One of them must be round, and the sum of the radii
/// above 0. Their centers are `apart` at time 0, whatever those in the records.
pub(crate) fn meet_until([a, b]: [&Core; 2], apart: &Apart, velocities: [Vec3; 2], time: f64) -> bool {
    let [of_a, of_b] = velocities.mapped(|velocity| velocity.to_array());
    let ordered = |[a, b]: [&Core; 2], apart: &Apart, speeds: [[f32; 3]; 2]| match a.is_line() {
        false => box_and_line([a, b], apart.parts(), speeds, time),
        true => lines([a, b], apart.parts(), speeds, time),
    };
    // The second is a line and, if one is a point, that: a moving point sweeps over a segment.
    match !b.is_line() || a.is_line() && a.is_point() {
        true => ordered([b, a], &apart.reversed(), [of_b, of_a]),
        false => ordered([a, b], apart, [of_a, of_b]),
    }
}

/// The vector between the centers and the other lengths of a step, and its displacement.
type Numbers<T, const M: usize> = ((Vector<T>, [T; M]), Vector<T>);

/// A question about two cores in a step, over numbers of any kind: those of the step, both
/// rotations, and `true` if the second core is a point.
trait Question<const M: usize> {
    fn decide<T: Real>(step: Numbers<T, M>, turns: [[T; 4]; 2], point: bool) -> Option<Ordering>;
}

/// Returns `true` if the answer is not `Greater`, by `f64`s or else by integers of as many words as
/// necessary, including a sign. Lengths and displacements are multiples of 2^-1223 and below 2^61,
/// rotations take 596 bits: 7 times 1900 bits are the most.
fn at_most<Q: Question<M>, const M: usize>(
    cores: [&Core; 2],
    lengths: Lengths<'_, M>,
    speeds: [[f32; 3]; 2],
    time: f64,
) -> bool {
    let turns = cores.mapped(|core| core.obb.rotation.to_array());
    let point = cores[1].is_point();
    let step = (lengths.near(), near_way(speeds, time));
    let near = Q::decide(step, turns.mapped(|turn| turn.mapped(Near::exact)), point);
    let order = near.unwrap_or_else(|| {
        let step = WholeStep::new(lengths, speeds, time);
        let grains = turns.mapped(Grain::of);
        let bits = step.bits() + 2 * (grains[0].bits() + grains[1].bits()) + 10;
        match 7 * (bits + 4) + 6 {
            ..=512 => exact::<Q, M, 8>(&step, grains, turns, point),
            513..=1024 => exact::<Q, M, 16>(&step, grains, turns, point),
            1025..=2048 => exact::<Q, M, 32>(&step, grains, turns, point),
            2049..=4096 => exact::<Q, M, 64>(&step, grains, turns, point),
            _ => exact::<Q, M, 224>(&step, grains, turns, point),
        }
    });
    order.is_le()
}

fn exact<Q: Question<M>, const M: usize, const N: usize>(
    step: &WholeStep<'_, M>,
    grains: [Grain; 2],
    turns: [[f32; 4]; 2],
    point: bool,
) -> Ordering {
    let turns = [0, 1].mapped(|k| whole::<4, N>(grains[k], turns[k]));
    Q::decide(step.numbers(), turns, point).unwrap_or(Ordering::Greater)
}

/// The distance of a segment and the figure that another one sweeps over, compared with both radii.
struct Lines;

fn lines(cores @ [a, b]: [&Core; 2], apart: &[DVec3], speeds: [[f32; 3]; 2], time: f64) -> bool {
    let half = cores.mapped(|core| core.obb.half_extents.z);
    let others = [half[0], half[1], a.radius, b.radius].mapped(f64::from);
    at_most::<Lines, 4>(cores, Lengths { apart, others }, speeds, time)
}

impl Question<4> for Lines {
    fn decide<T: Real>(((apart, others), way): Numbers<T, 4>, turns: [[T; 4]; 2], point: bool) -> Option<Ordering> {
        let [(rows_a, n_a), (rows_b, n_b)] = turns.mapped(matrix);
        let scale = n_a * n_b;
        let stays = ends([T::zero(); 3], &rows_a, others[0]).mapped(|end| end.mapped(|x| x * n_b));
        let moves = ends(apart.mapped(|x| x * n_b), &rows_b, others[1]).mapped(|end| end.mapped(|x| x * n_a));
        let way = way.mapped(|x| x * scale);
        let reach = (others[2] + others[3]) * scale;
        let reach = reach * reach;
        match point {
            true => segments([stays, [moves[0], plus(moves[0], way)]], reach),
            false => Swept::new(moves, way).to_segment(stays, reach),
        }
    }
}

/// The distance of a box and the figure that a segment sweeps over, compared with one radius.
struct BoxAndLine;

fn box_and_line(cores @ [a, b]: [&Core; 2], apart: &[DVec3], speeds: [[f32; 3]; 2], time: f64) -> bool {
    let [x, y, z] = a.obb.half_extents.to_array();
    let others = [x, y, z, b.obb.half_extents.z, b.radius].mapped(f64::from);
    at_most::<BoxAndLine, 5>(cores, Lengths { apart, others }, speeds, time)
}

impl Question<5> for BoxAndLine {
    fn decide<T: Real>(((apart, others), way): Numbers<T, 5>, turns: [[T; 4]; 2], point: bool) -> Option<Ordering> {
        let [(rows, n_box), (rows_line, n_line)] = turns.mapped(matrix);
        let moves = ends(apart.mapped(|x| x * n_line), &rows_line, others[3]).mapped(|end| in_frame(&rows, end));
        let way = in_frame(&rows, way.mapped(|x| x * n_line));
        let scale = n_box * n_line;
        let half = vector(&others, 0).mapped(|half| half * scale);
        let reach = others[4] * scale;
        let reach = reach * reach;
        match point {
            true => segment_to_box([moves[0], plus(moves[0], way)], half, reach),
            false => Swept::new(moves, way).to_box(half, reach),
        }
    }
}

/// The parallelogram that a segment sweeps over.
struct Swept<T> {
    corner: Vector<T>,
    u: Vector<T>,
    w: Vector<T>,
    normal: Vector<T>,
    /// The square of the normal.
    square: T,
}

/// The position of a point relative to a parallelogram, times the square of the normal: along both
/// sides, and, times the normal's length, above.
#[derive(Clone, Copy)]
struct Place<T> {
    along: [T; 2],
    above: T,
}

impl<T: Real> Swept<T> {
    fn new([start, end]: [Vector<T>; 2], way: Vector<T>) -> Self {
        let u = minus(end, start);
        let normal = cross(u, way);
        Self {
            corner: start,
            u,
            w: way,
            normal,
            square: dot(normal, normal),
        }
    }

    fn sides(&self) -> [[Vector<T>; 2]; 4] {
        let [u, w] = [plus(self.corner, self.u), plus(self.corner, self.w)];
        let last = plus(u, self.w);
        [[self.corner, w], [u, last], [self.corner, u], [w, last]]
    }

    fn place(&self, point: Vector<T>) -> Place<T> {
        let from = minus(point, self.corner);
        Place {
            along: [
                dot(cross(from, self.w), self.normal),
                dot(cross(self.u, from), self.normal),
            ],
            above: dot(from, self.normal),
        }
    }

    /// Compares the squared distance to a solid with a number above 0: that of the sides to all of
    /// the solid, by `of_side`, and that of the inside to the corners. Any two corners whose
    /// numbers differ in one bit are the ends of an edge.
    fn compare<const N: usize>(
        &self,
        of_side: impl Fn([Vector<T>; 2]) -> Option<Ordering>,
        corners: [Vector<T>; N],
        reach: T,
    ) -> Option<Ordering> {
        let mut least = Ordering::Greater;
        for side in self.sides() {
            least = least.min(of_side(side)?);
            if least.is_lt() {
                return Some(least);
            }
        }
        if self.square.sign()?.is_le() {
            return Some(least);
        }
        let places = corners.mapped(|corner| self.place(corner));
        for place in places {
            if self.is_inside(place.along, self.square)? {
                least = least.min((place.above * place.above).compare(reach * self.square)?);
            }
        }
        for (from, place) in places.iter().enumerate() {
            for bit in [1, 2, 4].into_iter().filter(|bit| from & bit == 0 && from | bit < N) {
                if self.is_crossed([*place, places[from | bit]])? {
                    return Some(Ordering::Less);
                }
            }
        }
        Some(least)
    }

    /// Returns `true` if both are from 0 to `one`.
    fn is_inside(&self, along: [T; 2], one: T) -> Option<bool> {
        for place in along {
            if place.sign()?.is_lt() || place.compare(one)?.is_gt() {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Returns `true` if an edge that begins and ends on different sides of the plane passes
    /// through.
    fn is_crossed(&self, [p, q]: [Place<T>; 2]) -> Option<bool> {
        let (p_side, q_side) = (p.above.sign()?, q.above.sign()?);
        let (p, q) = match (p_side, q_side) {
            (Ordering::Greater, Ordering::Less) => (p, q),
            (Ordering::Less, Ordering::Greater) => (q, p),
            // An end in the plane has been checked already.
            _ => return Some(false),
        };
        let there = [0, 1].mapped(|k| p.above * q.along[k] - q.above * p.along[k]);
        self.is_inside(there, (p.above - q.above) * self.square)
    }

    fn to_segment(&self, segment: [Vector<T>; 2], reach: T) -> Option<Ordering> {
        self.compare(|side| segments([side, segment], reach), segment, reach)
    }

    fn to_box(&self, half: Vector<T>, reach: T) -> Option<Ordering> {
        let corners: [Vector<T>; 8] = by_index(|corner| {
            by_index(|axis| match corner >> axis & 1 {
                0 => -half[axis],
                _ => half[axis],
            })
        });
        self.compare(|side| segment_to_box(side, half, reach), corners, reach)
    }
}
