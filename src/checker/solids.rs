//! The pairs of convex solids that share a point.

use std::time::Instant;

#[cfg(doc)]
use crate::base::config::Config;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::memory;
use crate::base::stage::Stage;
use crate::base::timings::milliseconds;
use crate::base::waiting::Waiting;
use crate::checker::Checker;
use crate::checker::found::made_before;
use crate::engine::query::Query;
use crate::narrow_phase::solid_solid::lists::meet;
use crate::outputs::report::Report;
use crate::shapes::solid::record::Solid;

impl Checker {
    /// Finds the pairs of convex solids that share a point, exactly.
    ///
    /// The broad phase of the checker's backend finds the pairs whose bounds overlap;
    /// [`Solid::contact`] tests these on all cores. The report is that of [`Checker::check`], with
    /// solids in place of boxes. With a margin, the pairs are those whose [`Solid::distance`] is at
    /// most the margin. [`Config::precision`] has no effect.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Pair, Solid, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let corner = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let moved = |by: Vec3| Solid::from_points(&corner.map(|point| point + by));
    /// // The bounds of all overlap.
    /// let solids = [moved(Vec3::ZERO)?, moved(Vec3::splat(0.5))?, moved(Vec3::splat(0.25))?];
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let report = checker.check_solids(&solids)?;
    /// assert_eq!(report.pairs()?, [Pair::new(0, 2), Pair::new(1, 2)]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::check`]. [`Error::Unavailable`] if the checker has a fixed capacity or does
    /// not return pairs.
    pub fn check_solids(&mut self, solids: &[Solid]) -> Result<Report> {
        pollster::block_on(self.check_each_solid(solids, Waiting::Blocking))
    }

    /// Performs [`Checker::check_solids`] without blocking the thread while a GPU works. The exact
    /// tests run while it is polled.
    pub async fn check_solids_async(&mut self, solids: &[Solid]) -> Result<Report> {
        self.check_each_solid(solids, Waiting::Background).await
    }

    async fn check_each_solid(&mut self, solids: &[Solid], waiting: Waiting) -> Result<Report> {
        let start = Instant::now();
        self.expect_all_pairs([
            "a check of solids without pairs",
            "a check of solids with a fixed capacity",
        ])?;
        let bounds = memory::collect(solids.iter().map(Solid::bounds), "the bounds of solids")?;
        let made = milliseconds(start.elapsed());
        let mut report = self.answer(&Query::bounds(&bounds), Report::default(), waiting).await?;
        drop(bounds);
        let found = Instant::now();
        let met = meet(solids, &report.pairs, self.config.margin)?;
        report.colliding_pairs = met.pairs.len() as u64;
        report.touching_pairs = Some(met.touching.len() as u64);
        report.near_pairs = Some(met.near);
        report.pairs = met.pairs;
        report.lists_touching = self.config.list_touching;
        if report.lists_touching {
            report.touching = met.touching;
        }
        let of_pairs = milliseconds(found.elapsed());
        report
            .timings
            .wall
            .extend([(made_before(&report.engine), made), (Stage::Exact, of_pairs)]);
        report.timings.total = milliseconds(start.elapsed());
        Ok(report)
    }
}
