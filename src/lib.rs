//! Finds every collision among millions of oriented boxes, on the GPU or on the CPU, with identical
//! results.
//!
//! A [`Checker`] takes a slice of [`Obb`]s and returns a [`Report`] with every [`Pair`] that shares
//! a point. It runs on the best GPU through wgpu, or on the CPU if there is no GPU; [`Config`]
//! chooses. A [`GpuChecker`] runs on the caller's device.
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
//! assert_eq!(report.pairs()?, [Pair { a: 0, b: 1 }]);
//! # Ok(())
//! # }
//! ```
//!
//! The page [`exactness`] defines "exact" and lists its costs. ARCHITECTURE.md describes the
//! design.
//!
//! # Features
//!
//! - `gpu` (default): the GPU backend ([`gpu`], [`GpuChecker`], and the crate `wgpu` that they
//!   use). Without it, [`Backend::Auto`] is the CPU, [`Backend::Gpu`] is an error, and only a
//!   fraction of the dependencies remains.
//! - `rayon` (default): the CPU backend on all cores.
//! - `serde`: boxes, results and settings read and written by serde.
//! - `mint`: conversions between [`glam`]'s vectors and quaternions and those of mint. The
//!   `from_arrays` of [`Obb`] and all other shapes take both, and those of other versions of glam,
//!   without this feature.
//! - `reload`: for work on shaders, which are then read from the source tree. Implies `gpu`.
//! - `unstable`: internals for tests, benches and the program, without any promise of stability.

// On docs.rs each item shows the feature that it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Some items are used only by the GPU backend; a build with it still finds unused ones.
#![cfg_attr(not(feature = "gpu"), allow(dead_code))]
// Without the feature `gpu`, the documentation links to items that do not exist.
#![cfg_attr(not(feature = "gpu"), allow(rustdoc::broken_intra_doc_links))]

mod base;
mod broad_phase;
mod checker;
#[cfg(feature = "gpu")]
mod device;
mod engine;
#[doc = include_str!("exactness.md")]
pub mod exactness {}
mod fitting;
#[cfg(feature = "gpu")]
mod frame;
mod geometry;
#[cfg(feature = "gpu")]
mod gpu_checker;
#[cfg(test)]
mod made_up;
mod narrow_phase;
mod outputs;
mod questions;
mod regions;
pub mod response;
mod rules;
mod shapes;
pub mod tiles;
pub mod tracking;
#[cfg(feature = "unstable")]
pub mod unstable;
pub use base::config::{Backend, BroadPhase, Config, GpuConfig, Output, Precision};
pub use base::error::{Error, Result};
pub use base::stop::Stop;
pub use checker::Checker;
pub use engine::prepared::PreparedScene;
pub use engine::query::Query;
pub use engine::query::sets::Set;
pub use geometry::pair::Pair;
pub use geometry::period::Period;
#[cfg(feature = "gpu")]
pub use gpu_checker::GpuChecker;
pub use outputs::report::Report;
pub use rules::model::Rules;
pub use shapes::bodies::set::Bodies;
pub use shapes::obb::record::Obb;
pub use shapes::obb64::record::Obb64;
pub use shapes::round::capsule::Capsule;
pub use shapes::round::sphere::Sphere;

/// Contacts, distances and overlaps: manifolds, closest points, volumes, and how two shapes meet.
pub mod contact {
    pub use crate::geometry::feature::Feature;
    pub use crate::narrow_phase::contact::Contact;
    pub use crate::narrow_phase::contacts::{Contacts, closest_points, contacts};
    pub use crate::narrow_phase::obb_obb::distance::ClosestPoints;
    pub use crate::narrow_phase::obb_obb::manifold::{ContactPoint, Manifold, Penetration, Side};
    pub use crate::narrow_phase::obb_obb::overlap::Overlap;
    pub use crate::narrow_phase::overlaps::overlaps;
    pub use crate::narrow_phase::solid_solid::crossings::Crossing;
    pub use crate::narrow_phase::solid_solid::epa::SolidPenetration;
    pub use crate::narrow_phase::solid_solid::gjk::WarmStart;
    pub use crate::narrow_phase::triangle_triangle::intersection::TriangleIntersection;
}

/// The problems of invalid input, which an [`Error`] names.
pub mod error {
    pub use crate::base::problem::{
        BoxProblem, MotionProblem, PeriodProblem, PlaneProblem, RayProblem, RegionProblem, SolidProblem, UprightProblem,
    };
}

/// Motions of bodies during a step, and the first time at which bodies meet.
pub mod motion {
    pub use crate::base::problem::TURN_LIMIT;
    pub use crate::engine::sweep::MovingSet;
    pub use crate::narrow_phase::moving_moving::bisection::{Approach, time_of_impact_along};
    pub use crate::narrow_phase::moving_moving::closest_approach::{ClosestApproach, closest_approach};
    pub use crate::narrow_phase::moving_moving::impact::time_of_impact;
    pub use crate::narrow_phase::moving_moving::safe_time::safe_time;
    pub use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
    pub use crate::outputs::approaches::{Approaches, Approaching};
    pub use crate::outputs::impacts::{Impact, Impacts};
    pub use crate::shapes::moving::motion::Motion;
    pub use crate::shapes::moving::step::Step;
}

/// Regions of space, and the bodies or points inside: rooms, view frustums, closed meshes and BSP
/// trees.
pub mod region {
    pub use crate::geometry::plane::Plane;
    pub use crate::regions::bsp::BspTree;
    pub use crate::regions::bsp::side::PlaneSide;
    pub use crate::regions::closed_mesh::ClosedMesh;
    pub use crate::regions::closed_mesh::state::{InsideRule, PointState};
    pub use crate::regions::region::{Frustum, Region};
    pub use crate::regions::room::{Enclosure, EnclosureState, Room};
}

/// The parts of a [`Report`], and what can be computed from its pairs.
pub mod report {
    pub use crate::base::engine::{AdapterKind, Engine};
    pub use crate::base::stage::Stage;
    pub use crate::base::timings::Timings;
    pub use crate::broad_phase::choice::BroadPhaseChoice;
    pub use crate::broad_phase::grid::layout::GridLevel;
    pub use crate::broad_phase::operations::Operations;
    pub use crate::engine::memory_estimate::MemoryEstimate;
    pub use crate::outputs::adjacency_cpu::{Adjacency, Direction};
    pub use crate::outputs::neighbours::{NeighbourRows, Neighbours};
    pub use crate::outputs::report::{checksum, degrees};
    pub use crate::outputs::sort_pairs_cpu::sort_pairs;
}

/// Shapes other than boxes, capsules and spheres; lists of shapes; and the limits of their numbers.
pub mod shape {
    pub use crate::base::problem::{COORDINATE_LIMIT, ROTATION_LENGTH_TOLERANCE};
    pub use crate::geometry::aabb::Aabb;
    pub use crate::geometry::period::{Image, MOST_PERIODS, SHORTEST_PERIOD};
    pub use crate::geometry::pose::Pose;
    pub use crate::regions::elementary::BoundingSphere;
    pub use crate::shapes::any::Shapes;
    pub use crate::shapes::bodies::counts::BodyCounts;
    pub use crate::shapes::bodies::set::{BodyRef, OwnedBodies};
    pub use crate::shapes::plane::yaw;
    pub use crate::shapes::round::swept_sphere::SweptSphere;
    pub use crate::shapes::solid::record::Solid;
    pub use crate::shapes::triangle::open_edges::open_edges;
    pub use crate::shapes::triangle::record::Triangle;
    pub use crate::shapes::upright::corners::CORNER_TOLERANCE;
    pub use crate::shapes::upright::record::{PLAN_TOLERANCE, Upright};
}

/// Trees of bounding volumes: a [`Bvh`](tree::Bvh) over the boxes of a scene, and trees over the
/// parts of rigid bodies, which are built once and then compared wherever the bodies are.
///
/// [`BallTree`](tree::BallTree), [`ObbTree`](tree::ObbTree) and [`AabbTree`](tree::AabbTree) are
/// [`VolumeTree`](tree::VolumeTree)s of different volumes, over triangles, boxes, points, or any
/// other [`Part`](tree::Part). A traversal runs to completion, or within
/// [a budget of tests](tree::PlacedTree::pairs_within).
pub mod tree {
    pub use crate::broad_phase::tree::bvh::{Bvh, BvhBuild, RayHit};
    pub use crate::broad_phase::tree::lists::Lists;
    pub use crate::broad_phase::tree::near::NearBox;
    pub use crate::broad_phase::tree::ray::Ray;
    pub use crate::broad_phase::volumes::ball::Ball;
    pub use crate::broad_phase::volumes::boxes::{AlignedBox, OrientedBox};
    pub use crate::broad_phase::volumes::part::{Corners, Part};
    pub use crate::broad_phase::volumes::tree::{AabbTree, BallTree, ObbTree, PlacedTree, VolumeTree};
    pub use crate::broad_phase::volumes::volume::{Between, Volume};
    pub use crate::broad_phase::volumes::walk::{Assumed, MayMeet};
}

/// The GPU backend: adapters, the features and limits a device needs, and the records of frames
/// that stay on it.
///
/// # Records in your shaders
///
/// Constants declare in WGSL the records that your shaders read or write in a recorded frame:
/// [`Obb::WGSL`], [`Capsule::WGSL`], [`Sphere::WGSL`], [`Triangle::WGSL`], [`Aabb::WGSL`],
/// [`Pair::WGSL`], [`Outcome::WGSL`], [`ManifoldRecord::WGSL`], [`PointRecord::WGSL`],
/// [`ClosestRecord::WGSL`] and [`OverlapRecord::WGSL`]. Each declares one struct of that name and
/// depends on nothing else. Put the ones that a shader uses before its text, in any order. Their
/// layouts are those of the records in Rust; tests compare the two.
///
/// In this example every box gathers its own contacts, without atomics, from the output of
/// [`AdjacencyOf`] and [`ContactsOf`]:
///
/// ```
/// use obbligato::{gpu::ManifoldRecord, GpuChecker};
/// use obbligato::{Config, Obb, wgpu};
/// # fn main() -> obbligato::Result<()> {
/// const SHADER: &str = "
///     @group(0) @binding(0) var<storage, read> offsets: array<u32>;
///     @group(0) @binding(1) var<storage, read> neighbours: array<u32>;
///     @group(0) @binding(2) var<storage, read> numbers: array<u32>;
///     @group(0) @binding(3) var<storage, read> manifolds: array<ManifoldRecord>;
///     @group(0) @binding(4) var<storage, read_write> boxes: array<Obb>;
///
///     @compute @workgroup_size(64)
///     fn step_apart(@builtin(global_invocation_id) id: vec3<u32>) {
///         let i = id.x;
///         if i >= arrayLength(&boxes) { return; }
///         for (var k = offsets[i]; k < offsets[i + 1u]; k++) {
///             let found = manifolds[numbers[k]];
///             let normal = vec3(found.normal_x, found.normal_y, found.normal_z);
///             // It points from the pair's a, which is the smaller number, to its b.
///             let away = select(normal, -normal, i < neighbours[k]);
///             boxes[i].center += 0.5 * found.depth * away;
///         }
///     }
/// ";
/// let checker = GpuChecker::open(Config::default())?;
/// let source = [Obb::WGSL, ManifoldRecord::WGSL, SHADER].concat();
/// let module = checker.device().create_shader_module(wgpu::ShaderModuleDescriptor {
///     label: Some("step apart"),
///     source: wgpu::ShaderSource::Wgsl(source.into()),
/// });
/// # let _ = module;
/// # Ok(())
/// # }
/// ```
///
/// [`Obb::WGSL`]: crate::Obb::WGSL
/// [`Aabb::WGSL`]: crate::shape::Aabb::WGSL
/// [`Pair::WGSL`]: crate::Pair::WGSL
/// [`Triangle::WGSL`]: crate::shape::Triangle::WGSL
/// [`Outcome::WGSL`]: crate::gpu::Outcome::WGSL
/// [`ManifoldRecord::WGSL`]: crate::gpu::ManifoldRecord::WGSL
/// [`PointRecord::WGSL`]: crate::gpu::PointRecord::WGSL
/// [`ClosestRecord::WGSL`]: crate::gpu::ClosestRecord::WGSL
/// [`OverlapRecord::WGSL`]: crate::gpu::OverlapRecord::WGSL
/// [`AdjacencyOf`]: crate::gpu::AdjacencyOf
/// [`ContactsOf`]: crate::gpu::ContactsOf
#[cfg(feature = "gpu")]
pub mod gpu {
    pub use crate::device::adapters::{AdapterSummary, adapters};
    pub use crate::device::requests::{required_features, required_limits};
    pub use crate::engine::gpu::contact_results::RecordedContacts;
    pub use crate::engine::gpu::event_results::RecordedEvents;
    pub use crate::engine::gpu::frame_rules::{FrameRules, RulesOf};
    pub use crate::engine::gpu::image_results::RecordedImages;
    pub use crate::engine::gpu::images::{ImageCounts, ImageRecord};
    pub use crate::engine::gpu::nearest_results::RecordedNearest;
    pub use crate::engine::gpu::pair_results::RecordedAdjacency;
    pub use crate::engine::gpu::recorded::{Capacity, FrameQuery, Recorded};
    pub use crate::engine::gpu::sweeps::{RecordedSweep, SweepQuery};
    pub use crate::engine::gpu::timer::{FrameTimer, FrameTimings, KernelTiming, TimedBy};
    pub use crate::frame::outcome::Outcome;
    pub use crate::frame::visitor::FrameVisitor;
    pub use crate::narrow_phase::moving_moving::sweep_times::ImpactRecord;
    pub use crate::narrow_phase::obb_obb::obb_closest::ClosestRecord;
    pub use crate::narrow_phase::obb_obb::obb_manifold::{ManifoldRecord, PointRecord};
    pub use crate::narrow_phase::obb_obb::obb_overlap::OverlapRecord;
    pub use crate::outputs::events::{EventCounts, EventRecord};
    pub use crate::questions::images::ImagesOf;
    pub use crate::questions::recording::{
        AdjacencyOf, ClosestPointsOf, ContactsOf, EnclosuresOf, EventsOf, NearestOf, OverlapsOf, Recordable, SortPairs,
    };
    pub use crate::shapes::moving::moving_records::EarliestImpact;
}

/// Scenes of rigid meshes: which of them overlap, touch, contain one another or are near.
pub mod mesh {
    pub use crate::questions::mesh_scene::MeshScene;
    pub use crate::questions::mesh_scene::body::{MeshBody, MeshInstance};
    pub use crate::questions::mesh_scene::relation::{MeshPair, MeshRelation};
}

/// The questions that a [`Checker`] answers.
///
/// Each is a value, made by its own constructors and passed to [`Checker::check`] or
/// [`Checker::check_async`], which return its answer. The first of them is [`Query`], for colliding
/// pairs. [`gpu::Recordable`] has those that a GPU answers in the caller's frame.
pub mod query {
    pub use crate::questions::approach::ApproachQuery;
    pub use crate::questions::contacts::ContactQuery;
    pub use crate::questions::containment::Containment;
    pub use crate::questions::distances::DistanceQuery;
    pub use crate::questions::in_plane::InPlane;
    pub use crate::questions::mesh::MeshQuery;
    pub use crate::questions::neighbours::NeighbourQuery;
    pub use crate::questions::neighbours::places::Points;
    pub use crate::questions::overlap_matrix::OverlapMatrix;
    pub use crate::questions::overlaps::OverlapQuery;
    pub use crate::questions::periodic::{InImages, Periodic};
    pub use crate::questions::question::Question;
    pub use crate::questions::solids::SolidQuery;
    pub use crate::questions::sweep::Sweep;
    pub use crate::questions::tile::TileQuery;
    pub use crate::questions::visit_contacts::ContactVisit;
    pub use crate::rules::model::{ExcludedPairs, NO_OWNER};
}

pub use bytemuck;
pub use glam;
#[cfg(feature = "gpu")]
pub use wgpu;

/// The examples of the README and of the pages under docs, compiled and run as documentation tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/src/guide/library.md")]
    struct Library;
    #[doc = include_str!("../docs/src/guide/engines.md")]
    struct Engines;
    #[doc = include_str!("../docs/src/guide/files.md")]
    struct Files;
}
