//! The configuration, with a default for everything.

use std::path::PathBuf;
use std::time::Duration;

use crate::base::error::{Error, Result};
use crate::base::problem::COORDINATE_LIMIT;
use crate::base::stop::Stop;

/// The configuration of a [`Checker`](crate::Checker).
///
/// ```
/// use obbligato::{Backend, Config, Output};
/// let config = Config { backend: Backend::Cpu, output: Output::Degrees, ..Config::default() };
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Config {
    /// The backend to run on. The default uses a real GPU if there is one, otherwise the CPU.
    pub backend: Backend,
    /// The adapter to use: part of its name (any case), its position in
    /// [`adapters`](crate::gpu::adapters), or a graphics API ("vulkan", "metal", "dx12"). `None`
    /// picks the best.
    ///
    /// Naming an adapter requests a GPU, even if it is a software adapter.
    pub adapter: Option<String>,
    /// The method that finds the candidate pairs. The answer is the same with each of them.
    pub broad_phase: BroadPhase,
    /// The form of the result.
    pub output: Output,
    /// The required accuracy of the answer.
    pub precision: Precision,
    /// The margin, or clearance, in the caller's unit: a check finds the pairs whose boxes are at
    /// most this far apart. Ranges from 0, the default, which finds colliding pairs, to
    /// [`COORDINATE_LIMIT`].
    ///
    /// All documentation of colliding pairs (outputs, counts, capacities) then applies to pairs
    /// within the margin. With [`Precision::Exact`] these are the pairs whose true distance is at
    /// most the margin, on every GPU and CPU: the distance is compared with this very `f64`,
    /// without rounding ([`exactness`](crate::exactness) has the details);
    /// [`Report::near_pairs`](crate::Report::near_pairs) and
    /// [`Report::touching_pairs`](crate::Report::touching_pairs) tell them apart. With
    /// [`Precision::Fast`] the `f32` distance decides, and [`Precision::Conservative`] omits a pair
    /// only if it is certainly further apart; the error of both is at most 3e-5 of the boxes' size,
    /// distance and margin. A check of [`Aabb`](crate::shape::Aabb)s finds bounds whose gap along
    /// every axis is no wider than the margin, exactly. A recorded frame rounds the margin up to
    /// `f32`; the pairs that it leaves undecided are decided by this `f64`.
    pub margin: f64,
    /// Set to list the pairs that touch without overlapping, in
    /// [`Report::touching`](crate::Report::touching). Only with [`Precision::Exact`], and not for
    /// bounds.
    pub list_touching: bool,
    /// Fixed-capacity mode: the maximum number of pairs to return, or `None` for all of them.
    ///
    /// If more pairs collide, the report has this many (unspecified which), the true total in
    /// [`colliding_pairs`](crate::Report::colliding_pairs), and `complete == false`. The result
    /// buffers never hold more; those of recorded frames are created with this capacity.
    pub max_pairs: Option<usize>,
    /// Set to count the broad phase's operations, in
    /// [`Report::operations`](crate::Report::operations). Unlike times, the counts are the same on
    /// every machine. Counting costs a little time on a GPU. A CPU that counts searches for one box
    /// at a time instead of as many as its vectors have lanes, keeps no levels of an earlier check,
    /// and takes longer.
    pub count_operations: bool,
    /// Settings of the GPU backend.
    pub gpu: GpuConfig,
    /// A switch that ends calls from another thread.
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

/// Returns an error if the margin is not a distance.
pub(crate) fn validate_margin(margin: f64) -> Result<()> {
    match (0.0..=f64::from(COORDINATE_LIMIT)).contains(&margin) {
        true => Ok(()),
        false => Err(Error::InvalidMargin { margin }),
    }
}

/// The backend that a check runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Backend {
    /// A discrete, integrated or virtual GPU, in this order, for scenes of at least
    /// [`GpuConfig::least_boxes`]. The CPU backend for smaller scenes, and if there is no GPU or
    /// only a software adapter.
    #[default]
    Auto,
    /// A GPU adapter, or a software adapter if there is no GPU; an error if there is no adapter at
    /// all.
    Gpu,
    /// The CPU backend.
    Cpu,
}

/// Declares the broad phases: each with its name and a few words for a list of choices.
macro_rules! broad_phases {
    ($(#[$about:meta])* pub enum BroadPhase { $($(#[$doc:meta])* $phase:ident: $name:literal, $words:literal;)+ }) => {
        $(#[$about])*
        pub enum BroadPhase {
            $($(#[$doc])* $phase,)+
        }

        impl BroadPhase {
            /// All methods, of which the first is [`BroadPhase::Auto`].
            pub const ALL: &'static [Self] = &[$(Self::$phase),+];

            /// Returns the name in lower case, as in the program: "auto", "grid", ...
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$phase => $name,)+
                }
            }

            /// Returns a few words about the method, without a full stop.
            pub const fn describe(self) -> &'static str {
                match self {
                    $(Self::$phase => $words,)+
                }
            }
        }
    };
}

broad_phases! {
    /// The method that finds the candidate pairs, those whose bounds overlap. All methods find the
    /// same pairs; they differ only in time and memory.
    ///
    /// [`BroadPhase::Sweep`], [`BroadPhase::Tree`], [`BroadPhase::Octree`] and
    /// [`BroadPhase::AllPairs`] run only on the CPU: with [`Backend::Auto`] they choose the CPU,
    /// and with [`Backend::Gpu`] they are an error.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
    #[non_exhaustive]
    pub enum BroadPhase {
        /// The method that suits the scene; [`Report::broad_phase`](crate::Report::broad_phase)
        /// says which and why.
        #[default]
        Auto: "auto", "Chosen for the scene";
        /// A hierarchical uniform grid.
        Grid: "grid", "A hierarchical uniform grid";
        /// Sort and sweep: bounds sorted along the axis on which they overlap least, each compared
        /// with those that begin before it ends.
        Sweep: "sweep", "Sort and sweep";
        /// A tree of bounding boxes, eight in a node, packed along a Morton curve.
        Tree: "tree", "A tree of bounding boxes, eight in each node";
        /// An octree of tight boxes.
        Octree: "octree", "An octree of tight boxes";
        /// A linear tree of bounding boxes, two in a node: Karras' construction, on the GPU and in
        /// an equivalent form on the CPU.
        Lbvh: "lbvh", "A linear tree of bounding boxes, two in each node";
        /// Brute force, for few boxes: compares every pair. The time grows with the square of the
        /// number of boxes, or of those in a world if the list of worlds ascends.
        AllPairs: "all-pairs", "Every pair, for few boxes";
    }
}

impl BroadPhase {
    /// Returns `true` if the GPU backend supports this method.
    pub const fn is_on_gpu(self) -> bool {
        matches!(self, Self::Auto | Self::Grid | Self::Lbvh)
    }

    /// Returns an error if the GPU backend does not support this method.
    pub(crate) fn expect_on_gpu(self) -> Result<()> {
        match self.is_on_gpu() {
            true => Ok(()),
            false => Err(Error::Unavailable {
                what: "this broad phase on a GPU",
                hint: "it runs only on the CPU: set `Config::broad_phase` to `Auto`, `Grid` or `Lbvh`, or use the CPU backend",
            }),
        }
    }
}

impl std::fmt::Display for BroadPhase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// The form of the result of a check. The [`Report`](crate::Report) always has the totals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Output {
    /// Every colliding pair, sorted by (a, b). 8 bytes per pair.
    #[default]
    Pairs,
    /// The number of boxes that each box collides with (0 = free). 4 bytes per box, however many
    /// pairs there are.
    Degrees,
    /// Only the totals.
    Count,
}

/// The accuracy of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Precision {
    /// The pairs that mathematically share a point, identical on every GPU, driver and CPU. `f64`
    /// decides the pairs that `f32` cannot, and integer arithmetic decides those that `f64` cannot.
    #[default]
    Exact,
    /// The pairs that `f32` finds. Pairs that touch or nearly touch, within about 1e-5 of their
    /// size, may be missing or extra, and may differ between GPUs.
    Fast,
    /// Every pair that `f32` cannot prove separate: no pair is missing, but some near misses are
    /// extra.
    Conservative,
}

/// Settings of the GPU backend. The defaults suit every device; the limits are for tests and for
/// sharing a GPU.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct GpuConfig {
    /// The number of boxes below which [`Backend::Auto`] checks scenes on the CPU, and also lists
    /// of fewer pairs: the CPU answers before a GPU would have read the scene and sent back the
    /// pairs. 0 gives all work to a GPU. The default, 16,384, is the number that one thread checks
    /// in about 1.5 ms, roughly the fixed cost of a call with a GPU; this is an estimate, not
    /// measured on hardware.
    ///
    /// Exact results are the same on both. With other precisions, pairs of boxes that nearly touch
    /// may differ between the two.
    pub least_boxes: usize,
    /// Initial capacity of the buffers for candidate pairs. They grow as scenes need; too small a
    /// value slows down the first few calls.
    pub initial_candidates: usize,
    /// Initial capacity of the buffers for colliding pairs, which grow in the same way.
    pub initial_pairs: usize,
    /// The largest size in bytes of any growing storage buffer, even if the device allows more. A
    /// scene's arrays are spread over a few buffers; scenes that need more are checked in parts.
    /// The few fixed-size records, a few kilobytes, do not count.
    pub max_buffer_bytes: Option<u64>,
    /// The maximum number of workgroups per dimension of any dispatch, even if the device allows
    /// more (at least 1).
    pub max_workgroups_per_dimension: Option<u32>,
    /// Set to use subgroup operations if the adapter supports them. Results are the same without
    /// them.
    pub subgroups: bool,
    /// Set to decide in `f64` on the GPU what `f32` cannot, if the adapter supports it; otherwise
    /// the CPU does. Results are the same without it.
    pub shader_f64: bool,
    /// Set to run shaders with bounds checks and loop limits. Slower; results are the same without
    /// them.
    pub shader_checks: bool,
    /// A file that caches compiled shaders, so that the next start need not compile them. A new
    /// checker reads it, and writes it if there is something new. The file and its folder are
    /// created if missing.
    ///
    /// Only Vulkan has such caches, and many of its drivers keep their own anyway. Each adapter
    /// needs its own file; a file that is damaged, or belongs to another adapter or driver, is
    /// replaced. A file that cannot be read or written is not an error but a
    /// [warning](crate::Checker::warnings). Drivers trust its content: keep it in a place that only
    /// you can write to.
    pub pipeline_cache: Option<PathBuf>,
    /// Set to measure each stage with GPU timestamps if the adapter supports them.
    pub timestamps: bool,
    /// The longest wait for one submission before the call fails with [`Error::Timeout`]. If a
    /// device is still busy when its checker is dropped, the drop waits equally long, or one second
    /// if the device has already timed out. Then the device is leaked, because wgpu can drop it
    /// only once its driver finishes, which may be never.
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
