//! The independent reference: all pairs, exactly, by plain formulas, sharing no code with the
//! backends.
//!
//! The code aims to be obviously right: it projects the eight corners of both boxes onto an axis
//! and compares the two intervals. There is no radius formula and no relative frame. This is done
//! in f64; if the result is so close that rounding could change it, an oracle decides in integer
//! arithmetic. For capsules and spheres, distances are compared instead, and the oracle uses
//! rational arithmetic. The pairs of a scene come from a sweep over sorted intervals, which tests
//! compare with the plain loop over all pairs. A box's [`partners`], and the pairs of two scenes
//! ([`pairs_against`]), come from that plain loop. The time of the first contact of boxes that move
//! straight ([`first_contact`]) is a ratio of integers.
//!
//! All functions expect valid bodies (see [`Obb::problem`](obbligato::Obb::problem)); the result
//! for one with a NaN is meaningless.

mod bodies;
mod distance;
mod mesh;
mod mesh_scene;
mod neighbours;
pub mod oracle;
mod pairs;
mod periodic;
mod periodic_sweep;
pub mod rational;
mod round;
mod rules;
mod separation;
mod solid;
mod solid_lengths;
mod solids;
mod sphere;
pub mod substeps;
mod sweep;
mod swept;
mod triangles;
mod whole;

pub(crate) use crate::reference::bodies::separation_of;
pub use crate::reference::distance::distance;
pub use crate::reference::mesh::{point_in_mesh, winding_number};
pub use crate::reference::mesh_scene::{PieceSolid, mesh_distance, mesh_relation};
pub use crate::reference::neighbours::{Neighbour, nearest_points};
pub(crate) use crate::reference::pairs::gather;
pub use crate::reference::pairs::{
    colliding_pairs, contacts, contacts64, overlapping_bounds, pairs_against, pairs_within, partners,
};
pub use crate::reference::periodic::{ImageContact, periodic_pairs, periodic_pairs64};
pub use crate::reference::periodic_sweep::{image_first_contact, image_meets};
pub use crate::reference::round::{
    bodies_meet, body_contact, body_distance, body_enclosure, boxes_distance_square, boxes_within, spheres_meet,
    swept_sphere_box_contact, swept_sphere_contact, triangle_meets_body,
};
pub use crate::reference::rules::allowed;
pub(crate) use crate::reference::separation::separation64;
pub use crate::reference::separation::{collides, contact, contact64, separation};
pub use crate::reference::solid_lengths::{solids_depth, solids_distance, solids_distance_square, solids_within};
pub use crate::reference::solids::solids_contact;
pub use crate::reference::swept::{ExactTime, first_contact};
pub use crate::reference::triangles::{triangles_intersection, triangles_meet, triangles_meet_in_mesh};
