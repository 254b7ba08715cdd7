//! Locates points in closed meshes with integer arithmetic: a ray for each point in a direction of
//! its own, and another ray if that one meets an edge.
//!
//! There are no infinitesimal displacements and no preferred axis, and all triangles are tested.

use std::cmp::Ordering;

use glam::Vec3;
use num_bigint::BigInt;

use crate::reference::oracle::{Scaled, Vector, cross, dot};
use crate::reference::whole::{Fixed, Whole};
use obbligato::{region::PointState, shape::Triangle};
use obbligato_support::split_mix::SplitMix;

/// Locates a point: on a triangle, or inside if a ray from it crosses an odd number of triangles.
/// The mesh must be closed.
///
/// O(triangles) for each ray, of which there are few.
pub fn point_in_mesh(point: Vec3, triangles: &[Triangle]) -> PointState {
    match winding_number(point, triangles) {
        None => PointState::Surface,
        // A crossing counts 1 or -1, both of which are odd.
        Some(turns) if turns % 2 == 0 => PointState::Outside,
        Some(_) => PointState::Inside,
    }
}

/// Returns the winding number of a closed mesh around a point, in integer arithmetic: the number of
/// triangles through which a ray from the point leaves, minus the number of those through which it
/// enters. The front of a triangle is the side from which it is counter-clockwise. `None` if the
/// point is on a triangle.
///
/// O(triangles) for each ray, of which there are few.
pub fn winding_number(point: Vec3, triangles: &[Triangle]) -> Option<i64> {
    if triangles.iter().any(|triangle| has(triangle, point)) {
        return None;
    }
    let mut random = SplitMix(1);
    loop {
        let direction = [0; 3].map(|_| (random.next() % 2001) as i64 - 1000);
        let crossings = triangles.iter().map(|triangle| crossing(triangle, point, direction));
        if let Some(turns) = crossings.sum() {
            return Some(turns);
        }
    }
}

/// Returns `true` if a point is on a triangle, and so within its bounds.
fn has(triangle: &Triangle, point: Vec3) -> bool {
    let [low, high] = bounds(triangle);
    if point.cmplt(low).any() || point.cmpgt(high).any() {
        return false;
    }
    let numbers = scaled(triangle, point);
    match 4 * numbers.bits + 12 {
        0..=127 => has_whole(from_point::<i128>(&numbers)),
        128..=Fixed::BITS => has_whole(from_point::<Fixed>(&numbers)),
        _ => has_whole(from_point::<BigInt>(&numbers)),
    }
}

fn bounds(triangle: &Triangle) -> [Vec3; 2] {
    let [a, b, c] = triangle.corners;
    [a.min(b).min(c), a.max(b).max(c)]
}

/// Returns 1 if a ray crosses the inside of a triangle from the back, -1 from the front, and 0 if
/// it does not cross it. `None` if it may meet an edge.
fn crossing(triangle: &Triangle, point: Vec3, direction: [i64; 3]) -> Option<i64> {
    // A ray that goes up along an axis meets nothing below its start, and the other way round.
    let [low, high] = bounds(triangle);
    let is_behind =
        |axis: usize| direction[axis] > 0 && high[axis] < point[axis] || direction[axis] < 0 && low[axis] > point[axis];
    if (0..3).any(is_behind) {
        return Some(0);
    }
    let numbers = scaled(triangle, point);
    // The longest are products of three coordinates, or of two and a direction of ten bits.
    match 3 * numbers.bits + 18 {
        0..=127 => crossing_whole(from_point::<i128>(&numbers), direction),
        128..=Fixed::BITS => crossing_whole(from_point::<Fixed>(&numbers), direction),
        _ => crossing_whole(from_point::<BigInt>(&numbers), direction),
    }
}

fn scaled(triangle: &Triangle, point: Vec3) -> Scaled<12> {
    let [a, b, c] = triangle.corners.map(|corner| corner.to_array());
    let all = [point.to_array(), a, b, c];
    Scaled::new(std::array::from_fn(|k| all[k / 3][k % 3]))
}

/// Returns the vectors from the point to the corners.
fn from_point<N: Whole>(numbers: &Scaled<12>) -> [Vector<N>; 3] {
    let all: [N; 12] = numbers.numbers();
    [1, 2, 3].map(|corner| std::array::from_fn(|k| all[3 * corner + k].minus(&all[k])))
}

fn has_whole<N: Whole>(corners: [Vector<N>; 3]) -> bool {
    let [a, b, c] = &corners;
    let normal = cross(&difference(b, a), &difference(c, a));
    let edges = [[a, b], [b, c], [c, a]];
    if is_zero(&normal) {
        let on_edge = |[from, to]: [&Vector<N>; 2]| is_zero(&cross(from, to)) && dot(from, to).sign().is_le();
        return edges.into_iter().any(on_edge);
    }
    let turns_along = |[from, to]: [&Vector<N>; 2]| dot(&cross(from, to), &normal).sign().is_ge();
    dot(&normal, a).sign().is_eq() && edges.into_iter().all(turns_along)
}

fn crossing_whole<N: Whole>(corners: [Vector<N>; 3], direction: [i64; 3]) -> Option<i64> {
    let [a, b, c] = &corners;
    let direction = direction.map(|number| N::new(number, 0));
    let mut sides = [Ordering::Equal; 3];
    for (k, [from, to]) in [[a, b], [b, c], [c, a]].into_iter().enumerate() {
        sides[k] = dot(&direction, &cross(from, to)).sign();
        if sides.contains(&Ordering::Less) && sides.contains(&Ordering::Greater) {
            return Some(0);
        }
    }
    let normal = cross(&difference(b, a), &difference(c, a));
    if is_zero(&normal) {
        return Some(0);
    }
    if sides.contains(&Ordering::Equal) {
        return None;
    }
    let along = dot(&normal, &direction).sign();
    Some(match dot(&normal, a).sign() == along {
        true => along as i64,
        false => 0,
    })
}

fn difference<N: Whole>(a: &Vector<N>, b: &Vector<N>) -> Vector<N> {
    std::array::from_fn(|k| a[k].minus(&b[k]))
}

fn is_zero<N: Whole>(vector: &Vector<N>) -> bool {
    vector.iter().all(|number| number.sign().is_eq())
}
