//! Code shared by the tests.

pub mod application;
pub mod boxes;
pub mod cases;
#[path = "../../benches/common/clouds.rs"]
pub mod clouds;
pub mod gpu;
#[path = "../../benches/common/meshes.rs"]
pub mod meshes;
pub mod pairs;
pub mod positions;
pub mod processes;
pub mod random;
pub mod rooms;
pub mod solids;
