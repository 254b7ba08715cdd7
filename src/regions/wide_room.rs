//! Decides in whole numbers which walls of a room a box reaches, and whether it is outside.
//!
//! The room is A and the box B of [`wide_sat`], with all lengths doubled: a room from min to max
//! has the center (min + max) / 2, which may not fit `f32`, but min + max is a sum of whole
//! numbers.
//!
//! [`wide_sat`]: crate::narrow_phase::obb_obb::exact::wide_sat

use crate::base::arrays::{Mapped, by_index};
use std::cmp::Ordering;

use glam::Vec3;

use crate::geometry::rotation::others;
use crate::narrow_phase::obb_obb::exact::algebra::{column, dot, subtract};
use crate::narrow_phase::obb_obb::exact::digits::Long;
use crate::narrow_phase::obb_obb::exact::scale::Grain;
use crate::narrow_phase::obb_obb::exact::wide::Wide;
use crate::narrow_phase::obb_obb::exact::wide_sat::ScaledPair;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes;
use crate::regions::findings::Findings;
use crate::regions::room::{Enclosure, Room, wall};
use crate::shapes::obb::record::Obb;

/// Decides what f64 left undecided.
pub(crate) fn decide(room: &Room, obb: &Obb, mut found: Findings) -> Enclosure {
    for axis in 0..3 {
        let own = found.open & (wall(axis, 0) | wall(axis, 1));
        if own != 0
            && let Some(reached) = reached_upright(room, obb, axis)
        {
            found.open &= !own;
            found.walls |= own & reached;
        }
    }
    match found {
        Findings {
            walls,
            open: 0,
            outside: Some(outside),
        } => Enclosure::new(walls, outside),
        _ => decide_wide(room, obb, found),
    }
}

/// Returns the reached ones of the two walls along an axis, for a box turned only about this axis
/// in a world-aligned room; `None` for any other. Both are intervals along the axis. Most boxes
/// that stand on a floor qualify.
fn reached_upright(room: &Room, obb: &Obb, axis: usize) -> Option<u8> {
    let [j, k] = others(axis);
    let q = obb.rotation.to_array();
    let about_axis = q[j] == 0.0 && q[k] == 0.0;
    if !about_axis || room.rotation.xyz() != Vec3::ZERO {
        return None;
    }
    let [[a, b], [h, k]] = [room.center, room.half_extents];
    let numbers = [a, b, h, k, obb.center, obb.half_extents].mapped(|v| v[axis]);
    // With at most 49 bits, f64 holds every sum below exactly; the sums are up to eight times as
    // large.
    if Grain::of(numbers).bits() > 49 {
        return None;
    }
    let [a, b, h, k, center, half] = numbers.mapped(f64::from);
    let center = 2.0 * center - (a + b);
    let free = h + k - 2.0 * half;
    let at = |distance: f64, side| u8::from(distance <= 0.0) * wall(axis, side);
    Some(at(free + center, 0) | at(free - center, 1))
}

fn decide_wide(room: &Room, obb: &Obb, found: Findings) -> Enclosure {
    let [[a, b], [h, k]] = [room.center, room.half_extents];
    let parts = [a, b, h, k, obb.center, obb.half_extents];
    let lengths = Grain::of(by_index::<_, 18>(|i| parts[i / 3][i % 3]));
    let rotations = [room.rotation, obb.rotation].mapped(|q| Grain::of(q.to_array()));
    // One bit more than for two boxes, because the lengths are doubled.
    match -2 * (rotations[0].exponent + rotations[1].exponent) + lengths.bits() + 6 {
        ..=128 => decide_in::<2>(room, obb, rotations, lengths, found),
        129..=192 => decide_in::<3>(room, obb, rotations, lengths, found),
        193..=256 => decide_in::<4>(room, obb, rotations, lengths, found),
        257..=384 => decide_in::<6>(room, obb, rotations, lengths, found),
        // At most 812 bits.
        _ => decide_in::<13>(room, obb, rotations, lengths, found),
    }
}

fn decide_in<const N: usize>(
    room: &Room,
    obb: &Obb,
    rotations: [Grain; 2],
    lengths: Grain,
    found: Findings,
) -> Enclosure {
    let whole = |v: Vec3| lengths.apply::<3, N>(v.to_array());
    let sum = |[u, v]: [Vec3; 2]| {
        let (u, v) = (whole(u), whole(v));
        [0, 1, 2].mapped(|axis| u[axis] + v[axis])
    };
    let twice = |v: Vec3| whole(v).mapped(Wide::twice);
    let q = [
        rotations[0].apply(room.rotation.to_array()),
        rotations[1].apply(obb.rotation.to_array()),
    ];
    let d = subtract(twice(obb.center), sum(room.center));
    let pair = ScaledPair::<Long<N>>::of(q, d, [sum(room.half_extents), twice(obb.half_extents)]);

    let mut walls = found.walls;
    for axis in 0..3 {
        if found.open & (wall(axis, 0) | wall(axis, 1)) != 0 {
            walls |= found.open & reached(&pair, axis);
        }
    }
    let outside = || !pair.largest(Axes::ALL).collides();
    // A box that reaches no wall is inside.
    let outside = walls != 0 && found.outside.unwrap_or_else(outside);
    Enclosure::new(walls, outside)
}

/// Returns the reached ones of the two walls along an axis of the room.
fn reached<const N: usize>(pair: &ScaledPair<Long<N>>, axis: usize) -> u8 {
    // The box's center, and the greatest distance of a center from the room's that reaches no wall,
    // both times s.
    let center = pair.n_b * dot(column(&pair.m_a, axis), pair.d);
    let free = pair.s * pair.h_a[axis] - dot(pair.c[axis].mapped(Wide::abs), pair.h_b);
    let at = |distance: Wide<N>, side| match distance.sign() {
        Ordering::Greater => 0,
        Ordering::Equal | Ordering::Less => wall(axis, side),
    };
    at(free + center, 0) | at(free - center, 1)
}
