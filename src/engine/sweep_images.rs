//! Sweeps in space that repeats: the image of a pair's second body that meets the first one
//! earliest.
//!
//! The pairs in question are those in which any images of the boxes around both paths share a
//! point. For each, every image is swept that may meet the first body according to spheres around
//! both. Only the relative motion of the two counts for the answer, so each image of the second
//! body stands for all pairs of images that are as far apart.
//!
//! # Ties
//!
//! Times are never late, and early by [`PRECISE`] of a step or less, so images that meet at the
//! same time have times that differ by no more. Those of them that come first count as tied: the
//! answer is the first in lexicographic order, with the earliest of their times.

use glam::DVec3;

use crate::base::error::{Error, Result};
use crate::base::problem::PeriodProblem;
use crate::base::stop::Stop;
use crate::engine::sweep::{InMotion, MovingSet, OrderedPairs, found_among, sort_by_time};
use crate::geometry::period::{AXES, Image, Moved, Period};
use crate::narrow_phase::images::{PeriodicPair, radius};
use crate::narrow_phase::moving_moving::impact::impact_of_image;
use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::narrow_phase::width::is_as_wide;
use crate::outputs::impacts::Impact;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::moving::arc::Arc;
use crate::shapes::moving::body::MovingCore;
use crate::shapes::moving::motion::Motion;
use crate::shapes::moving::step::Step;
use crate::shapes::obb::parts::rotation;
use crate::shapes::obb::record::Obb;

/// The relative rounding errors of lengths, with room.
const ROUNDING: f64 = 1e-9;

/// The precision of times, as a fraction of the step: 2^-20.
const PRECISE: f64 = 1.0 / (1 << 20) as f64;

/// The fraction of the tolerance by which bodies may approach between tied times.
const PART: f64 = 0.125;

/// The most periods over which a path may reach, with the body.
const MOST_PERIODS: f64 = 16.0;

/// Returns an error if a body is as wide as the period at any time of a step of `dt`, or too far
/// out. Positions continue from the first set to the second.
pub(crate) fn expect_narrow(sets: &[&MovingSet<'_>], period: &Period, dt: f64) -> Result<()> {
    let counts = sets.iter().map(|set| set.bodies.len());
    let first = counts.clone().next().unwrap_or(0);
    Period::expect_none(counts.sum(), |index| {
        let (set, id) = match index.checked_sub(first) {
            Some(id) if sets.len() > 1 => (sets[1], id),
            _ => (sets[0], index),
        };
        let (body, moving) = (set.bodies.at(id as u32), set.core(id as u32));
        let too_wide = |axis: &usize| {
            period
                .along(*axis)
                .is_some_and(|length| is_as_wide_as(body, &moving, *axis, (length, dt)))
        };
        let wide = || (0..3).find(too_wide);
        let is_wide = || Some(PeriodProblem::TooWide { axis: AXES[wide()?] });
        period.problem(body.center().as_dvec3()).or_else(is_wide)
    })
}

/// Returns `true` if a body is as wide as a length along an axis, at any time of the step.
fn is_as_wide_as(body: BodyRef<'_>, moving: &MovingCore, axis: usize, (length, dt): (f64, f64)) -> bool {
    let around = moving.core.obb.half_extents.as_dvec3().length() + f64::from(moving.core.radius);
    if 2.0 * around * (1.0 + 1e-9) < length {
        return false;
    }
    let arc = Arc::new(&moving.body(), dt);
    match arc.angle() > 0.0 {
        true => 2.0 * (arc.reach(DVec3::AXES[axis]) + f64::from(moving.core.radius)) >= length,
        false => is_as_wide(body, axis, length),
    }
}

/// Returns an error if a box around a path reaches over too many periods. `what` and `hint` are
/// those of the error.
pub(crate) fn expect_reach(boxes: &[Obb], period: &Period, [what, hint]: [&'static str; 2]) -> Result<()> {
    let is_long = |obb: &Obb| {
        let extent = 2.0 * extent(obb);
        (0..3).any(|axis| {
            period
                .along(axis)
                .is_some_and(|length| extent[axis] > MOST_PERIODS * length)
        })
    };
    match boxes.iter().any(is_long) {
        true => Err(Error::Unavailable { what, hint }),
        false => Ok(()),
    }
}

/// Returns a bound on the extent of a box from its center along each axis.
fn extent(obb: &Obb) -> DVec3 {
    let axes = rotation(obb)
        .to_cols_array_2d()
        .map(|axis| DVec3::from_array(axis).abs());
    let half = obb.half_extents.as_dvec3();
    (axes[0] * half.x + axes[1] * half.y + axes[2] * half.z) * (1.0 + 1e-9)
}

/// The bodies that move in space that repeats, and a step.
pub(crate) struct Swept<'a> {
    pub sets: [&'a dyn InMotion; 2],
    pub period: Period,
    pub step: Step,
}

impl Swept<'_> {
    /// Returns the impacts among candidate pairs of a body of the first set and one of the second,
    /// by time, and the image of the second that each is about.
    pub fn impacts(&self, pairs: OrderedPairs<'_>, stop: &Stop) -> Result<Vec<(Impact, Image)>> {
        let mut found = found_among(self.sets, pairs, stop, "the impacts", |pair, bodies, motions| {
            let (first, image) = self.earliest(bodies, motions)?;
            Some((Impact { pair, first }, image))
        })?;
        sort_by_time(&mut found, self.sets, |(impact, _)| (impact.first.time, impact.pair));
        Ok(found)
    }

    /// Returns the earliest impact of a body and any image of another.
    fn earliest(&self, bodies: [BodyRef<'_>; 2], motions: [&Motion; 2]) -> Option<(TimeOfImpact, Image)> {
        let images = self.images(bodies, motions, 0.0);
        first_of(images, self.tie(bodies, motions), |image| {
            impact_of_image(bodies, motions, self.moved(image), &self.step)
        })
    }

    /// Returns the images, in order, of the second body that may come within a distance of the
    /// first, and perhaps others: spheres around the bodies come so near, on a path that is as good
    /// as straight.
    pub(super) fn images(
        &self,
        bodies: [BodyRef<'_>; 2],
        motions: [&Motion; 2],
        within: f64,
    ) -> impl Iterator<Item = Image> + Clone + use<> {
        let pair = PeriodicPair {
            bodies,
            centers: bodies.map(|body| body.center().as_dvec3()),
            period: &self.period,
            in_plane: false,
        };
        let (dt, nearest) = (self.step.dt, pair.nearest());
        let start = pair.apart(nearest).rounded();
        let of = |vector: fn(&Motion) -> glam::Vec3| (vector(motions[1]) - vector(motions[0])).as_dvec3();
        let bend = of(|motion| motion.acceleration) * 0.5 * dt * dt;
        let path = of(|motion| motion.velocity) * dt + bend;
        // No point of the parabola is further than this from its chord.
        let aside = 0.25 * bend.length();
        let spread: f64 = motions
            .iter()
            .map(|motion| 0.5 * f64::from(motion.uncertainty) * dt * dt)
            .sum();
        let reach = (bodies.map(radius).iter().sum::<f64>() + within + aside + spread) * (1.0 + ROUNDING);
        let lengths = DVec3::from([0, 1, 2].map(|axis| self.period.along(axis).unwrap_or(0.0)));
        let images = pair.in_reach_of(nearest, start + 0.5 * path, 0.5 * path.abs() + reach);
        images.each().filter(move |image| {
            let periods = [0, 1, 2].map(|axis| (image[axis] - nearest[axis]) as f64);
            let from = start + lengths * DVec3::from(periods);
            distance_of_segment(from, path) <= reach + ROUNDING * (from.length() + path.length())
        })
    }

    /// Returns the vector by which an image is moved, if it is.
    pub(super) fn moved(&self, image: Image) -> Option<Moved> {
        (image != Image::default()).then(|| self.period.moved(image))
    }

    /// Returns the time by which impacts with two images that meet at the same time may differ.
    pub(super) fn tie(&self, bodies: [BodyRef<'_>; 2], motions: [&Motion; 2]) -> f64 {
        let cores = [0, 1].map(|k| MovingCore::new(bodies[k], motions[k]));
        let tolerance = self
            .step
            .tolerance_for(cores.map(|moving| moving.core.largest_around()));
        let of = |vector: fn(&Motion) -> glam::Vec3| (vector(motions[1]) - vector(motions[0])).as_dvec3().length();
        let speed = of(|motion| motion.velocity) + of(|motion| motion.acceleration) * self.step.dt;
        f64::min(PRECISE * self.step.dt, PART * tolerance / speed)
    }
}

/// Returns the distance of the origin from a segment, given its start and the way to its end.
fn distance_of_segment(start: DVec3, way: DVec3) -> f64 {
    let square = way.length_squared();
    match square > 0.0 {
        true => (start + way * (-start.dot(way) / square).clamp(0.0, 1.0)).length(),
        false => start.length(),
    }
}

/// Returns the first image, in order, whose impact is no later than the earliest one by more than
/// `tie`, and that impact.
fn first_of(
    images: impl Iterator<Item = Image> + Clone,
    tie: f64,
    impact: impl Fn(Image) -> Option<TimeOfImpact>,
) -> Option<(TimeOfImpact, Image)> {
    let mut earliest: Option<(TimeOfImpact, Image)> = None;
    let mut count = 0;
    for image in images.clone() {
        let Some(found) = impact(image) else { continue };
        count += 1;
        if found.state == ImpactState::Start {
            // Nothing is earlier.
            return Some((found, image));
        }
        if earliest.is_none_or(|(least, _)| found.time < least.time) {
            earliest = Some((found, image));
        }
    }
    let (least, last) = earliest?;
    if count == 1 {
        return earliest;
    }
    let earlier = images.take_while(|image| *image < last);
    let tied = earlier
        .filter_map(|image| Some((impact(image)?, image)))
        .find(|(found, _)| found.time <= least.time + tie);
    match tied {
        Some((first, image)) => Some((
            TimeOfImpact {
                time: least.time,
                ..first
            },
            image,
        )),
        None => earliest,
    }
}
