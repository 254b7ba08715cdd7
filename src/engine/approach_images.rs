//! Closest approaches in space that repeats: the image of a pair's second body that comes nearest
//! to the first one.
//!
//! The images in question are those of [`sweep_images`](super::sweep_images), for all that comes
//! within the distance asked for. Others stay farther apart than that.
//!
//! # Ties
//!
//! Of images that meet the first body, the answer is the one that a sweep finds. Otherwise it is
//! the one whose distance is least. Distances have an error, so two that differ by no more than
//! twice of it count as equal. Of images that are equally near, the one that comes that near first
//! counts; times have an error too ([`PRECISE`]). Of those at the same time, the first in
//! lexicographic order is the answer, with the smallest of the distances and the earliest of the
//! times.

use crate::base::error::Result;
use crate::base::stop::Stop;
use crate::engine::sweep::{OrderedPairs, found_among, sort_by_time};
use crate::engine::sweep_images::Swept;
use crate::geometry::period::Image;
use crate::narrow_phase::moving_moving::closest_approach::{ClosestApproach, approach_of_image, error_of_approach};
use crate::outputs::approaches::Approaching;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::moving::motion::Motion;

/// The precision of the times of bodies that do not meet, as a fraction of the step.
const PRECISE: f64 = 1e-9;

impl Swept<'_> {
    /// Returns those of the candidate pairs that come within a distance of each other, by time, and
    /// the image of the second body that each is about.
    pub fn approaches(&self, pairs: OrderedPairs<'_>, within: f64, stop: &Stop) -> Result<Vec<(Approaching, Image)>> {
        let mut found = found_among(self.sets, pairs, stop, "the approaches", |pair, bodies, motions| {
            let (nearest, image) = self.nearest(bodies, motions, within)?;
            Some((Approaching { pair, nearest }, image))
        })?;
        sort_by_time(&mut found, self.sets, |(near, _)| (near.nearest.time, near.pair));
        Ok(found)
    }

    /// Returns the closest approach of a body and any image of another, if it is within a distance.
    fn nearest(
        &self,
        bodies: [BodyRef<'_>; 2],
        motions: [&Motion; 2],
        within: f64,
    ) -> Option<(ClosestApproach, Image)> {
        let mut all: Vec<(ClosestApproach, Image)> = Vec::new();
        for image in self.images(bodies, motions, within) {
            let found = approach_of_image(bodies, motions, self.moved(image), &self.step);
            if (found.time, found.distance) == (0.0, 0.0) {
                // Nothing is nearer, nor earlier.
                return Some((found, image));
            }
            all.push((found, image));
        }
        let (closest, image) = all.iter().min_by(|(x, _), (y, _)| x.distance.total_cmp(&y.distance))?;
        let (least, error) = (
            closest.distance,
            error_of_approach(bodies, motions, self.moved(*image), &self.step),
        );
        if least > within + error {
            return None;
        }
        let (also_near, tie) = match least == 0.0 {
            true => (0.0, self.tie(bodies, motions)),
            false => (least + 2.0 * error, 2.0 * PRECISE * self.step.dt),
        };
        all.retain(|(found, _)| found.distance <= also_near);
        let time = all.iter().map(|(found, _)| found.time).fold(f64::INFINITY, f64::min);
        let (first, image) = all.into_iter().find(|(found, _)| found.time <= time + tie)?;
        let nearest = ClosestApproach {
            time,
            distance: least,
            ..first
        };
        Some((nearest, image))
    }
}
