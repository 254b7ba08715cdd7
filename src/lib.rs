//! Every collision among millions of oriented boxes, on the GPU or on the CPU.

#![deny(unsafe_code)]

#[doc(hidden)]
pub mod adversarial;
mod bounds;
mod boxes;
mod broad_phase;
mod checker;
mod config;
mod cpu;
mod error;
#[doc = include_str!("exactness.md")]
pub mod exactness {}
#[cfg(feature = "files")]
pub mod files;
pub mod gpu;
#[doc(hidden)]
pub mod narrow_phase;
mod parallel;
pub mod reference;
mod report;
mod results;
pub mod scenes;
pub mod verify;

pub use boxes::{Aabb, BoxProblem, COORDINATE_LIMIT, Obb, Pair, ROTATION_LENGTH_TOLERANCE};
pub use checker::Checker;
pub use config::{Backend, Config, GpuConfig, Output, Precision};
pub use error::{Error, Result};
pub use gpu::GpuChecker;
pub use narrow_phase::exact::Contact;
pub use report::{Engine, GridLevel, Report, Timings, checksum, degrees};

pub use glam;
pub use wgpu;
