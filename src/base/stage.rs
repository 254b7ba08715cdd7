//! The parts of a check that are timed.

use std::fmt;

/// A part of a check, as [`Timings`](crate::Timings) and [`Report::traffic`](crate::Report::traffic) name it.
///
/// Some are parts of others, which [`Stage::includes`] tells and [`Timings::step`](crate::Timings::step) adds up.
///
/// ```
/// use obbligato::Stage;
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
    /// Cutting a scene too large for the GPU into parts, and putting their results together, on the host.
    Parts,
    /// The bounds of all boxes, and checking that boxes are valid.
    Bounds,
    /// The broad phase, which finds the candidate pairs. A GPU times its parts: [`Stage::Plan`], [`Stage::Sort`] and
    /// [`Stage::Pairs`].
    Broad,
    /// Choosing the grid, on the GPU.
    Plan,
    /// Sorting the boxes into the grid, on the GPU.
    Sort,
    /// Finding the candidate pairs in the grid, on the GPU.
    Pairs,
    /// The narrow phase, which tests the candidate pairs. A GPU times what it does in `f64` by itself, as [`Stage::F64`].
    Narrow,
    /// Testing in `f64` what `f32` left undecided, on the GPU.
    F64,
    /// What a GPU does between its other stages: fills, copies, and gaps between kernels. With it the GPU's stages make up
    /// the time from the first timestamp of a submission to the last.
    Other,
    /// Everything on the GPU, from recording the commands until their results are there.
    Gpu,
    /// Reading the pairs back from the GPU.
    Readback,
    /// The exact stage, which decides what is left undecided, and sorting the pairs, both on the host.
    Exact,
}

impl Stage {
    /// In lower case, as the program's output has it: "upload", "f64", ...
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

    /// Whether `other` is this stage or a part of it: the broad phase includes plan, sort and pairs, the narrow phase f64.
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
