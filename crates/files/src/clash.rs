//! How a pair of boxes clashes.

use glam::DVec3;

use obbligato::Pair;

/// A pair of boxes that collide, in one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clash {
    /// The positions of the boxes.
    pub pair: Pair,
    /// How deep they are in each other, in the caller's unit; 0 if they only touch.
    pub depth: f64,
    /// Whether they only touch; `None` if that is not known.
    pub touching: Option<bool>,
    /// The direction in which to move the second box out of the first: of unit length, in the world.
    pub normal: DVec3,
    /// The middle of their contact points, in the world.
    pub point: DVec3,
    /// Whether an earlier list of pairs lacks the pair; `None` without one.
    pub is_new: Option<bool>,
}
