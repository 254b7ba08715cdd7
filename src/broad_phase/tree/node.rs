//! The nodes of all trees: the bounds of eight children side by side, which are compared at once.
//!
//! A tree is a list of inner nodes, the root first and every node before its children, and a list
//! of leaves. A leaf consists of the bounds of up to eight consecutive records. Leaves are numbered
//! in the order of their records, so the leaves below a node are consecutive: a walk that searches
//! only for later records skips a child by one comparison.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, u32x8};
use glam::Vec3;

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::base::{memory, parallel};
use crate::geometry::bounds::Bounds;

/// Number of children of a node, and of records of a leaf.
pub(crate) const WIDTH: usize = 8;

/// Label for out-of-memory errors.
pub(crate) const WHAT: &str = "the tree";

/// Marks a child that is a leaf. The leaf's number is one less than the child's end.
pub(crate) const LEAF: u32 = u32::MAX;

/// Maximum number of nodes from the root to a leaf: builders divide evenly before a tree gets
/// deeper.
pub(crate) const DEEPEST: usize = 48;

/// Maximum number of children on the stack of a walk: one is removed for up to eight that are
/// added.
pub(crate) const STACK: usize = DEEPEST * (WIDTH - 1) + 1;

/// Bounds without an id, for computations.
#[derive(Clone, Copy, Debug, PartialEq, Zeroable)]
pub(crate) struct Extent {
    pub low: Vec3,
    pub high: Vec3,
}

impl Extent {
    /// The bounds of nothing.
    pub const EMPTY: Self = Self {
        low: Vec3::INFINITY,
        high: Vec3::NEG_INFINITY,
    };

    /// Returns the smallest bounds of both.
    #[inline(always)]
    pub fn union(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Returns the smallest bounds of all records.
    #[inline(always)]
    pub fn of(records: &[Bounds]) -> Self {
        let extent = |record: &Bounds| Self {
            low: record.low,
            high: record.high,
        };
        records.iter().map(extent).fold(Self::EMPTY, Self::union)
    }

    /// Returns half of the surface, in `f64`, where no extent overflows; 0 for empty bounds.
    pub fn half_area(&self) -> f64 {
        let size = (self.high.as_dvec3() - self.low.as_dvec3()).max(glam::DVec3::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// The bounds of eight boxes. Missing boxes begin at infinity and end at negative infinity, so they
/// meet nothing.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Eight {
    pub low: [[f32; WIDTH]; 3],
    pub high: [[f32; WIDTH]; 3],
}

impl Eight {
    pub const EMPTY: Self = Self {
        low: [[f32::INFINITY; WIDTH]; 3],
        high: [[f32::NEG_INFINITY; WIDTH]; 3],
    };

    /// Creates the bounds of up to eight records.
    #[inline(always)]
    pub fn new(records: &[Bounds]) -> Self {
        let mut eight = Self::EMPTY;
        for (lane, record) in records.iter().enumerate().take(WIDTH) {
            eight.set(
                lane,
                Extent {
                    low: record.low,
                    high: record.high,
                },
            );
        }
        eight
    }

    #[inline(always)]
    pub fn set(&mut self, lane: usize, extent: Extent) {
        for axis in 0..3 {
            self.low[axis][lane] = extent.low[axis];
            self.high[axis][lane] = extent.high[axis];
        }
    }

    #[inline(always)]
    pub fn get(&self, lane: usize) -> Extent {
        Extent {
            low: Vec3::from_array(self.low.map(|lanes| lanes[lane])),
            high: Vec3::from_array(self.high.map(|lanes| lanes[lane])),
        }
    }

    /// Returns the smallest bounds of all eight.
    pub fn extent(&self) -> Extent {
        let least = |lanes: [f32; WIDTH]| lanes.into_iter().fold(f32::INFINITY, f32::min);
        let most = |lanes: [f32; WIDTH]| lanes.into_iter().fold(f32::NEG_INFINITY, f32::max);
        Extent {
            low: Vec3::from_array(self.low.map(least)),
            high: Vec3::from_array(self.high.map(most)),
        }
    }

    /// Returns a mask of those that share a point with a box, one bit each.
    #[inline(always)]
    pub fn meet<S: Simd>(&self, walker: &Walker<S>) -> u32 {
        let load = |lanes: &[f32; WIDTH]| f32x8::from_slice(walker.simd, lanes);
        let below = |axis: usize| load(&self.low[axis]).simd_le(walker.high[axis]);
        let above = |axis: usize| walker.low[axis].simd_le(load(&self.high[axis]));
        ((below(0) & above(0)) & (below(1) & above(1)) & (below(2) & above(2))).to_bitmask() as u32
    }
}

/// A box that others are compared with, repeated in all lanes.
pub(crate) struct Walker<S: Simd> {
    pub simd: S,
    pub low: [f32x8<S>; 3],
    pub high: [f32x8<S>; 3],
}

impl<S: Simd> Walker<S> {
    #[inline(always)]
    pub fn new(simd: S, low: Vec3, high: Vec3) -> Self {
        let splat = |corner: Vec3| corner.to_array().map(|x| f32x8::splat(simd, x));
        Self {
            simd,
            low: splat(low),
            high: splat(high),
        }
    }
}

/// An inner node.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Node {
    pub bounds: Eight,
    /// The children, without gaps from the first lane: numbers of inner nodes, or [`LEAF`].
    pub child: [u32; WIDTH],
    /// One more than the last leaf below each child. Missing children have the value of the last
    /// existing one.
    pub end: [u32; WIDTH],
}

impl Node {
    pub const EMPTY: Self = Self {
        bounds: Eight::EMPTY,
        child: [LEAF; WIDTH],
        end: [0; WIDTH],
    };

    /// Returns a mask of the children with leaves from `first` on, one bit each.
    #[inline(always)]
    pub fn from<S: Simd>(&self, simd: S, first: u32) -> u32 {
        u32x8::from_slice(simd, &self.end).simd_gt(first).to_bitmask() as u32
    }

    /// Returns a mask of the children that begin before the leaf `end`, one bit each. The node must
    /// begin before it.
    #[inline(always)]
    pub fn until<S: Simd>(&self, simd: S, end: u32) -> u32 {
        (u32x8::from_slice(simd, &self.end).simd_lt(end).to_bitmask() as u32) << 1 | 1
    }

    /// Returns the lanes of the existing children.
    pub fn children(&self) -> Range<usize> {
        0..self.bounds.low[0]
            .iter()
            .take_while(|low| **low < f32::INFINITY)
            .count()
    }

    /// Returns the number of a child that is a leaf.
    #[inline(always)]
    pub fn leaf(&self, lane: usize) -> Option<usize> {
        (self.child[lane] == LEAF).then(|| self.end[lane] as usize - 1)
    }
}

/// A tree without its records. A tree over no records has no nodes.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    /// The inner nodes: the root first, every node before its children.
    pub inner: Vec<Node>,
    /// The bounds of the leaves' records.
    pub leaves: Vec<Eight>,
    /// The first record of each leaf, followed by the number of records.
    pub starts: Vec<u32>,
}

impl Nodes {
    /// Returns the records of a leaf.
    #[inline(always)]
    pub fn records_of(&self, leaf: usize) -> Range<usize> {
        self.starts[leaf] as usize..self.starts[leaf + 1] as usize
    }

    /// Returns the leaf that contains a record.
    pub fn leaf_of(&self, record: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= record) - 1
    }

    pub fn clear(&mut self) {
        self.inner.clear();
        self.leaves.clear();
        self.starts.clear();
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        let nodes = self.inner.capacity() * size_of::<Node>() + self.leaves.capacity() * size_of::<Eight>();
        (nodes + self.starts.capacity() * size_of::<u32>()) as u64
    }

    /// Updates the bounds of records that have moved, but keeps the order and the nodes.
    pub fn refit(&mut self, records: &[Bounds]) {
        let starts = &self.starts;
        parallel::fill(&mut self.leaves, |leaf| {
            Eight::new(&records[starts[leaf] as usize..starts[leaf + 1] as usize])
        });
        for node in (0..self.inner.len()).rev() {
            for lane in self.inner[node].children() {
                let below = match self.inner[node].leaf(lane) {
                    Some(leaf) => &self.leaves[leaf],
                    None => &self.inner[self.inner[node].child[lane] as usize].bounds,
                };
                let extent = below.extent();
                self.inner[node].bounds.set(lane, extent);
            }
        }
    }

    /// Returns the mean number of nodes visited by a line through the bounds of all: 1, plus the
    /// surface of each other node relative to that of the whole. If the whole is flat along two
    /// axes, it is the number of all nodes.
    pub fn cost(&self) -> f64 {
        let Some(root) = self.inner.first() else {
            return 0.0;
        };
        let whole = root.bounds.extent().half_area();
        let others = self.inner.iter().flat_map(|node| {
            let area = |lane| node.bounds.get(lane).half_area();
            node.children().map(area)
        });
        match whole > 0.0 {
            true => 1.0 + others.sum::<f64>() / whole,
            false => (self.inner.len() + self.leaves.len()) as f64,
        }
    }

    /// Reserves memory for a new tree of these sizes.
    pub fn reserve(&mut self, inner: usize, leaves: usize) -> Result<()> {
        memory::reserve(&mut self.inner, inner, WHAT)?;
        memory::reserve(&mut self.leaves, leaves, WHAT)?;
        Ok(memory::reserve(&mut self.starts, leaves + 1, WHAT)?)
    }
}
