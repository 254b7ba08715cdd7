//! Balls and capsules in a room.
//!
//! Along an axis of the room, a body reaches as far from its center as its core does, and its radius more: so it reaches a wall if that
//! is at least the way there. It is outside if its core is further from the room, a box, than the radius. `f64` decides both but where
//! the error of lengths might change the answer, of which [`closest`](crate::narrow_phase::round::closest) has the bound: 96 roundings
//! of all lengths, for boxes too, are more. The rest is decided in whole numbers: twice all lengths, as in
//! [`wide_room`](crate::regions::wide_room), times the squared lengths of both quaternions.

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

/// What f64 can decide about a valid body.
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
    let [[a, b], [h, k]] = [room.center, room.half_extents].map(|parts| parts.map(|part| part.to_array()));
    let mut numbers = [0.0; 17];
    for (place, vector) in numbers.chunks_exact_mut(3).zip([a, b, h, k, round.center]) {
        place.copy_from_slice(&vector);
    }
    (numbers[15], numbers[16]) = (round.half_length, round.radius);
    let turns = [room.rotation.to_array(), round.rotation];
    let near = decide_in(numbers.map(Near::exact), turns.map(|turn| turn.map(Near::exact)), found);
    near.unwrap_or_else(|| {
        let grain = Grain::of(numbers);
        let grains = turns.map(Grain::of);
        // Two bits more than for a box and a capsule: lengths are doubled, and those of the room are sums.
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
    let [a, b] = [0, 1].map(|k| whole::<4, N>(grains[k], turns[k]));
    // Whole numbers leave nothing open.
    decide_in(whole::<17, N>(grain, numbers), [a, b], found).unwrap_or_default()
}

fn decide_in<T: Real>(numbers: [T; 17], turns: [[T; 4]; 2], found: Findings) -> Option<Enclosure> {
    let vector = |k: usize| -> Vector<T> { std::array::from_fn(|axis| numbers[3 * k + axis]) };
    let twice = |x: T| x + x;
    let [(rows, n_room), (rows_round, n_round)] = turns.map(matrix);
    let apart = minus(vector(4).map(twice), plus(vector(0), vector(1))).map(|x| x * n_round);
    let in_frame =
        |point: Vector<T>| -> Vector<T> { std::array::from_fn(|axis| dot(rows.map(|row| row[axis]), point)) };
    let ends = ends(apart, &rows_round, twice(numbers[15])).map(in_frame);
    let scale = n_room * n_round;
    let half = plus(vector(2), vector(3)).map(|half| half * scale);
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
