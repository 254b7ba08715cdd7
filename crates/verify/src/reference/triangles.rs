//! Two triangles: a linear program over their corners in integer arithmetic, and its corners in
//! rational arithmetic. There is no plane, no edge, no sign of a volume.

use glam::{DVec3, Vec3};

use crate::reference::rational::Rational;
use crate::reference::solids::hulls_meet;
use obbligato::shape::Triangle;

/// Returns `true` if two triangles share a point, exactly: if some weighted mean of the corners of
/// one is a weighted mean of those of the other. Corners may be equal or on one line.
///
/// ```
/// use obbligato::{glam::Vec3, shape::Triangle};
/// use obbligato_verify::reference::triangles_meet;
/// let floor = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
/// let tip = |height: f32| Vec3::new(0.5, 0.5, height);
/// let standing = |height: f32| Triangle::new(tip(height), tip(2.0), Vec3::splat(2.0));
/// assert!(triangles_meet(&floor, &standing(0.0)) && !triangles_meet(&floor, &standing(1e-40)));
/// ```
pub fn triangles_meet(a: &Triangle, b: &Triangle) -> bool {
    hulls_meet(&a.corners, &b.corners)
}

/// Returns the corners of the convex hull of the intersection of two triangles, in no order; each
/// is rounded once. Slow: for tests.
///
/// Consider weights of the six corners that are at least 0, sum up to 1 for each triangle, and give
/// both triangles the same mean. The corners of the set of these weights are its basic solutions,
/// with as many equations as weights that are not 0. Every corner of the intersection is the mean
/// of such a solution.
pub fn triangles_intersection(a: &Triangle, b: &Triangle) -> Vec<DVec3> {
    let points = shared_corners(a, b);
    points
        .iter()
        .map(|point| DVec3::from([0, 1, 2].map(|k| point[k].to_f64())))
        .collect()
}

/// Returns `true` if two triangles of one mesh share a point other than the corner or edge they
/// have in common, exactly: if some corner of their intersection is not a corner of both, or if
/// three different corners are. Slow: for tests.
///
/// ```
/// use obbligato::{glam::Vec3, shape::Triangle};
/// use obbligato_verify::reference::triangles_meet_in_mesh;
/// let floor = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
/// let beside = |height: f32| Triangle::new(Vec3::X, Vec3::Y, Vec3::new(0.25, 0.25, height));
/// assert!(triangles_meet_in_mesh(&floor, &beside(0.0)) && !triangles_meet_in_mesh(&floor, &beside(1e-40)));
/// ```
pub fn triangles_meet_in_mesh(a: &Triangle, b: &Triangle) -> bool {
    let numbers = |corner: &Vec3| corner.to_array().map(Rational::from);
    let mut common: Vec<[Rational; 3]> = Vec::new();
    for corner in a.corners.iter().filter(|corner| b.corners.contains(corner)) {
        let corner = numbers(corner);
        if !common.contains(&corner) {
            common.push(corner);
        }
    }
    match common.len() {
        0 => triangles_meet(a, b),
        3 => true,
        _ => shared_corners(a, b).iter().any(|point| !common.contains(point)),
    }
}

/// Returns the corners of the hull of the intersection of two triangles.
fn shared_corners(a: &Triangle, b: &Triangle) -> Vec<[Rational; 3]> {
    let columns: Vec<[Rational; 5]> = (a.corners.iter().map(|corner| (corner, 1.0f32)))
        .chain(b.corners.iter().map(|corner| (corner, -1.0)))
        .map(|(corner, sign)| column(*corner, sign))
        .collect();
    let mut points: Vec<[Rational; 3]> = Vec::new();
    for chosen in 1u32..1 << 6 {
        let those: Vec<usize> = (0..6).filter(|k| chosen >> k & 1 == 1).collect();
        let Some(weights) = solution(&columns, &those) else {
            continue;
        };
        let mut point = [Rational::zero(), Rational::zero(), Rational::zero()];
        for (&k, weight) in those.iter().zip(weights).filter(|(k, _)| **k < 3) {
            for (sum, number) in point.iter_mut().zip(a.corners[k].to_array()) {
                *sum = sum.clone() + weight.clone() * Rational::from(number);
            }
        }
        if !points.contains(&point) {
            points.push(point);
        }
    }
    let is_between = |point: &&[Rational; 3]| {
        let others = points.iter().filter(|other| other != point);
        let mut pairs = others.clone().flat_map(|p| others.clone().map(move |q| (p, q)));
        pairs.any(|(p, q)| lies_between(point, p, q))
    };
    points.iter().filter(|point| !is_between(point)).cloned().collect()
}

/// Returns the coefficients of a corner in the equations: the difference of the means, and the sum
/// of the weights of either triangle.
fn column(corner: Vec3, sign: f32) -> [Rational; 5] {
    let [x, y, z] = corner.to_array().map(|number| Rational::from(sign * number));
    let own = |of: f32| Rational::from(if sign == of { 1.0f32 } else { 0.0 });
    [x, y, z, own(1.0), own(-1.0)]
}

/// Returns the weights of some columns that solve the equations, if they are unique and none is
/// negative.
fn solution(columns: &[[Rational; 5]], those: &[usize]) -> Option<Vec<Rational>> {
    let one = || Rational::from(1.0f32);
    let mut rows: Vec<Vec<Rational>> = (0..5)
        .map(|row| {
            let goal = if row < 3 { Rational::zero() } else { one() };
            let entries = those.iter().map(|&k| columns[k][row].clone());
            entries.chain([goal]).collect()
        })
        .collect();
    for k in 0..those.len() {
        let pivot = (k..5).find(|&row| !rows[row][k].is_zero())?;
        rows.swap(k, pivot);
        let own: Vec<Rational> = rows[k].iter().map(|entry| entry.clone() / rows[k][k].clone()).collect();
        for row in (0..5).filter(|&row| row != k) {
            let factor = rows[row][k].clone();
            for (entry, own) in rows[row].iter_mut().zip(&own) {
                *entry = entry.clone() - factor.clone() * own.clone();
            }
        }
        rows[k] = own;
    }
    let goal = those.len();
    let solves = rows[goal..].iter().all(|row| row[goal].is_zero());
    let weights: Vec<Rational> = rows[..goal].iter().map(|row| row[goal].clone()).collect();
    (solves && !weights.iter().any(Rational::is_negative)).then_some(weights)
}

/// Returns `true` if a point is on the segment between two others and equals neither.
fn lies_between(point: &[Rational; 3], p: &[Rational; 3], q: &[Rational; 3]) -> bool {
    let from = |other: &[Rational; 3]| [0, 1, 2].map(|k| other[k].clone() - point[k].clone());
    let (u, v) = (from(p), from(q));
    let minor = |j: usize, k: usize| u[j].clone() * v[k].clone() - u[k].clone() * v[j].clone();
    let product = |k: usize| u[k].clone() * v[k].clone();
    let is_straight = [minor(0, 1), minor(1, 2), minor(2, 0)].iter().all(Rational::is_zero);
    is_straight && (product(0) + product(1) + product(2)).is_negative()
}
