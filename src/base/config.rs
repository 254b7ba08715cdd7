//! What a caller can choose, with a default for everything.

use std::path::PathBuf;
use std::time::Duration;

use crate::base::error::{Error, Result};
use crate::base::problem::COORDINATE_LIMIT;

/// How a [`Checker`](crate::Checker) works and what it returns.
///
/// ```
/// use obbligato::{Backend, Config, Output};
/// let config = Config { backend: Backend::Cpu, output: Output::Degrees, ..Config::default() };
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Where to run; the default takes a real GPU if there is one, else the CPU.
    pub backend: Backend,
    /// Which adapter: part of its name (any case), its position in [`adapters`](crate::gpu::adapters), or a graphics
    /// API ("vulkan", "metal", "dx12"). `None` takes the best.
    ///
    /// Naming an adapter asks for the GPU even if it is a software one.
    pub adapter: Option<String>,
    /// What to return.
    pub output: Output,
    /// How true the answer has to be.
    pub precision: Precision,
    /// The margin, or clearance, in the caller's unit: pairs are found whose boxes are no further apart than this. From 0, the
    /// default, which finds those that collide, to [`COORDINATE_LIMIT`](crate::COORDINATE_LIMIT).
    ///
    /// All that is said of colliding pairs then holds for the pairs within the margin: outputs, counts, capacities. With
    /// [`Precision::Exact`] they are the pairs whose [`Obb::distance`](crate::Obb::distance) is `<=` the margin, on every
    /// GPU and CPU, so that the only tolerance is the rounding error of that function; [`Report::near_pairs`](crate::Report::near_pairs) and
    /// [`Report::touching_pairs`](crate::Report::touching_pairs) tell them apart. With [`Precision::Fast`] the distance in
    /// `f32` decides, and with [`Precision::Conservative`] a pair is left out only if it is certainly further apart; the error
    /// of both is at most 2e-5 of the boxes' size, distance and margin. [`Checker::check_bounds`](crate::Checker::check_bounds) finds bounds
    /// whose gap is no wider than the margin along every axis.
    pub margin: f32,
    /// Whether to list the pairs that touch without overlapping, in [`Report::touching`](crate::Report::touching). Only
    /// with [`Precision::Exact`] and [`Output::Pairs`].
    pub list_touching: bool,
    /// The fixed-capacity mode: the most pairs to return, or `None` for all of them.
    ///
    /// When more collide, the report holds that many (which ones is not specified), the true total in
    /// [`colliding_pairs`](crate::Report::colliding_pairs), and `complete == false`. The result buffers then never grow.
    pub max_pairs: Option<usize>,
    /// Whether to count the broad phase's operations, in [`Report::operations`](crate::Report::operations): the same figure
    /// on every machine, where times are not. Costs a little time, and none if it is not set.
    pub count_operations: bool,
    /// Settings of the GPU backend.
    pub gpu: GpuConfig,
}

impl Config {
    /// An error if something in it makes no sense.
    pub(crate) fn validate(&self) -> Result<()> {
        match (0.0..=COORDINATE_LIMIT).contains(&self.margin) {
            true => Ok(()),
            false => Err(Error::InvalidMargin { margin: self.margin }),
        }
    }
}

/// Where a check runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// A discrete, integrated or virtual GPU, in this order; the CPU backend if there is none or only a software adapter.
    #[default]
    Auto,
    /// A GPU adapter, a software one if no other is there; an error if there is none at all.
    Gpu,
    /// The CPU backend.
    Cpu,
}

/// What a check returns. The totals of the [`Report`](crate::Report) come with each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// Every colliding pair, sorted by (a, b). 8 bytes a pair.
    #[default]
    Pairs,
    /// For every box the number of boxes it collides with (0 = free). 4 bytes a box, however many pairs there are.
    Degrees,
    /// Only the totals.
    Count,
}

/// How true the answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// The pairs that share a point, mathematically: the same on every GPU, driver and CPU. What `f32` cannot decide is
    /// decided in `f64`, and what that cannot is decided in whole numbers.
    #[default]
    Exact,
    /// What `f32` says. Pairs that touch or nearly so, within some 1e-6 of their size, may be missing or too many, and
    /// may differ from GPU to GPU.
    Fast,
    /// Every pair that `f32` cannot prove to be apart: never one too few, and some near misses too many.
    Conservative,
}

/// Settings of the GPU backend. The defaults suit every device; the limits exist for tests and for sharing a GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuConfig {
    /// Candidate pairs the first buffers hold; they grow to what the scenes need. Too small costs a few slow first calls.
    pub initial_candidates: usize,
    /// Colliding pairs the first buffers hold, likewise.
    pub initial_pairs: usize,
    /// No storage buffer that grows is made larger than this many bytes, even if the device allows more. The arrays of a scene
    /// are spread over a few buffers; scenes that need more are checked in parts. The few records of fixed size, some
    /// kilobytes, do not count.
    pub max_buffer_bytes: Option<u64>,
    /// No dispatch has more workgroups a dimension than this, even if the device allows more (at least 1).
    pub max_workgroups_per_dimension: Option<u32>,
    /// Use subgroup operations where the adapter has them. Results are the same without.
    pub subgroups: bool,
    /// Decide in `f64` on the GPU what `f32` cannot, where the adapter has it; else the CPU does. Results are the same
    /// without.
    pub shader_f64: bool,
    /// Run shaders with bounds checks and loop limits. Slower; results are the same without.
    pub shader_checks: bool,
    /// A file to keep compiled shaders in, so that the next start need not compile them: a checker that is made reads it, and
    /// writes it if there is something new. It is made if it is not there, with its folder.
    ///
    /// Only Vulkan has such caches, and many of its drivers keep one of their own anyway. Each adapter needs a file of its own;
    /// one that is damaged, or of another adapter or driver, is replaced. A file that cannot be read or written is no error:
    /// [`Checker::warnings`](crate::Checker::warnings) tells. Drivers trust what is in it: keep it where only you can write.
    pub pipeline_cache: Option<PathBuf>,
    /// Measure each stage with GPU timestamps, where the adapter has them.
    pub timestamps: bool,
    /// The longest wait for one submission before the call gives up with [`Error::Timeout`](crate::Error::Timeout).
    pub timeout: Duration,
}

impl Default for GpuConfig {
    fn default() -> Self {
        Self {
            initial_candidates: 1 << 16,
            initial_pairs: 1 << 16,
            max_buffer_bytes: None,
            max_workgroups_per_dimension: None,
            subgroups: true,
            shader_f64: true,
            shader_checks: false,
            pipeline_cache: None,
            timestamps: true,
            timeout: Duration::from_secs(300),
        }
    }
}
