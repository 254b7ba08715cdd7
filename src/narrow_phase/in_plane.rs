//! Contacts and distances of bodies in the plane.
//!
//! Pairs need nothing of their own: the exact tests in space decide them, as
//! [`plane`](crate::shapes::plane) shows. Depths do, because in space a body may leave another one
//! along z.

pub(crate) mod distance;
mod figure;
pub(crate) mod manifold;
pub(crate) mod pair;

#[cfg(feature = "gpu")]
pub(crate) mod plane_manifold;
