//! The planes and the parts of a BSP tree.

use std::sync::atomic::AtomicU8;

use glam::Vec3;

use crate::geometry::aabb::Aabb;
use crate::geometry::orientation::above;
use crate::shapes::triangle::record::Triangle;

/// The maximum number of levels of planes. Crowded parts at this depth are not divided further.
pub(super) const DEEPEST: usize = 256;

/// The whole tree.
#[derive(Debug)]
pub(super) struct Tree {
    pub triangles: Vec<Triangle>,
    /// The bounds of all triangles.
    pub bounds: Aabb,
    pub nodes: Vec<Node>,
    pub leaves: Vec<Leaf>,
    /// The triangles in the planes of nodes and those of crowded leaves.
    pub members: Vec<u32>,
    pub root: Child,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            triangles: Vec::new(),
            bounds: Aabb::new(Vec3::INFINITY, Vec3::NEG_INFINITY),
            nodes: Vec::new(),
            leaves: Vec::new(),
            members: Vec::new(),
            root: Child::Leaf(0),
        }
    }
}

/// A plane between two parts of space.
#[derive(Clone, Copy, Debug)]
pub(super) enum Split {
    /// Perpendicular to an axis: greater coordinates are in front.
    Axis(usize, f32),
    /// Through three points: in front is the side from which they are seen counter-clockwise.
    Plane([Vec3; 3]),
}

impl Split {
    /// Returns a number above 0 in front, below 0 behind, 0 on the plane.
    pub fn height(&self, point: Vec3) -> f64 {
        match *self {
            Self::Axis(axis, at) => f64::from(point[axis]) - f64::from(at),
            Self::Plane([a, b, c]) => above(a, b, c, point),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Child {
    Node(u32),
    Leaf(u32),
}

#[derive(Debug)]
pub(super) struct Node {
    pub split: Split,
    pub front: Child,
    pub behind: Child,
    /// The triangles in the plane: the position of the first, and their number.
    pub members: [u32; 2],
}

/// A convex part of space.
#[derive(Debug)]
pub(super) struct Leaf {
    /// The triangles of a crowded part: the position of the first, and their number.
    pub members: [u32; 2],
    /// The state relative to the solid: [`UNKNOWN`] until the first point falls into the part.
    pub state: AtomicU8,
}

pub(super) const UNKNOWN: u8 = 0;
pub(super) const INSIDE: u8 = 1;
pub(super) const OUTSIDE: u8 = 2;
