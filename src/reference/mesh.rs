//! Points in closed meshes, in whole numbers: a ray for each point in a direction of its own, and another one if that meets an edge.
//!
//! Nothing is moved by an infinitesimal, no axis is preferred and all triangles are looked at.

use std::cmp::Ordering;

use glam::Vec3;
use num_bigint::BigInt;

use crate::base::split_mix::SplitMix;
use crate::reference::oracle::{Scaled, Vector, cross, dot};
use crate::reference::whole::{Fixed, Whole};
use crate::regions::closed_mesh::state::PointState;
use crate::shapes::triangle::record::Triangle;

/// Where a point is: on a triangle, or inside if a ray from it crosses an odd number of them. The mesh must be closed.
///
/// O(triangles) for each ray, of which there are few.
pub fn point_in_mesh(point: Vec3, triangles: &[Triangle]) -> PointState {
    if triangles.iter().any(|triangle| has(triangle, point)) {
        return PointState::Surface;
    }
    let mut random = SplitMix(1);
    loop {
        let direction = [0; 3].map(|_| (random.next() % 2001) as i64 - 1000);
        let crossings: Option<Vec<bool>> = triangles
            .iter()
            .map(|triangle| is_crossed(triangle, point, direction))
            .collect();
        if let Some(crossings) = crossings {
            return match crossings.into_iter().filter(|&is_crossed| is_crossed).count() % 2 {
                0 => PointState::Outside,
                _ => PointState::Inside,
            };
        }
    }
}

/// Whether a point is on a triangle.
fn has(triangle: &Triangle, point: Vec3) -> bool {
    let numbers = scaled(triangle, point);
    match 4 * numbers.bits + 12 {
        0..=127 => has_whole(from_point::<i128>(&numbers)),
        128..=Fixed::BITS => has_whole(from_point::<Fixed>(&numbers)),
        _ => has_whole(from_point::<BigInt>(&numbers)),
    }
}

/// Whether a ray crosses the inside of a triangle. `None` if it may meet an edge.
fn is_crossed(triangle: &Triangle, point: Vec3, direction: [i64; 3]) -> Option<bool> {
    let numbers = scaled(triangle, point);
    match 4 * numbers.bits + 12 {
        0..=127 => is_crossed_whole(from_point::<i128>(&numbers), direction),
        128..=Fixed::BITS => is_crossed_whole(from_point::<Fixed>(&numbers), direction),
        _ => is_crossed_whole(from_point::<BigInt>(&numbers), direction),
    }
}

fn scaled(triangle: &Triangle, point: Vec3) -> Scaled<12> {
    let [a, b, c] = triangle.corners.map(|corner| corner.to_array());
    let all = [point.to_array(), a, b, c];
    Scaled::new(std::array::from_fn(|k| all[k / 3][k % 3]))
}

/// The ways from the point to the corners.
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

fn is_crossed_whole<N: Whole>(corners: [Vector<N>; 3], direction: [i64; 3]) -> Option<bool> {
    let [a, b, c] = &corners;
    let normal = cross(&difference(b, a), &difference(c, a));
    if is_zero(&normal) {
        return Some(false);
    }
    let direction = direction.map(|number| N::new(number, 0));
    let sides = [[a, b], [b, c], [c, a]].map(|[from, to]| dot(&direction, &cross(from, to)).sign());
    if sides.contains(&Ordering::Less) && sides.contains(&Ordering::Greater) {
        return Some(false);
    }
    if sides.contains(&Ordering::Equal) {
        return None;
    }
    Some(dot(&normal, a).sign() == dot(&normal, &direction).sign())
}

fn difference<N: Whole>(a: &Vector<N>, b: &Vector<N>) -> Vector<N> {
    std::array::from_fn(|k| a[k].minus(&b[k]))
}

fn is_zero<N: Whole>(vector: &Vector<N>) -> bool {
    vector.iter().all(|number| number.sign().is_eq())
}
