//! The convex hull of points in one plane.

use glam::Vec3;

use crate::geometry::orientation::{area, areas};
use crate::shapes::solid::hull::span::compare;

/// Returns the corners of the hull of points in the plane of three points, in order. Uses Andrew's
/// monotone chains, projected along the axis with the largest projected area.
pub(super) fn polygon(points: &[Vec3], three: [u32; 3]) -> Vec<u32> {
    let at = |k: u32| points[k as usize];
    let seen = areas(at(three[0]), at(three[1]), at(three[2])).map(f64::abs);
    let axis = (0..3).max_by(|&j, &k| seen[j].total_cmp(&seen[k])).unwrap_or(0);
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by(|&j, &k| compare(at(j)[u], at(k)[u]).then(compare(at(j)[v], at(k)[v])));
    order.dedup_by(|j, k| at(*j) == at(*k));

    let mut polygon: Vec<u32> = Vec::new();
    let mut chain = |order: &mut dyn Iterator<Item = u32>| {
        let begin = polygon.len();
        for next in order {
            while let [.., a, b] = polygon[begin..]
                && area(axis, at(a), at(b), at(next)) <= 0.0
            {
                polygon.pop();
            }
            polygon.push(next);
        }
        // The last corner begins the other chain.
        polygon.pop();
    };
    chain(&mut order.iter().copied());
    chain(&mut order.iter().rev().copied());
    polygon
}
