//! Contact manifolds of round bodies: those of their cores, moved out by the radii.
//!
//! The shortest translation that separates two bodies is that of the cores, longer by the radii.
//! While the cores are apart, that of the cores is the vector between their closest points,
//! reversed. Its direction is taken where rounding cannot turn it: perpendicular to both cores if
//! they are closest at inner points of both, to one if at inner points of one, and along the axis
//! of a box's face if at a face.
//!
//! Cores that meet are separated along the axis of least overlap. The axes are those across a face
//! of the volume that one core sweeps about the other (their Minkowski difference): the axes of a
//! box and those across one of its edges and the capsule's core; for two capsules, the axis across
//! both (Ericson, *Real-Time Collision Detection*, 2005, sections 5.1.9 and 5.5).
//!
//! # Points
//!
//! A core beside another one, or over a face of a box, touches along a stretch: the contact has a
//! point at each of its ends, as far as they are in contact. Every other contact has one point. As
//! for [boxes](crate::narrow_phase::obb_obb::manifold), faces are preferred, and bodies count as
//! level within the slop, so that noise does not choose.

mod on_box;
mod rounds;

use crate::base::arrays::Mapped;
use glam::DVec3;

use crate::geometry::feature::Feature;
use crate::narrow_phase::obb_obb::manifold::{self, ContactPoint, Manifold, Penetration, Side};
use crate::narrow_phase::round::distance::{Balls, OnBox, Rounds, Two};
use crate::shapes::bodies::set::BodyRef;

/// The sine of the angle up to which cores count as parallel: their cross product may have no
/// correct digit.
const PARALLEL: f64 = 8.0 * f64::EPSILON;

/// The squared cosine of 30 degrees, the angle below which cores are side by side.
pub(crate) const SIDE_BY_SIDE: f64 = 0.75;

impl BodyRef<'_> {
    /// Returns the contact manifold of the two bodies, or `None` if they share no point
    /// ([`BodyRef::contact`], without rounding). For two boxes it is
    /// [`Obb::manifold`](crate::Obb::manifold), whose conventions apply here, too.
    ///
    /// **The normal** is the direction of the shortest translation that separates the bodies, and
    /// **the depth** its length: moved by it along the normal, B only touches A. Capsules prefer
    /// the faces of a box to its edges and corners that are better by at most a hundredth plus the
    /// *slop*, a 10,000th of the smaller body (its largest half extent, or the sum of its half
    /// length and radius). The depth exceeds the smallest by no more than that. If there are
    /// several shortest translations, as for spheres with the same center, it is one of them.
    ///
    /// **The points**: two if capsules lie side by side, up to the slop, or a capsule lies over a
    /// face of a box, at the ends of the stretch along which they do; else one. A point of a tilted
    /// capsule is that of its surface if it were level, and so in the capsule.
    ///
    /// The part of a sphere or a capsule in contact is [`Feature::Round`]. Lengths err by about
    /// 1e-14 of the bodies' size. Groups are ignored; if a body has a problem, the result is
    /// arbitrary. O(1), no allocation.
    ///
    /// ```
    /// use obbligato::{contact::Feature, glam::{DVec3, Quat, Vec3}, shape::BodyRef, Capsule, Obb};
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
        let Found {
            penetration,
            first,
            second,
        } = match Two::of(self, other) {
            Two::Boxes(a, b) => return a.manifold(b),
            two => find(two, || self.contact(other).collides())?,
        };
        Some(Manifold::of_few(penetration, first, second))
    }
}

/// Returns the penetration of two bodies, or `None` if they do not collide. Calls `each` with the
/// contact points, at most eight.
#[inline(always)]
pub(crate) fn touch(a: BodyRef<'_>, b: BodyRef<'_>, mut each: impl FnMut(ContactPoint)) -> Option<Penetration> {
    let found = match Two::of(a, b) {
        Two::Boxes(a, b) => return manifold::touch(a, b, each),
        two => find(two, || a.contact(b).collides())?,
    };
    each(found.first);
    if let Some(second) = found.second {
        each(second);
    }
    Some(found.penetration)
}

/// The penetration of two bodies, one of which is round, and one or two points.
struct Found {
    penetration: Penetration,
    first: ContactPoint,
    second: Option<ContactPoint>,
}

#[inline(always)]
fn find(two: Two<'_>, collide: impl FnOnce() -> bool) -> Option<Found> {
    match two {
        Two::Boxes(..) => None,
        Two::Balls(a, b) => of_balls(&Balls::new([a, b]), collide),
        Two::Rounds(bodies, swapped) => of_rounds(&Rounds::new(&bodies), swapped, collide),
        Two::OnBox(obb, round, swapped) => on_box(&OnBox::new(obb, &round), swapped, collide),
    }
}

#[inline(always)]
fn of_rounds(rounds: &Rounds, swapped: bool, collide: impl FnOnce() -> bool) -> Option<Found> {
    let touch = rounds.touch(collide)?;
    Some(touch.in_world(|vector| vector, rounds.cores[0].middle, swapped))
}

#[inline(always)]
fn on_box(on_box: &OnBox, swapped: bool, collide: impl FnOnce() -> bool) -> Option<Found> {
    let touch = on_box.touch(collide)?;
    Some(touch.in_world(|vector| on_box.axes * vector, on_box.center, swapped))
}

/// Returns the penetration of two bodies whose centers differ by `d`, wherever they are, and calls
/// `each` with the contact points, relative to the center of the first. `collide` decides what
/// `f64` leaves open.
pub(crate) fn touch_apart(
    [a, b]: [BodyRef<'_>; 2],
    d: DVec3,
    collide: impl FnOnce() -> bool,
    mut each: impl FnMut(ContactPoint),
) -> Option<Penetration> {
    let centers = [DVec3::ZERO, d];
    let found = match Two::of(a, b) {
        Two::Boxes(a, b) => return manifold::touch_apart([a, b], centers, d, collide, each),
        Two::Balls(a, b) => of_balls(&Balls::centered([a, b], centers), collide),
        Two::Rounds(bodies, swapped) => of_rounds(&Rounds::centered(&bodies, centers, swapped), swapped, collide),
        Two::OnBox(obb, round, swapped) => on_box(&OnBox::centered(obb, &round, centers, swapped), swapped, collide),
    }?;
    each(found.first);
    found.second.into_iter().for_each(each);
    Some(found.penetration)
}

/// Finds the contact of two spheres: one point, on the line through their centers.
#[inline(always)]
fn of_balls(balls: &Balls, collide: impl FnOnce() -> bool) -> Option<Found> {
    if balls.gap(collide).is_some() {
        return None;
    }
    let ([center_a, center_b], [a, b]) = (balls.centers, balls.radii);
    let normal = match balls.length > 0.0 {
        true => balls.way / balls.length,
        false => DVec3::X * if a <= b { 1.0 } else { -1.0 },
    };
    let depth = (a + b - balls.length).max(0.0);
    let [feature_a, feature_b] = [Feature::Round(0); 2];
    Some(Found {
        penetration: Penetration {
            normal,
            depth,
            feature_a,
            feature_b,
            reference: None,
        },
        first: ContactPoint {
            on_a: center_a + a * normal,
            on_b: center_b - b * normal,
            depth,
            feature_a,
            feature_b,
        },
        second: None,
    })
}

/// The penetration and one or two points, in the frame of a pair.
struct Touch {
    /// Of unit length, from A to B.
    normal: DVec3,
    depth: f64,
    features: [Feature; 2],
    /// `true` if the normal is that of a face of A.
    on_face: bool,
    point: Point,
    other: Option<Point>,
}

/// A point of A, and its depth in B against the normal.
#[derive(Clone, Copy)]
struct Point {
    on_a: DVec3,
    depth: f64,
    features: [Feature; 2],
}

impl Touch {
    /// Returns the contact at one point, as deep as the bodies are.
    fn at(normal: DVec3, depth: f64, on_a: DVec3, features: [Feature; 2]) -> Self {
        let depth = depth.max(0.0);
        Self {
            normal,
            depth,
            features,
            on_face: false,
            point: Point { on_a, depth, features },
            other: None,
        }
    }

    /// Converts the contact to the world, given the rotation of vectors of the frame and its
    /// origin. `swapped` means that A is the caller's second body.
    #[inline(always)]
    fn in_world(&self, to_world: impl Fn(DVec3) -> DVec3, origin: DVec3, swapped: bool) -> Found {
        let normal = to_world(self.normal);
        // Selects by index, not by a branch, which would be mispredicted for half of the pairs.
        let (a, b) = (usize::from(swapped), usize::from(!swapped));
        let in_world = |point: &Point| {
            let on_a = to_world(point.on_a);
            let places = [origin + on_a, origin + (on_a - point.depth * normal)];
            ContactPoint {
                on_a: places[a],
                on_b: places[b],
                depth: point.depth,
                feature_a: point.features[a],
                feature_b: point.features[b],
            }
        };
        let sides = [Side::A, Side::B];
        Found {
            penetration: Penetration {
                normal: [normal, -normal][a],
                depth: self.depth,
                feature_a: self.features[a],
                feature_b: self.features[b],
                reference: self.on_face.then_some(sides[a]),
            },
            first: in_world(&self.point),
            second: self.other.as_ref().map(in_world),
        }
    }
}

/// Returns the part of a round surface around a place of its core, which ends at `half` from its
/// middle.
fn part_at(place: f64, half: f64) -> Feature {
    let ends = [place <= -half, place >= half].mapped(|end| u8::from(end && half > 0.0));
    Feature::Round(ends[0] + 2 * ends[1])
}

/// Returns a vector without its component along a direction of length 1, or all of it if the
/// direction is 0.
fn across(vector: DVec3, along: DVec3) -> DVec3 {
    vector - along * vector.dot(along)
}
