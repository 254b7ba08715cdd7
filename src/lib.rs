//! Every collision among millions of oriented boxes, on the GPU or on the CPU, and the same ones on both.
//!
//! A [`Checker`] takes a slice of [`Obb`]s and returns a [`Report`] with every [`Pair`] that shares a point. It runs on the
//! best GPU through wgpu, or on the CPU where there is none; [`Config`] chooses. A [`GpuChecker`] runs on a device of the
//! caller's.
//!
//! ```
//! use obbligato::glam::{Quat, Vec3};
//! use obbligato::{Backend, Checker, Config, Obb, Pair};
//!
//! # fn main() -> obbligato::Result<()> {
//! let wall = Obb::axis_aligned(Vec3::new(0.0, 0.0, 1.5), Vec3::new(4.0, 0.1, 1.5));
//! let beam = Obb::new(Vec3::new(1.0, 0.5, 2.0), Vec3::new(0.1, 1.0, 0.1), Quat::from_rotation_z(0.2));
//! let crate_beside = Obb::axis_aligned(Vec3::new(-2.0, 1.0, 0.5), Vec3::splat(0.5));
//!
//! let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
//! let report = checker.check(&[wall, beam, crate_beside])?;
//! assert_eq!(report.pairs(), [Pair { a: 0, b: 1 }]);
//! # Ok(())
//! # }
//! ```
//!
//! What "exact" means here, and what it costs, is on the page [`exactness`]; how it all works, in ARCHITECTURE.md.
//!
//! # Features
//!
//! - `cli` (default): the program `obbligato`. Implies `files`.
//! - `files`: scenes and results as CSV and NPY ([`files`]).
//! - `rayon` (default): the CPU backend on all cores.

#![deny(unsafe_code)]
#![warn(missing_docs)]

#[doc(hidden)]
pub mod adversarial;
mod bounds;
mod boxes;
mod broad_phase;
mod checker;
mod config;
mod cpu;
mod elementary;
mod error;
#[doc = include_str!("exactness.md")]
pub mod exactness {}
#[cfg(feature = "files")]
pub mod files;
mod forms;
mod geometry;
pub mod gpu;
mod memory;
#[doc(hidden)]
pub mod narrow_phase;
mod parallel;
mod prepared;
pub mod reference;
mod region;
mod report;
mod results;
mod room;
mod rules;
pub mod scenes;
mod two_sets;
mod upright;
pub mod verify;

pub use boxes::{Aabb, BoxProblem, COORDINATE_LIMIT, Obb, Pair, ROTATION_LENGTH_TOLERANCE};
pub use checker::Checker;
pub use config::{Backend, Config, GpuConfig, Output, Precision};
pub use elementary::BoundingSphere;
pub use error::{Error, Result};
pub use forms::adjacency_cpu::{Adjacency, Direction};
pub use forms::sort_pairs_cpu::sort_pairs;
pub use geometry::{Feature, Plane};
pub use gpu::GpuChecker;
pub use memory::MemoryEstimate;
pub use narrow_phase::contact::Contact;
pub use narrow_phase::contacts::{Contacts, contacts};
pub use narrow_phase::distance::{ClosestPoints, closest_points};
pub use narrow_phase::manifold::{ContactPoint, Manifold, Penetration, Side};
pub use prepared::PreparedScene;
pub use region::{Frustum, Region, RegionProblem};
pub use report::{Engine, GridLevel, Operations, Report, Timings, checksum, degrees};
pub use room::{Enclosure, EnclosureState, Room};
pub use rules::{BoxSet, ExcludedPairs, NO_OWNER, Rules};
pub use upright::{CORNER_TOLERANCE, PLAN_TOLERANCE, Upright, UprightProblem};

pub use glam;
pub use wgpu;

/// The README's examples, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
