//! The general checker: answers questions on the backend that its configuration chooses.

use crate::base::config::Config;
use crate::base::engine::Engine;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::waiting::{Waiting, wait};
use crate::engine::backends::Backends;
use crate::engine::found::on_cpu;
#[cfg(feature = "gpu")]
use crate::engine::gpu::engine::GpuEngine;
use crate::engine::memory_estimate::MemoryEstimate;
#[cfg(not(feature = "gpu"))]
use crate::engine::no_gpu::GpuEngine;
use crate::engine::prepared::PreparedScene;
use crate::engine::query::Query;
use crate::engine::query::sets::Set;
use crate::outputs::report::Report;
use crate::questions::question::Question;
use crate::shapes::bodies::counts::BodyCounts;

/// Finds every colliding pair on the backend that the configuration selects.
///
/// A checker keeps its memory between calls: create one and use it for every frame.
///
/// ```
/// use obbligato::{Backend, Checker, Config, Obb, Pair, glam::Vec3};
/// # fn main() -> obbligato::Result<()> {
/// let boxes = [
///     Obb::axis_aligned(Vec3::ZERO, Vec3::ONE),
///     Obb::axis_aligned(Vec3::new(9.0, 0.0, 0.0), Vec3::ONE),
///     Obb::axis_aligned(Vec3::new(1.5, 0.0, 0.0), Vec3::ONE),
/// ];
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// assert_eq!(checker.check(&boxes)?.pairs()?, [Pair::new(0, 2)]);
/// # Ok(())
/// # }
/// ```
pub struct Checker {
    pub(crate) backends: Backends,
}

impl Checker {
    /// Chooses a backend and prepares it. See [`Backend`](crate::Backend).
    ///
    /// [`Backend::Auto`](crate::Backend::Auto) looks for a GPU only when a scene has at least
    /// [`GpuConfig::least_boxes`](crate::GpuConfig::least_boxes) boxes. The search takes some
    /// tenths of a second, once.
    ///
    /// # Errors
    /// [`Error::InvalidMargin`] if [`Config::margin`] is not a valid distance, [`Error::NoAdapter`]
    /// if there is no GPU or no adapter as requested, [`Error::Device`] if the driver provides no
    /// device.
    pub fn new(config: Config) -> Result<Self> {
        pollster::block_on(Self::new_async(config))
    }

    /// Performs [`Checker::new`] without blocking.
    pub async fn new_async(config: Config) -> Result<Self> {
        let backends = Backends::new(config).await?;
        Ok(Self { backends })
    }

    /// Creates a checker that uses only this engine, with the reason for the choice.
    #[cfg(feature = "gpu")]
    pub(crate) fn on_gpu(engine: GpuEngine, choice: String) -> Self {
        Self {
            backends: Backends::on_gpu(engine, choice),
        }
    }

    /// Returns the configuration.
    pub(crate) fn config(&self) -> &Config {
        &self.backends.config
    }

    /// Returns the GPU engine, if a search has already found one.
    #[cfg(feature = "gpu")]
    pub(crate) fn gpu(&mut self) -> Option<&mut GpuEngine> {
        self.backends.gpu()
    }

    /// Returns the engine of this checker, except for [small
    /// scenes](crate::GpuConfig::least_boxes). [`Report::engine`] is the engine that ran a
    /// particular check. With [`Backend::Auto`](crate::Backend::Auto) this method looks for a GPU
    /// unless a large scene has already done so.
    pub fn engine(&self) -> &Engine {
        &self.backends.found().engine
    }

    /// Returns the engine that runs a check of this many boxes.
    pub fn engine_for(&self, boxes: usize) -> Engine {
        match boxes < self.backends.least_boxes {
            true => on_cpu(),
            false => self.engine().clone(),
        }
    }

    /// Returns a short reason for the choice of the engine. Searches for a GPU as
    /// [`Checker::engine`] does.
    pub fn choice(&self) -> &str {
        &self.backends.found().choice
    }

    /// Requests that failed without affecting the results of checks, one sentence each. Usually
    /// empty.
    ///
    /// Currently these concern [`GpuConfig::pipeline_cache`](crate::GpuConfig::pipeline_cache), and
    /// a GPU that [`Backend::Auto`](crate::Backend::Auto) found but could not use.
    pub fn warnings(&self) -> &[String] {
        self.backends.warnings()
    }

    /// Estimates the memory that a check of this many boxes, or [other bodies](BodyCounts), with
    /// `pairs` colliding pairs needs on this backend with this configuration.
    ///
    /// The number of pairs is unknown before the check; the estimate for 0 pairs is the minimum for
    /// any check of that many boxes. Triangles need no more than the same number of boxes. Spheres
    /// alone need less if the grid handles them.
    ///
    /// The estimate assumes a typical scene: at most three times as many candidate pairs as
    /// colliding ones, few of which touch without overlapping. A pair that only touches takes 17
    /// more bytes on the host, and each further candidate takes 8 bytes on a GPU.
    ///
    /// For such scenes and an explicit broad phase, the host estimate is an upper bound, too high
    /// by at most 16 MiB plus half of the memory used. The estimate for
    /// [`BroadPhase::Auto`](crate::BroadPhase::Auto) is that of the tree, which takes up to twice
    /// the memory of the grid. The device estimate equals [`Report::device_bytes`] or is slightly
    /// larger. A number of bytes that does not fit 64 bits is returned as [`u64::MAX`].
    ///
    /// A check without enough memory returns [`Error::OutOfMemory`] or
    /// [`Error::OutOfDeviceMemory`]: before it starts if there are too many boxes for the available
    /// memory (if the system reports it, as Linux does), and during the check if there are too many
    /// pairs.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config};
    /// # fn main() -> obbligato::Result<()> {
    /// let checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let estimate = checker.memory_estimate(10_000_000, 10_000_000);
    /// println!("{} MB", estimate.host_bytes / 1_000_000);
    /// # assert!((800_000_000..2_500_000_000).contains(&estimate.host_bytes));
    /// # Ok(())
    /// # }
    /// ```
    pub fn memory_estimate(&self, bodies: impl Into<BodyCounts>, pairs: usize) -> MemoryEstimate {
        let bodies = bodies.into();
        match self.gpu_of_estimate(bodies) {
            Some(gpu) => gpu.memory_estimate(bodies, pairs),
            None => MemoryEstimate::on_cpu(&self.backends.config, bodies, pairs),
        }
    }

    /// Estimates the memory that a [sweep](crate::query::Sweep) of this many bodies with this many
    /// impacts needs, as [`Checker::memory_estimate`] does for a check. For two sets, pass the
    /// total of both.
    ///
    /// A body takes 96 bytes more than in a check, on the host and on a GPU, and an impact takes
    /// about 240 bytes on the host. The estimate assumes that the filter passes few pairs that do
    /// not meet, as is the case for bodies that neither turn nor accelerate. Each of the others
    /// takes up to 24 bytes more.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config};
    /// # fn main() -> obbligato::Result<()> {
    /// let checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let [check, sweep] = [checker.memory_estimate(1_000_000, 0), checker.sweep_memory_estimate(1_000_000, 0)];
    /// assert!(sweep.host_bytes >= check.host_bytes + 96_000_000);
    /// # Ok(())
    /// # }
    /// ```
    pub fn sweep_memory_estimate(&self, bodies: impl Into<BodyCounts>, impacts: usize) -> MemoryEstimate {
        let bodies = bodies.into();
        match self.gpu_of_estimate(bodies) {
            Some(gpu) => gpu.sweep_memory_estimate(bodies, impacts),
            None => MemoryEstimate::of_sweep_on_cpu(&self.backends.config, bodies, impacts),
        }
    }

    fn gpu_of_estimate(&self, bodies: BodyCounts) -> Option<&GpuEngine> {
        match bodies.total() < self.backends.least_boxes {
            true => None,
            false => self.backends.found().gpu.as_deref(),
        }
    }

    /// Answers a question.
    ///
    /// The questions are those of [`query`](crate::query). A [`Query`], or a single set whose pairs
    /// are all wanted (a slice, an array or a vector of boxes, capsules or spheres,
    /// [`Bodies`](crate::Bodies), or a [`Set`](crate::Set) with rules about which pairs
    /// count), is the question for its colliding pairs. Its time grows with the number of boxes and
    /// of pairs whose bounds overlap, not with the size of the world.
    ///
    /// # Errors
    /// [`Error::InvalidBox`], [`Error::InvalidBody`] and [`Error::InvalidRule`] for invalid input;
    /// [`Error::TooManyBoxes`], [`Error::LimitExceeded`], [`Error::OutOfMemory`] and
    /// [`Error::OutOfDeviceMemory`] if the scene is too large, even in parts;
    /// [`Error::DeviceLost`], [`Error::Timeout`] and [`Error::Gpu`] if the device fails. The
    /// checker remains usable after any of these except [`Error::DeviceLost`].
    pub fn check<'a, Q: Question<'a>>(&mut self, question: Q) -> Result<Q::Answer> {
        wait(|| question.answer(&mut self.backends, Waiting::Blocking))
    }

    /// Performs [`Checker::check`] without blocking the thread while a GPU works. The CPU backend
    /// computes while it is polled.
    pub async fn check_async<'a, Q: Question<'a>>(&mut self, question: Q) -> Result<Q::Answer> {
        question.answer(&mut self.backends, Waiting::Background).await
    }

    /// Performs [`Checker::check`] with a report that is reused between calls. Its lists keep their
    /// memory, so on the CPU repeated calls of the same size allocate nothing.
    ///
    /// The previous contents of the report are lost. After an error the report is empty.
    ///
    /// Some memory is still freed after each call: that in which pairs are found and sorted, if it
    /// is more than 8 MiB, because the report has the pairs as well. On several threads, rayon's
    /// queues occasionally grow. Queries of two sets, rules, and movers against a prepared scene
    /// allocate memory in each call.
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
        let query = query.into();
        wait(|| self.backends.answer_into(&query, report, Waiting::Blocking))
    }

    /// Performs [`Checker::check_into`] without blocking the thread while a GPU works.
    pub async fn check_into_async<'a>(&mut self, query: impl Into<Query<'a>>, report: &mut Report) -> Result<()> {
        let query = query.into();
        self.backends.answer_into(&query, report, Waiting::Background).await
    }

    /// Sorts boxes at rest once, so that many checks can test moving boxes against them.
    ///
    /// Costs about as much as the part of [`Checker::check`] that precedes the search for pairs.
    ///
    /// # Errors
    /// As [`Checker::check`]. On a GPU, all boxes must fit in one binding (48 bytes per box),
    /// because they are not sorted in parts.
    pub fn prepare<'a>(&mut self, bodies: impl Into<Set<'a>>) -> Result<PreparedScene> {
        pollster::block_on(self.backends.prepare(bodies.into(), Waiting::Blocking))
    }

    /// Performs [`Checker::prepare`] without blocking the thread while a GPU works. The CPU backend
    /// computes while it is polled.
    pub async fn prepare_async<'a>(&mut self, bodies: impl Into<Set<'a>>) -> Result<PreparedScene> {
        self.backends.prepare(bodies.into(), Waiting::Background).await
    }
}
