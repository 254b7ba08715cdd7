//! The questions that a checker answers, other than the plain [`Query`]: one file for each.

pub(crate) mod approach;
pub(crate) mod contacts;
pub(crate) mod containment;
pub(crate) mod distances;
#[cfg(feature = "gpu")]
pub(crate) mod images;
pub(crate) mod in_plane;
pub(crate) mod mesh;
pub(crate) mod mesh_scene;
pub(crate) mod neighbours;
pub(crate) mod overlap_matrix;
pub(crate) mod overlaps;
pub(crate) mod periodic;
pub(crate) mod periodic_approach;
pub(crate) mod periodic_plane;
pub(crate) mod periodic_sweep;
pub(crate) mod question;
#[cfg(feature = "gpu")]
pub(crate) mod recording;
pub(crate) mod solids;
pub(crate) mod sweep;
pub(crate) mod tile;
pub(crate) mod visit_contacts;

#[cfg(doc)]
use crate::engine::query::Query;
