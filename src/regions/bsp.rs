//! Binary space partitioning (Fuchs, Kedem & Naylor, "On Visible Surface Generation by A Priori
//! Tree Structures", 1980), without rounding.
//!
//! Polygons are triangles. None is cut: one that is on both sides of a plane goes to both. So every
//! plane is that of three stored points, and the side of a point is exact. The benefit of cuts is
//! regained in another way: a triangle is left out of a part of space if it is certainly outside
//! the part's bounds.

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
/// The splitting rule: candidates are the planes of up to five triangles of a part, and a plane
/// perpendicular to each coordinate axis, through the median of the triangles' low ends. The rule
/// takes the candidate that leaves the fewest triangles on its fuller side, and among equals the
/// one that splits the fewest. (A rule that minimizes splits first turns a convex solid into a list
/// as long as its number of triangles.) For usual meshes the tree is O(log n) deep for n triangles,
/// has O(n) parts and is built in O(n log n) time. In the worst case splits add to that: at most
/// eight times n more triangles are stored, and at most 256 planes are above one another; a part
/// that is still crowded then keeps its triangles as a list.
///
/// Queries with points, segments and polygons are exact for the stored numbers. Queries with boxes
/// are conservative, in `f64`: the answer [`PlaneSide::Across`] is possible for a box that is apart
/// from a triangle or a plane by less than about 1e-12 of the sizes and distances involved; an
/// answer in front or behind is always right.
///
/// ```
/// use obbligato::{glam::Vec3, region::{BspTree, PlaneSide, PointState}, shape::Triangle, Obb};
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
    /// Creates the tree of any triangles, to find what meets them. Polygons must be given as
    /// triangles: [`Triangle::fan`].
    ///
    /// # Errors
    /// [`Error::InvalidTriangle`], [`Error::OutOfMemory`], or [`Error::LimitExceeded`] for more
    /// than 2^28 triangles.
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

    /// Creates the tree of a closed mesh, which also decides what is inside, by parity as
    /// [`ClosedMesh`] does: outside counts as in front, whatever the orientation of the triangles.
    ///
    /// The state of a part of space relative to the solid is determined when the first point falls
    /// into the part, and kept.
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

    /// Returns the exact position of a point by descending the tree, O(log n) expected. For a point
    /// on one of the planes on its path, the [`ClosedMesh`] decides.
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

    /// Returns the side of the surface of a solid on which a point, a segment or a polygon lies,
    /// exactly: [`PlaneSide::Front`] outside, [`PlaneSide::Behind`] inside, [`PlaneSide::Across`]
    /// if it meets the surface, and [`PlaneSide::On`] for a point that is on it. Polygons are as in
    /// [`BspTree::meets`]; an empty slice is outside.
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

    /// Returns the side of the surface of a solid on which a box lies, as [`BspTree::side_of`],
    /// conservatively.
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

    /// Returns `true` if a point, a segment or a polygon shares a point with a triangle, exactly;
    /// touching counts. A polygon stands for all triangles of its first corner and two consecutive
    /// corners ([`Triangle::fan`]): if it is flat and convex, these are the polygon.
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

    /// Returns `true` if a box may share a point with a triangle, conservatively: `false` is always
    /// right. Touching counts; groups are ignored.
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

    /// Returns `true` if `meets` is true of any triangle in a part of space that is reached.
    /// `reaches` returns whether the front and the back of a plane are reached.
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
