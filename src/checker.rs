//! The general checker: chooses a backend, runs the pipeline and returns a report.

mod backend;
mod checks;
mod contacts;
mod found;
mod meshes;
mod rooms;
mod solids;
mod sweeps;
mod tiles;

use std::sync::OnceLock;

use crate::base::config::{Config, Output};
use crate::base::error::{Error, Result};
use crate::checker::found::Found;
use crate::engine::cpu::CpuChecker;
#[cfg(feature = "gpu")]
use crate::engine::gpu::engine::GpuEngine;
#[cfg(not(feature = "gpu"))]
use crate::engine::no_gpu::GpuEngine;
use crate::shapes::moving::record::Moving;

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
    config: Config,
    /// The box count below which a scene is checked on the CPU. It is 0 unless
    /// [`Backend::Auto`](crate::Backend::Auto) chooses.
    least_boxes: usize,
    cpu: Box<CpuChecker>,
    /// The records of the moving boxes of the last sweep, as given to the engine.
    moving: Vec<Moving>,
    found: OnceLock<Found>,
}

impl Checker {
    /// Returns the configuration.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the GPU engine, if a search has already found one.
    #[cfg(feature = "gpu")]
    pub(crate) fn gpu(&mut self) -> Option<&mut GpuEngine> {
        self.found.get_mut()?.gpu.as_deref_mut()
    }

    /// Returns the GPU engine for this many boxes or pairs, or `None` if the CPU is used.
    async fn gpu_for(&mut self, count: usize) -> Option<&mut GpuEngine> {
        if count < self.least_boxes {
            return None;
        }
        if self.found.get().is_none() {
            self.found = OnceLock::from(Found::search_or_warn(&self.config).await);
        }
        self.found.get_mut()?.gpu.as_deref_mut()
    }

    /// Returns the result of the search for an engine. Searches on first use.
    fn found(&self) -> &Found {
        let search = || pollster::block_on(Found::search_or_warn(&self.config));
        self.found.get_or_init(search)
    }

    /// Returns an error if the checker does not return pairs, or not all of them. `without` and
    /// `fixed` name the unavailable operation in these two cases.
    fn expect_all_pairs(&self, [without, fixed]: [&'static str; 2]) -> Result<()> {
        let unavailable = |what, hint| Err(Error::Unavailable { what, hint });
        if self.config.output != Output::Pairs {
            return unavailable(without, "set `Config::output` to `Output::Pairs`");
        }
        if self.config.max_pairs.is_some() {
            return unavailable(fixed, "all pairs are returned: leave `Config::max_pairs` out");
        }
        Ok(())
    }
}
