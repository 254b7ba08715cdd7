//! The configuration, with a default for everything.

use std::path::PathBuf;
use std::time::Duration;

use crate::base::error::{Error, Result};
use crate::base::problem::COORDINATE_LIMIT;
use crate::base::stop::Stop;

/// How a [`Checker`](crate::Checker) works and what it returns.
///
/// ```
/// use obbligato::{Backend, Config, Output};
/// let config = Config { backend: Backend::Cpu, output: Output::Degrees, ..Config::default() };
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Config {
    /// Where to run; the default uses a real GPU if there is one, else the CPU.
    pub backend: Backend,
    /// Which adapter: part of its name (any case), its position in [`adapters`](crate::gpu::adapters), or a graphics
    /// API ("vulkan", "metal", "dx12"). `None` picks the best.
    ///
    /// Naming an adapter requests a GPU, even if it is a software adapter.
    pub adapter: Option<String>,
    /// What finds the candidate pairs. The answer is the same with each of them.
    pub broad_phase: BroadPhase,
    /// What to return.
    pub output: Output,
    /// How accurate the answer must be.
    pub precision: Precision,
    /// The margin, or clearance, in the caller's unit: a check finds the pairs whose boxes are no further apart than
    /// this. From 0, the default, which finds colliding pairs, to [`COORDINATE_LIMIT`].
    ///
    /// Everything said about colliding pairs (outputs, counts, capacities) then applies to pairs within the margin.
    /// With [`Precision::Exact`] these are the pairs whose true distance is at most the margin, on every GPU and CPU: the
    /// distance is compared with this very `f64`, without rounding ([`exactness`](crate::exactness) has the details);
    /// [`Report::near_pairs`](crate::Report::near_pairs) and [`Report::touching_pairs`](crate::Report::touching_pairs)
    /// tell them apart. With [`Precision::Fast`] the `f32` distance decides, and [`Precision::Conservative`] omits a
    /// pair only if it is certainly further apart; the error of both is at most 3e-5 of the boxes' size, distance and
    /// margin. [`Query::bounds`](crate::Query::bounds) finds bounds whose gap along every axis is no
    /// wider than the margin, exactly. A recorded frame has the margin rounded up to `f32`; what it leaves
    /// undecided is decided by this number.
    pub margin: f64,
    /// Whether to list the pairs that touch without overlapping, in [`Report::touching`](crate::Report::touching).
    /// Only with [`Precision::Exact`], and not for [`Query::bounds`](crate::Query::bounds).
    pub list_touching: bool,
    /// Fixed-capacity mode: the most pairs to return, or `None` for all of them.
    ///
    /// If more pairs collide, the report has that many (which ones is unspecified), the true total in
    /// [`colliding_pairs`](crate::Report::colliding_pairs), and `complete == false`. The result buffers never hold more;
    /// those of recorded frames are made for as many.
    pub max_pairs: Option<usize>,
    /// Whether to count the broad phase's operations, in [`Report::operations`](crate::Report::operations): unlike
    /// times, the counts are the same on every machine. Costs a little time if set.
    pub count_operations: bool,
    /// Settings of the GPU backend.
    pub gpu: GpuConfig,
    /// Ends calls from another thread.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub stop: Stop,
}

impl Config {
    /// Returns an error if a setting is invalid.
    pub(crate) fn validate(&self) -> Result<()> {
        validate_margin(self.margin)?;
        match self.backend == Backend::Gpu || self.adapter.is_some() {
            true => self.broad_phase.expect_on_gpu(),
            false => Ok(()),
        }
    }
}

/// An error if a margin is not a distance.
pub(crate) fn validate_margin(margin: f64) -> Result<()> {
    match (0.0..=f64::from(COORDINATE_LIMIT)).contains(&margin) {
        true => Ok(()),
        false => Err(Error::InvalidMargin { margin }),
    }
}

/// Where a check runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Backend {
    /// A discrete, integrated or virtual GPU, in this order, for scenes of [`GpuConfig::least_boxes`] and more; the CPU
    /// backend for smaller ones, and if there is no GPU or only a software adapter.
    #[default]
    Auto,
    /// A GPU adapter, or a software one if there is no other; an error if there is none at all.
    Gpu,
    /// The CPU backend.
    Cpu,
}

/// What finds the candidate pairs: those whose bounds overlap. All of them find the same ones, and differ in time and memory alone.
///
/// [`BroadPhase::Sweep`], [`BroadPhase::Tree`], [`BroadPhase::Octree`] and [`BroadPhase::AllPairs`] are the CPU's: with
/// [`Backend::Auto`] they choose the CPU, and with [`Backend::Gpu`] they are an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum BroadPhase {
    /// Whichever suits the scene; [`Report::broad_phase`](crate::Report::broad_phase) says which and why.
    #[default]
    Auto,
    /// A hierarchical uniform grid.
    Grid,
    /// Sort and sweep: bounds sorted along the axis on which they overlap least, each compared with those that begin before it ends.
    Sweep,
    /// A tree of bounding boxes, eight in a node, packed along a Morton curve.
    Tree,
    /// An octree of tight boxes.
    Octree,
    /// A linear tree of bounding boxes, two in a node: Karras' construction, on the GPU and its twin on the CPU.
    Lbvh,
    /// Every pair is compared: for few boxes. The time grows with the square of their number.
    AllPairs,
}

impl BroadPhase {
    /// In lower case, as the program has it: "auto", "grid", ...
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Grid => "grid",
            Self::Sweep => "sweep",
            Self::Tree => "tree",
            Self::Octree => "octree",
            Self::Lbvh => "lbvh",
            Self::AllPairs => "all-pairs",
        }
    }

    /// Whether GPUs have it.
    pub const fn is_on_gpu(self) -> bool {
        matches!(self, Self::Auto | Self::Grid | Self::Lbvh)
    }

    /// An error if GPUs do not have it.
    pub(crate) fn expect_on_gpu(self) -> Result<()> {
        match self.is_on_gpu() {
            true => Ok(()),
            false => Err(Error::Unavailable {
                what: "this broad phase on a GPU",
                hint: "it is the CPU's: set `Config::broad_phase` to `Auto`, `Grid` or `Lbvh`, or leave the GPU out",
            }),
        }
    }
}

impl std::fmt::Display for BroadPhase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// What a check returns. The [`Report`](crate::Report) always has the totals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Output {
    /// Every colliding pair, sorted by (a, b). 8 bytes per pair.
    #[default]
    Pairs,
    /// The number of boxes that each box collides with (0 = free). 4 bytes per box, however many pairs there are.
    Degrees,
    /// Only the totals.
    Count,
}

/// How accurate the answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Precision {
    /// The pairs that mathematically share a point, the same on every GPU, driver and CPU. `f64` decides what `f32`
    /// cannot, and integer arithmetic decides what `f64` cannot.
    #[default]
    Exact,
    /// The pairs that `f32` finds. Pairs that touch or nearly touch, within some 1e-5 of their size, may be missing or
    /// extra, and may differ between GPUs.
    Fast,
    /// Every pair that `f32` cannot prove apart: no pair is missing, but some near misses are extra.
    Conservative,
}

/// Settings of the GPU backend. The defaults suit every device; the limits exist for tests and for sharing a GPU.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct GpuConfig {
    /// [`Backend::Auto`] checks scenes with fewer boxes on the CPU, and lists of fewer pairs: it answers before a GPU would
    /// have read the scene and sent back the pairs. 0 gives a GPU everything. The default, 16,384, is what one thread checks
    /// in some 1.5 ms, about the least that a call takes with a GPU; this is an estimate, not measured on hardware.
    ///
    /// Exact results are the same. With other precisions, the boxes near touching may differ between the two.
    pub least_boxes: usize,
    /// Capacity of the first buffers for candidate pairs. They grow as scenes need; too small a value slows down the
    /// first few calls.
    pub initial_candidates: usize,
    /// Capacity of the first buffers for colliding pairs, likewise.
    pub initial_pairs: usize,
    /// The largest size in bytes of any growing storage buffer, even if the device allows more. A scene's arrays are
    /// spread over a few buffers; scenes that need more are checked in parts. The few fixed-size records, some
    /// kilobytes, do not count.
    pub max_buffer_bytes: Option<u64>,
    /// The most workgroups per dimension of any dispatch, even if the device allows more (at least 1).
    pub max_workgroups_per_dimension: Option<u32>,
    /// Use subgroup operations if the adapter supports them. Results are the same without.
    pub subgroups: bool,
    /// Decide in `f64` on the GPU what `f32` cannot, if the adapter supports it; else the CPU does. Results are the
    /// same without.
    pub shader_f64: bool,
    /// Run shaders with bounds checks and loop limits. Slower; results are the same without.
    pub shader_checks: bool,
    /// A file that caches compiled shaders, so that the next start need not compile them: a new checker reads it, and
    /// writes it if there is something new. The file and its folder are created if missing.
    ///
    /// Only Vulkan has such caches, and many of its drivers keep their own anyway. Each adapter needs its own file; a
    /// file that is damaged, or belongs to another adapter or driver, is replaced. A file that cannot be read or
    /// written is not an error but a [warning](crate::Checker::warnings). Drivers trust its content: keep it where only
    /// you can write.
    pub pipeline_cache: Option<PathBuf>,
    /// Measure each stage with GPU timestamps if the adapter supports them.
    pub timestamps: bool,
    /// The longest wait for one submission before the call fails with [`Error::Timeout`]. A device that is still at work when
    /// its checker is dropped is waited for as long, or for a second if it has failed so before. Then it is leaked, as wgpu
    /// can only drop it once its driver finishes, which may be never.
    pub timeout: Duration,
}

impl Default for GpuConfig {
    fn default() -> Self {
        Self {
            least_boxes: 1 << 14,
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
