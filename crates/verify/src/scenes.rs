//! Named, seeded scenes, shared by tests, benches and the command line.
//!
//! The same count and seed give the same scene to the last bit, on every machine, forever: the
//! generator is our own, and every number comes from arithmetic that IEEE 754 defines exactly.
//! `tests/it/scenes.rs` has the checksums.

mod bodies;
mod layouts;
mod meshes;
mod random;
mod scene;

pub use crate::scenes::bodies::BodyScene;
pub use crate::scenes::meshes::rings;
pub use crate::scenes::scene::Scene;
