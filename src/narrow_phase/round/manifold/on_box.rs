//! A box and a round body.

use crate::base::arrays::Mapped;
use glam::DVec3;

use crate::geometry::feature::{Feature, on_sides};
use crate::geometry::rotation::others;
use crate::narrow_phase::obb_obb::penetration::{PREFERENCE, SLOP};
use crate::narrow_phase::round::closest::Closest;
use crate::narrow_phase::round::distance::{OnBox, gap};
use crate::narrow_phase::round::manifold::{PARALLEL, Point, Touch, across, part_at};

/// A direction in which the body can leave the box, and the distance that it must move.
struct Exit {
    normal: DVec3,
    depth: f64,
    at: At,
}

/// The part of a box in contact, with the axis across a face or along an edge.
#[derive(Clone, Copy)]
enum At {
    Face(usize),
    Edge(usize),
    Corner,
}

impl At {
    /// Returns the part nearest to a point that is beyond the box by these lengths, not all of
    /// them 0.
    fn beyond(way: DVec3) -> Self {
        let [x, y, z] = way.to_array().mapped(|length| usize::from(length != 0.0));
        match x + y + z {
            1 => Self::Face(y + 2 * z),
            2 => Self::Edge(3 - (y + 2 * z)),
            _ => Self::Corner,
        }
    }

    /// Returns the feature that has this normal.
    fn feature(self, normal: DVec3) -> Feature {
        match self {
            Self::Face(axis) => Feature::face(axis, normal[axis] > 0.0),
            Self::Edge(axis) => Feature::edge(axis, corner_towards(normal)),
            Self::Corner => Feature::Corner(corner_towards(normal)),
        }
    }
}

/// Returns the corner of a box that is furthest along a direction.
fn corner_towards(direction: DVec3) -> u8 {
    let [x, y, z] = direction.to_array().mapped(|part| u8::from(part > 0.0));
    x | y << 1 | z << 2
}

/// A capsule that collides with a box.
struct Contact<'a> {
    at: &'a OnBox,
    closest: Closest,
    error: f64,
    slop: f64,
}

impl OnBox {
    /// Returns the contact in the frame of the box, or `None` if they do not collide.
    #[inline(always)]
    pub(super) fn touch(&self, collide: impl FnOnce() -> bool) -> Option<Touch> {
        match self.core.half > 0.0 {
            true => self.of_capsule(collide),
            false => self.of_ball(collide),
        }
    }

    fn slop(&self, error: f64) -> f64 {
        SLOP * self.half.max_element().min(self.core.half + self.radius) + error
    }

    #[inline(always)]
    fn of_ball(&self, collide: impl FnOnce() -> bool) -> Option<Touch> {
        let (center, error) = (self.core.middle, self.error());
        let nearest = center.max(-self.half).min(self.half);
        let way = center - nearest;
        let length = way.length();
        if gap(length, self.radius, error, collide).is_some() {
            return None;
        }
        if length <= error {
            return Some(self.of_center_within(error));
        }
        let (normal, at) = (way / length, At::beyond(way));
        let features = [at.feature(normal), Feature::Round(0)];
        let mut touch = Touch::at(normal, self.radius - length, nearest, features);
        touch.on_face = matches!(at, At::Face(_));
        Some(touch)
    }

    /// Returns the contact of a sphere whose center is in the box: it leaves through the nearest
    /// face.
    #[inline(never)]
    fn of_center_within(&self, error: f64) -> Touch {
        let (axis, sign, depth) = self.nearest_face(self.slop(error));
        let mut on_a = self.core.middle.max(-self.half).min(self.half);
        on_a[axis] = sign * self.half[axis];
        let features = [Feature::face(axis, sign > 0.0), Feature::Round(0)];
        let mut touch = Touch::at(DVec3::AXES[axis] * sign, depth, on_a, features);
        touch.on_face = true;
        touch
    }

    /// Returns the overlap of the core and the box along an axis of the box, including the radius.
    fn overlap(&self, axis: usize) -> f64 {
        let core = &self.core;
        self.half[axis] + core.half * core.along[axis].abs() - core.middle[axis].abs() + self.radius
    }

    /// Returns the first of the faces through which a body leaves the box soonest: its axis, its
    /// side and the distance.
    fn nearest_face(&self, slop: f64) -> (usize, f64, f64) {
        let center = self.core.middle;
        let face = |axis: usize| {
            // A level body counts as on the + side.
            let sign = if center[axis] >= -slop { 1.0 } else { -1.0 };
            let depth = self.overlap(axis) + center[axis].abs() - sign * center[axis];
            (axis, sign, depth)
        };
        [face(1), face(2)].into_iter().fold(
            face(0),
            |best, other| {
                if other.2 < best.2 - slop { other } else { best }
            },
        )
    }

    #[inline(never)]
    fn of_capsule(&self, collide: impl FnOnce() -> bool) -> Option<Touch> {
        let (closest, error) = (self.closest(), self.error());
        if gap(closest.way().length(), self.radius, error, collide).is_some() {
            return None;
        }
        let slop = self.slop(error);
        let contact = Contact {
            at: self,
            closest,
            error,
            slop,
        };
        Some(contact.touch())
    }
}

impl Contact<'_> {
    fn touch(&self) -> Touch {
        let beside = self.closest.way().length_squared() > self.error * self.error;
        let exit = if beside {
            self.way_out_beside()
        } else {
            self.way_out_within()
        };
        match exit.at {
            At::Face(axis) => {
                let stretch = self.on_face(axis, exit.normal[axis] > 0.0, exit.depth);
                stretch.unwrap_or_else(|| self.at_point(&exit))
            }
            At::Edge(axis) if !beside => self.across_edge(axis, &exit),
            At::Edge(_) | At::Corner => {
                let faces = (0..3).filter_map(|axis| self.preferred(axis, exit.depth));
                let first = faces.min_by(|a, b| a.depth.total_cmp(&b.depth));
                first.unwrap_or_else(|| self.at_point(&exit))
            }
        }
    }

    /// Returns the contact at the face across an axis instead of an edge or a corner, if the core
    /// lies over the face and leaves it almost as soon.
    fn preferred(&self, axis: usize, depth: f64) -> Option<Touch> {
        let overlap = self.at.overlap(axis);
        if overlap > depth * (1.0 + PREFERENCE) + self.slop {
            return None;
        }
        let touch = self.on_face(axis, self.at.core.middle[axis] > 0.0, overlap)?;
        touch.other.is_some().then_some(touch)
    }

    /// Returns the way out of a body whose core is apart from the box.
    fn way_out_beside(&self) -> Exit {
        let (way, core) = (self.closest.way(), &self.at.core);
        let (u, inner) = (core.along, core.is_inner(self.closest.places[1]));
        let at = At::beyond(way);
        let normal = match at {
            At::Face(axis) => DVec3::AXES[axis] * way[axis],
            At::Edge(axis) => {
                let side = u.cross(DVec3::AXES[axis]);
                match inner && side.length_squared() > PARALLEL * PARALLEL {
                    true => side * side.dot(way).signum(),
                    false => way,
                }
            }
            At::Corner if inner => across(way, u),
            At::Corner => way,
        };
        let normal = normal.try_normalize().unwrap_or(DVec3::X);
        let depth = self.at.radius - way.dot(normal);
        Exit { normal, depth, at }
    }

    /// Returns the way out of a body whose core meets the box: along the axis of least overlap,
    /// with a preference for faces.
    fn way_out_within(&self) -> Exit {
        let (center, u) = (self.at.core.middle, self.at.core.along);
        let (axis, sign, depth) = self.at.nearest_face(self.slop);
        let mut best = Exit {
            normal: DVec3::AXES[axis] * sign,
            depth,
            at: At::Face(axis),
        };
        let mut least = best.depth * (1.0 - PREFERENCE) - self.slop;
        for axis in 0..3 {
            let side = u.cross(DVec3::AXES[axis]);
            if side.length_squared() <= PARALLEL * PARALLEL {
                continue;
            }
            let side = side.normalize();
            let normal = if side.dot(center) >= 0.0 { side } else { -side };
            let depth = normal.abs().dot(self.at.half) - normal.dot(center) + self.at.radius;
            if depth < least {
                least = depth;
                best = Exit {
                    normal,
                    depth,
                    at: At::Edge(axis),
                };
            }
        }
        best
    }

    /// Returns the contact at the point where the box and the core are closest, with the part of
    /// the box there.
    fn at_point(&self, exit: &Exit) -> Touch {
        let (point, place) = (self.closest.on_a, self.closest.places[1]);
        let features = [exit.at.feature(exit.normal), part_at(place, self.at.core.half)];
        // The core may be in the box here; the point is then on the way out.
        let out = |axis: usize| match exit.normal[axis] == 0.0 {
            true => f64::INFINITY,
            false => (self.at.half[axis] - point[axis] * exit.normal[axis].signum()) / exit.normal[axis].abs(),
        };
        let within = out(0).min(out(1)).min(out(2)).max(0.0);
        let height = self.closest.way().dot(exit.normal) - within;
        let mut touch = Touch::at(exit.normal, exit.depth, point + within * exit.normal, features);
        touch.point.depth = (self.at.radius - height).clamp(0.0, touch.depth);
        touch.on_face = matches!(exit.at, At::Face(_));
        touch
    }

    /// Returns the contact of a core that crosses an edge of the box in depth.
    fn across_edge(&self, axis: usize, exit: &Exit) -> Touch {
        let (core, half) = (&self.at.core, self.at.half);
        let corner = corner_towards(exit.normal);
        let mut on_edge = on_sides(half, corner);
        on_edge[axis] = 0.0;
        // Seen perpendicular to the edge and to the normal, the core passes the edge where both are
        // level.
        let side = DVec3::AXES[axis].cross(exit.normal);
        let place = ((on_edge - core.middle).dot(side) / core.along.dot(side))
            .max(-core.half)
            .min(core.half);
        let on_core = core.at(place);
        on_edge[axis] = on_core[axis].max(-half[axis]).min(half[axis]);
        let depth = exit.depth - self.at.radius;
        if (on_edge - on_core - depth * exit.normal).length_squared() > self.slop * self.slop {
            return self.at_point(exit);
        }
        let features = [Feature::edge(axis, corner), part_at(place, core.half)];
        Touch::at(exit.normal, exit.depth, on_edge, features)
    }

    /// Returns the contact of a core over or below a face, along the stretch that lies within the
    /// face's sides: its ends, or one point if it is short or one end is not in contact. Returns
    /// `None` if there is no stretch.
    fn on_face(&self, axis: usize, positive: bool, depth: f64) -> Option<Touch> {
        let (half, core) = (self.at.half, &self.at.core);
        let (center, u) = (core.middle, core.along);
        let sign = if positive { 1.0 } else { -1.0 };
        let face = Feature::face(axis, positive);
        let mut ends = [(-core.half, face), (core.half, face)];
        for side in others(axis) {
            if u[side] == 0.0 {
                if center[side].abs() > half[side] {
                    return None;
                }
                continue;
            }
            let towards = u[side].signum();
            for (k, end) in ends.iter_mut().enumerate() {
                let plane = towards * if k == 0 { -half[side] } else { half[side] };
                let place = (plane - center[side]) / u[side];
                let is_within = if k == 0 { place > end.0 } else { place < end.0 };
                if is_within {
                    let mut corner = u8::from(positive) << axis;
                    corner |= u8::from(plane > 0.0) << side;
                    *end = (place, Feature::edge(3 - axis - side, corner));
                }
            }
        }
        let [(first, _), (last, _)] = ends;
        if first > last {
            return None;
        }
        let mut points = ends.mapped(|(place, feature)| {
            let mut on_a = core.at(place).max(-half).min(half);
            let height = sign * (center[axis] + place * u[axis]) - half[axis];
            on_a[axis] = sign * half[axis];
            Point {
                on_a,
                depth: self.at.radius - height,
                features: [feature, part_at(place, core.half)],
            }
        });
        let [low, high] = points.mapped(|point| point.depth);
        let single = last - first <= self.slop || low.min(high) < -self.slop;
        if single && low < high {
            points.swap(0, 1);
        }
        let part = match (low - high).abs() <= self.slop {
            true => Feature::Round(0),
            // The end that points against the normal.
            false => Feature::Round(if sign * u[axis] > 0.0 { 1 } else { 2 }),
        };
        let depth = depth.max(0.0);
        let [point, other] = points.mapped(|point| Point {
            depth: point.depth.clamp(0.0, depth),
            ..point
        });
        Some(Touch {
            normal: DVec3::AXES[axis] * sign,
            depth,
            features: [face, part],
            on_face: true,
            point,
            other: (!single).then_some(other),
        })
    }
}
