//! Possible responses when boxes in motion meet. The [`Checker`](crate::Checker) never calls these
//! functions: a check reports, and its caller decides what happens then.
//!
//! - [`stop`] and [`bounce`] return the motions of two bodies after an impact.
//! - [`advance`] moves all boxes through a step from impact to impact, and sweeps again after each.
//! - [`roll_back`] takes boxes that would collide back to where they were, and boxes that moved
//!   into those places, too; [`roll_back_bodies`] does so with bodies of several kinds.
//!
//! `examples/door.rs` and `examples/bouncing.rs` use them.

pub(crate) mod advance;
pub(crate) mod bounce;
pub(crate) mod mass;
pub(crate) mod moved;
pub(crate) mod rollback;
pub(crate) mod stop;

pub use crate::response::advance::{Advance, Advanced, advance};
pub use crate::response::bounce::{bounce, kinetic_energy};
pub use crate::response::mass::{Mass, Partner};
pub use crate::response::moved::{moved, velocity_at};
pub use crate::response::rollback::{roll_back, roll_back_bodies};
pub use crate::response::stop::stop;
