//! Contact manifolds of round bodies: those of their cores, moved out by the radii.
//!
//! The shortest way to get one body clear of the other is that of the cores, longer by the radii. As long as the cores are apart, it is
//! the way between their closest points, back. Its direction is taken where rounding cannot turn it: at right angles to both cores if
//! they are closest at inner points of both, to one if at those of one, and along the axis of a box's face if there.
//!
//! Cores that meet leave along the axis in which they overlap least, of those across a face of what one core sweeps about the other
//! (their Minkowski difference): the axes of a box and those across one of its edges and the capsule's core; of two capsules the one
//! across both (Ericson, *Real-Time Collision Detection*, 2005, sections 5.1.9 and 5.5).
//!
//! # Points
//!
//! A core beside another one, or over a face of a box, touches along a stretch: the contact has a point at each of its ends, as far as
//! they are in contact. All else has one point. As for [boxes](crate::narrow_phase::obb_obb::manifold), faces are preferred and what is level counts
//! as such within the slop, so that noise does not choose.

use glam::DVec3;

use crate::geometry::feature::{Feature, on_sides};
use crate::geometry::rotation::others;
use crate::narrow_phase::obb_obb::manifold::{self, ContactPoint, Manifold, Penetration, Side};
use crate::narrow_phase::obb_obb::penetration::{PREFERENCE, SLOP};
use crate::narrow_phase::round::closest::Closest;
use crate::narrow_phase::round::distance::{Layout, Part, Two};
use crate::shapes::bodies::set::BodyRef;

/// Cores at an angle of this sine or less count as parallel: of their cross product no digit may be left.
const PARALLEL: f64 = 8.0 * f64::EPSILON;

impl BodyRef<'_> {
    /// How the two bodies touch, or `None` if they share no point ([`BodyRef::contact`], without rounding). That of two boxes is
    /// [`Obb::manifold`](crate::Obb::manifold), whose conventions hold here, too.
    ///
    /// **The normal** is that of the shortest way to separate the bodies, and **the depth** its length: moved by it along the normal, B
    /// only touches A. Capsules prefer the faces of a box to its edges and corners that are better by at most a hundredth plus the
    /// *slop*, a 10,000th of the smaller body (its largest half extent, or half length and radius together); the depth exceeds the
    /// least by no more than that. Where no way is shortest, as for balls with one center, it is one of them.
    ///
    /// **The points**: two at the ends of the stretch along which capsules lie side by side, up to the slop, or a capsule over a face of a box;
    /// else one. A point of a tilted capsule is that of its surface if it were level, and so in the capsule.
    ///
    /// The part of a ball or a capsule in contact is [`Feature::Round`]. Lengths err by some 1e-14 of the bodies' size. Groups are
    /// ignored; if a body has a problem, the result is arbitrary. O(1), no allocation.
    ///
    /// ```
    /// use obbligato::{BodyRef, Capsule, Feature, Obb, glam::{DVec3, Quat, Vec3}};
    /// let floor = Obb::axis_aligned(Vec3::ZERO, Vec3::new(5.0, 5.0, 1.0));
    /// let lying = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    /// let capsule = Capsule::new(Vec3::new(4.0, 0.0, 1.25), 2.0, lying, 0.5);
    /// let manifold = BodyRef::from(&floor).manifold(BodyRef::from(&capsule)).expect("they collide");
    /// assert_eq!((manifold.penetration().normal, manifold.penetration().depth), (DVec3::Z, 0.25));
    /// let points: Vec<_> = manifold.points().iter().map(|point| (point.on_a, point.feature_a, point.feature_b)).collect();
    /// // Its own z axis is along x: one end is on the floor, the other beyond its edge.
    /// assert_eq!(points[0], (DVec3::new(2.0, 0.0, 1.0), Feature::Face(5), Feature::Round(1)));
    /// assert_eq!(points[1], (DVec3::new(5.0, 0.0, 1.0), Feature::Edge(7), Feature::Round(0)));
    /// ```
    pub fn manifold(self, other: BodyRef<'_>) -> Option<Manifold> {
        Manifold::of(|manifold| touch(self, other, |point| manifold.push(point)))
    }
}

/// The penetration of two bodies, or `None` if they do not collide; calls `each` with the contact points, at most eight.
#[inline(always)]
pub(crate) fn touch(a: BodyRef<'_>, b: BodyRef<'_>, mut each: impl FnMut(ContactPoint)) -> Option<Penetration> {
    let layout = match Two::of(a, b) {
        Two::Boxes(a, b) => return manifold::touch(a, b, each),
        Two::Round(layout) => layout,
    };
    let closest = layout.closest();
    if layout.gap(&closest, || a.contact(b).collides()).is_some() {
        return None;
    }
    let touch = match layout.a {
        Part::Box(half) => OnBox::new(&layout, half, closest).touch(),
        Part::Round(along, _) => of_rounds(&layout, along, &closest),
    };
    Some(touch.in_world(&layout, &mut each))
}

/// The penetration and at most two points, in the frame of a layout.
struct Touch {
    /// Of unit length, from A to B.
    normal: DVec3,
    depth: f64,
    features: [Feature; 2],
    reference: Option<Side>,
    points: [Point; 2],
    count: usize,
}

/// A point of A, and how deep it is in B against the normal.
#[derive(Clone, Copy)]
struct Point {
    on_a: DVec3,
    depth: f64,
    features: [Feature; 2],
}

impl Touch {
    /// At one point, as deep as the bodies are.
    fn at(normal: DVec3, depth: f64, on_a: DVec3, features: [Feature; 2]) -> Self {
        let depth = depth.max(0.0);
        let point = Point { on_a, depth, features };
        Self {
            normal,
            depth,
            features,
            reference: None,
            points: [point; 2],
            count: 1,
        }
    }

    fn in_world(&self, layout: &Layout, each: &mut impl FnMut(ContactPoint)) -> Penetration {
        let normal = layout.to_world(self.normal);
        for point in &self.points[..self.count] {
            let on_a = layout.to_world(point.on_a);
            let [feature_a, feature_b] = point.features;
            let point = ContactPoint {
                on_a: layout.origin + on_a,
                on_b: layout.origin + (on_a - point.depth * normal),
                depth: point.depth,
                feature_a,
                feature_b,
            };
            each(if layout.swapped { point.swapped() } else { point });
        }
        let [feature_a, feature_b] = self.features;
        let penetration = Penetration {
            normal,
            depth: self.depth,
            feature_a,
            feature_b,
            reference: self.reference,
        };
        match layout.swapped {
            true => penetration.swapped(),
            false => penetration,
        }
    }
}

/// The part of a round surface around a place of its core, from -1 to 1.
fn part_at(place: f64) -> Feature {
    match place {
        -1.0 => Feature::Round(1),
        1.0 => Feature::Round(2),
        _ => Feature::Round(0),
    }
}

/// Whether a place is between the ends of a core that has some length.
fn is_inner(place: f64, along: DVec3) -> bool {
    place.abs() < 1.0 && along != DVec3::ZERO
}

/// A vector without its part along another one, which is not zero.
fn across(vector: DVec3, along: DVec3) -> DVec3 {
    vector - along * (vector.dot(along) / along.length_squared())
}

fn of_rounds(layout: &Layout, u: DVec3, closest: &Closest) -> Touch {
    let (v, [a, b]) = (layout.along, layout.radii());
    let normal = between_cores(closest, [u, v], layout.error());
    let depth = a + b - closest.way().dot(normal);
    let features = closest.places.map(part_at);
    let single = Touch::at(normal, depth, closest.on_a + a * normal, features);
    // At 30 degrees and more no cores are side by side, nor is a ball.
    let (uu, vv) = (u.length_squared(), v.length_squared());
    if u.cross(v).length_squared() >= 0.25 * uu * vv {
        return single;
    }
    let slop = SLOP * (uu.sqrt() + a).min(vv.sqrt() + b) + layout.error();
    side_by_side(layout, u, &single, slop).unwrap_or(single)
}

/// The direction in which B leaves A along the shortest way.
fn between_cores(closest: &Closest, [u, v]: [DVec3; 2], error: f64) -> DVec3 {
    let way = closest.way();
    let inner = [is_inner(closest.places[0], u), is_inner(closest.places[1], v)];
    let meet = way.length_squared() <= error * error;
    let both = u.cross(v);
    let have_both = both.length_squared() > PARALLEL * PARALLEL * u.length_squared() * v.length_squared();
    let mut normal = if have_both && (meet || inner == [true; 2]) {
        across(across(both, u), v)
    } else if meet {
        let longer = if u.length_squared() >= v.length_squared() { u } else { v };
        longer.try_normalize().map_or(DVec3::X, DVec3::any_orthonormal_vector)
    } else {
        let mut normal = way;
        for (along, inner) in [u, v].into_iter().zip(inner) {
            if inner {
                normal = across(normal, along);
            }
        }
        normal
    };
    if normal.dot(way) < 0.0 {
        normal = -normal;
    }
    normal.try_normalize().unwrap_or(DVec3::X)
}

/// The contact of two cores side by side: two points at the ends of the stretch that they share.
fn side_by_side(layout: &Layout, u: DVec3, single: &Touch, slop: f64) -> Option<Touch> {
    let (v, length) = (layout.along, u.length());
    let along = u / length;
    let advance = v.dot(along);
    let middle = layout.center.dot(along);
    let [low, high] = [middle - advance.abs(), middle + advance.abs()];
    let [first, last] = [low.max(-length), high.min(length)];
    if last - first <= slop {
        return None;
    }
    // The - end of B is the one further along A if they point against each other.
    let ends_of_b = if advance > 0.0 { [-1.0, 1.0] } else { [1.0, -1.0] };
    let [a, b] = layout.radii();
    let mut points = single.points;
    for (k, place) in [first, last].into_iter().enumerate() {
        let ends_a = if k == 0 { -length >= low } else { length <= high };
        let features = match ends_a {
            true => [Feature::Round(1 + k as u8), Feature::Round(0)],
            false => [Feature::Round(0), part_at(ends_of_b[k])],
        };
        let way = layout.center + v * ((place - middle) / advance) - along * place;
        let height = way.dot(single.normal);
        let depth = a + b - height;
        if (way - single.normal * height).length_squared() > slop * slop || depth < -slop {
            return None;
        }
        points[k] = Point {
            on_a: along * place + a * single.normal,
            depth: depth.clamp(0.0, single.depth),
            features,
        };
    }
    Some(Touch {
        points,
        count: 2,
        features: [Feature::Round(0); 2],
        ..*single
    })
}

/// A round body at a box, in the frame of the box.
struct OnBox<'a> {
    layout: &'a Layout,
    half: DVec3,
    closest: Closest,
    slop: f64,
}

/// A direction in which the body can leave the box, and how far it has to.
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

impl<'a> OnBox<'a> {
    fn new(layout: &'a Layout, half: DVec3, closest: Closest) -> Self {
        let size = half.max_element().min(layout.along.length() + layout.radius);
        Self {
            layout,
            half,
            closest,
            slop: SLOP * size + layout.error(),
        }
    }

    fn touch(&self) -> Touch {
        let beside = self.closest.way().length_squared() > self.layout.error().powi(2);
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

    /// How far the core overlaps the box along an axis of it, the radius included.
    fn overlap(&self, axis: usize) -> f64 {
        let layout = self.layout;
        self.half[axis] + layout.along[axis].abs() - layout.center[axis].abs() + layout.radius
    }

    /// The face across an axis in the place of an edge or a corner, if the core lies over it and leaves it almost as soon.
    fn preferred(&self, axis: usize, depth: f64) -> Option<Touch> {
        let overlap = self.overlap(axis);
        if self.layout.along == DVec3::ZERO || overlap > depth * (1.0 + PREFERENCE) + self.slop {
            return None;
        }
        let touch = self.on_face(axis, self.layout.center[axis] > 0.0, overlap)?;
        (touch.count == 2).then_some(touch)
    }

    /// The way out of a body whose core is apart from the box.
    fn way_out_beside(&self) -> Exit {
        let (way, u) = (self.closest.way(), self.layout.along);
        let inner = is_inner(self.closest.places[1], u);
        let (normal, at) = match (0..3).filter(|&axis| way[axis] != 0.0).count() {
            1 => {
                let axis = (0..3).find(|&axis| way[axis] != 0.0).unwrap_or(0);
                (DVec3::AXES[axis] * way[axis].signum(), At::Face(axis))
            }
            2 => {
                let axis = (0..3).find(|&axis| way[axis] == 0.0).unwrap_or(0);
                let side = u.cross(DVec3::AXES[axis]);
                let normal = match inner && side.length_squared() > PARALLEL * PARALLEL * u.length_squared() {
                    true => side * side.dot(way).signum(),
                    false => way,
                };
                (normal, At::Edge(axis))
            }
            _ => (if inner { across(way, u) } else { way }, At::Corner),
        };
        let normal = normal.try_normalize().unwrap_or(DVec3::X);
        let depth = self.layout.radius - way.dot(normal);
        Exit { normal, depth, at }
    }

    /// The way out of a body whose core meets the box: least overlap, first of the faces.
    fn way_out_within(&self) -> Exit {
        let (center, u) = (self.layout.center, self.layout.along);
        let face = |axis: usize| {
            // What is level counts as on the + side.
            let sign = if center[axis] >= -self.slop { 1.0 } else { -1.0 };
            let depth = self.overlap(axis) + center[axis].abs() - sign * center[axis];
            Exit {
                normal: DVec3::AXES[axis] * sign,
                depth,
                at: At::Face(axis),
            }
        };
        let mut best = face(0);
        for axis in [1, 2] {
            let other = face(axis);
            if other.depth < best.depth - self.slop {
                best = other;
            }
        }
        let mut least = best.depth * (1.0 - PREFERENCE) - self.slop;
        for axis in 0..3 {
            let side = u.cross(DVec3::AXES[axis]);
            if side.length_squared() <= PARALLEL * PARALLEL * u.length_squared() {
                continue;
            }
            let side = side.normalize();
            let normal = if side.dot(center) >= 0.0 { side } else { -side };
            let depth = normal.abs().dot(self.half) - normal.dot(center) + self.layout.radius;
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

    /// The point where the box and the core are closest, with the part of the box there.
    fn at_point(&self, exit: &Exit) -> Touch {
        let (point, place) = (self.closest.on_a, self.closest.places[1]);
        let features = [self.feature(exit.at, exit.normal), part_at(place)];
        // The core may be in the box here: the point is then on the way out.
        let out = |axis: usize| match exit.normal[axis] == 0.0 {
            true => f64::INFINITY,
            false => (self.half[axis] - point[axis] * exit.normal[axis].signum()) / exit.normal[axis].abs(),
        };
        let within = out(0).min(out(1)).min(out(2)).max(0.0);
        let height = self.closest.way().dot(exit.normal) - within;
        let mut touch = Touch::at(exit.normal, exit.depth, point + within * exit.normal, features);
        touch.points[0].depth = (self.layout.radius - height).clamp(0.0, touch.depth);
        if let At::Face(_) = exit.at {
            touch.reference = Some(Side::A);
        }
        touch
    }

    fn feature(&self, at: At, normal: DVec3) -> Feature {
        let corner = (0..3).fold(0, |corner, axis| corner | u8::from(normal[axis] > 0.0) << axis);
        match at {
            At::Face(axis) => Feature::face(axis, normal[axis] > 0.0),
            At::Edge(axis) => Feature::edge(axis, corner),
            At::Corner => Feature::Corner(corner),
        }
    }

    /// A core that crosses an edge of the box in depth.
    fn across_edge(&self, axis: usize, exit: &Exit) -> Touch {
        let (center, u) = (self.layout.center, self.layout.along);
        let corner = (0..3).fold(0, |corner, axis| corner | u8::from(exit.normal[axis] > 0.0) << axis);
        let mut on_edge = on_sides(self.half, corner);
        on_edge[axis] = 0.0;
        // At right angles to the edge and to the normal, the core passes the edge where both are level.
        let side = DVec3::AXES[axis].cross(exit.normal);
        let place = ((on_edge - center).dot(side) / u.dot(side)).clamp(-1.0, 1.0);
        let on_core = center + place * u;
        on_edge[axis] = on_core[axis].clamp(-self.half[axis], self.half[axis]);
        let depth = exit.depth - self.layout.radius;
        if (on_edge - on_core - depth * exit.normal).length_squared() > self.slop * self.slop {
            return self.at_point(exit);
        }
        let features = [Feature::edge(axis, corner), part_at(place)];
        Touch::at(exit.normal, exit.depth, on_edge, features)
    }

    /// A core over or below a face, along the stretch that lies within the face's sides: its ends, or one point if it is short or one
    /// end is not in contact. `None` if there is no stretch.
    fn on_face(&self, axis: usize, positive: bool, depth: f64) -> Option<Touch> {
        let (center, u) = (self.layout.center, self.layout.along);
        let sign = if positive { 1.0 } else { -1.0 };
        let face = Feature::face(axis, positive);
        let end = if u == DVec3::ZERO { 0.0 } else { 1.0 };
        let mut ends = [(-end, face), (end, face)];
        for side in others(axis) {
            if u[side] == 0.0 {
                if center[side].abs() > self.half[side] {
                    return None;
                }
                continue;
            }
            let towards = u[side].signum();
            for (k, end) in ends.iter_mut().enumerate() {
                let plane = towards * if k == 0 { -self.half[side] } else { self.half[side] };
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
        let mut points = ends.map(|(place, feature)| {
            let mut on_a = (center + place * u).max(-self.half).min(self.half);
            let height = sign * (center[axis] + place * u[axis]) - self.half[axis];
            on_a[axis] = sign * self.half[axis];
            Point {
                on_a,
                depth: self.layout.radius - height,
                features: [feature, part_at(place)],
            }
        });
        let is_short = (last - first) * u.length() <= self.slop;
        let [low, high] = points.map(|point| point.depth);
        let count = if is_short || low.min(high) < -self.slop { 1 } else { 2 };
        if count == 1 && low < high {
            points.swap(0, 1);
        }
        let part = match (low - high).abs() <= self.slop {
            true => Feature::Round(0),
            false => part_at(-(sign * u[axis]).signum()),
        };
        let depth = depth.max(0.0);
        for point in &mut points {
            point.depth = point.depth.clamp(0.0, depth);
        }
        Some(Touch {
            normal: DVec3::AXES[axis] * sign,
            depth,
            features: [face, part],
            reference: Some(Side::A),
            points,
            count,
        })
    }
}
