//! Rectangles around points in the plane.
//!
//! A smallest rectangle has a side along an edge of the convex hull (Freeman and Shapira, 1975).
//! The hull is that of Andrew's monotone chain, and the corners farthest from and along each edge
//! are found by walking once around the hull (Shamos' rotating calipers). The result is stored as
//! that of [`Obb::around`] is.

use glam::{DMat3, DVec2, DVec3, Vec3};

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::problem::PlaneProblem;
use crate::fitting::cloud::Cloud;
use crate::fitting::obb::fit_each;
use crate::fitting::stored::enclose;
use crate::shapes::obb::record::{Obb, height};

/// The factor by which a rectangle must be smaller to be better, as for boxes: of equal ones the
/// first is taken.
const BETTER: f64 = 1.0 - 1e-7;
/// Label for out-of-memory errors.
const WHAT: &str = "rectangles around points";

impl Obb {
    /// Returns the rectangle of smallest area around each of many groups of points in the plane
    /// z = 0, as [`Obb::in_plane`] makes it, on all cores.
    ///
    /// Every point is in its rectangle without rounding, as for [`Obb::around`]; the area exceeds
    /// the smallest one by rounding only. O(n log n) for a group of n points.
    ///
    /// ```
    /// use obbligato::{Obb, glam::Vec3};
    /// let corners = [Vec3::ZERO, Vec3::new(3.0, 3.0, 0.0), Vec3::new(2.0, 4.0, 0.0)];
    /// let found = Obb::around_each_in_plane(&[corners])?;
    /// let [width, depth, _] = found[0].half_extents.to_array();
    /// assert!((width * depth - 1.5).abs() < 1e-5);
    /// # Ok::<(), obbligato::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Obb::around`], with the number of the group; [`Error::NotInPlane`] for a point
    /// off the plane, with its position in its group.
    pub fn around_each_in_plane<G: AsRef<[Vec3]> + Sync>(groups: &[G]) -> Result<Vec<Self>> {
        fit_each(groups, rectangle)
    }
}

fn rectangle(points: &[Vec3], group: usize) -> Result<Obb> {
    let cloud = Cloud::new(points, Some(group))?;
    let mut off = points.iter().enumerate().filter(|(_, point)| point.z != 0.0);
    if let Some((index, _)) = off.next() {
        return Err(Error::NotInPlane {
            index,
            problem: PlaneProblem::OffPlane,
            count: 1 + off.count(),
        });
    }
    let x = least_direction(&hull(&cloud)?);
    let axes = DMat3::from_cols(x.extend(0.0), x.perp().extend(0.0), DVec3::Z);
    let mut found = enclose(&cloud, &axes);
    found.half_extents.z = height(found.half_extents.truncate());
    Ok(found)
}

/// Returns the corners of the convex hull, counter-clockwise, relative to the middle of the points.
fn hull(cloud: &Cloud<'_>) -> Result<Vec<DVec2>> {
    let middle = cloud.middle().as_dvec3();
    let places = cloud.points.iter().map(|point| (point.as_dvec3() - middle).truncate());
    let mut points = memory::collect(places, WHAT)?;
    points.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    let mut corners: Vec<DVec2> = Vec::new();
    memory::reserve(&mut corners, points.len() + 1, WHAT)?;
    for backwards in [false, true] {
        let first = corners.len();
        let mut add = |point: DVec2| {
            while let [.., before, last] = &corners[first..] {
                if (*last - *before).perp_dot(point - *last) > 0.0 {
                    break;
                }
                corners.pop();
            }
            corners.push(point);
        };
        match backwards {
            false => points.iter().for_each(|&point| add(point)),
            true => points.iter().rev().for_each(|&point| add(point)),
        }
        // It begins the other chain.
        corners.pop();
    }
    Ok(corners)
}

/// Returns the direction of a side of the smallest rectangle around a convex polygon; x if that of
/// the axes is as good.
fn least_direction(corners: &[DVec2]) -> DVec2 {
    let count = corners.len();
    let at = |k: usize| corners[k % count.max(1)];
    let width = |direction: DVec2| {
        let along = corners.iter().map(|corner| corner.dot(direction));
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        high - low
    };
    if count < 2 {
        return DVec2::X;
    }
    let mut best = (DVec2::X, width(DVec2::X) * width(DVec2::Y));
    // The corners farthest along an edge, across it, and against it.
    let mut farthest = [1, 1, 1];
    for k in 0..count {
        let Some(along) = (at(k + 1) - at(k)).try_normalize() else {
            continue;
        };
        for (number, direction) in [along, along.perp(), -along].into_iter().enumerate() {
            if number > 0 {
                farthest[number] = farthest[number].max(farthest[number - 1]);
            }
            let place = &mut farthest[number];
            *place = (*place).max(k + 1);
            while *place < k + count && at(*place + 1).dot(direction) > at(*place).dot(direction) {
                *place += 1;
            }
        }
        let [ahead, across, behind] = farthest.map(at);
        let area = (ahead - behind).dot(along) * (across - at(k)).dot(along.perp());
        if area < best.1 * BETTER {
            best = (along, area);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::base::split_mix::SplitMix;

    /// The area of the smallest rectangle, by all directions of two points.
    fn least_area(points: &[Vec3]) -> f64 {
        let place = |point: &Vec3| point.truncate().as_dvec2();
        let mut least = f64::INFINITY;
        let pairs = points
            .iter()
            .flat_map(|a| points.iter().map(move |b| place(b) - place(a)));
        for direction in pairs.filter_map(DVec2::try_normalize) {
            let width = |axis: DVec2| {
                let along = points.iter().map(|point| place(point).dot(axis));
                let (low, high) = along.fold((f64::INFINITY, -f64::INFINITY), |(l, h), x| (l.min(x), h.max(x)));
                high - low
            };
            least = least.min(width(direction) * width(direction.perp()));
        }
        least
    }

    #[test]
    fn rectangles_are_the_smallest_and_contain_their_points() {
        let mut random = SplitMix(4);
        for trial in 0..400 {
            let mut number = |size: f64| ((2.0 * random.unit() - 1.0) * size) as f32;
            let count = 1 + trial % 40;
            let points: Vec<Vec3> = (0..count)
                .map(|_| match trial % 4 {
                    0 => Vec2::new(number(3.0), number(1.0)).extend(0.0),
                    1 => Vec2::from_angle(number(3.2)).extend(0.0),
                    2 => Vec2::new(number(4.0).round(), number(2.0).round()).extend(0.0),
                    _ => Vec2::splat(number(5.0)).extend(0.0),
                })
                .collect();
            let found = Obb::around_each_in_plane(&[&points]).expect("points")[0];
            let half = found.half_extents.as_dvec3();
            let area = 4.0 * half.x * half.y;
            let least = if count > 1 { least_area(&points) } else { 0.0 };
            let least = if least.is_finite() { least } else { 0.0 };
            assert!(area <= least * (1.0 + 1e-6) + 1e-4, "{trial}: {area} {least}");
            assert!(found.rotation.x == 0.0 && found.rotation.y == 0.0 && found.center.z == 0.0);
            for point in &points {
                let own = Obb::axis_aligned(*point, Vec3::ZERO);
                assert!(found.contact(&own).collides(), "{trial}: {point}");
            }
        }
        let off = Obb::around_each_in_plane(&[[Vec3::X, Vec3::Z]]);
        assert!(matches!(off, Err(Error::NotInPlane { index: 1, count: 1, .. })));
    }
}
