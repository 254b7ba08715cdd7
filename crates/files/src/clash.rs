//! A clash between two boxes.

use glam::DVec3;

use obbligato::{Pair, shape::Image};

/// A pair of colliding boxes, as one row of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clash {
    /// The positions of the boxes.
    pub pair: Pair,
    /// The penetration depth, in the caller's unit; 0 if they only touch.
    pub depth: f64,
    /// `true` if they only touch; `None` if that is not known.
    pub touching: Option<bool>,
    /// The unit direction in world coordinates in which to move the second box out of the first.
    pub normal: DVec3,
    /// The mean of their contact points, in world coordinates.
    pub point: DVec3,
    /// The whole numbers of periods by which the second box is moved; zeros unless space repeats.
    pub image: Image,
    /// `true` if an earlier list of pairs lacks the pair; `None` without such a list.
    pub is_new: Option<bool>,
}
