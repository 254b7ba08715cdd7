//! The distance and closest points of bodies: those of their cores, less the radii.

use glam::{DMat3, DVec3};

use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::round::bodies::{Core, Round};
use crate::narrow_phase::round::closest::{Closest, ERROR, between_segments, box_to_segment};
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::obb::parts::rotation;
use crate::shapes::obb::record::Obb;

/// A pair of bodies, one of which is round, in f64: A is the box if there is one. Its center is the origin.
pub(super) struct Layout {
    /// The center of A in the world.
    pub origin: DVec3,
    /// The axes in which all is given: those of the box, else the world's.
    pub axes: Option<DMat3>,
    pub a: Part,
    /// The center and half the core of B.
    pub center: DVec3,
    pub along: DVec3,
    pub radius: f64,
    /// Whether A is the caller's second.
    pub swapped: bool,
}

/// What A is.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// A box of these half extents.
    Box(DVec3),
    /// What is round a core, by half of it and the radius.
    Round(DVec3, f64),
}

/// Two bodies, told apart by what there is to compute.
pub(super) enum Two<'a> {
    /// Two boxes.
    Boxes(&'a Obb, &'a Obb),
    /// All others.
    Round(Layout),
}

impl<'a> Two<'a> {
    /// The order of a layout is not the caller's, so that rounding does not depend on it.
    pub fn of(a: BodyRef<'a>, b: BodyRef<'a>) -> Self {
        Self::Round(match (Core::from(a), Core::from(b)) {
            (Core::Box(a), Core::Box(b)) => return Self::Boxes(a, b),
            (Core::Box(obb), Core::Round(round)) => Layout::of_box(obb, &round, false),
            (Core::Round(round), Core::Box(obb)) => Layout::of_box(obb, &round, true),
            (Core::Round(a), Core::Round(b)) => match a.key() > b.key() {
                true => Layout::of_rounds(&b, &a, true),
                false => Layout::of_rounds(&a, &b, false),
            },
        })
    }
}

impl Layout {
    fn of_box(obb: &Obb, round: &Round, swapped: bool) -> Self {
        let (axes, origin) = (rotation(obb), obb.center.as_dvec3());
        let into = axes.transpose();
        Self {
            origin,
            axes: Some(axes),
            a: Part::Box(obb.half_extents.as_dvec3()),
            center: into * (round.middle() - origin),
            along: into * round.half(),
            radius: round.radius.into(),
            swapped,
        }
    }

    fn of_rounds(a: &Round, b: &Round, swapped: bool) -> Self {
        let origin = a.middle();
        Self {
            origin,
            axes: None,
            a: Part::Round(a.half(), a.radius.into()),
            center: b.middle() - origin,
            along: b.half(),
            radius: b.radius.into(),
            swapped,
        }
    }

    /// Where the cores, or the box and the core, are closest.
    pub fn closest(&self) -> Closest {
        match self.a {
            Part::Box(half) => box_to_segment(half, self.center, self.along),
            Part::Round(along, _) => between_segments(self.center, along, self.along),
        }
    }

    /// The radii; a box has none.
    pub fn radii(&self) -> [f64; 2] {
        match self.a {
            Part::Box(_) => [0.0, self.radius],
            Part::Round(_, radius) => [radius, self.radius],
        }
    }

    /// The error of a distance.
    pub fn error(&self) -> f64 {
        let (Part::Box(of_a) | Part::Round(of_a, _)) = self.a;
        let [a, b] = self.radii();
        let lengths = self.center.abs() + self.along.abs() + of_a.abs();
        ERROR * (lengths.element_sum() + a + b)
    }

    /// A vector in the axes of the world.
    pub fn to_world(&self, vector: DVec3) -> DVec3 {
        match self.axes {
            Some(axes) => axes * vector,
            None => vector,
        }
    }
}

impl Round {
    fn key(&self) -> [u32; 9] {
        let ([x, y, z], [i, j, k, w]) = (self.center, self.rotation);
        [x, y, z, self.radius, self.half_length, i, j, k, w].map(f32::to_bits)
    }
}

impl BodyRef<'_> {
    /// The distance of the two bodies as closed solids, in the caller's unit: 0 if and only if they collide ([`BodyRef::contact`]). That
    /// of two boxes is [`Obb::distance`].
    ///
    /// The error is at most 2e-14 of the sum of the centers' distance, half extents, half lengths and radii, typically some 1e-16 of
    /// it. The result depends neither on the order of the bodies nor on the machine. Groups are ignored; if a body has a problem, the
    /// result is arbitrary. O(1).
    ///
    /// ```
    /// use obbligato::{BodyRef, Capsule, Obb, Sphere, glam::{Quat, Vec3}};
    /// let cube = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    /// let ball = Sphere::new(Vec3::new(4.0, 5.0, 0.0), 2.0);
    /// assert_eq!(BodyRef::from(&cube).distance(BodyRef::from(&ball)), 3.0);
    /// let capsule = Capsule::new(Vec3::new(4.0, 0.0, 9.0), 4.0, Quat::IDENTITY, 2.0);
    /// assert_eq!(BodyRef::from(&ball).distance(BodyRef::from(&capsule)), 50f64.sqrt() - 4.0);
    /// ```
    pub fn distance(self, other: BodyRef<'_>) -> f64 {
        match Two::of(self, other) {
            Two::Boxes(a, b) => a.distance(b),
            Two::Round(layout) => {
                let gap = layout.gap(&layout.closest(), || self.contact(other).collides());
                gap.unwrap_or(0.0)
            }
        }
    }

    /// The [distance](BodyRef::distance) of the two bodies, and a point of each where they are closest.
    ///
    /// Where surfaces are parallel there are many such points, and rounding determines which are returned. Both lie in their body
    /// within the error of the distance. If the bodies collide, both are one point that the bodies share.
    ///
    /// ```
    /// use obbligato::{BodyRef, Obb, Sphere, glam::{DVec3, Vec3}};
    /// let cube = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    /// let ball = Sphere::new(Vec3::new(0.5, 5.0, 0.0), 2.0);
    /// let closest = BodyRef::from(&cube).closest_points(BodyRef::from(&ball));
    /// assert_eq!((closest.on_a, closest.on_b), (DVec3::new(0.5, 1.0, 0.0), DVec3::new(0.5, 3.0, 0.0)));
    /// assert_eq!(closest.distance, 2.0);
    /// ```
    pub fn closest_points(self, other: BodyRef<'_>) -> ClosestPoints {
        match Two::of(self, other) {
            Two::Boxes(a, b) => a.closest_points(b),
            Two::Round(layout) => layout.closest_points(|| self.contact(other).collides()),
        }
    }
}

impl Layout {
    /// How far the bodies are apart, `None` if they collide; whether they do is asked only if the distance does not tell.
    pub fn gap(&self, closest: &Closest, collide: impl FnOnce() -> bool) -> Option<f64> {
        let ([a, b], error) = (self.radii(), self.error());
        let gap = closest.way().length() - (a + b);
        let collide = gap < -error || gap <= error && collide();
        // What does not collide is not at a distance of 0, however near.
        (!collide).then(|| gap.max(f64::MIN_POSITIVE))
    }

    fn closest_points(&self, collide: impl FnOnce() -> bool) -> ClosestPoints {
        let closest = self.closest();
        let gap = self.gap(&closest, collide);
        let (way, [a, b]) = (closest.way(), self.radii());
        let length = way.length();
        let towards = if length > 0.0 { way / length } else { DVec3::ZERO };
        let [from_a, from_b] = match gap {
            Some(_) => [a, length - b],
            // The middle of what both have of the line through the points of the cores.
            None => [0.5 * (f64::max(length - b, -a) + f64::min(length + b, a)); 2],
        };
        let [on_a, on_b] = [from_a, from_b].map(|part| self.origin + self.to_world(closest.on_a + part * towards));
        let distance = gap.unwrap_or(0.0);
        let found = ClosestPoints { distance, on_a, on_b };
        if self.swapped { found.swapped() } else { found }
    }
}
