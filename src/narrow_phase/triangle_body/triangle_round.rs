//! A triangle, and a capsule or a sphere.
//!
//! A segment that does not pass through the triangle is closest to it at one of its edges, or with
//! an end above its inside. A sphere is a segment of no length. The ends are
//! `center ± half_length R(q) z`; everything is rescaled by `n = |q|²`.

use crate::base::arrays::{Mapped, by_index};
use crate::geometry::rotation::matrix;
use crate::narrow_phase::obb_obb::exact::scale::Grain;
use crate::narrow_phase::round::bodies::{Round, ends};
use crate::narrow_phase::round::capsules::segments;
use crate::narrow_phase::round::real::{Near, Real, Vector, cross, dot, minus, whole, with_words};
use crate::shapes::triangle::record::Triangle;

/// Returns `true` if the two share a point.
pub(super) fn meet(triangle: &Triangle, round: &Round) -> bool {
    let [ax, ay, az, bx, by, bz, cx, cy, cz] = triangle.numbers();
    let [x, y, z] = round.center;
    let numbers = [
        ax,
        ay,
        az,
        bx,
        by,
        bz,
        cx,
        cy,
        cz,
        x,
        y,
        z,
        round.half_length,
        round.radius,
    ];
    let turn = round.rotation;
    decide(numbers.mapped(Near::exact), turn.mapped(Near::exact)).unwrap_or_else(|| {
        let (grain, grain_of_turn) = (Grain::of(numbers), Grain::of(turn));
        // A coordinate takes the bits of a length and of two numbers of the rotation, and 4 for
        // sums; comparisons take six.
        let bits = grain.bits() + 2 * grain_of_turn.bits() + 4;
        with_words!(6 * (bits + 4) + 4, exact([grain, grain_of_turn], numbers, turn))
    })
}

fn exact<const N: usize>(grains: [Grain; 2], numbers: [f32; 14], turn: [f32; 4]) -> bool {
    // Integers are never uncertain.
    decide(whole::<14, N>(grains[0], numbers), whole::<4, N>(grains[1], turn)).unwrap_or(true)
}

fn decide<T: Real>(numbers: [T; 14], turn: [T; 4]) -> Option<bool> {
    let (rows, scale) = matrix(turn);
    let vector = |k: usize| -> Vector<T> { by_index(|axis| numbers[3 * k + axis] * scale) };
    let corners = [vector(0), vector(1), vector(2)];
    let ends = ends(vector(3), &rows, numbers[12]);
    let reach = numbers[13] * scale;
    let square = reach * reach;
    for k in 0..3 {
        if segments([ends, [corners[k], corners[(k + 1) % 3]]], square)?.is_le() {
            return Some(true);
        }
    }
    let normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
    let length = dot(normal, normal);
    if length.sign()?.is_le() {
        return Some(false);
    }
    let mut heights = [length; 2];
    for (height, end) in heights.iter_mut().zip(ends) {
        *height = dot(normal, minus(end, corners[0]));
        let is_near = (*height * *height).compare(square * length)?.is_le();
        if is_near && is_above(&corners, normal, end)? {
            return Some(true);
        }
    }
    // An end in the plane is near.
    let passes = heights[0].sign()? != heights[1].sign()?;
    Some(passes && passes_through(&corners, ends)?)
}

/// Returns `true` if a point is above or below the triangle, seen along its normal.
fn is_above<T: Real>(corners: &[Vector<T>; 3], normal: Vector<T>, point: Vector<T>) -> Option<bool> {
    for k in 0..3 {
        let inwards = cross(normal, minus(corners[(k + 1) % 3], corners[k]));
        if dot(inwards, minus(point, corners[k])).sign()?.is_lt() {
            return Some(false);
        }
    }
    Some(true)
}

/// Returns `true` if a segment whose ends are on both sides of the triangle's plane passes through
/// it: if it does not pass two edges on different sides.
fn passes_through<T: Real>(corners: &[Vector<T>; 3], [p, q]: [Vector<T>; 2]) -> Option<bool> {
    let along = minus(q, p);
    let (mut any_above, mut any_below) = (false, false);
    for k in 0..3 {
        let [from, to] = [corners[k], corners[(k + 1) % 3]].mapped(|corner| minus(corner, p));
        let side = dot(along, cross(from, to)).sign()?;
        any_above |= side.is_gt();
        any_below |= side.is_lt();
    }
    Some(!(any_above && any_below))
}
