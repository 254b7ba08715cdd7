//! A tree of bounding volumes over the parts of a body.

use glam::{DVec3, Vec3};

use crate::base::error::{Error, Result};
use crate::base::problem::BoxProblem;
use crate::base::{memory, parallel};
use crate::broad_phase::volumes::ball::Ball;
use crate::broad_phase::volumes::boxes::{AlignedBox, OrientedBox};
use crate::broad_phase::volumes::order::{self, left_of};
use crate::broad_phase::volumes::part::Part;
use crate::broad_phase::volumes::volume::Volume;
use crate::geometry::pose::Pose;

/// What memory is for.
const WHAT: &str = "the tree of volumes";
/// The most parts: nodes are twice as many.
const MOST_PARTS: usize = i32::MAX as usize;
/// Nodes per task.
const GRAIN: usize = 512;

/// A tree of balls: the cheapest tests, for parts that are about as long as wide.
pub type BallTree = VolumeTree<Ball>;
/// A tree of oriented boxes: the fewest tests where surfaces lie close to each other.
pub type ObbTree = VolumeTree<OrientedBox>;
/// A tree of boxes along the axes of the body, which are turned with it.
pub type AabbTree = VolumeTree<AlignedBox>;

/// A tree of bounding volumes over the parts of a rigid body, in the body's frame: built once, and held against others wherever the
/// bodies are.
///
/// It finds the pairs of parts that may meet, never one less: what is left out is proved apart. Which of them meet is for the caller to tell.
/// Building takes O(n log² n), on all threads; a test of two trees takes what their volumes that meet take.
///
/// ```
/// use obbligato::glam::{Quat, Vec3};
/// use obbligato::volumes::{ObbTree, Pose};
/// use obbligato::{Aabb, Pair};
/// # fn main() -> obbligato::Result<()> {
/// // An angle of two beams.
/// let beam = |way: Vec3| Aabb::new(Vec3::ZERO, 0.2 + 5.0 * way);
/// let tree = ObbTree::new(&[beam(Vec3::X), beam(Vec3::Y)])?;
/// let here = tree.at(Pose::IDENTITY);
/// // Another one hooks into it, turned by 2.5 radians: its first beam crosses both of the first one's, its second only one.
/// let hooked = tree.at(Pose::new(Vec3::new(4.0, 0.3, 0.0), Quat::from_rotation_z(2.5)));
/// let met = [(0, 0), (0, 1), (1, 0)].map(|(a, b)| Pair { a, b });
/// assert_eq!(here.pairs(&hooked)?, met);
/// // With next to no time to look, it may well be that all meet.
/// let hasty = here.pairs_within(&hooked, 1)?;
/// assert!(!hasty.is_complete());
/// assert_eq!(here.expanded(&hooked, &hasty)?.len(), 4);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct VolumeTree<V> {
    /// Depth first.
    pub(super) nodes: Vec<Node<V>>,
    /// The parts in the order of the leaves.
    pub(super) parts: Vec<u32>,
}

/// A node: a volume, and the parts in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node<V> {
    pub volume: V,
    /// The first of its parts, in the order of the leaves, and their number.
    pub first: u32,
    pub count: u32,
}

impl<V> Node<V> {
    pub fn is_leaf(&self) -> bool {
        self.count == 1
    }
}

impl<V: Volume> VolumeTree<V> {
    /// The tree of these parts, which are named by their positions.
    ///
    /// # Errors
    ///
    /// If a part is invalid, there are more than 2^31 - 1 of them, or memory runs out.
    pub fn new<P: Part>(parts: &[P]) -> Result<Self> {
        if parts.len() > MOST_PARTS {
            return Err(Error::TooManyBoxes {
                boxes: parts.len(),
                limit: MOST_PARTS,
            });
        }
        validate(parts)?;
        let middles = parallel::collect(parts.len(), WHAT, |k| middle(&parts[k]))?;
        let mut order = memory::collect(0..parts.len() as u32, WHAT)?;
        order::sort(&mut order, &middles);
        let mut nodes = memory::filled((2 * parts.len()).saturating_sub(1), Node::default(), WHAT)?;
        if !parts.is_empty() {
            shape(&mut nodes, 0, parts.len() as u32);
        }
        let mut tree = Self { nodes, parts: order };
        tree.fit(parts)?;
        Ok(tree)
    }

    /// Makes the volumes anew around parts that have moved within the body, in place: faster than [`new`](Self::new), and good as long as
    /// neighbours stay neighbours. Builds the tree anew if there are more parts, or fewer.
    ///
    /// # Errors
    ///
    /// If a part is invalid, or memory runs out; the tree is then as before, or with some volumes of before and some of now.
    pub fn refit<P: Part>(&mut self, parts: &[P]) -> Result<()> {
        if parts.len() != self.parts.len() {
            *self = Self::new(parts)?;
            return Ok(());
        }
        validate(parts)?;
        self.fit(parts)
    }

    /// The number of parts.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there are no parts.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        (self.nodes.capacity() * size_of::<Node<V>>() + self.parts.capacity() * size_of::<u32>()) as u64
    }

    /// The tree of a body in this pose, to be held against another. Costs nothing.
    pub fn at(&self, pose: Pose) -> PlacedTree<'_, V> {
        PlacedTree { tree: self, pose }
    }

    /// The number of nodes: twice that of parts, less 1. The first, 0, is the root.
    pub fn nodes(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// The volume of a node, and the positions of the parts that it holds. `None` if there is no such node.
    pub fn node(&self, node: u32) -> Option<(&V, &[u32])> {
        let found = self.nodes.get(node as usize)?;
        Some((&found.volume, self.parts_of(found)))
    }

    /// The two children of a node. `None` if it is a leaf, or there is no such node.
    pub fn children(&self, node: u32) -> Option<[u32; 2]> {
        let found = self.nodes.get(node as usize)?;
        (!found.is_leaf()).then(|| children(node, found.count))
    }

    pub(super) fn parts_of(&self, node: &Node<V>) -> &[u32] {
        &self.parts[node.first as usize..][..node.count as usize]
    }

    /// Puts a volume around the parts of each node.
    fn fit<P: Part>(&mut self, parts: &[P]) -> Result<()> {
        let order = &self.parts;
        let fitted = parallel::map_chunks_of(GRAIN, &mut self.nodes, |_, nodes| -> Result<()> {
            let mut corners: Vec<DVec3> = Vec::new();
            for node in nodes {
                corners.clear();
                for &part in &order[node.first as usize..][..node.count as usize] {
                    memory::extend(&mut corners, parts[part as usize].corners().points(), WHAT)?;
                }
                if !corners.is_empty() {
                    node.volume = V::around(&corners);
                }
            }
            Ok(())
        });
        fitted.into_iter().collect()
    }
}

/// A tree of a body in a pose: what is held against another one.
#[derive(Clone, Copy, Debug)]
pub struct PlacedTree<'a, V> {
    pub(super) tree: &'a VolumeTree<V>,
    pub(super) pose: Pose,
}

/// The children of a node that is not a leaf, and has so many parts.
#[inline(always)]
pub(super) fn children(node: u32, count: u32) -> [u32; 2] {
    [node + 1, node + 2 * left_of(count as usize) as u32]
}

/// Says which parts the nodes of a tree of `count` parts have, beginning with the part `first`.
fn shape<V>(nodes: &mut [Node<V>], first: u32, count: u32) {
    let Some((root, rest)) = nodes.split_first_mut() else {
        return;
    };
    (root.first, root.count) = (first, count);
    let left = left_of(count as usize) as u32;
    if left > 0 {
        let (of_left, of_right) = rest.split_at_mut(2 * left as usize - 1);
        shape(of_left, first, left);
        shape(of_right, first + left, count - left);
    }
}

/// The middle of the bounds of a part.
fn middle<P: Part>(part: &P) -> Vec3 {
    let corners = part.corners();
    let points = corners.points().iter().copied();
    let [low, high] = [
        points.clone().fold(DVec3::INFINITY, DVec3::min),
        points.fold(DVec3::NEG_INFINITY, DVec3::max),
    ];
    (0.5 * (low + high)).as_vec3()
}

/// Returns an error that names the first invalid part.
fn validate<P: Part>(parts: &[P]) -> Result<()> {
    let bad = parallel::map_ranges(parts.len(), |range| {
        let mut bad = range.filter_map(|index| parts[index].problem().map(|problem| (index, problem)));
        (bad.next(), bad.count())
    });
    let first: Option<(usize, BoxProblem)> = bad.iter().find_map(|&(first, _)| first);
    let Some((index, problem)) = first else {
        return Ok(());
    };
    let counts = bad.iter().map(|&(first, more)| usize::from(first.is_some()) + more);
    Err(P::error(index, problem, counts.sum()))
}

#[cfg(test)]
mod tests;
