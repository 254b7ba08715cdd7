//! Contact manifolds: where two colliding boxes touch, and how to separate them.
//!
//! The axis of [least overlap](super::penetration) belongs to a face of one box or to an edge of
//! each. At a face, the incident face is [clipped](clip); for two edges, their closest points are
//! the one contact. Everything is computed in f64 in the frame of the box that comes first, from
//! the difference of the centers, so scenes far from the origin keep their precision.
//!
//! # Boxes without volume
//!
//! Plates, rods and points need no special case: a face may have no area, and coincident points
//! count once. A plate lying on a box has up to eight points, a rod two, a point one. If boxes
//! without volume cross, their least overlap is 0, across the plate or the rods.

mod clip;
mod reduction;

use std::fmt;

use glam::{DMat3, DVec3, Vec3};

use crate::geometry::feature::{Feature, on_sides};
use crate::geometry::rotation::others;
use crate::narrow_phase::obb_obb::exact::classify_unclear;
use crate::narrow_phase::obb_obb::frame::Frame;
use crate::narrow_phase::obb_obb::manifold::clip::Reference;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes;
use crate::narrow_phase::obb_obb::penetration::{Axis, LeastOverlap, across, comes_after, least_overlap, slop};
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;

/// The most points in a manifold.
pub(crate) const MOST_POINTS: usize = 8;

/// One of the two bodies of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Side {
    /// The first body.
    A,
    /// The second body.
    B,
}

/// The shortest translation that separates two bodies, up to a tolerance; see [`Obb::manifold`] and
/// [`BodyRef::manifold`](crate::shape::BodyRef::manifold). [`Manifold`] has a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Penetration {
    /// The direction in which to move B: a unit vector from A to B, in the world.
    pub normal: DVec3,
    /// The distance to move it, in the caller's unit: 0 if the bodies only touch.
    pub depth: f64,
    /// The part of A in contact: its reference face, its edge, or whatever part is furthest along
    /// the normal.
    pub feature_a: Feature,
    /// The part of B in contact.
    pub feature_b: Feature,
    /// The box whose face has this normal; `None` if there is none, as for a normal across two
    /// edges.
    pub reference: Option<Side>,
}

impl Penetration {
    /// Returns the penetration of the bodies in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            normal: -self.normal,
            feature_a: self.feature_b,
            feature_b: self.feature_a,
            reference: self.reference.map(|side| match side {
                Side::A => Side::B,
                Side::B => Side::A,
            }),
            ..self
        }
    }
}

/// A point where two bodies are in contact. [`Manifold`] has a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ContactPoint {
    /// The point on A, in the world; in f64, so its precision does not suffer far from the origin.
    pub on_a: DVec3,
    /// The point on B, in the world: `depth` away from `on_a` against the normal.
    pub on_b: DVec3,
    /// The penetration depth at this point, along the normal of the manifold, in the caller's unit:
    /// from 0 to the depth of the manifold.
    pub depth: f64,
    /// The part of A that makes the point: a corner, or the edge or face that cuts B's part.
    pub feature_a: Feature,
    /// The part of B that makes the point. The two together identify the point from frame to frame.
    pub feature_b: Feature,
}

impl ContactPoint {
    const NONE: Self = Self {
        on_a: DVec3::ZERO,
        on_b: DVec3::ZERO,
        depth: 0.0,
        feature_a: Feature::Corner(0),
        feature_b: Feature::Corner(0),
    };

    /// Returns the point for the bodies in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            on_a: self.on_b,
            on_b: self.on_a,
            feature_a: self.feature_b,
            feature_b: self.feature_a,
            ..self
        }
    }
}

/// The contact manifold of two colliding bodies: the penetration, and one to eight contact points.
/// See [`Obb::manifold`] and [`BodyRef::manifold`](crate::shape::BodyRef::manifold).
///
#[cfg_attr(doc, doc = include_str!("../../../docs/src/images/contact-points.svg"))]
#[derive(Clone, Copy)]
pub struct Manifold {
    penetration: Penetration,
    points: [ContactPoint; MOST_POINTS],
    len: u8,
}

impl fmt::Debug for Manifold {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Manifold")
            .field("penetration", &self.penetration)
            .field("points", &self.points())
            .finish()
    }
}

impl PartialEq for Manifold {
    fn eq(&self, other: &Self) -> bool {
        self.penetration == other.penetration && self.points() == other.points()
    }
}

impl Manifold {
    const EMPTY: Self = Self {
        penetration: Penetration {
            normal: DVec3::ZERO,
            depth: 0.0,
            feature_a: Feature::Corner(0),
            feature_b: Feature::Corner(0),
            reference: None,
        },
        points: [ContactPoint::NONE; MOST_POINTS],
        len: 0,
    };

    /// Returns the penetration.
    pub const fn penetration(&self) -> &Penetration {
        &self.penetration
    }

    /// Returns the contact points, one to eight. At a face, they are in order around it.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..usize::from(self.len)]
    }

    /// Returns the manifold of the bodies in the other order.
    #[must_use]
    pub fn swapped(mut self) -> Self {
        self.penetration = self.penetration.swapped();
        self.points[..usize::from(self.len)]
            .iter_mut()
            .for_each(|point| *point = point.swapped());
        self
    }

    /// Returns the manifold of the penetration that `find` returns and the points that it pushes.
    /// The manifold is built in the caller's memory because it is large.
    #[inline(always)]
    pub(crate) fn of(find: impl FnOnce(&mut Self) -> Option<Penetration>) -> Option<Self> {
        let mut found = Some(Self::EMPTY);
        if let Some(manifold) = &mut found {
            match find(manifold) {
                Some(penetration) => manifold.penetration = penetration,
                None => found = None,
            }
        }
        found
    }

    /// Returns the manifold of one point or two.
    #[inline(always)]
    pub(crate) fn of_few(penetration: Penetration, first: ContactPoint, second: Option<ContactPoint>) -> Self {
        const NONE: ContactPoint = ContactPoint::NONE;
        Self {
            penetration,
            points: [first, second.unwrap_or(NONE), NONE, NONE, NONE, NONE, NONE, NONE],
            len: 1 + u8::from(second.is_some()),
        }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, point: ContactPoint) {
        if let Some(place) = self.points.get_mut(usize::from(self.len)) {
            *place = point;
            self.len += 1;
        }
    }
}

impl Obb {
    /// Returns the contact manifold of the two boxes, or `None` if they share no point
    /// ([`Obb::contact`], without rounding).
    ///
    /// **The normal** is the axis of least overlap among the six face normals and the nine axes
    /// across an edge of each box. **The depth** is that overlap: moved by it along the normal, B
    /// only touches A. Faces are preferred to edges that are better by at most a hundredth plus the
    /// *slop*, a 10,000th of the smaller box (of its largest half extent). Noise between frames
    /// thus changes neither the normal nor the features, and the depth exceeds the least overlap by
    /// no more than that. Boxes that touch have a depth of 0, up to the slop.
    ///
    /// **The points** at a face are the corners of the incident face, clipped by the sides of the
    /// reference face, that are below the reference face. For two edges, there is one point, where
    /// they cross. Each contact has a point on each body, a depth that lies between the two along
    /// the normal, and the features that made it. All points are in or on their box within four
    /// times the slop. [`Manifold::reduced`] keeps four.
    ///
    /// Zero extents are allowed. Swapping the boxes mirrors the manifold, unless they are
    /// identical. Lengths err by about 1e-14 of the boxes' size, and by more only for the normals
    /// of nearly parallel edges. Groups are ignored; if a box has a [`problem`](Obb::problem), the
    /// result is arbitrary. O(1), no allocation.
    ///
    /// ```
    /// use obbligato::{contact::{Feature, Side}, glam::{DVec3, Vec3}, Obb};
    /// # fn main() {
    /// let floor = Obb::axis_aligned(Vec3::ZERO, Vec3::new(5.0, 5.0, 1.0));
    /// let parcel = Obb::axis_aligned(Vec3::new(2.0, 0.0, 1.25), Vec3::splat(0.5));
    /// let manifold = floor.manifold(&parcel).expect("they collide");
    /// let penetration = manifold.penetration();
    /// assert_eq!((penetration.normal, penetration.depth), (DVec3::Z, 0.25));
    /// assert_eq!((penetration.feature_a, penetration.feature_b), (Feature::Face(5), Feature::Face(4)));
    /// assert_eq!(penetration.reference, Some(Side::A));
    /// assert_eq!(manifold.points().len(), 4);
    /// assert!(manifold.points().iter().all(|point| point.on_a.z == 1.0 && point.on_b.z == 0.75));
    /// # }
    /// ```
    pub fn manifold(&self, other: &Self) -> Option<Manifold> {
        Manifold::of(|manifold| touch(self, other, |point| manifold.push(point)))
    }
}

impl Obb64 {
    /// Returns the contact manifold of the boxes, or `None` if they do not collide:
    /// [`Obb::manifold`] for boxes with centers in `f64`. The decision is exact for the stored
    /// numbers. Points are computed relative to a center, and then rounded to `f64` in world
    /// coordinates.
    ///
    /// ```
    /// use obbligato::{Obb64, glam::{DVec3, Vec3}};
    /// # fn main() {
    /// // A millimetre and a half deep, 4,000 km from the origin of the coordinates.
    /// let cube = |x: f64| Obb64::axis_aligned(DVec3::new(4e6 + x, 5.5e6, 120.0), Vec3::splat(0.5));
    /// let manifold = cube(0.0).manifold(&cube(0.9985)).expect("they collide");
    /// assert_eq!(manifold.penetration().normal, DVec3::X);
    /// assert!((manifold.penetration().depth - 0.0015).abs() < 1e-9);
    /// assert!(manifold.points().iter().all(|point| point.on_a.x == 4e6 + 0.5));
    /// # }
    /// ```
    pub fn manifold(&self, other: &Self) -> Option<Manifold> {
        Manifold::of(|manifold| touch64(self, other, |point| manifold.push(point)))
    }
}

/// Returns the penetration of two boxes, or `None` if they do not collide. Calls `each` with the
/// contact points, at most eight.
#[inline(always)]
pub(crate) fn touch(a: &Obb, b: &Obb, each: impl FnMut(ContactPoint)) -> Option<Penetration> {
    let mirrored = comes_after(a, b, b.center.as_dvec3() - a.center.as_dvec3());
    let (a, b) = if mirrored { (b, a) } else { (a, b) };
    let collide = |unclear| classify_unclear(a, b, unclear).collides();
    let centers = [a.center, b.center].map(Vec3::as_dvec3);
    touch_in(Frame::new(a, b), centers, mirrored, collide, each)
}

/// [`touch`] for boxes with centers in `f64`.
pub(crate) fn touch64(a: &Obb64, b: &Obb64, each: impl FnMut(ContactPoint)) -> Option<Penetration> {
    let [own, others] = [a, b].map(|obb| obb.centered_at(Vec3::ZERO));
    let (centers, d) = ([a.center, b.center], b.center - a.center);
    touch_apart([&own, &others], centers, d, || a.contact(b).collides(), each)
}

/// [`touch`] for boxes with these centers, which differ by `d`, wherever the records have them.
pub(crate) fn touch_apart(
    [a, b]: [&Obb; 2],
    [from, to]: [DVec3; 2],
    d: DVec3,
    collide: impl FnOnce() -> bool,
    each: impl FnMut(ContactPoint),
) -> Option<Penetration> {
    let mirrored = comes_after(a, b, d);
    let (frame, centers) = match mirrored {
        true => (Frame::apart(b, a, -d), [to, from]),
        false => (Frame::apart(a, b, d), [from, to]),
    };
    touch_in(frame, centers, mirrored, |_| collide(), each)
}

/// Returns the penetration of the boxes of a frame, whose centers in the world are these. If
/// `mirrored`, the caller's boxes are in the other order. `collide` decides what `f64` leaves open.
#[inline(always)]
fn touch_in(
    frame: Frame,
    [center_a, center_b]: [DVec3; 2],
    mirrored: bool,
    collide: impl FnOnce(Axes) -> bool,
    mut each: impl FnMut(ContactPoint),
) -> Option<Penetration> {
    let slop = slop(&frame);
    let least = least_overlap(&frame, slop, collide)?;
    let seen_from_b;
    let (frame, center, mirrored, axis, positive) = match least.axis {
        Axis::FaceOfA(axis) => (&frame, center_a, mirrored, axis, least.positive),
        Axis::FaceOfB(axis) => {
            seen_from_b = frame.swapped();
            (&seen_from_b, center_b, !mirrored, axis, !least.positive)
        }
        Axis::Edges(i, j) => {
            let to_world = ToWorld::new(&frame, center_a, mirrored);
            let (penetration, point) = at_edges(&frame, [i, j], &least, &to_world, slop);
            each(point);
            return Some(penetration);
        }
    };
    let face = Reference::new(frame, axis, positive, slop);
    let to_world = ToWorld::new(frame, center, mirrored);
    Some(at_face(&face, frame, &least, &to_world, each))
}

/// Returns the middle of the region that a face of the first box shares with the other box, in the
/// first one's frame. There the boxes are at most `slop` apart and do not penetrate. Returns `None`
/// if only a corner of the other box is at the face.
pub(crate) fn middle_on_face(frame: &Frame, axis: usize, positive: bool, slop: f64) -> Option<DVec3> {
    let is_level = |j: usize| frame.h_b[j] > slop && (frame.h_b[j] * frame.c.col(j)[axis]).abs() <= slop;
    if !(0..3).any(is_level) {
        return None;
    }
    let face = Reference::new(frame, axis, positive, slop);
    let mut sum = DVec3::ZERO;
    let count = face.points(|[x, y, _], _| sum += DVec3::new(x, y, 0.0));
    let middle = sum / count as f64;
    let [u, v] = others(axis);
    let mut point = DVec3::ZERO;
    (point[u], point[v]) = (middle.x, middle.y);
    point[axis] = if positive { frame.h_a[axis] } else { -frame.h_a[axis] };
    (count > 0).then(|| point.clamp(-frame.h_a, frame.h_a))
}

/// The transformation from the frame of a box to the world.
struct ToWorld {
    axes: DMat3,
    center: DVec3,
    /// `true` if this box is the caller's second.
    mirrored: bool,
}

impl ToWorld {
    fn new(frame: &Frame, center: DVec3, mirrored: bool) -> Self {
        Self {
            axes: frame.axes,
            center,
            mirrored,
        }
    }

    /// Returns the contact of a point of this box with the point of the other box that lies `depth`
    /// away against the normal. `this` is relative to the center, along the world's axes.
    #[inline(always)]
    fn contact(&self, this: DVec3, normal: DVec3, depth: f64, [feature, other_feature]: [Feature; 2]) -> ContactPoint {
        let point = ContactPoint {
            on_a: self.center + this,
            on_b: self.center + (this - depth * normal),
            depth,
            feature_a: feature,
            feature_b: other_feature,
        };
        if self.mirrored { point.swapped() } else { point }
    }

    /// Returns the penetration with this normal in the world, which points from this box to the
    /// other.
    fn penetration(&self, normal: DVec3, depth: f64, features: [Feature; 2], reference: Option<Side>) -> Penetration {
        let [feature_a, feature_b] = features;
        let penetration = Penetration {
            normal,
            depth,
            feature_a,
            feature_b,
            reference,
        };
        if self.mirrored {
            penetration.swapped()
        } else {
            penetration
        }
    }
}

/// Finds the manifold at a face of the first box of the frame.
#[inline(always)]
fn at_face(
    face: &Reference,
    frame: &Frame,
    least: &LeastOverlap,
    to_world: &ToWorld,
    mut each: impl FnMut(ContactPoint),
) -> Penetration {
    let features = face.features();
    let [along_u, along_v, normal] = face.axes_in(&to_world.axes);
    let ([half_u, half_v], height) = face.extents();
    let foot = normal * height;
    let within = |place: f64, half: f64| {
        let below = if place < half { place } else { half };
        if below > -half { below } else { -half }
    };
    let count = face.points(|[x, y, z], features| {
        // A corner beside or above the face by no more than the slop counts as being on it.
        let this = along_u * within(x, half_u) + along_v * within(y, half_v) + foot;
        each(to_world.contact(this, normal, if z < 0.0 { -z } else { 0.0 }, features));
    });
    if count == 0 {
        // The preferred axis is not quite that of least overlap, and the deepest part along it lies
        // beside the face.
        let shared = to_world.axes * frame.shared_point();
        let depth = (height - normal.dot(shared)).clamp(0.0, least.depth);
        each(to_world.contact(shared + depth * normal, normal, depth, features));
    }
    to_world.penetration(normal, least.depth, features, Some(Side::A))
}

/// Finds the contact of the two edges that face each other across the normal (Ericson, *Real-Time
/// Collision Detection*, section 5.1.8).
fn at_edges(
    frame: &Frame,
    [i, j]: [usize; 2],
    least: &LeastOverlap,
    to_world: &ToWorld,
    slop: f64,
) -> (Penetration, ContactPoint) {
    let normal = across(frame, i, j).normalize();
    let normal = if least.positive { normal } else { -normal };
    let along_b = frame.c.transpose() * -normal;
    let [corner_a, corner_b] = [normal, along_b].map(furthest_corner);
    let direction = frame.c.col(j);
    let (mut on_a, mut of_b) = (on_sides(frame.h_a, corner_a), on_sides(frame.h_b, corner_b));
    (on_a[i], of_b[j]) = (0.0, 0.0);
    let middle = frame.to_a(of_b);
    let [k, l] = others(i);
    let squared_sine = direction[k] * direction[k] + direction[l] * direction[l];
    // The point of B's edge that is closest seen along the normal: in the plane across A's edge, at
    // the foot of A's line.
    let apart = on_a - middle;
    let within = |place: f64, half: f64| place.clamp(-half, half);
    let on_edge_b = within(
        (apart[k] * direction[k] + apart[l] * direction[l]) / squared_sine,
        frame.h_b[j],
    );
    let on_b = middle + on_edge_b * direction;
    on_a[i] = within(on_b[i], frame.h_a[i]);
    let mut depth = least.depth;
    if (on_a - on_b - depth * normal).length_squared() > slop * slop {
        // The axis is not quite that of least overlap, and seen along it one edge ends before the
        // other one.
        let shared = frame.shared_point();
        let way_out = |axis: usize| match normal[axis] == 0.0 {
            true => f64::INFINITY,
            false => (frame.h_a[axis] - shared[axis] * normal[axis].signum()) / normal[axis].abs(),
        };
        depth = way_out(0).min(way_out(1)).min(way_out(2)).clamp(0.0, least.depth);
        on_a = shared + depth * normal;
    }
    let features = [Feature::edge(i, corner_a), Feature::edge(j, corner_b)];
    let [normal, on_a] = [normal, on_a].map(|vector| to_world.axes * vector);
    (
        to_world.penetration(normal, least.depth, features, None),
        to_world.contact(on_a, normal, depth, features),
    )
}

/// Returns the number of the corner furthest in a direction.
fn furthest_corner(direction: DVec3) -> u8 {
    (0..3).fold(0, |corner, axis| corner | u8::from(direction[axis] > 0.0) << axis)
}
