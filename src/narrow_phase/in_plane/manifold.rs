//! Contact manifolds in the plane: the shortest way out, and one or two points.
//!
//! The normal is the axis of the cores with the [largest gap](super::figure), or the line through
//! their nearest points if those are further apart than that: then a corner is nearest to a corner.
//! At an axis, the side of the other core that faces it is cut to the length of the side across
//! the axis, and its ends are the points (Gregorius, "Robust Contact Creation for Physics
//! Simulations", GDC 2015; in the plane `b2CollidePolygons` of Box2D).

use glam::DVec2;

use crate::geometry::feature::Feature;
use crate::narrow_phase::in_plane::figure::{BestAxis, Figure, Nearest, SIDES, Two};
use crate::narrow_phase::in_plane::pair::PlanePair;
use crate::narrow_phase::obb_obb::manifold::{ContactPoint, Penetration, Side};
use crate::narrow_phase::round::distance::gap;

impl PlanePair<'_> {
    /// Returns the penetration of the bodies, or `None` if they do not collide, and calls `each`
    /// with the contact points, one or two. Normals have z = 0, and so have points.
    pub fn touch(&self, mut each: impl FnMut(ContactPoint)) -> Option<Penetration> {
        let (two, swapped) = self.figures();
        let (best, nearest) = (two.best_axis(), two.nearest());
        let length = if best.gap > 0.0 {
            nearest.way().length()
        } else {
            best.gap
        };
        if gap(length, two.reach(), two.error(), self.collide).is_some() {
            return None;
        }
        let found = match two.reach() > 0.0 && length > best.gap + 4.0 * two.error() {
            true => two.at_corners(&nearest),
            false => two.at_side(&best),
        };
        let origin = self.origin(swapped);
        for point in found.points.iter().flatten() {
            let on_a = origin + point.on_first;
            let on_b = on_a - found.normal * point.depth;
            let point = ContactPoint {
                on_a: on_a.extend(0.0),
                on_b: on_b.extend(0.0),
                depth: point.depth,
                feature_a: point.features[0],
                feature_b: point.features[1],
            };
            each(if swapped { point.swapped() } else { point });
        }
        let penetration = Penetration {
            normal: found.normal.extend(0.0),
            depth: found.depth,
            feature_a: found.features[0],
            feature_b: found.features[1],
            reference: found.reference,
        };
        let named = if swapped { penetration.swapped() } else { penetration };
        Some(Penetration {
            // Neither is a zero negative.
            normal: named.normal + glam::DVec3::ZERO,
            ..named
        })
    }
}

/// The contact of two figures.
struct Found {
    /// From the first to the second.
    normal: DVec2,
    depth: f64,
    features: [Feature; 2],
    reference: Option<Side>,
    points: [Option<Point>; 2],
}

/// A point of a contact.
#[derive(Clone, Copy)]
struct Point {
    on_first: DVec2,
    depth: f64,
    features: [Feature; 2],
}

/// An end of the side that faces an axis.
#[derive(Clone, Copy)]
struct End {
    point: DVec2,
    /// Its place along the side across the axis.
    place: f64,
    /// The features of the owner of the axis, and of the other figure.
    features: [Feature; 2],
}

impl Two {
    /// Returns the contact of cores that are apart and nearest at corners of both.
    fn at_corners(&self, nearest: &Nearest) -> Found {
        let length = nearest.way().length();
        let normal = nearest.way() / length;
        let depth = (self.reach() - length).max(0.0);
        let other = &self.0[1 - nearest.owner];
        let mut features = [self.0[nearest.owner].corner_feature(nearest.sides); 2];
        let from_other = nearest.points[1 - nearest.owner] - other.center;
        let sides = [0, 1].map(|k| 1f64.copysign(from_other.dot(other.axes[k])));
        features[1 - nearest.owner] = other.corner_feature(sides);
        let point = Point {
            on_first: nearest.points[0] + normal * self.0[0].radius,
            depth,
            features,
        };
        Found {
            normal,
            depth,
            features,
            reference: None,
            points: [Some(point), None],
        }
    }

    /// Returns the contact at an axis.
    fn at_side(&self, best: &BestAxis) -> Found {
        let (owner, other) = (&self.0[best.owner], &self.0[1 - best.owner]);
        let outward = if best.owner == 0 { best.normal } else { -best.normal };
        let side = 1f64.copysign(outward.dot(owner.axes[best.axis]));
        let depth = (self.reach() - best.gap).max(0.0);
        let ends = self.ends(best, outward, side);
        let height = |end: &End| (end.point - owner.center).dot(outward) - owner.half[best.axis];
        let depths = ends.map(|end| end.map_or(f64::NEG_INFINITY, |end| self.reach() - height(&end)));
        let deepest = usize::from(depths[1] > depths[0]);
        let in_order = |[of_owner, of_other]: [Feature; 2]| match best.owner {
            0 => [of_owner, of_other],
            _ => [of_other, of_owner],
        };
        let point = |k: usize| {
            let end = ends[k].filter(|_| k == deepest || depths[k] >= 0.0)?;
            let own = depths[k].clamp(0.0, depth);
            let on_other = end.point - outward * other.radius;
            Some(Point {
                on_first: if best.owner == 0 {
                    on_other + outward * own
                } else {
                    on_other
                },
                depth: own,
                features: in_order(end.features),
            })
        };
        let level = 4.0 * self.error();
        let (axis, facing) = other.side_towards(-outward);
        let of_other = match ends[deepest] {
            Some(end) if (depths[0] - depths[1]).abs() > level => end.features[1],
            _ => other.side_feature(axis, facing),
        };
        Found {
            normal: best.normal,
            depth,
            features: in_order([owner.side_feature(best.axis, side), of_other]),
            reference: owner.is_box.then_some([Side::A, Side::B][best.owner]),
            points: [point(0), point(1)],
        }
    }

    /// Returns the ends of the other figure's side that faces an axis, cut to the owner's side
    /// across it; one if they are the same.
    fn ends(&self, best: &BestAxis, outward: DVec2, side: f64) -> [Option<End>; 2] {
        let (owner, other) = (&self.0[best.owner], &self.0[1 - best.owner]);
        let across = 1 - best.axis;
        let (axis, facing) = other.side_towards(-outward);
        let of_owner = owner.side_feature(best.axis, side);
        let place = |point: DVec2| (point - owner.center).dot(owner.axes[across]);
        let end = |along: f64| {
            let mut sides = [facing; 2];
            sides[1 - axis] = along;
            let point = other.corner(sides);
            End {
                point,
                place: place(point),
                features: [of_owner, other.corner_feature(sides)],
            }
        };
        let ends = SIDES.map(end);
        let half = owner.half[across];
        let outside = |end: &End| end.place.abs() - half;
        if other.half[1 - axis] == 0.0 {
            return [Some(ends[0]), None];
        }
        let is_beside = ends[0].place.signum() == ends[1].place.signum() && ends.iter().all(|end| outside(end) > 0.0);
        if is_beside {
            // Rounding alone brings both beyond the same end.
            let first = usize::from(outside(&ends[1]) < outside(&ends[0]));
            return [Some(ends[first]), None];
        }
        let cut = |end: End, from: End| {
            let limit = half.copysign(end.place);
            let length = end.place - from.place;
            if outside(&end) <= 0.0 || length == 0.0 {
                return end;
            }
            let mut sides = [side; 2];
            sides[across] = limit.signum();
            End {
                point: from.point + (end.point - from.point) * ((limit - from.place) / length),
                place: limit,
                features: [
                    corner_or_side(owner, sides, best.axis, side),
                    other.side_feature(axis, facing),
                ],
            }
        };
        [Some(cut(ends[0], ends[1])), Some(cut(ends[1], ends[0]))]
    }
}

/// Returns the feature of the figure at whose corner a side is cut.
fn corner_or_side(figure: &Figure, sides: [f64; 2], axis: usize, side: f64) -> Feature {
    match figure.half[1 - axis] > 0.0 {
        true => figure.corner_feature(sides),
        false => figure.side_feature(axis, side),
    }
}
