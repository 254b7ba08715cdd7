//! Space cut into tiles of similar content: a tree of planes.

use glam::Vec3;

use crate::base::config::validate_margin;
use crate::base::error::Result;
use crate::base::memory;
use crate::geometry::aabb::Aabb;
use crate::geometry::pair::Pair;
use crate::shapes::obb::obb_bounds_cpu::validate;
use crate::shapes::obb::record::Obb;
use crate::tiles::tile::{Tile, widened};

/// Label for out-of-memory errors.
const WHAT: &str = "a tiling";

/// Tiles that cover space without overlap.
///
/// The tiles are the leaves of a k-d tree (Bentley, "Multidimensional binary search trees used for
/// associative searching", 1975). Its planes halve a sample of the scene, so that each tile has
/// about the same number of its boxes, however the boxes cluster.
///
/// ```
/// use obbligato::tiles::Tiling;
/// use obbligato_verify::scenes::Scene;
/// # fn main() -> obbligato::Result<()> {
/// let boxes = Scene::Clusters.generate(1000, 1);
/// let tiling = Tiling::of_sample(&boxes, 8)?;
/// assert_eq!(tiling.tiles().len(), 8);
/// // Every box goes to the tiles that its bounds meet: one or a few.
/// let places = tiling.assign(&boxes, 0.0)?;
/// assert!(places.len() >= boxes.len());
/// # Ok(())
/// # }
/// ```
///
/// With the feature `serde` a tiling can be serialised. Deserialisation validates it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Noted")
)]
pub struct Tiling {
    /// The root first; children after their parents.
    nodes: Vec<Node>,
}

/// A deserialised tiling, before its validation.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Noted {
    nodes: Vec<Node>,
}

#[cfg(feature = "serde")]
impl TryFrom<Noted> for Tiling {
    type Error = &'static str;

    fn try_from(noted: Noted) -> std::result::Result<Self, Self::Error> {
        match is_tree(&noted.nodes) {
            true => Ok(Self { nodes: noted.nodes }),
            false => Err("the nodes are not those of a tree in order, whose tiles are numbered from 0"),
        }
    }
}

/// Returns `true` if the nodes have the form that [`Tiling::of_sample`] makes: each subtree is
/// contiguous, and the tiles are numbered in order.
#[cfg(feature = "serde")]
fn is_tree(nodes: &[Node]) -> bool {
    // The end of the subtree that begins at each place, computed from the last to the first.
    let mut ends = vec![0; nodes.len()];
    let mut tiles = nodes.len().div_ceil(2);
    for (place, node) in nodes.iter().enumerate().rev() {
        ends[place] = match *node {
            Node::Tile(number) => {
                if tiles.checked_sub(1) != Some(number as usize) {
                    return false;
                }
                tiles -= 1;
                place + 1
            }
            Node::Plane { axis, at, left, right } => {
                let (left, right) = (left as usize, right as usize);
                let joined = left == place + 1 && right < nodes.len() && right > place && ends[left] == right;
                if axis > 2 || !at.is_finite() || !joined {
                    return false;
                }
                ends[right]
            }
        };
    }
    ends.first() == Some(&nodes.len())
}

/// A plane, or a tile.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Node {
    /// A plane: `left` is below the coordinate, `right` is at it or above.
    Plane { axis: u8, at: f32, left: u32, right: u32 },
    /// The tile with this number.
    Tile(u32),
}

impl Tiling {
    /// Cuts space into `tiles` tiles, or fewer if too many boxes of the sample have the same center
    /// to be separated. O(n log tiles).
    ///
    /// The sample is some boxes of the scene, or all: a few thousand per tile make tiles equal to
    /// within a few percent. The result does not depend on their order.
    ///
    /// # Errors
    /// [`Error::InvalidBox`](crate::Error::InvalidBox),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn of_sample(sample: &[Obb], tiles: usize) -> Result<Self> {
        validate(sample)?;
        let mut points = memory::collect(sample.iter().map(|obb| obb.center), WHAT)?;
        let mut tiling = Self { nodes: Vec::new() };
        let mut count = 0;
        tiling.cut(&mut points, tiles.max(1), &mut count)?;
        Ok(tiling)
    }

    /// Returns a tiling with one tile, all of space.
    pub fn whole() -> Self {
        Self {
            nodes: vec![Node::Tile(0)],
        }
    }

    /// Appends the subtree for these points, and returns its place.
    fn cut(&mut self, points: &mut [Vec3], tiles: usize, count: &mut u32) -> Result<u32> {
        let place = self.nodes.len() as u32;
        memory::push(&mut self.nodes, Node::Tile(*count), WHAT)?;
        let plane = (tiles > 1).then(|| halve(points, tiles)).flatten();
        let Some((axis, at)) = plane else {
            *count += 1;
            return Ok(place);
        };
        let below = partition(points, |point| point[axis] < at);
        let (below, above) = points.split_at_mut(below);
        let left = self.cut(below, tiles / 2, count)?;
        let right = self.cut(above, tiles - tiles / 2, count)?;
        let axis = axis as u8;
        self.nodes[place as usize] = Node::Plane { axis, at, left, right };
        Ok(place)
    }

    /// Returns the tiles, ordered by number.
    pub fn tiles(&self) -> Vec<Tile> {
        let mut tiles = Vec::new();
        let mut open = vec![(0, Tile::EVERYTHING)];
        // The left side comes first, as in the numbering.
        while let Some((node, tile)) = open.pop() {
            match self.nodes[node as usize] {
                Node::Tile(_) => tiles.push(tile),
                Node::Plane { axis, at, left, right } => {
                    let [below, above] = tile.split(axis.into(), at);
                    open.extend([(right, above), (left, below)]);
                }
            }
        }
        tiles
    }

    /// Returns the number of tiles.
    pub fn len(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// Returns `true` if there are no tiles, which is never the case.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Calls `found` with the number of each tile that the bounds meet, in ascending order.
    pub fn each_met(&self, bounds: &Aabb, mut found: impl FnMut(u32)) {
        self.visit(0, bounds, &mut found);
    }

    fn visit(&self, node: u32, bounds: &Aabb, found: &mut impl FnMut(u32)) {
        match self.nodes[node as usize] {
            Node::Tile(number) => found(number),
            Node::Plane { axis, at, left, right } => {
                let axis = usize::from(axis);
                if bounds.min[axis] < at {
                    self.visit(left, bounds, found);
                }
                if bounds.max[axis] >= at {
                    self.visit(right, bounds, found);
                }
            }
        }
    }

    /// Assigns to each tile the boxes that it needs for pairs within a margin. Each returned pair
    /// holds a tile (`a`) and the position of a box (`b`), in the order of the boxes. A box that
    /// extends over borders is listed once for each of its tiles.
    ///
    /// # Errors
    /// [`Error::InvalidBox`](crate::Error::InvalidBox), because a box without a position would go
    /// to no tile, or to an arbitrary one; [`Error::InvalidMargin`](crate::Error::InvalidMargin),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn assign(&self, boxes: &[Obb], margin: f64) -> Result<Vec<Pair>> {
        validate_margin(margin)?;
        validate(boxes)?;
        let mut places = Vec::new();
        memory::reserve(&mut places, boxes.len(), WHAT)?;
        for (b, obb) in (0..).zip(boxes) {
            let mut outcome = Ok(());
            self.each_met(&widened(obb.bounds(), margin), |a| {
                if outcome.is_ok() {
                    outcome = memory::push(&mut places, Pair { a, b }, WHAT);
                }
            });
            outcome?;
        }
        Ok(places)
    }
}

/// Returns a plane that leaves the left half of `tiles` its share of the points; `None` if all
/// points are equal.
fn halve(points: &mut [Vec3], tiles: usize) -> Option<(usize, f32)> {
    let (low, high) = points.iter().fold(
        (Vec3::INFINITY, Vec3::NEG_INFINITY),
        |(low, high): (Vec3, Vec3), &point| (low.min(point), high.max(point)),
    );
    // In `f64`, because extents may overflow.
    let extent = high.as_dvec3() - low.as_dvec3();
    let mut axes = [0, 1, 2];
    axes.sort_by(|&x, &y| extent[y].total_cmp(&extent[x]));
    let axis = axes[0];
    if points.is_empty() || extent[axis] <= 0.0 {
        return None;
    }
    let middle = (points.len() as u64 * (tiles as u64 / 2) / tiles as u64) as usize;
    let (_, at, _) = points.select_nth_unstable_by(middle, |x, y| x[axis].total_cmp(&y[axis]));
    let at = at[axis];
    // If all points below the middle have its coordinate, the plane is at the next coordinate
    // above.
    let at = match at > low[axis] {
        true => at,
        false => points
            .iter()
            .map(|point| point[axis])
            .filter(|&x| x > at)
            .fold(f32::INFINITY, f32::min),
    };
    Some((axis, at))
}

/// Moves the points for which `is_first` is true to the front, and returns their number.
fn partition(points: &mut [Vec3], is_first: impl Fn(&Vec3) -> bool) -> usize {
    let mut count = 0;
    for place in 0..points.len() {
        if is_first(&points[place]) {
            points.swap(count, place);
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::{self, Scene};

    #[test]
    fn tiles_cover_space_once_and_are_balanced() {
        for scene in Scene::ALL {
            let boxes = made_up::boxes(scene, 4000, 3);
            for wanted in [1, 2, 7, 64, 1000] {
                let tiling = Tiling::of_sample(&boxes, wanted).expect("memory");
                let tiles = tiling.tiles();
                assert_eq!(tiles.len(), tiling.len());
                assert!(tiles.len() <= wanted);
                let mut counts = vec![0; tiles.len()];
                for obb in &boxes {
                    let owners: Vec<usize> = (0..tiles.len()).filter(|&k| tiles[k].contains(obb.center)).collect();
                    assert_eq!(owners.len(), 1, "{scene} {wanted}");
                    counts[owners[0]] += 1;
                    let mut met = Vec::new();
                    tiling.each_met(&obb.bounds(), |tile| met.push(tile as usize));
                    let expected: Vec<usize> = (0..tiles.len()).filter(|&k| tiles[k].meets(&obb.bounds())).collect();
                    assert_eq!(met, expected, "{scene} {wanted}");
                }
                // `Bricks` and the pile of `coincident` have many boxes with equal coordinates.
                if ![Scene::Bricks, Scene::Coincident, Scene::Far].contains(&scene) {
                    let fair = boxes.len().div_ceil(wanted);
                    let most = *counts.iter().max().expect("a tile");
                    assert!(
                        tiles.len() == wanted && most <= 2 * fair + 2,
                        "{scene} {wanted}: {most} of {fair}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_pile_is_one_tile() {
        let pile = [Obb::axis_aligned(Vec3::ONE, Vec3::ONE); 100];
        let tiling = Tiling::of_sample(&pile, 16).expect("memory");
        assert_eq!(tiling, Tiling::whole());
        let tiling = Tiling::of_sample(&[], 16).expect("memory");
        assert_eq!(tiling, Tiling::whole());
    }
}
