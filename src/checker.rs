//! The checker for everyone: picks a backend, runs the pipeline, returns a report.

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

/// Finds every colliding pair, on the backend that the configuration chooses.
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
    /// Scenes with fewer boxes are the CPU's; 0 unless [`Backend::Auto`](crate::Backend::Auto) chooses.
    least_boxes: usize,
    cpu: Box<CpuChecker>,
    /// What the boxes of the last sweep were to the engine.
    moving: Vec<Moving>,
    found: OnceLock<Found>,
}

impl Checker {
    /// How it works.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The engine on a GPU, if this checker has one or had it at once.
    #[cfg(feature = "gpu")]
    pub(crate) fn gpu(&mut self) -> Option<&mut GpuEngine> {
        self.found.get_mut()?.gpu.as_deref_mut()
    }

    /// The GPU for this many boxes, or pairs; `None` if the CPU serves.
    async fn gpu_for(&mut self, count: usize) -> Option<&mut GpuEngine> {
        if count < self.least_boxes {
            return None;
        }
        if self.found.get().is_none() {
            self.found = OnceLock::from(Found::search_or_warn(&self.config).await);
        }
        self.found.get_mut()?.gpu.as_deref_mut()
    }

    /// What there is. Searches if nothing has asked before.
    fn found(&self) -> &Found {
        let search = || pollster::block_on(Found::search_or_warn(&self.config));
        self.found.get_or_init(search)
    }

    /// An error if the checker returns no pairs, or not all, with these names for what is then asked for.
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
