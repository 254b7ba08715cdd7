//! The smallest box around a few points, by a slow method.

use std::collections::BTreeSet;

use obbligato::glam::DVec3;

/// The number of angles tried for each pair of edges, in half a turn.
const ANGLES: usize = 60;
/// The number of pairs whose best angle is refined.
const REFINED: usize = 400;

/// The volume of the smallest box with an edge of the hull in the plane of one face, and another
/// edge in the plane of a neighbouring face, over all pairs of edges: by O'Rourke's theorem no box
/// is smaller. The points must not lie in one plane.
pub fn least_volume(points: &[DVec3]) -> f64 {
    let (corners, directions) = edges(points);
    // A direction perpendicular to the first edge, and the extent along it.
    let across = |first: DVec3, angle: f64| {
        let (u, v) = first.any_orthonormal_pair();
        let one = u * angle.cos() + v * angle.sin();
        (one, width(&corners, one))
    };
    let volume = |(one, width_of_one): (DVec3, f64), second: DVec3| {
        let other = one.cross(second);
        match other.length() < 1e-9 {
            true => f64::INFINITY,
            false => {
                let other = other.normalize();
                width_of_one * width(&corners, other) * width(&corners, one.cross(other))
            }
        }
    };
    let step = std::f64::consts::PI / ANGLES as f64;
    let mut best = Vec::new();
    for &first in &directions {
        let angles: Vec<_> = (0..ANGLES).map(|k| k as f64 * step).collect();
        let turned: Vec<_> = angles.iter().map(|&angle| (across(first, angle), angle)).collect();
        for &second in &directions {
            let tried = turned.iter().map(|&(one, angle)| (volume(one, second), angle));
            let least = tried.min_by(|a, b| a.0.total_cmp(&b.0)).expect("angles");
            best.push((least, first, second));
        }
    }
    best.sort_by(|a, b| a.0.0.total_cmp(&b.0.0));
    let refined = best
        .iter()
        .take(REFINED)
        .map(|&((mut least, mut angle), first, second)| {
            let mut step = step;
            while step > 1e-7 {
                let tried = [angle - step, angle + step].map(|angle| (volume(across(first, angle), second), angle));
                let better = tried.into_iter().find(|(volume, _)| *volume < least);
                match better {
                    Some(better) => (least, angle) = better,
                    None => step *= 0.5,
                }
            }
            least
        });
    refined.fold(f64::INFINITY, f64::min)
}

/// The extent of points along an axis.
pub fn width(points: &[DVec3], axis: DVec3) -> f64 {
    let places = points.iter().map(|point| point.dot(axis));
    let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), place| {
        (low.min(place), high.max(place))
    });
    high - low
}

/// The points on planes through three of them with no points on one side, and the directions
/// between any two on one such plane.
fn edges(points: &[DVec3]) -> (Vec<DVec3>, Vec<DVec3>) {
    let size = points.iter().map(|point| point.distance(points[0])).fold(0.0, f64::max);
    let mut pairs = BTreeSet::new();
    for i in 0..points.len() {
        for j in i + 1..points.len() {
            for k in j + 1..points.len() {
                let normal = (points[j] - points[i]).cross(points[k] - points[i]);
                if normal.length() < 1e-12 * size * size {
                    continue;
                }
                let normal = normal.normalize();
                let heights = || points.iter().map(|point| normal.dot(*point - points[i]));
                if heights().all(|height| height < 1e-7 * size) || heights().all(|height| height > -1e-7 * size) {
                    pairs.extend([(i, j), (j, k), (i, k)]);
                }
            }
        }
    }
    let corners: BTreeSet<usize> = pairs.iter().flat_map(|&(i, j)| [i, j]).collect();
    let mut directions: Vec<DVec3> = Vec::new();
    for (i, j) in pairs {
        let direction = (points[j] - points[i]).normalize();
        if directions.iter().all(|other| other.dot(direction).abs() < 1.0 - 1e-12) {
            directions.push(direction);
        }
    }
    (corners.into_iter().map(|k| points[k]).collect(), directions)
}
