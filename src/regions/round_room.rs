//! Spheres and capsules in a room. Twin of `shaders/regions/round_enclosure.wgsl`, in `f64`, and in
//! whole numbers if `f64` is undecided.
//!
//! # Computation
//!
//! Along an axis of the room, a body reaches as far from its center as its core does, plus its
//! radius. So it reaches a wall if that is at least the distance to the wall. It is outside if its
//! core is further from the room, a box, than the radius. In the frame of the room, with r its unit
//! axes, c_R its center and H its half extents, and with c, q, h and R the center, quaternion, half
//! length and radius of the body:
//!
//! ```text
//! d = fenced(c - c_R)
//! p = fenced(r . d)
//! z = fenced(r . fenced((2 (xz + wy), 2 (yz - wx), w² - x² - y² + z²) / |q|²))
//! S = |p_0| + |p_1| + |p_2| + H_0 + H_1 + H_2 + h
//! E = fenced(K u (S + R) + slack + FLUSH_LENGTH)
//!
//! wall at min of axis k is reached:    H_k + p_k - (|z_k| h + R) <= 0
//! wall at max of axis k is reached:    H_k - p_k - (|z_k| h + R) <= 0
//! outside:                             G > (R + E) (L + FLUSH_LENGTH)
//! not outside:                         L + E < R,  or H_k - |x_k| > E for all k
//! ```
//!
//! x is approximately the point of the core that is closest to the room, and L and G follow from
//! it: the two witnesses of a box and a segment ([`filter`](crate::narrow_phase::round::filter)),
//! where p and z are the segment's middle and direction. If the center is in the room by more than
//! E, x is the center, and the search is skipped, as it is for spheres. Sharing a point is enough
//! here: so a core whose x is in the room by more than E is not outside, however small the radius.
//!
//! The shader computes this in `f32`, with three answers; a wall is undecided within E. `f64`
//! decides all cases except those in which the error of lengths might change the answer. The error
//! used, 96 roundings of all lengths, for boxes too, is above the bound in
//! [`closest`](crate::narrow_phase::round::closest). The rest is decided in whole numbers: twice
//! all lengths, as in [`wide_room`](crate::regions::wide_room), times the squared lengths of both
//! quaternions.
//!
//! # The error bound
//!
//! K is [`BOX_ERROR`](crate::narrow_phase::round::filter::BOX_ERROR), whose derivation applies
//! unchanged: p and z have smaller errors than in the case of a box rotated by a quaternion,
//! because the host computed r, c_R and H in `f64` and rounded them once. To first order, in units
//! of u = 2^-23, and as lengths of vectors unless stated otherwise:
//!
//! - r: 1 for each axis, and so at most `sqrt(3)` for the three together. H: 1/2.
//! - p: 1 for d; `sqrt(3)` for r; three monomials of degree 2, whose magnitudes have a matrix of
//!   norm at most `sqrt(3)`: `3 sqrt(3)`. In all 8 of |d|, compared with 51 for a box.
//! - z: 23 for the direction in the world, `4 sqrt(3)` as above: 30, compared with 39 for a box.
//! - Walls: five monomials of degree 2, including E: 5. In all 13 on d, 6 on H, 35 on h, 5 on R.
//! - Overlapping, as there: 10 + 8.5 + 2 on d, 32 + 8.5 + 2 on h, 1/2 + 2 on H, 2 on R. The point
//!   in the room: 3 more than x has.
//! - Separated, as there: 8 + 11 on d, 30 + 3 + 11 on h, 1/2 + 11 on H, 7.5 + 11 on R.
//!
//! The largest is 44, so 80 leaves room for the rounding of E and S, for second-order terms, and
//! for S, which has p instead of d.
//!
//! As an `f32`, c_R is off by much more if the room is far from the origin. Neither p, nor the
//! distance of a point, nor w·p / |w| changes by more than c_R does, and the slack is four times
//! the sum of the coordinates' errors (see [`enclosure_cpu`](crate::regions::enclosure_cpu)).
//! Flushed numbers are covered by FLUSH_LENGTH, as there.

use crate::base::arrays::{Mapped, by_index};
use std::cmp::Ordering;

use glam::DVec3;

use crate::geometry::rotation::matrix;
use crate::narrow_phase::obb_obb::exact::scale::Grain;
use crate::narrow_phase::obb_obb::separating_axes::ERROR_FACTOR;
use crate::narrow_phase::round::bodies::{Round, ends};
use crate::narrow_phase::round::closest::box_to_segment;
use crate::narrow_phase::round::real::{Near, Real, Vector, dot, minus, plus, whole, with_words};
use crate::narrow_phase::round::round_box::segment_to_box;
use crate::regions::findings::Findings;
use crate::regions::frame::Frame;
use crate::regions::room::{Enclosure, Room, wall};

/// Returns the decisions of f64 about a valid body.
pub(crate) fn test(frame: &Frame, round: &Round) -> Findings {
    let into = frame.axes.transpose();
    let core = round.segment().seen_from(frame.center, &into);
    let (t, along) = (core.middle, core.half * core.along);
    let radius = f64::from(round.radius);
    let size = (t.abs() + along.abs() + frame.half_extents).element_sum() + radius;
    let error = ERROR_FACTOR * f64::EPSILON * size;
    let extent = along.abs() + DVec3::splat(radius);
    let found = frame.slabs(t, 1.0, [extent, extent], error);
    if let Some(found) = found.settled() {
        return found;
    }
    let gap = box_to_segment(frame.half_extents, &core).way().length() - radius;
    let outside = (gap.abs() > error).then_some(gap > 0.0);
    Findings { outside, ..found }
}

/// Decides what f64 left undecided.
pub(crate) fn decide(room: &Room, round: &Round, found: Findings) -> Enclosure {
    let [[a, b], [h, k]] = [room.center, room.half_extents].mapped(|parts| parts.mapped(|part| part.to_array()));
    let mut numbers = [0.0; 17];
    for (place, vector) in numbers.chunks_exact_mut(3).zip([a, b, h, k, round.center]) {
        place.copy_from_slice(&vector);
    }
    (numbers[15], numbers[16]) = (round.half_length, round.radius);
    let turns = [room.rotation.to_array(), round.rotation];
    let near = decide_in(
        numbers.mapped(Near::exact),
        turns.mapped(|turn| turn.mapped(Near::exact)),
        found,
    );
    near.unwrap_or_else(|| {
        let grain = Grain::of(numbers);
        let grains = turns.mapped(Grain::of);
        // Two bits more than for a box and a capsule, because lengths are doubled, and those of the
        // room are sums.
        let bits = grain.bits() + 2 * (grains[0].bits() + grains[1].bits()) + 12;
        with_words!(6 * (bits + 4) + 4, exact(grain, grains, numbers, turns, found))
    })
}

fn exact<const N: usize>(
    grain: Grain,
    grains: [Grain; 2],
    numbers: [f32; 17],
    turns: [[f32; 4]; 2],
    found: Findings,
) -> Enclosure {
    let [a, b] = [0, 1].mapped(|k| whole::<4, N>(grains[k], turns[k]));
    // Whole numbers leave nothing undecided.
    decide_in(whole::<17, N>(grain, numbers), [a, b], found).unwrap_or_default()
}

fn decide_in<T: Real>(numbers: [T; 17], turns: [[T; 4]; 2], found: Findings) -> Option<Enclosure> {
    let vector = |k: usize| -> Vector<T> { by_index(|axis| numbers[3 * k + axis]) };
    let twice = |x: T| x + x;
    let [(rows, n_room), (rows_round, n_round)] = turns.mapped(matrix);
    let apart = minus(vector(4).mapped(twice), plus(vector(0), vector(1))).mapped(|x| x * n_round);
    let in_frame = |point: Vector<T>| -> Vector<T> { by_index(|axis| dot(rows.mapped(|row| row[axis]), point)) };
    let ends = ends(apart, &rows_round, twice(numbers[15])).mapped(in_frame);
    let scale = n_room * n_round;
    let half = plus(vector(2), vector(3)).mapped(|half| half * scale);
    let reach = twice(numbers[16]) * scale;

    let mut walls = found.walls;
    for axis in 0..3 {
        for side in 0..2 {
            if found.open & wall(axis, side) == 0 {
                continue;
            }
            for end in ends {
                let towards = if side == 0 { -end[axis] } else { end[axis] };
                if (towards + reach).compare(half[axis])?.is_ge() {
                    walls |= wall(axis, side);
                }
            }
        }
    }
    // A body that reaches no wall is inside.
    let outside = match (walls, found.outside) {
        (0, _) => false,
        (_, Some(outside)) => outside,
        (_, None) => segment_to_box(ends, half, reach * reach)? == Ordering::Greater,
    };
    Some(Enclosure::new(walls, outside))
}
