//! The pairs that come within a distance of each other during a step, and when they are nearest.

use crate::base::clock::Instant;
use crate::base::config::validate_margin;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::stage::Stage;
use crate::base::timings::milliseconds;
use crate::base::waiting::Waiting;
use crate::engine::backends::Backends;
use crate::engine::found::made_before;
use crate::engine::sweep::{MovingSet, approaches};
#[cfg(doc)]
use crate::geometry::pair::Pair;
use crate::outputs::approaches::{Approaches, Approaching};
use crate::outputs::report::Report;
use crate::questions::question::Question;
use crate::questions::sweep::candidates;
use crate::shapes::moving::step::Step;

/// The pairs that come within a distance of each other at any time of a step, with the moment at
/// which each is nearest: [`closest_approach`](crate::motion::closest_approach). Agents that steer
/// ask it with the horizon up to which they look ahead as the step.
///
/// Every pair that comes within the distance is found, and also those that miss it by less than the
/// error of their distance: 1e-13 of the sizes and paths if neither body turns or accelerates,
/// otherwise the step's tolerance. With [`Precision::Fast`](crate::Precision::Fast), spheres that
/// move straight are compared in `f32`, and the error of their distance is 2e-6 of the sizes,
/// distance and paths, so that pairs at almost exactly the distance may be missing or extra; at the
/// time found they are as near, within that error. On a GPU, pairs are found by the boxes around
/// bodies; the host computes the rest.
///
/// ```
/// use obbligato::query::ApproachQuery;
/// use obbligato::glam::Vec3;
/// use obbligato::motion::{Motion, MovingSet, Step};
/// use obbligato::{Backend, Checker, Config, Pair, Sphere};
/// # fn main() -> obbligato::Result<()> {
/// // Two people who walk towards each other, and a third one far away.
/// let people = [0.0, 10.0, 100.0].map(|x| Sphere::new(Vec3::new(x, 0.1 * x, 0.0), 0.25));
/// let walks = [1.0, -1.0, 0.0].map(|x| Motion::linear(Vec3::new(x, 0.0, 0.0)));
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let within = ApproachQuery::new(MovingSet::new(&people, &walks), &Step::new(8.0), 1.0);
/// let found = checker.check(within)?;
/// assert_eq!(found.approaches.len(), 1);
/// let (pair, nearest) = (found.approaches[0].pair, found.approaches[0].nearest);
/// assert_eq!(pair, Pair::new(0, 1));
/// assert!((nearest.time - 5.0).abs() < 1e-8 && (nearest.distance - 0.5).abs() < 1e-8);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`Sweep`](crate::query::Sweep); [`Error::InvalidMargin`] if the distance is not valid.
#[derive(Clone, Copy, Debug)]
pub struct ApproachQuery<'a> {
    pub(super) sets: [MovingSet<'a>; 2],
    /// The number of bodies of the first of two sets.
    pub(super) first_set: Option<usize>,
    pub(super) step: Step,
    pub(super) within: f64,
}

impl<'a> ApproachQuery<'a> {
    /// The pairs within one set that come within a distance, in the caller's unit.
    pub fn new(set: MovingSet<'a>, step: &Step, within: f64) -> Self {
        Self {
            sets: [set; 2],
            first_set: None,
            step: *step,
            within,
        }
    }

    /// The pairs of a body of the first set and one of the second that come within a distance.
    ///
    /// In a [`Pair`], `a` is the position in the first set and `b` that in the second. Bodies of
    /// one set are not compared with each other.
    pub fn between(first: MovingSet<'a>, second: MovingSet<'a>, step: &Step, within: f64) -> Self {
        Self {
            sets: [first, second],
            first_set: Some(first.bodies.len()),
            step: *step,
            within,
        }
    }
}

impl<'a> Question<'a> for ApproachQuery<'a> {
    type Answer = Approaches;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Approaches> {
        let start = Instant::now();
        validate_margin(self.within)?;
        let (asked, sets) = ((&self.step, self.within), self.sets.each_ref());
        let (report, counts, made) = candidates(backends, sets, self.first_set, asked, waiting).await?;
        let found = Instant::now();
        let pairs = sets[0].ordered(self.first_set, report.pairs()?);
        let config = &backends.config;
        let approaches = approaches([sets[0], sets[1]], pairs, asked, config.precision, &config.stop)?;
        Ok(finished(approaches, counts, &report, found, (start, made)))
    }
}

/// Returns the result, given the approaches among the candidate pairs of a report; the other
/// arguments are those of [`sweep::finished`](crate::questions::sweep::finished).
pub(super) fn finished(
    approaches: Vec<Approaching>,
    counts: [usize; 2],
    report: &Report,
    found: Instant,
    (start, made): (Instant, f64),
) -> Approaches {
    let of_records = made_before(&report.engine);
    let of_approaches = milliseconds(found.elapsed());
    let mut timings = report.timings.clone();
    timings.wall.extend([(of_records, made), (Stage::Exact, of_approaches)]);
    timings.total = milliseconds(start.elapsed());
    Approaches {
        boxes: counts[0] + counts[1],
        candidate_pairs: report.candidate_pairs,
        approaches,
        device_bytes: report.device_bytes,
        engine: report.engine.clone(),
        timings,
    }
}
