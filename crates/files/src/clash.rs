//! A clash between two boxes.

use glam::DVec3;

use obbligato::{Pair, shape::Image};

/// A pair of boxes that collide or are too near, as one row of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clash {
    /// The positions of the boxes.
    pub pair: Pair,
    /// The penetration depth, in the caller's unit; 0 if they only touch.
    pub depth: f64,
    /// `true` if they only touch; `None` if that is not known.
    pub touching: Option<bool>,
    /// The unit direction in world coordinates in which to move the second box out of the first, or
    /// away from it.
    pub normal: DVec3,
    /// The mean of their contact points, or of their closest points, in world coordinates.
    pub point: DVec3,
    /// The whole numbers of periods by which the second box is moved; zeros unless space repeats.
    pub image: Image,
    /// `true` if an earlier list of pairs lacks the pair; `None` without such a list.
    pub is_new: Option<bool>,
    /// The positions of the boxes relative to each other.
    pub kind: Kind,
    /// The number of its group; `None` if clashes are not grouped.
    pub group: Option<u32>,
    /// The distance of the boxes, in the caller's unit; 0 if they collide.
    pub distance: f64,
    /// The number of the rule that decides about it; `None` if no rule does.
    pub rule: Option<u32>,
}

/// A pair of named meshes that share a point or are too near, as one row of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshClash<'a> {
    /// The names of both.
    pub names: [&'a str; 2],
    /// The positions of the meshes relative to each other.
    pub kind: Kind,
    /// The one that is inside the other, `a` or `b`, if one is; otherwise empty.
    pub inner: &'static str,
    /// The distance of their surfaces, if it is known.
    pub distance: Option<f64>,
    /// The triangles, one of each, that share a point or are nearest to each other.
    pub triangles: Option<[usize; 2]>,
}

/// The positions of the two boxes of a clash relative to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// They share points of their surfaces alone.
    Touch,
    /// None of the others.
    Overlap,
    /// One passes through the other: it has two opposite faces that the other does not meet, and
    /// every line from one to the other does.
    Pierce,
    /// One contains the other.
    Contain,
    /// They are the same box.
    Duplicate,
    /// They share no point, but are nearer than they may be.
    Near,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Touch,
        Self::Overlap,
        Self::Pierce,
        Self::Contain,
        Self::Duplicate,
        Self::Near,
    ];

    /// Returns its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Touch => "touch",
            Self::Overlap => "overlap",
            Self::Pierce => "pierce",
            Self::Contain => "contain",
            Self::Duplicate => "duplicate",
            Self::Near => "near",
        }
    }
}
