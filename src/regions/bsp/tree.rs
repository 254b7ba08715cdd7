//! The planes and the parts of a BSP tree.

use std::sync::atomic::AtomicU8;

use glam::Vec3;

use crate::geometry::aabb::Aabb;
use crate::geometry::orientation::above;
use crate::shapes::triangle::record::Triangle;

/// Levels of planes. What is crowded there is not divided further.
pub(super) const DEEPEST: usize = 256;

/// All of it.
#[derive(Debug)]
pub(super) struct Tree {
    pub triangles: Vec<Triangle>,
    /// Of all triangles.
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
    /// Across an axis: in front is what is greater.
    Axis(usize, f32),
    /// Through three points: in front is from where they are seen counter-clockwise.
    Plane([Vec3; 3]),
}

impl Split {
    /// Above 0 in front, below 0 behind, 0 on the plane.
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
    /// The triangles in the plane: where they begin, and how many.
    pub members: [u32; 2],
}

/// A convex part of space.
#[derive(Debug)]
pub(super) struct Leaf {
    /// The triangles of a crowded one: where they begin, and how many.
    pub members: [u32; 2],
    /// Whether it is in the solid: [`UNKNOWN`] until the first point falls into it.
    pub state: AtomicU8,
}

pub(super) const UNKNOWN: u8 = 0;
pub(super) const INSIDE: u8 = 1;
pub(super) const OUTSIDE: u8 = 2;
