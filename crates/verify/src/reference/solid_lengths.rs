//! The distance and the penetration depth of two convex solids, given by points: all candidates for
//! the answer are evaluated in rational arithmetic. There is no hull, no search, and no rounding
//! except that of the result.

use glam::Vec3;

use crate::reference::rational::Rational;

type Vector = [Rational; 3];

/// Returns the distance of the convex hulls of two lists of points, with at least one point each
/// and finite coordinates; 0 if they share a point.
///
/// The candidates are the differences of all points, edges and triangles of one list and those of
/// the other that can be nearest: point and point, edge and point, edge and edge, triangle and
/// point. Each gives its point nearest to the origin, if that is inside it. The nearest candidate
/// is the nearest of all differences if no difference is less far along its direction; otherwise
/// the origin is a difference. O(n⁴).
///
/// ```
/// use obbligato::glam::Vec3;
/// use obbligato_verify::reference::solids_distance;
/// let triangle = [Vec3::X, Vec3::X + Vec3::Y, Vec3::X + Vec3::Z];
/// assert_eq!(solids_distance(&triangle, &[Vec3::ZERO]), 1.0);
/// assert_eq!(solids_distance(&triangle, &[Vec3::ZERO, Vec3::new(2.0, 0.5, 0.5)]), 0.0);
/// ```
pub fn solids_distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    solids_distance_square(a, b).map_or(0.0, |square| square.root())
}

/// Returns `true` if the [distance](solids_distance) is at most a margin, decided by the squares of
/// both.
///
/// ```
/// use obbligato::glam::Vec3;
/// use obbligato_verify::reference::solids_within;
/// let triangle = [Vec3::X, Vec3::X + Vec3::Y, Vec3::X + Vec3::Z];
/// assert!(solids_within(&triangle, &[Vec3::ZERO], 1.0));
/// assert!(!solids_within(&triangle, &[Vec3::ZERO], 1f64.next_down()));
/// ```
pub fn solids_within(a: &[Vec3], b: &[Vec3], margin: f64) -> bool {
    solids_distance_square(a, b).is_none_or(|square| square <= Rational::from(margin).square())
}

/// Returns the square of the [distance](solids_distance) without rounding, or `None` if the convex
/// hulls share a point.
pub fn solids_distance_square(a: &[Vec3], b: &[Vec3]) -> Option<Rational> {
    let (a, b) = (vectors(a), vectors(b));
    let mut nearest: Option<(Rational, Vector)> = None;
    let mut offer = |point: Option<Vector>| {
        let Some(point) = point else { return };
        let square = dot(&point, &point);
        if nearest.as_ref().is_none_or(|(least, _)| square < *least) {
            nearest = Some((square, point));
        }
    };
    for p in &a {
        for q in &b {
            offer(Some(minus(p, q)));
        }
    }
    let (edges_a, edges_b) = (edges(&a), edges(&b));
    for [p, u] in &edges_a {
        b.iter().for_each(|q| offer(along_edge(minus(p, q), u)));
        for [q, v] in &edges_b {
            offer(within(minus(p, q), u, &negative(v), false));
        }
    }
    for [q, v] in &edges_b {
        a.iter().for_each(|p| offer(along_edge(minus(p, q), &negative(v))));
    }
    for [p, u, v] in triangles(&a) {
        b.iter().for_each(|q| offer(within(minus(&p, q), &u, &v, true)));
    }
    for [q, u, v] in triangles(&b) {
        let (u, v) = (negative(&u), negative(&v));
        a.iter().for_each(|p| offer(within(minus(p, &q), &u, &v, true)));
    }
    let (square, point) = nearest?;
    let least = |points: &[Vector], sign: &Vector| points.iter().map(|p| dot(p, sign)).min();
    match (least(&a, &point), least(&b, &negative(&point))) {
        (Some(of_a), Some(of_b)) if of_a.clone() + of_b.clone() >= square => Some(square),
        _ => None,
    }
}

/// Returns the smallest distance by which the second of two lists of points must move for their
/// convex hulls to share no inner point, given that they share a point.
///
/// The direction is the normal of a face of one of them or of an edge of each. Here it is the cross
/// product of any two differences of points of a list. Other normals do not give shorter distances,
/// so superfluous ones do no harm. O(n⁵).
pub fn solids_depth(a: &[Vec3], b: &[Vec3]) -> f64 {
    let (a, b) = (vectors(a), vectors(b));
    let mut edges: Vec<Vector> = Vec::new();
    for points in [&a, &b] {
        for (k, p) in points.iter().enumerate() {
            edges.extend(points[..k].iter().map(|q| minus(p, q)));
        }
    }
    let mut least: Option<Rational> = None;
    for (k, u) in edges.iter().enumerate() {
        for v in &edges[..k] {
            let normal = cross(u, v);
            let square = dot(&normal, &normal);
            if square.is_zero() {
                continue;
            }
            let range = |points: &[Vector]| {
                let all = points.iter().map(|p| dot(p, &normal));
                Some((all.clone().min()?, all.max()?))
            };
            let (Some(of_a), Some(of_b)) = (range(&a), range(&b)) else {
                continue;
            };
            let way = (of_a.1 - of_b.0).min(of_b.1 - of_a.0);
            let length = way.square() / square;
            least = Some(least.map_or(length.clone(), |least| least.min(length)));
        }
    }
    least.map_or(0.0, |least| least.root())
}

fn vectors(points: &[Vec3]) -> Vec<Vector> {
    points
        .iter()
        .map(|point| point.to_array().map(Rational::from))
        .collect()
}

/// Returns the first end of each edge, and the vector to the second.
fn edges(points: &[Vector]) -> Vec<[Vector; 2]> {
    let pairs = (0..points.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs
        .map(|(i, j)| [points[i].clone(), minus(&points[j], &points[i])])
        .collect()
}

/// Returns a corner of each triangle, and the vectors to the others.
fn triangles(points: &[Vector]) -> Vec<[Vector; 3]> {
    let mut all = Vec::new();
    for (i, p) in points.iter().enumerate() {
        for (j, q) in points[..i].iter().enumerate() {
            all.extend(points[..j].iter().map(|r| [p.clone(), minus(q, p), minus(r, p)]));
        }
    }
    all
}

/// Returns the point of `from + s u`, s from 0 to 1, that is nearest to the origin, unless it is an
/// end.
fn along_edge(from: Vector, u: &Vector) -> Option<Vector> {
    let (square, part) = (dot(u, u), -dot(&from, u));
    let is_inside = !part.is_negative() && part < square;
    is_inside.then(|| plus(from, &(part / square), u))
}

/// Returns the point of `from + s u + t v` that is nearest to the origin, if both s and t are from
/// 0 to 1; in a triangle, their sum must be too.
fn within(from: Vector, u: &Vector, v: &Vector, is_triangle: bool) -> Option<Vector> {
    let (uu, uv, vv) = (dot(u, u), dot(u, v), dot(v, v));
    let (of_u, of_v) = (-dot(&from, u), -dot(&from, v));
    let square = uu.clone() * vv.clone() - uv.square();
    if square.is_zero() {
        return None;
    }
    let s = (of_u.clone() * vv - of_v.clone() * uv.clone()) / square.clone();
    let t = (of_v * uu - of_u * uv) / square;
    let one = || Rational::from(1.0f64);
    let most = if is_triangle {
        s.clone() + t.clone()
    } else {
        s.clone().max(t.clone())
    };
    let is_inside = !s.is_negative() && !t.is_negative() && most <= one();
    is_inside.then(|| plus(plus(from, &s, u), &t, v))
}

fn dot(u: &Vector, v: &Vector) -> Rational {
    let product = |axis: usize| u[axis].clone() * v[axis].clone();
    product(0) + product(1) + product(2)
}

fn cross(u: &Vector, v: &Vector) -> Vector {
    let part = |i: usize, j: usize| u[i].clone() * v[j].clone() - u[j].clone() * v[i].clone();
    [part(1, 2), part(2, 0), part(0, 1)]
}

fn minus(u: &Vector, v: &Vector) -> Vector {
    [0, 1, 2].map(|axis| u[axis].clone() - v[axis].clone())
}

fn negative(u: &Vector) -> Vector {
    u.clone().map(|coordinate| -coordinate)
}

/// Returns `u + s v`.
fn plus(u: Vector, s: &Rational, v: &Vector) -> Vector {
    let [x, y, z] = u;
    [
        x + s.clone() * v[0].clone(),
        y + s.clone() * v[1].clone(),
        z + s.clone() * v[2].clone(),
    ]
}
