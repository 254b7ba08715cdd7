//! The device that a check runs on.

use std::fmt;

/// The device that a check ran on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Engine {
    /// On a GPU.
    Gpu {
        /// The adapter's name.
        adapter: String,
        /// The driver's name and version.
        driver: String,
        /// The kind of device. Times measured on a software adapter say nothing about GPUs.
        kind: AdapterKind,
    },
    /// On the CPU.
    Cpu {
        /// The number of threads used.
        threads: usize,
    },
}

impl Default for Engine {
    fn default() -> Self {
        Self::Cpu { threads: 1 }
    }
}

/// The kind of device of an adapter, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the CPU's memory.
    Integrated,
    /// A GPU assigned to a virtual machine.
    Virtual,
    /// A kind that the driver does not report.
    Other,
    /// A program on the CPU that emulates a GPU.
    Software,
}

impl AdapterKind {
    /// Returns `true` if [`Backend::Auto`](crate::Backend::Auto) uses such an adapter.
    pub const fn is_gpu(self) -> bool {
        matches!(self, Self::Discrete | Self::Integrated | Self::Virtual)
    }

    /// Returns `true` if times measured on such an adapter say something about GPUs: `false` only
    /// for [`AdapterKind::Software`].
    pub const fn is_hardware(self) -> bool {
        !matches!(self, Self::Software)
    }
}

impl fmt::Display for AdapterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Other => "other",
            Self::Software => "software",
        })
    }
}
