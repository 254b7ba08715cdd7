//! The options of several commands: the backend, the precision, the frame, the format.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use obbligato::{Backend, BroadPhase, Config, GpuConfig, Precision};
use obbligato_files::{BcfVersion, Format};
use obbligato_support::excerpt::excerpt;

use crate::args::values::{broad_phase_help, broad_phase_parser};
use crate::failure::Failure;

/// The backend and the adapter.
#[derive(Debug, Args)]
pub struct BackendArguments {
    /// The backend: auto uses a real GPU, or the CPU if there is none or the check is small; gpu
    /// uses any adapter, or fails
    #[arg(long, value_enum, default_value = "auto")]
    backend: BackendName,
    /// The adapter: part of its name, its number in `obbligato devices`, or vulkan, metal or dx12
    #[arg(long, value_name = "TEXT")]
    adapter: Option<String>,
    /// Cache compiled shaders in this file for the next start; one file per adapter, Vulkan only
    #[arg(long, value_name = "FILE")]
    pipeline_cache: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum BackendName {
    Auto,
    Gpu,
    Cpu,
}

impl BackendArguments {
    /// Returns the files that a run keeps in addition to its inputs and outputs, with a description
    /// of each.
    pub fn kept(&self) -> Vec<(&Path, &'static str)> {
        let cache = self.pipeline_cache.as_deref();
        cache.map(|path| (path, "the pipeline cache")).into_iter().collect()
    }

    /// Returns the options that repeat this choice, each after a space.
    pub fn words(&self) -> String {
        let backend = match self.backend {
            BackendName::Auto => "",
            BackendName::Gpu => " --backend gpu",
            BackendName::Cpu => " --backend cpu",
        };
        let adapter = self
            .adapter
            .as_ref()
            .map(|adapter| format!(" --adapter {:?}", excerpt(adapter)));
        format!("{backend}{}", adapter.unwrap_or_default())
    }

    /// Returns the library's configuration for this choice.
    pub fn config(&self) -> Result<Config, Failure> {
        if let (BackendName::Cpu, Some(adapter)) = (self.backend, &self.adapter) {
            return Err(Failure::Input(format!(
                "--adapter {} asks for a GPU but --backend cpu rules it out: drop one of them",
                excerpt(adapter)
            )));
        }
        let backend = match self.backend {
            BackendName::Auto => Backend::Auto,
            BackendName::Gpu => Backend::Gpu,
            BackendName::Cpu => Backend::Cpu,
        };
        Ok(Config {
            backend,
            adapter: self.adapter.clone(),
            gpu: GpuConfig {
                pipeline_cache: self.pipeline_cache.clone(),
                ..GpuConfig::default()
            },
            ..Config::default()
        })
    }
}

/// The backend, the adapter and the broad phase.
#[derive(Debug, Args)]
pub struct SearchArguments {
    #[command(flatten)]
    backend: BackendArguments,
    #[arg(long, value_parser = broad_phase_parser(), default_value = "auto", help = broad_phase_help())]
    broad_phase: BroadPhase,
}

impl SearchArguments {
    /// Returns [`BackendArguments::kept`].
    pub fn kept(&self) -> Vec<(&Path, &'static str)> {
        self.backend.kept()
    }

    /// Returns the library's configuration for this choice.
    pub fn config(&self) -> Result<Config, Failure> {
        let config = self.backend.config()?;
        let broad_phase = self.broad_phase;
        let wants_gpu = config.backend == Backend::Gpu || config.adapter.is_some();
        if wants_gpu && !broad_phase.is_on_gpu() {
            return Err(Failure::Input(format!(
                "--broad-phase {broad_phase} runs on the CPU, but the other options ask for a GPU: use grid or lbvh, or drop --backend and --adapter"
            )));
        }
        Ok(Config { broad_phase, ..config })
    }
}

/// The precision of the answer.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum PrecisionName {
    /// The true pairs, the same on every device
    Exact,
    /// The pairs that f32 arithmetic finds
    Fast,
    /// The true pairs, plus pairs that f32 arithmetic cannot prove apart
    Conservative,
}

impl PrecisionName {
    /// Returns the library's precision.
    pub const fn precision(self) -> Precision {
        match self {
            Self::Exact => Precision::Exact,
            Self::Fast => Precision::Fast,
            Self::Conservative => Precision::Conservative,
        }
    }

    /// Returns its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Fast => "fast",
            Self::Conservative => "conservative",
        }
    }
}

/// The format of results whose destination has no file name ending.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum FormatName {
    /// CSV text
    Csv,
    /// A NumPy array
    Npy,
}

impl FormatName {
    /// Returns the library's format.
    pub const fn format(self) -> Format {
        match self {
            Self::Csv => Format::Csv,
            Self::Npy => Format::Npy,
        }
    }
}

/// The version of a BCF archive.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum BcfVersionName {
    /// BCF 2.1
    #[value(name = "2.1")]
    V2_1,
    /// BCF 3.0
    #[value(name = "3.0")]
    V3_0,
}

impl From<BcfVersionName> for BcfVersion {
    fn from(name: BcfVersionName) -> Self {
        match name {
            BcfVersionName::V2_1 => Self::V2_1,
            BcfVersionName::V3_0 => Self::V3_0,
        }
    }
}

/// The frame to check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrameChoice {
    /// The frame of this number.
    One(i64),
    /// Every frame separately.
    All,
}
