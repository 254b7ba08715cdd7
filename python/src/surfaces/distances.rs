//! Distances of points and triangles.

use obbligato::glam::DVec3;

/// A quotient clamped to [0, 1]; 0 where the denominator is 0.
fn over(numerator: f64, denominator: f64) -> f64 {
    match denominator > 0.0 {
        true => (numerator / denominator).clamp(0.0, 1.0),
        false => 0.0,
    }
}

fn on_segment(point: DVec3, start: DVec3, end: DVec3) -> DVec3 {
    let along = end - start;
    start + over((point - start).dot(along), along.dot(along)) * along
}

/// The foot of a point on the plane of a triangle, if it is in the triangle. A flat one has none.
fn on_plane(point: DVec3, &[a, b, c]: &[DVec3; 3]) -> Option<DVec3> {
    let normal = (b - a).cross(c - a);
    let square = normal.dot(normal);
    if square <= 0.0 {
        return None;
    }
    let foot = point - (point - a).dot(normal) / square * normal;
    let within = |start: DVec3, end: DVec3| (end - start).cross(foot - start).dot(normal) >= 0.0;
    (within(a, b) && within(b, c) && within(c, a)).then_some(foot)
}

/// The distance of a point to a triangle, and the closest point of the triangle.
pub fn to_triangle(point: DVec3, corners: &[DVec3; 3]) -> (f64, DVec3) {
    let (mut square, mut best) = (f64::INFINITY, DVec3::ZERO);
    let sides = [0, 1, 2].map(|k| on_segment(point, corners[k], corners[(k + 1) % 3]));
    for on in on_plane(point, corners).into_iter().chain(sides) {
        let other = (point - on).length_squared();
        if other < square {
            (square, best) = (other, on);
        }
    }
    (square.sqrt(), best)
}

/// The closest points of segments (Ericson, Real-Time Collision Detection, 5.1.9).
fn between_segments([p, p_end]: [DVec3; 2], [q, q_end]: [DVec3; 2]) -> [DVec3; 2] {
    let (along_p, along_q, apart) = (p_end - p, q_end - q, p - q);
    let (a, e, f) = (along_p.dot(along_p), along_q.dot(along_q), along_q.dot(apart));
    let (b, c) = (along_p.dot(along_q), along_p.dot(apart));
    let on_p = over(b * f - c * e, a * e - b * b);
    let on_q = over(b * on_p + f, e);
    let on_p = over(b * on_q - c, a);
    [p + on_p * along_p, q + on_q * along_q]
}

/// The distance of triangles that share no point, and the closest points of both.
pub fn between_triangles(a: &[DVec3; 3], b: &[DVec3; 3]) -> (f64, [DVec3; 2]) {
    let (mut square, mut best) = (f64::INFINITY, [DVec3::ZERO; 2]);
    let mut offer = |both: [DVec3; 2]| {
        let other = (both[0] - both[1]).length_squared();
        if other < square {
            (square, best) = (other, both);
        }
    };
    for k in 0..3 {
        for m in 0..3 {
            offer(between_segments([a[k], a[(k + 1) % 3]], [b[m], b[(m + 1) % 3]]));
        }
        if let Some(foot) = on_plane(b[k], a) {
            offer([foot, b[k]]);
        }
        if let Some(foot) = on_plane(a[k], b) {
            offer([a[k], foot]);
        }
    }
    (square.sqrt(), best)
}
