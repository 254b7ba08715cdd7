//! The pairs that share a point at any time of a step, and when they do first.

use std::time::Instant;

use crate::base::error::{Error, Result};
use crate::base::stage::Stage;
use crate::base::timings::milliseconds;
use crate::base::waiting::Waiting;
use crate::checker::Checker;
use crate::checker::found::made_before;
use crate::engine::query::{Query, check_count};
use crate::engine::sweep::{MovingSet, impacts};
#[cfg(doc)]
use crate::geometry::pair::Pair;
use crate::outputs::impacts::Impacts;
use crate::outputs::report::Report;
use crate::rules::model::Rules;
use crate::shapes::moving::record;
use crate::shapes::moving::step::Step;

impl Checker {
    /// Finds the pairs that share a point at any time of a step, and when each does first: nothing passes through anything, however
    /// fast. On a GPU pairs are found by the boxes around bodies; the host decides by their true shapes.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Motion, MovingSet, Obb, Pair, Step, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let bullet = Obb::axis_aligned(Vec3::new(-10.0, 0.0, 0.0), Vec3::splat(0.005));
    /// let plate = Obb::axis_aligned(Vec3::ZERO, Vec3::new(0.0005, 1.0, 1.0));
    /// let motions = [Motion::linear(Vec3::new(1000.0, 0.0, 0.0)), Motion::REST];
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let found = checker.sweep(MovingSet::new(&[bullet, plate], &motions), &Step::new(1.0 / 60.0))?;
    /// assert_eq!(found.impacts[0].pair, Pair::new(0, 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::check`]; [`Error::MissingMotions`], [`Error::InvalidMotion`] and [`Error::InvalidStep`].
    /// [`Error::Unavailable`] if the checker has a margin or a fixed capacity, or does not return pairs.
    pub fn sweep(&mut self, set: MovingSet<'_>, step: &Step) -> Result<Impacts> {
        pollster::block_on(self.sweep_sets([&set, &set], None, step, Waiting::Blocking))
    }

    /// [`Checker::sweep`] without blocking the thread while a GPU works. The CPU backend computes where it is polled, as do the times.
    pub async fn sweep_async(&mut self, set: MovingSet<'_>, step: &Step) -> Result<Impacts> {
        self.sweep_sets([&set, &set], None, step, Waiting::Background).await
    }

    /// The same between two sets: the pairs of a body of the first and one of the second that share a point at any time of a step.
    ///
    /// In a [`Pair`], `a` is the position in the first set and `b` that in the second. Bodies of one set are not held against each other.
    /// Bodies at rest move by [`Motion::REST`](crate::Motion::REST).
    ///
    /// # Errors
    /// As [`Checker::sweep`]. In those that name a body or a motion it is one of its own set.
    pub fn sweep_between(&mut self, first: MovingSet<'_>, second: MovingSet<'_>, step: &Step) -> Result<Impacts> {
        let first_set = Some(first.bodies.len());
        pollster::block_on(self.sweep_sets([&first, &second], first_set, step, Waiting::Blocking))
    }

    /// [`Checker::sweep_between`] without blocking the thread while a GPU works.
    pub async fn sweep_between_async(
        &mut self,
        first: MovingSet<'_>,
        second: MovingSet<'_>,
        step: &Step,
    ) -> Result<Impacts> {
        let first_set = Some(first.bodies.len());
        self.sweep_sets([&first, &second], first_set, step, Waiting::Background)
            .await
    }

    /// A sweep of a set, or between two, the first of which has so many boxes.
    async fn sweep_sets(
        &mut self,
        sets: [&MovingSet<'_>; 2],
        first_set: Option<usize>,
        step: &Step,
        waiting: Waiting,
    ) -> Result<Impacts> {
        let start = Instant::now();
        step.validate()?;
        sets[0].validate(step.dt)?;
        if first_set.is_some() {
            sets[1].validate(step.dt)?;
        }
        self.expect_sweeps(&sets.map(|set| set.rules))?;
        let [first, second] = sets.map(|set| set.bodies.len());
        let count = first_set.map_or(first, |first| first.saturating_add(second));
        check_count(count)?;
        let body = |k: usize| match k < first {
            true => sets[0].core(k as u32),
            false => sets[1].core((k - first) as u32),
        };
        let mut moving = std::mem::take(&mut self.moving);
        record::records(count, body, step.dt, &mut moving)?;
        let made = milliseconds(start.elapsed());
        let query = match first_set {
            None => Query::moving(&moving, sets[0].rules),
            Some(first) => Query::moving_between(&moving, sets.map(|set| set.rules), first),
        };
        let report = self.answer(&query, Report::default(), waiting).await;
        self.moving = moving;
        let report = report?;
        let found = Instant::now();
        let impacts = impacts(sets, report.pairs()?, step)?;
        let of_records = made_before(&report.engine);
        let of_impacts = milliseconds(found.elapsed());
        let mut timings = report.timings.clone();
        timings.wall.extend([(of_records, made), (Stage::Exact, of_impacts)]);
        timings.total = milliseconds(start.elapsed());
        Ok(Impacts {
            boxes: count,
            first_set: first_set.unwrap_or(0),
            candidate_pairs: report.candidate_pairs,
            impacts,
            engine: report.engine,
            timings,
        })
    }

    /// An error if the checker, or these rules, ask for what no sweep answers.
    fn expect_sweeps(&self, rules: &[Rules<'_>]) -> Result<()> {
        if self.config.margin != 0.0 || rules.iter().any(|rules| rules.margins.is_some()) {
            return Err(Error::Unavailable {
                what: "a sweep with a margin",
                hint: "boxes in motion have none; leave it out",
            });
        }
        self.expect_all_pairs(["a sweep without pairs", "a sweep of a fixed capacity"])
    }
}
