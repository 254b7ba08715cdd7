//! The crossing of a ray along x with a triangle.
//!
//! The ray of a point is moved by (0, ε, ε²), for an ε > 0 smaller than any that matters
//! (Edelsbrunner & Mücke, "Simulation of Simplicity", 1990). Seen along x, its side of an edge from
//! a to b is the sign of `(b - a) × (p - a) - ε (b.z - a.z) + ε² (b.y - a.y)`: of the first of the
//! three terms that is not 0. The moved ray meets no edge except those that are seen as points, and
//! no triangle that is seen as a segment.

use glam::Vec3;

use crate::geometry::orientation::{above, area};
use crate::shapes::triangle::point::edges;
use crate::shapes::triangle::record::Triangle;

/// The result of a ray from a point towards greater x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found {
    /// The point is on the triangle.
    Surface,
    /// The ray crosses the triangle: 1 if it leaves by the triangle, whose front is the side from
    /// which it is seen counter-clockwise, and -1 if it enters.
    Crossing(i32),
    Nothing,
}

/// Returns the result of the ray of a point for a triangle.
pub(super) fn found(triangle: &Triangle, point: Vec3) -> Found {
    let [a, b, c] = triangle.corners;
    let is_beside = point.y < a.y.min(b.y).min(c.y)
        || point.y > a.y.max(b.y).max(c.y)
        || point.z < a.z.min(b.z).min(c.z)
        || point.z > a.z.max(b.z).max(c.z);
    if is_beside || point.x > a.x.max(b.x).max(c.x) {
        return Found::Nothing;
    }
    let turns = edges(triangle).map(|[from, to]| area(0, from, to, point));
    if turns.iter().any(|&turn| turn > 0.0) && turns.iter().any(|&turn| turn < 0.0) {
        return Found::Nothing;
    }
    let is_before = point.x < a.x.min(b.x).min(c.x);
    if !is_before && turns.contains(&0.0) && triangle.contains(point) {
        return Found::Surface;
    }
    let Some(is_up) = turn_of_moved(triangle, turns) else {
        return Found::Nothing;
    };
    if is_before {
        return Found::Crossing(sign_of(is_up));
    }
    match above(a, b, c, point) {
        0.0 => Found::Surface,
        height if (height < 0.0) == is_up => Found::Crossing(sign_of(is_up)),
        _ => Found::Nothing,
    }
}

/// Returns the crossing of the whole line through a point with a triangle, counted as
/// [`Found::Crossing`]; 0 if there is none.
pub(super) fn crossing(triangle: &Triangle, [y, z]: [f32; 2]) -> i32 {
    let point = Vec3::new(0.0, y, z);
    let turns = edges(triangle).map(|[from, to]| area(0, from, to, point));
    turn_of_moved(triangle, turns).map_or(0, sign_of)
}

fn sign_of(is_up: bool) -> i32 {
    if is_up { 1 } else { -1 }
}

/// Returns `true` if a triangle around the moved line is counter-clockwise as seen from greater x,
/// `false` if it is clockwise, `None` if it is not around the line.
fn turn_of_moved(triangle: &Triangle, turns: [f64; 3]) -> Option<bool> {
    let edges = edges(triangle);
    let sides: [f32; 3] = std::array::from_fn(|k| {
        let [from, to] = edges[k];
        match turns[k] {
            turn if turn != 0.0 => sign(0.0, turn),
            _ if from.z != to.z => sign(to.z.into(), from.z.into()),
            _ => sign(from.y.into(), to.y.into()),
        }
    });
    (sides[0] != 0.0 && sides == [sides[0]; 3]).then_some(sides[0] > 0.0)
}

/// Returns the sign of `to - from`.
fn sign(from: f64, to: f64) -> f32 {
    f32::from(i8::from(to > from) - i8::from(to < from))
}
