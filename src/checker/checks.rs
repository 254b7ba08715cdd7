//! Checks: the pairs of a query, and scenes prepared for many queries.

#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::waiting::Waiting;
use crate::checker::Checker;
use crate::engine::cpu::CpuChecker;
use crate::engine::prepared::PreparedScene;
use crate::engine::query::Query;
use crate::engine::query::resolved::Holder;
use crate::engine::query::sets::BodySet;
use crate::outputs::report::Report;

impl Checker {
    /// Finds the pairs of a query.
    ///
    /// `query` is a [`Query`], or a single set whose pairs are all wanted: a slice, an array or a
    /// vector of boxes, capsules or spheres, [`Bodies`](crate::Bodies), or a
    /// [`BoxSet`](crate::BoxSet) with rules about which pairs count. The time grows with the number
    /// of boxes and of pairs whose bounds overlap, not with the size of the world.
    ///
    /// # Errors
    /// [`Error::InvalidBox`], [`Error::InvalidBody`] and [`Error::InvalidRule`] for invalid input;
    /// [`Error::TooManyBoxes`], [`Error::LimitExceeded`], [`Error::OutOfMemory`] and
    /// [`Error::OutOfDeviceMemory`] if the scene is too large, even in parts;
    /// [`Error::DeviceLost`], [`Error::Timeout`] and [`Error::Gpu`] if the device fails. The
    /// checker remains usable after any of these except [`Error::DeviceLost`].
    pub fn check<'a>(&mut self, query: impl Into<Query<'a>>) -> Result<Report> {
        pollster::block_on(self.answer(&query.into(), Report::default(), Waiting::Blocking))
    }

    /// Performs [`Checker::check`] with a report that is reused between calls. Its lists keep their
    /// memory, so on the CPU repeated calls of the same size allocate nothing.
    ///
    /// The previous contents of the report are lost. After an error the report is empty.
    ///
    /// Some memory is still freed after each call: lists of more than 4 MiB (about 100,000 pairs or
    /// 400,000 boxes), which would otherwise be held twice. On several threads, rayon's queues
    /// occasionally grow. Queries of two sets, rules, and movers against a prepared scene allocate
    /// memory in each call.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, Report, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let mut boxes = [0.0, 1.5, 9.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let mut report = Report::default();
    /// for frame in 0..100 {
    ///     boxes[0].center.x += 0.1;
    ///     checker.check_into(&boxes, &mut report)?;
    ///     println!("{frame}: {} pairs", report.pairs()?.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::check`].
    pub fn check_into<'a>(&mut self, query: impl Into<Query<'a>>, report: &mut Report) -> Result<()> {
        let old = std::mem::take(report);
        *report = pollster::block_on(self.answer(&query.into(), old, Waiting::Blocking))?;
        Ok(())
    }

    /// Performs [`Checker::check`] without blocking the thread while a GPU works. The CPU backend
    /// computes while it is polled.
    pub async fn check_async<'a>(&mut self, query: impl Into<Query<'a>>) -> Result<Report> {
        self.answer(&query.into(), Report::default(), Waiting::Background).await
    }

    /// Performs [`Checker::check_into`] without blocking the thread while a GPU works.
    pub async fn check_into_async<'a>(&mut self, query: impl Into<Query<'a>>, report: &mut Report) -> Result<()> {
        let old = std::mem::take(report);
        *report = self.answer(&query.into(), old, Waiting::Background).await?;
        Ok(())
    }

    /// Answers a query, reusing the memory of an old report.
    pub(super) async fn answer(&mut self, query: &Query<'_>, old: Report, waiting: Waiting) -> Result<Report> {
        match self.gpu_for(query.size()).await {
            Some(gpu) => {
                let holder = Holder::new(*query, gpu.margin())?;
                let report = gpu.waiting(waiting).check(&holder.resolve()?, old).await?;
                holder.named(report)
            }
            None => self.cpu.check(*query, &self.config, old),
        }
    }

    /// Sorts boxes at rest once, so that many checks can test moving boxes against them.
    ///
    /// Costs about as much as the part of [`Checker::check`] that precedes the search for pairs.
    ///
    /// # Errors
    /// As [`Checker::check`]. On a GPU, all boxes must fit in one binding (48 bytes per box),
    /// because they are not sorted in parts.
    pub fn prepare<'a>(&mut self, bodies: impl Into<BodySet<'a>>) -> Result<PreparedScene> {
        pollster::block_on(self.sort(bodies.into(), Waiting::Blocking))
    }

    /// Performs [`Checker::prepare`] without blocking the thread while a GPU works. The CPU backend
    /// computes while it is polled.
    pub async fn prepare_async<'a>(&mut self, bodies: impl Into<BodySet<'a>>) -> Result<PreparedScene> {
        self.sort(bodies.into(), Waiting::Background).await
    }

    async fn sort(&mut self, set: BodySet<'_>, waiting: Waiting) -> Result<PreparedScene> {
        match self.gpu_for(set.bodies.len()).await {
            Some(gpu) => gpu.waiting(waiting).prepare(set).await,
            None => CpuChecker::prepare(set, self.config.broad_phase),
        }
    }
}
