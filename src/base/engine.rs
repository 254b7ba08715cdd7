//! Where a check runs.

use std::fmt;

/// Where a check ran.
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
        /// The kind of device; times measured on a software adapter say nothing about GPUs.
        kind: AdapterKind,
    },
    /// On the CPU.
    Cpu {
        /// Threads used.
        threads: usize,
    },
}

impl Default for Engine {
    fn default() -> Self {
        Self::Cpu { threads: 1 }
    }
}

/// What kind of device an adapter is, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the CPU's memory.
    Integrated,
    /// A GPU lent to a virtual machine.
    Virtual,
    /// The driver does not say.
    Other,
    /// A program on the CPU that acts as a GPU.
    Software,
}

impl AdapterKind {
    /// Whether [`Backend::Auto`](crate::Backend::Auto) takes it.
    pub const fn is_gpu(self) -> bool {
        matches!(self, Self::Discrete | Self::Integrated | Self::Virtual)
    }

    /// Whether times taken on it say something about GPUs: false for [`AdapterKind::Software`] alone.
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
