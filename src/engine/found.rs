//! The result of a checker's search for an engine, and the reason for its choice.

use crate::base::config::Config;
use crate::base::engine::Engine;
use crate::base::error::Result;
use crate::base::parallel;
use crate::base::stage::Stage;
#[cfg(feature = "gpu")]
use crate::engine::gpu::engine::GpuEngine;
#[cfg(not(feature = "gpu"))]
use crate::engine::no_gpu::GpuEngine;

/// The result of a search for an engine other than the CPU.
pub(crate) struct Found {
    pub gpu: Option<Box<GpuEngine>>,
    pub engine: Engine,
    pub choice: String,
    pub warnings: Vec<String>,
}

impl Found {
    /// Finds the engine that a configuration requests.
    pub async fn search(config: &Config) -> Result<Self> {
        if !config.broad_phase.is_on_gpu() {
            return Ok(Self::on_cpu(
                "the broad phase that was requested is the CPU's".to_owned(),
            ));
        }
        let (gpu, choice) = GpuEngine::choose(config).await?;
        Ok(match gpu {
            Some(gpu) => Self::on_gpu(gpu, choice),
            None => Self::on_cpu(choice),
        })
    }

    pub fn on_gpu(gpu: GpuEngine, choice: String) -> Self {
        Self {
            engine: gpu.engine().clone(),
            choice,
            warnings: gpu.warnings().to_vec(),
            gpu: Some(Box::new(gpu)),
        }
    }

    pub fn on_cpu(choice: String) -> Self {
        Self {
            gpu: None,
            engine: on_cpu(),
            choice,
            warnings: Vec::new(),
        }
    }

    /// Performs [`Found::search`], but falls back to the CPU with a warning if the search fails.
    pub async fn search_or_warn(config: &Config) -> Self {
        Self::search(config).await.unwrap_or_else(|error| {
            let mut found = Self::on_cpu(error.to_string());
            found.warnings.push(format!("the CPU is used: {error}"));
            found
        })
    }
}

/// Returns the CPU backend.
pub(crate) fn on_cpu() -> Engine {
    Engine::Cpu {
        threads: parallel::threads(),
    }
}

/// Returns the stage that the preparation before the engine's call belongs to. A GPU times its
/// bounds itself.
pub(crate) fn made_before(engine: &Engine) -> Stage {
    match engine {
        Engine::Cpu { .. } => Stage::Bounds,
        Engine::Gpu { .. } => Stage::Upload,
    }
}
