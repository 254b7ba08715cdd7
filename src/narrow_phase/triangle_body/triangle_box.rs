//! A triangle and a box.
//!
//! In the frame of the box, rescaled by `n = |q|²`, a corner `p` is at `M(q)ᵀ (p - c)`, and the
//! box reaches from `-n h` to `n h`. Two convex solids are apart if and only if the normal of a
//! face of their Minkowski sum separates them: three of the box, that of the triangle, nine across
//! an edge of each. This holds for flat boxes, segments and points as in `obb_obb/exact.rs`: solids
//! that are apart remain so when the box grows a little, and then the sum is solid. A segment needs
//! no normal, a point only the axes of the box; axes of no length separate nothing.

use crate::base::arrays::{Mapped, by_index};
use std::cmp::Ordering;

use crate::geometry::rotation::{matrix, others};
use crate::narrow_phase::obb_obb::exact::scale::Grain;
use crate::narrow_phase::round::real::{Near, Real, Vector, cross, dot, minus, whole, with_words};
use crate::shapes::obb::record::Obb;
use crate::shapes::triangle::record::Triangle;

/// Returns `true` if the two share a point.
pub(super) fn meet(triangle: &Triangle, obb: &Obb) -> bool {
    let [ax, ay, az, bx, by, bz, cx, cy, cz] = triangle.numbers();
    let ([x, y, z], [hx, hy, hz]) = (obb.center.to_array(), obb.half_extents.to_array());
    let numbers = [ax, ay, az, bx, by, bz, cx, cy, cz, x, y, z, hx, hy, hz];
    let turn = obb.rotation.to_array();
    decide(numbers.mapped(Near::exact), turn.mapped(Near::exact)).unwrap_or_else(|| {
        let (grain, grain_of_turn) = (Grain::of(numbers), Grain::of(turn));
        // A coordinate takes the bits of a length and of two numbers of the rotation, and 6 for
        // sums; the normal's axis takes three.
        let bits = grain.bits() + 2 * grain_of_turn.bits() + 6;
        with_words!(3 * (bits + 2) + 4, exact([grain, grain_of_turn], numbers, turn))
    })
}

fn exact<const N: usize>(grains: [Grain; 2], numbers: [f32; 15], turn: [f32; 4]) -> bool {
    // Integers are never uncertain.
    decide(whole::<15, N>(grains[0], numbers), whole::<4, N>(grains[1], turn)).unwrap_or(true)
}

fn decide<T: Real>(numbers: [T; 15], turn: [T; 4]) -> Option<bool> {
    let vector = |k: usize| -> Vector<T> { by_index(|axis| numbers[3 * k + axis]) };
    let (rows, scale) = matrix(turn);
    let half = vector(4).mapped(|half| half * scale);
    let corners: [Vector<T>; 3] = [0, 1, 2].mapped(|k| {
        let from_center = minus(vector(k), vector(3));
        by_index(|axis| dot(rows.mapped(|row| row[axis]), from_center))
    });
    let mut is_certain = true;
    // Returns `true` if an axis certainly separates.
    let mut separates = |answer: Option<bool>| {
        is_certain &= answer.is_some();
        answer == Some(true)
    };
    for axis in 0..3 {
        if separates(beyond(corners.mapped(|corner| corner[axis]), half[axis])) {
            return Some(false);
        }
    }
    let edges = [0, 1, 2].mapped(|k| minus(corners[(k + 1) % 3], corners[k]));
    let normal = cross(edges[0], edges[1]);
    if separates(apart_along(normal, corners[0], half)) {
        return Some(false);
    }
    for (k, edge) in edges.into_iter().enumerate() {
        // Both ends of the edge are at one place along an axis across it.
        let ends = [corners[k], corners[(k + 2) % 3]];
        for axis in 0..3 {
            if separates(apart_across(axis, edge, ends, half)) {
                return Some(false);
            }
        }
    }
    is_certain.then_some(true)
}

/// Returns `true` if the plane of a triangle with this normal and corner misses the box.
fn apart_along<T: Real>(normal: Vector<T>, corner: Vector<T>, half: Vector<T>) -> Option<bool> {
    let reach = normal[0].size()? * half[0] + normal[1].size()? * half[1] + normal[2].size()? * half[2];
    beyond([dot(normal, corner)], reach)
}

/// Returns `true` if the cross product of an axis of the box and an edge separates the box from
/// these corners.
fn apart_across<T: Real>(axis: usize, edge: Vector<T>, ends: [Vector<T>; 2], half: Vector<T>) -> Option<bool> {
    let [j, k] = others(axis);
    let reach = edge[k].size()? * half[j] + edge[j].size()? * half[k];
    beyond(ends.mapped(|end| edge[j] * end[k] - edge[k] * end[j]), reach)
}

/// Returns `true` if all of these are above `reach`, or all below `-reach`; `None` if that is not
/// certain.
fn beyond<T: Real, const M: usize>(places: [T; M], reach: T) -> Option<bool> {
    match (
        all_above(places, reach),
        all_above(places.mapped(|place| -place), reach),
    ) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

fn all_above<T: Real, const M: usize>(places: [T; M], reach: T) -> Option<bool> {
    let mut all = Some(true);
    for place in places {
        match place.compare(reach) {
            Some(Ordering::Greater) => {}
            Some(_) => return Some(false),
            None => all = None,
        }
    }
    all
}
