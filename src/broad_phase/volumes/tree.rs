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

/// Label for out-of-memory errors.
const WHAT: &str = "the tree of volumes";
/// Maximum number of parts. There are twice as many nodes.
const MOST_PARTS: usize = i32::MAX as usize;
/// Number of nodes per task.
const GRAIN: usize = 512;

/// A tree of spheres: the cheapest tests, for parts that are about as long as wide.
pub type BallTree = VolumeTree<Ball>;
/// A tree of oriented boxes: the fewest tests for surfaces that are close to each other.
pub type ObbTree = VolumeTree<OrientedBox>;
/// A tree of boxes along the axes of the body, which rotate with it.
pub type AabbTree = VolumeTree<AlignedBox>;

/// A tree of bounding volumes over the parts of a rigid body, in the body's frame. It is built
/// once, and compared with others for any poses of the bodies.
///
/// It finds the pairs of parts that may meet, and never misses one: only pairs proved to be apart
/// are left out. The caller decides which of them meet. Building takes time O(n log² n), on all
/// threads. A test of two trees takes time proportional to the number of their volumes that meet.
///
/// ```
/// use obbligato::glam::{Quat, Vec3};
/// use obbligato::{shape::Pose, tree::ObbTree};
/// use obbligato::{shape::Aabb, Pair};
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
    /// The nodes, depth first.
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
    /// Creates the tree of these parts, which are named by their positions.
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

    /// Recomputes the volumes around parts that have moved within the body, in place. This is
    /// faster than [`new`](Self::new), and good as long as neighbours stay neighbours. Rebuilds the
    /// tree if the number of parts has changed.
    ///
    /// # Errors
    ///
    /// If a part is invalid, or memory runs out. The tree is then unchanged, or some of its volumes
    /// are updated and others are not.
    pub fn refit<P: Part>(&mut self, parts: &[P]) -> Result<()> {
        if parts.len() != self.parts.len() {
            *self = Self::new(parts)?;
            return Ok(());
        }
        validate(parts)?;
        self.fit(parts)
    }

    /// Returns the number of parts.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Returns `true` if there are no parts.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        (self.nodes.capacity() * size_of::<Node<V>>() + self.parts.capacity() * size_of::<u32>()) as u64
    }

    /// Returns the tree of a body in this pose, for comparison with another. Costs nothing.
    pub fn at(&self, pose: Pose) -> PlacedTree<'_, V> {
        PlacedTree { tree: self, pose }
    }

    /// Returns the number of nodes: twice the number of parts, less 1. The first, 0, is the root.
    pub fn nodes(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Returns the volume of a node, and the positions of the parts in it. `None` if there is no
    /// such node.
    pub fn node(&self, node: u32) -> Option<(&V, &[u32])> {
        let found = self.nodes.get(node as usize)?;
        Some((&found.volume, self.parts_of(found)))
    }

    /// Returns the two children of a node. `None` if it is a leaf, or there is no such node.
    pub fn children(&self, node: u32) -> Option<[u32; 2]> {
        let found = self.nodes.get(node as usize)?;
        (!found.is_leaf()).then(|| children(node, found.count))
    }

    pub(super) fn parts_of(&self, node: &Node<V>) -> &[u32] {
        &self.parts[node.first as usize..][..node.count as usize]
    }

    /// Fits the volume of each node to its parts.
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

/// A tree of a body in a pose, which can be compared with another one.
#[derive(Clone, Copy, Debug)]
pub struct PlacedTree<'a, V> {
    pub(super) tree: &'a VolumeTree<V>,
    pub(super) pose: Pose,
}

/// Returns the children of a node that is not a leaf and has `count` parts.
#[inline(always)]
pub(super) fn children(node: u32, count: u32) -> [u32; 2] {
    [node + 1, node + 2 * left_of(count as usize) as u32]
}

/// Sets the parts of the nodes of a tree of `count` parts, starting with the part `first`.
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

/// Returns the middle of the bounds of a part.
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
