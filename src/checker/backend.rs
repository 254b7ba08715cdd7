//! Choice of a backend, and information about it.

use std::sync::OnceLock;

use crate::base::config::{Backend, Config};
use crate::base::engine::Engine;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::waiting::Waiting;
use crate::checker::Checker;
use crate::checker::found::{Found, on_cpu};
#[cfg(feature = "gpu")]
use crate::engine::gpu::engine::GpuEngine;
use crate::engine::memory_estimate::MemoryEstimate;
#[cfg(not(feature = "gpu"))]
use crate::engine::no_gpu::GpuEngine;
#[cfg(doc)]
use crate::outputs::report::Report;
use crate::shapes::bodies::counts::BodyCounts;

impl Checker {
    /// Chooses a backend and prepares it. See [`Backend`](crate::Backend).
    ///
    /// [`Backend::Auto`] looks for a GPU only when a scene has at least
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

    /// Creates a checker that uses only this engine, with the reason for the choice.
    #[cfg(feature = "gpu")]
    pub(crate) fn on_gpu(engine: GpuEngine, choice: String) -> Self {
        Self {
            config: engine.config.clone(),
            least_boxes: 0,
            cpu: Box::default(),
            moving: Vec::new(),
            found: OnceLock::from(Found::on_gpu(engine, choice)),
        }
    }

    /// Returns the engine of this checker, except for [small
    /// scenes](crate::GpuConfig::least_boxes). [`Report::engine`] is the engine that ran a
    /// particular check. With [`Backend::Auto`](crate::Backend::Auto) this method looks for a GPU
    /// unless a large scene has already done so.
    pub fn engine(&self) -> &Engine {
        &self.found().engine
    }

    /// Returns the engine that runs a check of this many boxes.
    pub fn engine_for(&self, boxes: usize) -> Engine {
        match boxes < self.least_boxes {
            true => on_cpu(),
            false => self.engine().clone(),
        }
    }

    /// Returns a short reason for the choice of the engine. Searches for a GPU as
    /// [`Checker::engine`] does.
    pub fn choice(&self) -> &str {
        &self.found().choice
    }

    /// Requests that failed without affecting the results of checks, one sentence each. Usually
    /// empty.
    ///
    /// Currently these concern [`GpuConfig::pipeline_cache`](crate::GpuConfig::pipeline_cache), and
    /// a GPU that [`Backend::Auto`](crate::Backend::Auto) found but could not use.
    pub fn warnings(&self) -> &[String] {
        self.found.get().map_or(&[], |found| &found.warnings)
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
            None => MemoryEstimate::on_cpu(&self.config, bodies, pairs),
        }
    }

    /// Estimates the memory that a [sweep](Checker::sweep) of this many bodies with this many
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
            None => MemoryEstimate::of_sweep_on_cpu(&self.config, bodies, impacts),
        }
    }

    fn gpu_of_estimate(&self, bodies: BodyCounts) -> Option<&GpuEngine> {
        match bodies.total() < self.least_boxes {
            true => None,
            false => self.found().gpu.as_deref(),
        }
    }

    /// Measures the GPU's memory bandwidth in bytes per second, reads and writes together: the
    /// fastest of several copies from one buffer (up to 256 MiB, freed afterwards) to another, by
    /// GPU timestamps. No kernel moves more bytes past the caches.
    ///
    /// Returns `None` on the CPU, and on a GPU without timestamps or without memory for the
    /// buffers. The call blocks.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], [`Error::Timeout`] and [`Error::Gpu`] if the device fails.
    pub fn memory_bandwidth(&mut self) -> Result<Option<f64>> {
        match pollster::block_on(self.gpu_for(usize::MAX)) {
            Some(gpu) => pollster::block_on(gpu.waiting(Waiting::Blocking).memory_bandwidth()),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
#[cfg(feature = "gpu")]
mod tests {
    use super::*;
    use crate::base::config::GpuConfig;
    use crate::engine::query::Query;
    use crate::made_up::{self, Scene};

    #[test]
    fn small_scenes_run_on_the_cpu() {
        let gpu = GpuConfig {
            least_boxes: 1000,
            ..GpuConfig::default()
        };
        let mut checker = Checker::new(Config {
            gpu,
            ..Config::default()
        })
        .expect("a valid configuration");
        assert_eq!(checker.least_boxes, 1000);
        assert!(checker.found.get().is_none(), "nothing has asked for a GPU");
        let small = made_up::boxes(Scene::Uniform, 999, 1);
        let is_cpu = |engine: &Engine| matches!(engine, Engine::Cpu { .. });
        assert!(is_cpu(&checker.check(&small).expect("valid boxes").engine));
        assert!(is_cpu(&checker.engine_for(999)));
        assert!(checker.found.get().is_none(), "nothing has asked for a GPU");

        // Any available adapter stands in for a real GPU, which these tests cannot rely on.
        let config = Config {
            backend: Backend::Gpu,
            ..Config::default()
        };
        checker.found = OnceLock::from(pollster::block_on(Found::search(&config)).expect("an adapter"));
        let large = made_up::boxes(Scene::Uniform, 1000, 1);
        assert!(is_cpu(&checker.check(&small).expect("valid boxes").engine));
        assert!(!is_cpu(&checker.check(&large).expect("valid boxes").engine));
        assert!(is_cpu(&checker.engine_for(999)) && !is_cpu(&checker.engine_for(1000)));
        // Two sets count together. Checks against a prepared scene run where it was prepared,
        // regardless of the number of movers.
        let between = Query::between(&large[..500], &large[500..]);
        assert!(!is_cpu(&checker.check(between).expect("valid boxes").engine));
        for (boxes, on_cpu) in [(&small, true), (&large, false)] {
            let scene = checker.prepare(boxes).expect("valid boxes");
            assert_eq!(is_cpu(scene.engine()), on_cpu);
            for movers in [&small, &large] {
                let report = checker.check(Query::against(&scene, movers)).expect("the same checker");
                assert_eq!(is_cpu(&report.engine), on_cpu);
            }
        }
        let estimate = |boxes| checker.memory_estimate(boxes, 0).device_bytes;
        assert!(estimate(999) == 0 && estimate(1000) > 0);
    }

    #[test]
    fn choosing_the_cpu_skips_the_search_for_a_gpu() {
        let checker = Checker::new(Config {
            backend: Backend::Cpu,
            ..Config::default()
        });
        let checker = checker.expect("a valid configuration");
        assert!(checker.found().gpu.is_none() && checker.warnings().is_empty());
        assert!(matches!(checker.engine(), Engine::Cpu { .. }));
    }
}
