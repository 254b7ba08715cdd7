//! The affine span of points, from which a hull starts.

use glam::Vec3;

use crate::geometry::orientation::{above, areas};

/// Compares finite numbers; 0 and -0 are equal.
pub(super) fn compare(a: f32, b: f32) -> std::cmp::Ordering {
    a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
}

/// The affine span of points, given by as many of them as necessary. The first two are corners of
/// the hull.
pub(super) enum Span {
    Point(u32),
    Line([u32; 2]),
    Plane([u32; 3]),
    /// The last one is below the first three.
    Space([u32; 4]),
}

impl Span {
    /// Returns the span of some of the points, at least one.
    pub fn of(points: &[Vec3], some: impl Iterator<Item = u32> + Clone) -> Self {
        let at = |k: u32| points[k as usize];
        let order = |&j: &u32, &k: &u32| {
            let (p, q) = (at(j), at(k));
            compare(p.x, q.x).then(compare(p.y, q.y)).then(compare(p.z, q.z))
        };
        let first = some.clone().min_by(order).unwrap_or(0);
        let last = some.clone().max_by(order).unwrap_or(0);
        if at(first) == at(last) {
            return Self::Point(first);
        }
        let spread = |k: u32| areas(at(first), at(last), at(k)).map(f64::abs).iter().sum();
        let Some(third) = farthest(some.clone(), spread) else {
            return Self::Line([first, last]);
        };
        let height = |k: u32| above(at(first), at(last), at(third), at(k));
        match farthest(some, |k| height(k).abs()) {
            None => Self::Plane([first, last, third]),
            Some(fourth) if height(fourth) > 0.0 => Self::Space([first, third, last, fourth]),
            Some(fourth) => Self::Space([first, last, third, fourth]),
        }
    }

    /// Returns four of its points, some of them equal unless the span is space, whose average is in
    /// the relative interior of their hull.
    pub fn core(&self) -> [u32; 4] {
        match *self {
            Self::Point(a) => [a; 4],
            Self::Line([a, b]) => [a, a, b, b],
            Self::Plane([a, b, c]) => [a, a, b, c],
            Self::Space(four) => four,
        }
    }
}

/// Returns the item with the largest measure, if that is above 0.
fn farthest(items: impl Iterator<Item = u32>, measure: impl Fn(u32) -> f64) -> Option<u32> {
    let measured = items.map(|item| (item, measure(item)));
    let largest = measured.max_by(|a, b| a.1.total_cmp(&b.1))?;
    (largest.1 > 0.0).then_some(largest.0)
}
