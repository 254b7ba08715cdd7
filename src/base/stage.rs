//! The timed parts of a check.

use std::fmt;

/// A part of a check, as named by [`Timings`](crate::report::Timings) and
/// [`Report::traffic`](crate::Report::traffic).
///
/// Some stages are parts of others: [`Stage::includes`] says which, and
/// [`Timings::step`](crate::report::Timings::step) adds them up.
///
/// ```
/// use obbligato::report::Stage;
/// assert!(Stage::Broad.includes(Stage::Sort));
/// assert_eq!(Stage::Sort.to_string(), "sort");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Stage {
    /// Copying the boxes to the GPU.
    Upload,
    /// Splitting a scene too large for the GPU into parts, and merging their results, on the host.
    Parts,
    /// Computing the bounds of all boxes, and validating the boxes. If the CPU checks boxes or
    /// spheres alone by the plan of the check before, also a part of sorting them.
    Bounds,
    /// The broad phase, which finds the candidate pairs. On a GPU its parts are timed:
    /// [`Stage::Plan`], [`Stage::Sort`] and [`Stage::Pairs`].
    Broad,
    /// Choosing the grid, on the GPU.
    Plan,
    /// Sorting the boxes into the grid, on the GPU.
    Sort,
    /// Finding the candidate pairs in the grid, on the GPU.
    Pairs,
    /// The narrow phase, which tests the candidate pairs. On a GPU its work in `f64` is timed
    /// separately, as [`Stage::F64`].
    Narrow,
    /// Testing in `f64` what `f32` left undecided, on the GPU.
    F64,
    /// Work of a GPU between its other stages: fills, copies, and gaps between kernels. With it the
    /// GPU's stages add up to the time from the first timestamp of a submission to the last.
    Other,
    /// Everything on the GPU, from recording the commands until their results are available.
    Gpu,
    /// Reading the pairs back from the GPU.
    Readback,
    /// The exact stage, which decides the undecided pairs, and sorting the pairs, both on the host.
    Exact,
}

impl Stage {
    /// Returns the name in lower case, as in the program's output: "upload", "f64", ...
    pub const fn name(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Parts => "parts",
            Self::Bounds => "bounds",
            Self::Broad => "broad",
            Self::Plan => "plan",
            Self::Sort => "sort",
            Self::Pairs => "pairs",
            Self::Narrow => "narrow",
            Self::F64 => "f64",
            Self::Other => "other",
            Self::Gpu => "gpu",
            Self::Readback => "readback",
            Self::Exact => "exact",
        }
    }

    /// Returns `true` if `other` is this stage or a part of it: the broad phase includes plan, sort
    /// and pairs; the narrow phase includes f64.
    pub const fn includes(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::Broad, Self::Plan | Self::Sort | Self::Pairs) | (Self::Narrow, Self::F64)
        ) || self as u8 == other as u8
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl From<Stage> for &'static str {
    fn from(stage: Stage) -> Self {
        stage.name()
    }
}
