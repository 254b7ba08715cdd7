//! Two bodies in space that repeats: the exact tests of one with an image of the other, and the
//! images that can be in reach.
//!
//! # Exactness
//!
//! The vector from A to an image of B is `cB - cA + k L` along each axis: two stored coordinates, a
//! whole number and the length of the period. The product is the sum of two `f64` without rounding,
//! so the vector is the sum of four ([`Apart`]). The tests of bodies take it instead of two
//! centers:
//!
//! - Two boxes are decided by `f64` from the rounded vector, which is off by 2^-53 of itself like
//!   the difference of two coordinates in `f64`, so the error bound of that test holds as it is
//!   ([`obb_sat_f64_cpu`](super::obb_obb::obb_sat_f64_cpu)). What it leaves open is decided in
//!   integers, to which the four numbers are converted one by one.
//! - Tests with round bodies, and with margins, compute with the four numbers as exact terms of a
//!   sum, first as `f64` with a running error, then as integers.
//!
//! Nothing is decided from a reduced center, which in general is no `f32` and no `f64`. Integers
//! have room for all of it: terms are multiples of 2^-1074 and below 2^61, as those of boxes with
//! centers in `f64`, because the vector to an image in reach is no longer than the bodies.
//!
//! # Images in reach
//!
//! Bodies are within spheres around their centers. An image of B can be in reach only if along
//! every axis its center is no further from that of A than both radii and the margin, so the images
//! in question are those in a range of whole numbers per axis. Rounding widens the range by
//! [`ROUNDING`].

use std::ops::RangeInclusive;

use glam::{DVec2, DVec3};

use crate::base::arrays::Mapped;
use crate::base::error::{Error, Result};
use crate::geometry::period::{Image, Period};
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::in_plane::pair::PlanePair;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::obb_obb::exact::Tally;
use crate::narrow_phase::obb_obb::exact::apart::{Apart, classify_apart};
use crate::narrow_phase::obb_obb::frame::Frame;
use crate::narrow_phase::obb_obb::manifold::{ContactPoint, Penetration};
use crate::narrow_phase::obb_obb::overlap::two::{Measure, Two};
use crate::narrow_phase::obb_obb::within::is_within;
use crate::narrow_phase::round::bodies::{Core, compare};
use crate::narrow_phase::round::distance::closest_apart;
use crate::narrow_phase::round::manifold::touch_apart;
use crate::shapes::bodies;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::obb::record::Obb;

/// The relative rounding errors of lengths and of their quotients, with room.
pub(crate) const ROUNDING: f64 = 1e-9;

/// The most images of a pair among which the nearest is searched for.
const MOST_IMAGES: u64 = 1 << 20;

/// Two bodies, and the period of space.
#[derive(Clone, Copy)]
pub(crate) struct PeriodicPair<'a> {
    pub bodies: [BodyRef<'a>; 2],
    /// The centers, in place of those in the records.
    pub centers: [DVec3; 2],
    pub period: &'a Period,
    /// `true` for contacts, distances and overlaps within the plane z = 0, in which both bodies
    /// are; the period then has no length along z.
    pub in_plane: bool,
}

/// Returns a bound on the distance of a body's points from its center.
pub(crate) fn radius(body: BodyRef<'_>) -> f64 {
    let core = bodies::core::Core::from(body);
    let radius = core.obb.half_extents.as_dvec3().length() + f64::from(core.radius);
    radius * (1.0 + ROUNDING)
}

impl PeriodicPair<'_> {
    /// Returns the exact vector from A to an image of B.
    pub fn apart(&self, image: Image) -> Apart {
        let ([from, to], moved) = (self.centers, self.period.moved(image));
        Apart::summed([0, 1, 2].mapped(|k| [to[k], -from[k], moved[k].0, moved[k].1]))
    }

    /// Returns the relation of A and an image of B, and counts the pair in the tally.
    pub fn contact(&self, apart: &Apart, tally: &mut Tally) -> Contact {
        match self.boxes() {
            Some(boxes) => classify_apart(boxes, apart, tally),
            None => {
                let order = compare(self.bodies.map(Core::from), apart.parts(), 0.0, tally);
                Contact::from_largest(order)
            }
        }
    }

    /// Returns `true` if A and an image of B that do not collide are at most `margin` apart,
    /// exactly; always `false` if it is 0.
    pub fn within(&self, apart: &Apart, margin: f64) -> bool {
        margin > 0.0
            && match self.boxes() {
                Some([a, b]) => is_within(&Frame::apart(a, b, apart.rounded()), [a, b], apart, margin),
                None => {
                    let cores = self.bodies.map(Core::from);
                    compare(cores, apart.parts(), margin, &mut Tally::default()).is_le()
                }
            }
    }

    /// Returns the penetration of A and an image of B, or `None` if they do not collide, and calls
    /// `each` with the contact points: those of A where it is, and of B moved by the image.
    pub fn touch(&self, image: Image, mut each: impl FnMut(ContactPoint)) -> Option<Penetration> {
        let (apart, center) = (self.apart(image), self.centers[0]);
        let collide = || self.contact(&apart, &mut Tally::default()).collides();
        let mut from_center = |point: ContactPoint| {
            each(ContactPoint {
                on_a: center + point.on_a,
                on_b: center + point.on_b,
                ..point
            });
        };
        match self.in_plane {
            true => self.flat(&apart, &collide).touch(from_center),
            false => touch_apart(self.bodies, apart.rounded(), collide, &mut from_center),
        }
    }

    /// Returns the figures of A and an image of B in the plane, with the center of A as origin.
    fn flat<'b>(&'b self, apart: &Apart, collide: &'b dyn Fn() -> bool) -> PlanePair<'b> {
        PlanePair {
            bodies: self.bodies,
            centers: [DVec2::ZERO, apart.rounded().truncate()],
            collide,
        }
    }

    /// Returns the distance of A and an image of B, and their closest points.
    pub fn closest_points(&self, image: Image) -> ClosestPoints {
        let (apart, center) = (self.apart(image), self.centers[0]);
        let collide = || self.contact(&apart, &mut Tally::default()).collides();
        let found = match self.in_plane {
            true => self.flat(&apart, &collide).closest_points(),
            false => closest_apart(self.bodies, apart.rounded(), collide),
        };
        ClosestPoints {
            on_a: center + found.on_a,
            on_b: center + found.on_b,
            ..found
        }
    }

    /// Returns A and an image of B, to measure their overlap; `None` if one is round.
    pub fn two(&self, image: Image) -> Option<Two> {
        let measure = match self.in_plane {
            true => Measure::Area,
            false => Measure::Volume,
        };
        Some(Two::new(self.boxes()?, self.apart(image), measure))
    }

    /// Returns the image of B that collides with A and penetrates it deepest, of equal ones the
    /// first in lexicographic order; `None` if none collides.
    pub fn deepest(&self) -> Option<Image> {
        let [a, b] = self.bodies.map(radius);
        let mut deepest: Option<(f64, Image)> = None;
        for image in self.in_reach(self.nearest(), a + b).each() {
            let depth = self.touch(image, |_| {}).map(|found| found.depth);
            if let Some(depth) = depth.filter(|&depth| deepest.is_none_or(|(least, _)| depth > least)) {
                deepest = Some((depth, image));
            }
        }
        deepest.map(|(_, image)| image)
    }

    /// Returns the nearest image of B: the deepest of those that collide, and of equally near ones
    /// the first in lexicographic order.
    ///
    /// # Errors
    /// If too many images may be the nearest.
    pub fn closest(&self) -> Result<Image> {
        match self.deepest() {
            Some(image) => Ok(image),
            None => Ok(self.least_distance()?.1),
        }
    }

    /// Returns the distance of A and the nearest image of B: 0 if one collides.
    ///
    /// # Errors
    /// If too many images may be the nearest.
    pub fn distance(&self) -> Result<f64> {
        match self.bodies.map(BodyRef::as_sphere) {
            // The nearest sphere is that with the nearest center.
            [Some(_), Some(_)] => Ok(self.closest_points(self.nearest()).distance),
            _ => Ok(self.least_distance()?.0),
        }
    }

    /// Returns the least distance of A and an image of B, and the first image with it; any that
    /// collides, if there is one.
    fn least_distance(&self) -> Result<(f64, Image)> {
        let ([a, b], nearest) = (self.bodies.map(radius), self.nearest());
        let between = |image: Image| self.apart(image).rounded().length() * (1.0 + ROUNDING);
        // No image is nearer than its center, less the radii.
        let reach = between(nearest) + a + b;
        let images = self.in_reach_along(nearest, DVec3::splat(self.reach_across(nearest, reach)));
        if images.count() > MOST_IMAGES {
            return Err(Error::Unavailable {
                what: "the nearest of more than a million images",
                hint: "ask for pairs that are closer together",
            });
        }
        let mut best = (f64::INFINITY, nearest);
        for image in images.each() {
            if between(image) * (1.0 - 4.0 * ROUNDING) - a - b > best.0 {
                continue;
            }
            let distance = self.closest_points(image).distance;
            if distance < best.0 {
                best = (distance, image);
            }
            if distance == 0.0 {
                break;
            }
        }
        Ok(best)
    }

    /// Returns how far apart centers may be across the axes that do not repeat if they are no
    /// further apart than `reach`: along these axes, all images are as far apart as this one.
    fn reach_across(&self, image: Image, reach: f64) -> f64 {
        let apart = self.apart(image).rounded();
        let along = |axis: usize| match self.period.along(axis) {
            Some(_) => 0.0,
            None => apart[axis],
        };
        let fixed = DVec3::new(along(0), along(1), along(2)).length() * (1.0 - 4.0 * ROUNDING);
        ((reach - fixed) * (reach + fixed)).max(0.0).sqrt() * (1.0 + ROUNDING)
    }

    /// Returns an image of B whose center is as near to that of A as any, up to rounding.
    pub fn nearest(&self) -> Image {
        let [from, to] = self.centers;
        [0, 1, 2].mapped(|axis| match self.period.along(axis) {
            Some(length) => ((from[axis] - to[axis]) / length).round() as i64,
            None => 0,
        })
    }

    /// Returns the images of B whose center is no further than `reach` from that of A along any
    /// axis, and perhaps others. They are relative to `image`, whose center must be about as near.
    pub fn in_reach(&self, image: Image, reach: f64) -> Images {
        self.in_reach_along(image, DVec3::splat(reach))
    }

    /// Like [`in_reach`](Self::in_reach), with a reach for each axis.
    fn in_reach_along(&self, image: Image, reach: DVec3) -> Images {
        self.in_reach_of(image, self.apart(image).rounded(), reach)
    }

    /// Like [`in_reach`](Self::in_reach), with a reach for each axis, for a body that this image
    /// has at `d` as seen from A.
    pub fn in_reach_of(&self, image: Image, d: DVec3, reach: DVec3) -> Images {
        let axis = |axis: usize| match self.period.along(axis) {
            Some(length) => {
                let wide = reach[axis] * (1.0 + ROUNDING) + ROUNDING * length;
                let first = ((-wide - d[axis]) / length).ceil() as i64;
                let last = ((wide - d[axis]) / length).floor() as i64;
                image[axis].saturating_add(first)..=image[axis].saturating_add(last)
            }
            None => 0..=0,
        };
        Images([axis(0), axis(1), axis(2)])
    }

    /// Returns both bodies, if they are boxes.
    fn boxes(&self) -> Option<[&Obb; 2]> {
        let [a, b] = self.bodies.map(BodyRef::as_box);
        Some([a?, b?])
    }
}

/// The images in a range of whole numbers for each axis.
#[derive(Clone, Debug)]
pub(crate) struct Images([RangeInclusive<i64>; 3]);

impl Images {
    /// Returns their number.
    pub fn count(&self) -> u64 {
        let along = |range: &RangeInclusive<i64>| range.end().abs_diff(*range.start()).saturating_add(1);
        let of_axis = self
            .0
            .iter()
            .map(|range| if range.is_empty() { 0 } else { along(range) });
        of_axis.fold(1, u64::saturating_mul)
    }

    /// Returns them in lexicographic order.
    pub fn each(&self) -> impl Iterator<Item = Image> + Clone + use<> {
        let [x, y, z] = self.0.clone();
        x.flat_map(move |i| {
            let z = z.clone();
            y.clone().flat_map(move |j| z.clone().map(move |k| [i, j, k]))
        })
    }
}
