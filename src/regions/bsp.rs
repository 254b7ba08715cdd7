//! Binary space partitioning (Fuchs, Kedem & Naylor, "On Visible Surface Generation by A Priori Tree Structures", 1980), without rounding.
//!
//! Polygons are triangles. None is cut: one that is on both sides of a plane goes to both. So all planes are those of three stored points, and on which side of
//! them a point is, is exact. What cuts would save is found again otherwise: a triangle is left out of a part of space in whose bounds it certainly is not.

mod boxes;
mod building;
pub(crate) mod side;
mod tree;

use std::sync::atomic::Ordering::Relaxed;

use glam::Vec3;

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::regions::bsp::boxes::BoxFrame;
use crate::regions::bsp::building::Building;
use crate::regions::bsp::side::PlaneSide;
use crate::regions::bsp::tree::{Child, DEEPEST, INSIDE, OUTSIDE, Split, Tree};
use crate::regions::closed_mesh::state::PointState;
use crate::regions::closed_mesh::{ClosedMesh, bounds_of};
use crate::shapes::obb::record::Obb;
use crate::shapes::triangle::record::Triangle;
use crate::shapes::triangle::triangle_bounds_cpu::validate;

/// A tree of planes that divide space into convex parts, until no triangle is inside a part.
///
/// The splitting rule: candidates are the planes of up to five triangles of a part, and a plane across each axis of coordinates, through the median of the triangles' low
/// ends. The one is taken that leaves the fewest triangles on its fuller side; of equals the one that splits the fewest. (A rule that asks for the fewest splits first makes a list of
/// a convex solid, as long as it has triangles.) Of usual meshes the tree is O(log n) deep for n triangles, has O(n) parts and is made in O(n log n) time. In the worst case what is
/// split goes on top: at most eight times n triangles more are stored, and 256 planes are above one another; a part that is crowded then keeps its triangles as a list.
///
/// Points, segments and polygons are answered exactly for the stored numbers. Boxes are answered conservatively in `f64`: [`PlaneSide::Across`] may be said of one that
/// is apart from a triangle or a plane by less than some 1e-12 of the sizes and distances involved; that a box is in front or behind is always right.
///
/// ```
/// use obbligato::{BspTree, Obb, PlaneSide, PointState, Triangle, glam::Vec3};
/// # fn main() -> obbligato::Result<()> {
/// let [a, b, c, d] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let faces = [[a, c, b], [a, b, d], [a, d, c], [b, c, d]].map(|corners| Triangle { corners });
/// let tree = BspTree::of_solid(&faces)?;
/// assert_eq!(tree.locate(Vec3::splat(0.25))?, PointState::Inside);
/// assert_eq!(tree.side_of(&[Vec3::ONE, 2.0 * Vec3::X])?, PlaneSide::Front);
/// assert_eq!(tree.side_of(&[Vec3::ONE, Vec3::ZERO])?, PlaneSide::Across);
/// assert!(tree.meets_box(&Obb::axis_aligned(Vec3::X, Vec3::splat(0.1))));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct BspTree {
    tree: Tree,
    solid: Option<ClosedMesh>,
}

impl BspTree {
    /// The tree of any triangles. It knows what meets them. Polygons come as triangles: [`Triangle::fan`].
    ///
    /// # Errors
    /// [`Error::InvalidTriangle`], [`Error::OutOfMemory`], or [`Error::LimitExceeded`] for more than 2^28 triangles.
    pub fn new(triangles: &[Triangle]) -> Result<Self> {
        const MOST: usize = 1 << 28;
        validate(triangles)?;
        if triangles.len() > MOST {
            return Err(Error::LimitExceeded {
                what: "a BSP tree".to_owned(),
                needed: triangles.len() as u64,
                available: MOST as u64,
                hint: "make several trees",
            });
        }
        let mut tree = Tree {
            triangles: memory::collect(triangles.iter().copied(), "the triangles of a BSP tree")?,
            bounds: bounds_of(triangles),
            ..Tree::default()
        };
        Building::new(&mut tree)?.finish()?;
        Ok(Self { tree, solid: None })
    }

    /// The tree of a closed mesh, which also knows what is inside, by parity as [`ClosedMesh`] does: in front is outside, whichever way triangles are turned.
    ///
    /// Whether a part of space is in the solid is found out when the first point falls into it, and kept.
    ///
    /// # Errors
    /// Those of [`BspTree::new`] and [`ClosedMesh::new`].
    pub fn of_solid(triangles: &[Triangle]) -> Result<Self> {
        let solid = Some(ClosedMesh::new(triangles)?);
        Ok(Self {
            solid,
            ..Self::new(triangles)?
        })
    }

    /// Where a point is, exactly: down the tree, O(log n) expected. A point that is on one of the planes on its way is asked of the [`ClosedMesh`].
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the tree is not one [of a solid](Self::of_solid).
    pub fn locate(&self, point: Vec3) -> Result<PointState> {
        let solid = self.solid()?;
        let mut child = self.tree.root;
        let leaf = loop {
            match child {
                Child::Leaf(leaf) => break &self.tree.leaves[leaf as usize],
                Child::Node(node) => {
                    let node = &self.tree.nodes[node as usize];
                    child = match node.split.height(point) {
                        height if height > 0.0 => node.front,
                        height if height < 0.0 => node.behind,
                        _ => return Ok(solid.locate(point)),
                    };
                }
            }
        };
        Ok(match leaf.state.load(Relaxed) {
            _ if leaf.members[1] > 0 => solid.locate(point),
            INSIDE => PointState::Inside,
            OUTSIDE => PointState::Outside,
            _ => {
                let state = solid.locate(point);
                let known = if state == PointState::Inside { INSIDE } else { OUTSIDE };
                leaf.state.store(known, Relaxed);
                state
            }
        })
    }

    /// On which side of the surface of a solid a point, a segment or a polygon is, exactly: [`PlaneSide::Front`] outside, [`PlaneSide::Behind`] inside,
    /// [`PlaneSide::Across`] where it meets the surface, and [`PlaneSide::On`] for a point that is on it. Polygons as in [`BspTree::meets`]; no points are outside.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the tree is not one [of a solid](Self::of_solid).
    pub fn side_of(&self, points: &[Vec3]) -> Result<PlaneSide> {
        match points {
            [] => self.solid().map(|_| PlaneSide::Front),
            [point] => Ok(match self.locate(*point)? {
                PointState::Inside => PlaneSide::Behind,
                PointState::Outside => PlaneSide::Front,
                PointState::Surface => PlaneSide::On,
            }),
            [first, ..] => {
                self.solid()?;
                match self.meets(points) {
                    true => Ok(PlaneSide::Across),
                    false => self.side_of(&[*first]),
                }
            }
        }
    }

    /// On which side of the surface of a solid a box is, as [`BspTree::side_of`], conservatively.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if the tree is not one [of a solid](Self::of_solid).
    pub fn side_of_box(&self, obb: &Obb) -> Result<PlaneSide> {
        self.solid()?;
        match self.meets_box(obb) {
            true => Ok(PlaneSide::Across),
            false => self.side_of(&[obb.center]),
        }
    }

    /// Whether a point, a segment or a polygon shares a point with a triangle, exactly; touching counts. A polygon is all triangles of its first corner and two corners that
    /// follow each other ([`Triangle::fan`]): if it is flat and convex, that is the polygon.
    pub fn meets(&self, points: &[Vec3]) -> bool {
        let reaches = |split: &Split| {
            let mut sides = [false; 2];
            for &point in points {
                let height = split.height(point);
                sides = [sides[0] || height >= 0.0, sides[1] || height <= 0.0];
            }
            sides
        };
        !points.is_empty()
            && self.any(reaches, |triangle| {
                Triangle::fan(points).any(|part| part.meets(triangle))
            })
    }

    /// Whether a box shares a point with a triangle, conservatively: `false` is always right. Touching counts; groups do not.
    pub fn meets_box(&self, obb: &Obb) -> bool {
        let frame = BoxFrame::new(obb);
        self.any(|split| frame.reaches(split), |triangle| frame.may_meet(triangle))
    }

    fn solid(&self) -> Result<&ClosedMesh> {
        self.solid.as_ref().ok_or(Error::Unavailable {
            what: "what is inside a BSP tree of any triangles",
            hint: "make it with `BspTree::of_solid`",
        })
    }

    /// Whether `meets` says so of any triangle in a part of space that something reaches, which may reach what is in front of a plane and what is behind.
    fn any(&self, reaches: impl Fn(&Split) -> [bool; 2], meets: impl Fn(&Triangle) -> bool) -> bool {
        let is_met = |members: [u32; 2]| {
            let members = &self.tree.members[members[0] as usize..][..members[1] as usize];
            members
                .iter()
                .any(|&member| meets(&self.tree.triangles[member as usize]))
        };
        let mut stack = [self.tree.root; DEEPEST + 1];
        let mut len = 1;
        while len > 0 {
            len -= 1;
            match stack[len] {
                Child::Leaf(leaf) if is_met(self.tree.leaves[leaf as usize].members) => return true,
                Child::Leaf(_) => {}
                Child::Node(node) => {
                    let node = &self.tree.nodes[node as usize];
                    let [front, behind] = reaches(&node.split);
                    if front && behind && is_met(node.members) {
                        return true;
                    }
                    for (child, is_reached) in [(node.front, front), (node.behind, behind)] {
                        if is_reached {
                            stack[len] = child;
                            len += 1;
                        }
                    }
                }
            }
        }
        false
    }
}
