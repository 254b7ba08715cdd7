//! The two backends of a checker, and the choice between them.

use std::sync::OnceLock;

use crate::base::config::{Backend, Config, Output};
use crate::base::error::{Error, Result};
use crate::base::waiting::Waiting;
use crate::engine::cpu::CpuChecker;
use crate::engine::device_images;
use crate::engine::found::Found;
#[cfg(feature = "gpu")]
use crate::engine::gpu::engine::GpuEngine;
#[cfg(not(feature = "gpu"))]
use crate::engine::no_gpu::GpuEngine;
use crate::engine::prepared::PreparedScene;
use crate::engine::query::Query;
use crate::engine::query::lists::{NO_BODIES, bodies_of};
use crate::engine::query::resolved::Holder;
use crate::engine::query::sets::Set;
use crate::outputs::report::Report;
use crate::shapes::moving::record::Moving;

/// The backends of a checker.
pub struct Backends {
    pub(crate) config: Config,
    /// The box count below which a scene is checked on the CPU. It is 0 unless
    /// [`Backend::Auto`](crate::Backend::Auto) chooses.
    pub(crate) least_boxes: usize,
    cpu: Box<CpuChecker>,
    /// The records of the moving boxes of the last sweep, as given to the engine.
    pub(crate) moving: Vec<Moving>,
    pub(crate) found: OnceLock<Found>,
}

impl Backends {
    /// Prepares the backend that a configuration chooses.
    pub(crate) async fn new(config: Config) -> Result<Self> {
        config.validate()?;
        let least_boxes = match (config.backend, &config.adapter) {
            (Backend::Auto, None) => config.gpu.least_boxes,
            _ => 0,
        };
        let found = match least_boxes {
            0 => OnceLock::from(Found::search(&config).await?),
            _ => OnceLock::new(),
        };
        Ok(Self {
            config,
            least_boxes,
            cpu: Box::default(),
            moving: Vec::new(),
            found,
        })
    }

    /// Creates backends of which only this engine is used, with the reason for the choice.
    #[cfg(feature = "gpu")]
    pub(crate) fn on_gpu(engine: GpuEngine, choice: String) -> Self {
        Self {
            config: Config {
                backend: Backend::Gpu,
                ..engine.config.clone()
            },
            least_boxes: 0,
            cpu: Box::default(),
            moving: Vec::new(),
            found: OnceLock::from(Found::on_gpu(engine, choice)),
        }
    }

    /// Returns the warnings of the search for an engine, if one has taken place.
    pub(crate) fn warnings(&self) -> &[String] {
        self.found.get().map_or(&[], |found| &found.warnings)
    }

    /// Returns the GPU engine, if a search has already found one.
    #[cfg(feature = "gpu")]
    pub(crate) fn gpu(&mut self) -> Option<&mut GpuEngine> {
        self.found.get_mut()?.gpu.as_deref_mut()
    }

    /// Returns the GPU engine for this many boxes or pairs, or `None` if the CPU is used.
    pub(crate) async fn gpu_for(&mut self, count: usize) -> Option<&mut GpuEngine> {
        if count < self.least_boxes {
            return None;
        }
        if self.found.get().is_none() {
            self.found = OnceLock::from(Found::search_or_warn(&self.config).await);
        }
        self.found.get_mut()?.gpu.as_deref_mut()
    }

    /// Returns the result of the search for an engine. Searches on first use.
    pub(crate) fn found(&self) -> &Found {
        let search = || pollster::block_on(Found::search_or_warn(&self.config));
        self.found.get_or_init(search)
    }

    /// Returns an error if the checker does not return pairs, or not all of them. `without` and
    /// `fixed` name the unavailable operation in these two cases.
    pub(crate) fn expect_all_pairs(&self, [without, fixed]: [&'static str; 2]) -> Result<()> {
        let unavailable = |what, hint| Err(Error::Unavailable { what, hint });
        if self.config.output != Output::Pairs {
            return unavailable(without, "set `Config::output` to `Output::Pairs`");
        }
        if self.config.max_pairs.is_some() {
            return unavailable(fixed, "all pairs are returned: leave `Config::max_pairs` out");
        }
        Ok(())
    }

    /// Answers a query in this report, whose memory is reused. After an error the report is empty.
    pub(crate) async fn answer_into(&mut self, query: &Query<'_>, report: &mut Report, waiting: Waiting) -> Result<()> {
        let is_on_cpu = self.gpu_for(query.size()).await.is_none();
        if !(is_on_cpu && self.cpu.check_few_bodies(query, &self.config, report)) {
            *report = self.answer(query, std::mem::take(report), waiting).await?;
        }
        Ok(())
    }

    /// Answers a query, reusing the memory of an old report.
    pub(crate) async fn answer(&mut self, query: &Query<'_>, old: Report, waiting: Waiting) -> Result<Report> {
        if let Some(period) = query.period() {
            let found = self.gpu_for(query.size()).await.is_some();
            let gpu = self.found.get_mut().and_then(|found| found.gpu.as_deref_mut());
            return match gpu.filter(|_| found) {
                Some(gpu) => {
                    device_images::check(gpu.waiting(waiting), &mut self.cpu, query, period, &self.config, old).await
                }
                None => self.cpu.check(*query, &self.config, old),
            };
        }
        match self.gpu_for(query.size()).await {
            Some(gpu) => {
                let holder = Holder::new(*query, gpu.margin())?;
                let report = gpu.waiting(waiting).check(&holder.resolve()?, old).await?;
                holder.named(report)
            }
            None => self.cpu.check(*query, &self.config, old),
        }
    }

    /// Sorts a scene at rest.
    pub(crate) async fn prepare(&mut self, set: Set<'_>, waiting: Waiting) -> Result<PreparedScene> {
        let list = bodies_of(set.shapes, NO_BODIES)?;
        let bodies = list.all();
        match self.gpu_for(bodies.len()).await {
            Some(gpu) => gpu.waiting(waiting).prepare(bodies, set.rules).await,
            None => CpuChecker::prepare(bodies, set.rules, self.config.broad_phase),
        }
    }
}
