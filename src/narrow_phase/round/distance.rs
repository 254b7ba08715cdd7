//! The distance and closest points of bodies: those of their cores, less the radii.

use crate::base::arrays::Mapped;
use glam::{DMat3, DVec3};

use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::obb_obb::frame::Frame;
use crate::narrow_phase::round::bodies::{Core, Round};
use crate::narrow_phase::round::closest::{Closest, ERROR, Segment, between_segments, box_to_segment};
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::obb::parts::rotation;
use crate::shapes::obb::record::Obb;
use crate::shapes::round::sphere::Sphere;

/// Two bodies, distinguished by the computation that they need. Each variant has only what its
/// computation needs, because moving more takes longer than computing.
pub(super) enum Two<'a> {
    Boxes(&'a Obb, &'a Obb),
    Balls(&'a Sphere, &'a Sphere),
    /// Two round bodies, and `true` if they are not in the caller's order. Their order is such that
    /// rounding does not depend on the caller's.
    Rounds([Round; 2], bool),
    /// A box and a round body, and `true` if the box is the caller's second.
    OnBox(&'a Obb, Round, bool),
}

impl<'a> Two<'a> {
    #[inline(always)]
    pub fn of(a: BodyRef<'a>, b: BodyRef<'a>) -> Self {
        if let (Some(a), Some(b)) = (a.as_sphere(), b.as_sphere()) {
            return Self::Balls(a, b);
        }
        match (Core::from(a), Core::from(b)) {
            (Core::Box(a), Core::Box(b)) => Self::Boxes(a, b),
            (Core::Box(obb), Core::Round(round)) => Self::OnBox(obb, round, false),
            (Core::Round(round), Core::Box(obb)) => Self::OnBox(obb, round, true),
            (Core::Round(a), Core::Round(b)) => {
                let swapped = a.comes_after(&b);
                // Selects by index, not by a branch, which would be mispredicted for half of the
                // pairs.
                let (bodies, first) = ([a, b], usize::from(swapped));
                Self::Rounds([bodies[first], bodies[1 - first]], swapped)
            }
        }
    }
}

impl Round {
    /// Returns `true` if the other one comes first: the longer one, so a capsule before a sphere,
    /// or else by the other numbers.
    #[inline]
    fn comes_after(&self, other: &Self) -> bool {
        let key = |round: &Self| {
            let ([x, y, z], [i, j, k, w]) = (round.center, round.rotation);
            [x, y, z, round.radius, i, j, k, w].mapped(f32::to_bits)
        };
        match self.half_length == other.half_length {
            true => key(self) > key(other),
            false => self.half_length < other.half_length,
        }
    }
}

/// Returns the distance of two bodies, or `None` if they collide, given the distance of their cores
/// and its error. Calls `collide` only if the distance does not decide.
#[inline(always)]
pub(crate) fn gap(distance: f64, reach: f64, error: f64, collide: impl FnOnce() -> bool) -> Option<f64> {
    let gap = distance - reach;
    let collide = gap < -error || gap <= error && collide();
    // Bodies that do not collide are not at a distance of 0, however near they are.
    (!collide).then(|| gap.max(f64::MIN_POSITIVE))
}

/// Two spheres. Results do not depend on their order.
pub(super) struct Balls {
    pub centers: [DVec3; 2],
    pub radii: [f64; 2],
    /// The vector from one center to the other.
    pub way: DVec3,
    pub length: f64,
}

impl Balls {
    #[inline(always)]
    pub fn new(balls: [&Sphere; 2]) -> Self {
        Self::centered(balls, balls.mapped(|ball| ball.center.as_dvec3()))
    }

    /// Returns the spheres with these centers.
    #[inline(always)]
    pub fn centered(balls: [&Sphere; 2], centers: [DVec3; 2]) -> Self {
        let way = centers[1] - centers[0];
        Self {
            centers,
            radii: balls.mapped(|ball| ball.radius.into()),
            way,
            length: way.length(),
        }
    }

    #[inline(always)]
    pub fn gap(&self, collide: impl FnOnce() -> bool) -> Option<f64> {
        let reach = self.radii[0] + self.radii[1];
        gap(self.length, reach, ERROR * (self.length + reach), collide)
    }

    fn closest_points(&self, collide: impl FnOnce() -> bool) -> ClosestPoints {
        let ([a, b], length) = (self.radii, self.length);
        let towards = if length > 0.0 { self.way / length } else { DVec3::ZERO };
        let gap = self.gap(collide);
        let [from_a, from_b] = match gap {
            Some(_) => [a, b],
            None => [middle_of_common(length, [a, b]), middle_of_common(length, [b, a])],
        };
        let [on_a, on_b] = [self.centers[0] + from_a * towards, self.centers[1] - from_b * towards];
        let common = 0.5 * (on_a + on_b);
        let [on_a, on_b] = if gap.is_some() { [on_a, on_b] } else { [common; 2] };
        ClosestPoints {
            distance: gap.unwrap_or(0.0),
            on_a,
            on_b,
        }
    }
}

/// Returns the middle of the part of a line that two bodies have in common, as its distance from
/// the first of two points on the line. The points are `length` apart, and the bodies reach from
/// them as far as the radii.
pub(crate) fn middle_of_common(length: f64, [a, b]: [f64; 2]) -> f64 {
    0.5 * (f64::max(length - b, -a) + f64::min(length + b, a))
}

/// Two round bodies, along the axes of the world.
pub(super) struct Rounds {
    pub cores: [Segment; 2],
    pub radii: [f64; 2],
}

impl Rounds {
    #[inline(always)]
    pub fn new(bodies: &[Round; 2]) -> Self {
        Self {
            cores: [bodies[0].segment(), bodies[1].segment()],
            radii: [bodies[0].radius.into(), bodies[1].radius.into()],
        }
    }

    /// Returns the bodies with these centers, which are in the caller's order, unlike the bodies if
    /// they are `swapped`.
    pub fn centered(bodies: &[Round; 2], centers: [DVec3; 2], swapped: bool) -> Self {
        let mut rounds = Self::new(bodies);
        let first = usize::from(swapped);
        rounds.cores[0].middle = centers[first];
        rounds.cores[1].middle = centers[1 - first];
        rounds
    }

    /// Returns the closest points of the cores, relative to the middle of the first.
    #[inline(always)]
    pub fn closest(&self) -> Closest {
        between_segments(&self.cores[0], &self.cores[1])
    }

    /// Returns the error of a distance.
    #[inline(always)]
    pub fn error(&self) -> f64 {
        let ([a, b], [r, s]) = (&self.cores, self.radii);
        ERROR * ((b.middle - a.middle).abs().element_sum() + a.half + b.half + r + s)
    }
}

/// A box and a round body, in the frame of the box, whose center is the origin.
pub(super) struct OnBox {
    /// The center of the box and its axes, in the world.
    pub center: DVec3,
    pub axes: DMat3,
    pub half: DVec3,
    pub core: Segment,
    pub radius: f64,
}

impl OnBox {
    #[inline(always)]
    pub fn new(obb: &Obb, round: &Round) -> Self {
        let (center, axes) = (obb.center.as_dvec3(), rotation(obb));
        Self {
            center,
            axes,
            half: obb.half_extents.as_dvec3(),
            core: round.segment().seen_from(center, &axes.transpose()),
            radius: round.radius.into(),
        }
    }

    /// Returns the bodies with these centers, the second of which is that of the box if the bodies
    /// are `swapped`.
    pub fn centered(obb: &Obb, round: &Round, centers: [DVec3; 2], swapped: bool) -> Self {
        let of_box = usize::from(swapped);
        let mut on_box = Self::new(obb, round);
        on_box.core.middle = on_box.axes.transpose() * (centers[1 - of_box] - centers[of_box]);
        on_box.center = centers[of_box];
        on_box
    }

    /// Returns the closest points of the box and the core.
    #[inline(always)]
    pub fn closest(&self) -> Closest {
        box_to_segment(self.half, &self.core)
    }

    /// Returns the error of a distance.
    #[inline(always)]
    pub fn error(&self) -> f64 {
        let lengths = self.core.middle.abs() + self.core.half * self.core.along.abs() + self.half;
        ERROR * (lengths.element_sum() + self.radius)
    }
}

impl BodyRef<'_> {
    /// Returns the distance between the two bodies as closed solids, in the caller's unit: 0 if and
    /// only if they collide ([`BodyRef::contact`]). For two boxes it is [`Obb::distance`].
    ///
    /// The error is at most 2e-14 of the sum of the centers' distance, half extents, half lengths
    /// and radii, typically about 1e-16 of it. The result depends neither on the order of the
    /// bodies nor on the machine. Groups are ignored; if a body has a problem, the result is
    /// arbitrary. O(1).
    ///
    /// ```
    /// use obbligato::{glam::{Quat, Vec3}, shape::BodyRef, Capsule, Obb, Sphere};
    /// let cube = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    /// let ball = Sphere::new(Vec3::new(4.0, 5.0, 0.0), 2.0);
    /// assert_eq!(BodyRef::from(&cube).distance(BodyRef::from(&ball)), 3.0);
    /// let capsule = Capsule::new(Vec3::new(4.0, 0.0, 9.0), 4.0, Quat::IDENTITY, 2.0);
    /// assert_eq!(BodyRef::from(&ball).distance(BodyRef::from(&capsule)), 50f64.sqrt() - 4.0);
    /// ```
    pub fn distance(self, other: BodyRef<'_>) -> f64 {
        let collide = || self.contact(other).collides();
        let gap = match Two::of(self, other) {
            Two::Boxes(a, b) => return a.distance(b),
            Two::Balls(a, b) => Balls::new([a, b]).gap(collide),
            Two::Rounds(bodies, _) => {
                let rounds = Rounds::new(&bodies);
                let distance = rounds.closest().way().length();
                gap(distance, rounds.radii[0] + rounds.radii[1], rounds.error(), collide)
            }
            Two::OnBox(obb, round, _) => {
                let on_box = OnBox::new(obb, &round);
                gap(on_box.closest().way().length(), on_box.radius, on_box.error(), collide)
            }
        };
        gap.unwrap_or(0.0)
    }

    /// Returns the [distance](BodyRef::distance) between the two bodies, and a point of each where
    /// they are closest.
    ///
    /// If surfaces are parallel, there are many such points, and rounding determines which are
    /// returned. Both lie in their body within the error of the distance. If the bodies collide,
    /// both are one point that the bodies share.
    ///
    /// ```
    /// use obbligato::{glam::{DVec3, Vec3}, shape::BodyRef, Obb, Sphere};
    /// let cube = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    /// let ball = Sphere::new(Vec3::new(0.5, 5.0, 0.0), 2.0);
    /// let closest = BodyRef::from(&cube).closest_points(BodyRef::from(&ball));
    /// assert_eq!((closest.on_a, closest.on_b), (DVec3::new(0.5, 1.0, 0.0), DVec3::new(0.5, 3.0, 0.0)));
    /// assert_eq!(closest.distance, 2.0);
    /// ```
    pub fn closest_points(self, other: BodyRef<'_>) -> ClosestPoints {
        let collide = || self.contact(other).collides();
        match Two::of(self, other) {
            Two::Boxes(a, b) => a.closest_points(b),
            Two::Balls(a, b) => Balls::new([a, b]).closest_points(collide),
            Two::Rounds(bodies, swapped) => Rounds::new(&bodies).closest_points(swapped, collide),
            Two::OnBox(obb, round, swapped) => OnBox::new(obb, &round).closest_points(swapped, collide),
        }
    }
}

impl Rounds {
    #[inline(always)]
    fn closest_points(&self, swapped: bool, collide: impl FnOnce() -> bool) -> ClosestPoints {
        let origin = self.cores[0].middle;
        let found = points(&self.closest(), self.radii, self.error(), |p| origin + p, collide);
        if swapped { found.swapped() } else { found }
    }
}

impl OnBox {
    #[inline(always)]
    fn closest_points(&self, swapped: bool, collide: impl FnOnce() -> bool) -> ClosestPoints {
        let to_world = |point| self.center + self.axes * point;
        let found = points(&self.closest(), [0.0, self.radius], self.error(), to_world, collide);
        if swapped { found.swapped() } else { found }
    }
}

/// Returns the closest points of two bodies whose centers differ by `d`, wherever they are,
/// relative to the center of the first. `collide` decides what `f64` leaves open.
pub(crate) fn closest_apart([a, b]: [BodyRef<'_>; 2], d: DVec3, collide: impl FnOnce() -> bool) -> ClosestPoints {
    let centers = [DVec3::ZERO, d];
    match Two::of(a, b) {
        Two::Boxes(a, b) => Frame::apart(a, b, d).points_unless(collide, DVec3::ZERO),
        Two::Balls(a, b) => Balls::centered([a, b], centers).closest_points(collide),
        Two::Rounds(bodies, swapped) => Rounds::centered(&bodies, centers, swapped).closest_points(swapped, collide),
        Two::OnBox(obb, round, swapped) => {
            OnBox::centered(obb, &round, centers, swapped).closest_points(swapped, collide)
        }
    }
}

/// Returns the closest points of bodies, given those of their cores.
#[inline(always)]
fn points(
    closest: &Closest,
    [a, b]: [f64; 2],
    error: f64,
    to_world: impl Fn(DVec3) -> DVec3,
    collide: impl FnOnce() -> bool,
) -> ClosestPoints {
    let way = closest.way();
    let length = way.length();
    let gap = gap(length, a + b, error, collide);
    let towards = if length > 0.0 { way / length } else { DVec3::ZERO };
    let from_a = match gap {
        Some(_) => [a, length - b],
        None => [middle_of_common(length, [a, b]); 2],
    };
    let [on_a, on_b] = from_a.mapped(|part| to_world(closest.on_a + part * towards));
    ClosestPoints {
        distance: gap.unwrap_or(0.0),
        on_a,
        on_b,
    }
}
