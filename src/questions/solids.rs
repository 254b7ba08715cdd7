//! The pairs of convex solids that share a point.

use crate::base::clock::Instant;
#[cfg(doc)]
use crate::base::config::Config;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::memory;
use crate::base::stage::Stage;
use crate::base::timings::milliseconds;
use crate::base::waiting::Waiting;
use crate::engine::backends::Backends;
use crate::engine::found::made_before;
use crate::engine::query::Query;
use crate::narrow_phase::solid_solid::lists::meet;
use crate::outputs::report::Report;
use crate::questions::question::Question;
use crate::shapes::solid::record::Solid;

/// The pairs of convex solids that share a point, exactly.
///
/// The broad phase of the checker's backend finds the pairs whose bounds overlap;
/// [`Solid::contact`] tests these on all cores. The report is that of
/// [`Checker::check`](crate::Checker::check), with solids in place of boxes. With a margin, the
/// pairs are those whose distance is at most the margin, decided without rounding.
/// [`Config::precision`] has no effect.
///
/// ```
/// use obbligato::query::SolidQuery;
/// use obbligato::{glam::Vec3, shape::Solid, Backend, Checker, Config, Pair};
/// # fn main() -> obbligato::Result<()> {
/// let corner = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let moved = |by: Vec3| Solid::from_points(&corner.map(|point| point + by));
/// // The bounds of all overlap.
/// let solids = [moved(Vec3::ZERO)?, moved(Vec3::splat(0.5))?, moved(Vec3::splat(0.25))?];
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let report = checker.check(SolidQuery::new(&solids))?;
/// assert_eq!(report.pairs()?, [Pair::new(0, 2), Pair::new(1, 2)]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`Checker::check`](crate::Checker::check). [`Error::Unavailable`] if the checker has a fixed
/// capacity or does not return pairs.
#[derive(Clone, Copy, Debug)]
pub struct SolidQuery<'a> {
    solids: &'a [Solid],
}

impl<'a> SolidQuery<'a> {
    /// The pairs of these solids.
    pub fn new(solids: &'a [Solid]) -> Self {
        Self { solids }
    }
}

impl<'a> Question<'a> for SolidQuery<'a> {
    type Answer = Report;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Report> {
        let Self { solids } = self;
        let start = Instant::now();
        backends.expect_all_pairs([
            "a check of solids without pairs",
            "a check of solids with a fixed capacity",
        ])?;
        let bounds = memory::collect(solids.iter().map(Solid::bounds), "the bounds of solids")?;
        let made = milliseconds(start.elapsed());
        let mut report = backends
            .answer(&Query::from(&bounds), Report::default(), waiting)
            .await?;
        drop(bounds);
        let found = Instant::now();
        let met = meet(solids, &report.pairs, backends.config.margin)?;
        report.colliding_pairs = met.pairs.len() as u64;
        report.touching_pairs = Some(met.touching.len() as u64);
        report.near_pairs = Some(met.near);
        report.pairs = met.pairs;
        report.lists_touching = backends.config.list_touching;
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
