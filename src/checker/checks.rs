//! Checks: the pairs that a query asks for, and scenes prepared for many of them.

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
    /// Finds the pairs a query asks for.
    ///
    /// `query` is a [`Query`], or whatever asks for all pairs of one set: a slice, an array or a vector of boxes, capsules or
    /// spheres, [`Bodies`](crate::Bodies), or a [`BoxSet`](crate::BoxSet) with rules about which pairs count. The time grows
    /// with the boxes and the pairs whose bounds overlap, not with the size of the world.
    ///
    /// # Errors
    /// [`Error::InvalidBox`], [`Error::InvalidBody`] and [`Error::InvalidRule`] for invalid input; [`Error::TooManyBoxes`],
    /// [`Error::LimitExceeded`], [`Error::OutOfMemory`] and [`Error::OutOfDeviceMemory`] if the scene is too large,
    /// even in parts; [`Error::DeviceLost`], [`Error::Timeout`] and [`Error::Gpu`] if the device fails. The checker
    /// remains usable after any of these except [`Error::DeviceLost`].
    pub fn check<'a>(&mut self, query: impl Into<Query<'a>>) -> Result<Report> {
        pollster::block_on(self.answer(&query.into(), Report::default(), Waiting::Blocking))
    }

    /// [`Checker::check`] into a report that is used again and again. Its lists keep their memory, so that on the CPU calls
    /// of the same size allocate nothing.
    ///
    /// What the report said before is lost. After an error it is empty.
    ///
    /// Some memory is freed after each call all the same: lists of more than 4 MiB (some 100,000 pairs or 400,000 boxes),
    /// which would else be held twice. On several threads, rayon's queues grow now and then. Queries of two sets, rules,
    /// and movers against a prepared scene take memory in each call.
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

    /// [`Checker::check`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
    pub async fn check_async<'a>(&mut self, query: impl Into<Query<'a>>) -> Result<Report> {
        self.answer(&query.into(), Report::default(), Waiting::Background).await
    }

    /// [`Checker::check_into`] without blocking the thread while a GPU works.
    pub async fn check_into_async<'a>(&mut self, query: impl Into<Query<'a>>, report: &mut Report) -> Result<()> {
        let old = std::mem::take(report);
        *report = self.answer(&query.into(), old, Waiting::Background).await?;
        Ok(())
    }

    /// What a query asks for, into a report whose memory is used again.
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
    /// Costs about as much as the part of [`Checker::check`] before it looks for pairs.
    ///
    /// # Errors
    /// As [`Checker::check`]. On a GPU, all boxes must fit in one binding (48 bytes per box): they are not sorted in
    /// parts.
    pub fn prepare<'a>(&mut self, bodies: impl Into<BodySet<'a>>) -> Result<PreparedScene> {
        pollster::block_on(self.sort(bodies.into(), Waiting::Blocking))
    }

    /// [`Checker::prepare`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
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
