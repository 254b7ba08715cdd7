//! Points in blocks of eight, and boxes around the blocks, around eight of these, and so on. Bodies
//! are sorted by their centers, and the boxes are around their bounds.
//!
//! Points are divided at a middle along the axis in which they extend furthest, until eight are
//! left. All blocks but the last are full: a division leaves the first part a number of blocks that
//! is a power of two. Children therefore follow from the number of a node, and nothing but boxes is
//! stored. Points of different [sections](Classes::section) are divided by these first.

use crate::base::memory::Result;
use crate::base::parallel;
use crate::broad_phase::points::classes::Classes;
use crate::broad_phase::points::coordinate::{Coordinate, WIDTH};

/// Label for out-of-memory errors.
const WHAT: &str = "the tree of points";

/// Rounds of divisions after which each part is a task.
const ROUNDS: usize = 6;

/// Eight points, coordinate by coordinate. Missing points are infinitely far away.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Block<T> {
    pub points: [[T; WIDTH]; 3],
    /// Their positions in the caller's list.
    pub ids: [u32; WIDTH],
}

/// The boxes around eight bodies, blocks or nodes. Missing boxes are infinitely far away.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Boxes<T> {
    pub low: [[T; WIDTH]; 3],
    pub high: [[T; WIDTH]; 3],
}

/// A tree of the centers of bodies, and the summary of the bodies.
#[derive(Debug)]
pub(crate) struct Centers {
    pub summary: Summary,
    pub tree: PointTree<f32>,
}

/// The properties of all bodies or points that a search depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary {
    /// `true` if some record is not in all groups, or does not collide with all.
    pub has_groups: bool,
    /// The largest coordinate of a center, without its sign.
    pub largest: f64,
}

/// The box around some points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent<T> {
    pub low: [T; 3],
    pub high: [T; 3],
}

/// A point while it is sorted.
#[derive(Clone, Copy, Debug)]
struct Point<T> {
    at: [T; 3],
    id: u32,
}

/// The properties of each point, by its position in the caller's list.
pub(crate) trait Sites<T>: Sync {
    fn len(&self) -> usize;

    fn center(&self, id: u32) -> [T; 3];

    /// Returns the bounds of the body, if the tree is to have these.
    fn bounds(&self, id: u32) -> Option<Extent<T>>;

    /// Returns its classes; `None` if no rule forbids a pair.
    fn classes(&self, id: u32) -> Option<Classes>;
}

/// A tree of points, or of bodies.
#[derive(Debug)]
pub(crate) struct PointTree<T> {
    pub points: usize,
    pub blocks: Vec<Block<T>>,
    /// The bounds of the bodies of each block; empty for points.
    pub bodies: Vec<Boxes<T>>,
    /// The boxes around eight blocks, around eight of the nodes before, and so on to the root.
    pub levels: Vec<Vec<Boxes<T>>>,
    /// The classes of each block, then of each node of each level; empty without rules.
    pub classes: Vec<Vec<Classes>>,
}

impl<T: Coordinate> PointTree<T> {
    /// Builds the tree. Takes time O(n log n).
    pub fn new(sites: &impl Sites<T>) -> Result<Self> {
        let points = sites.len();
        let mut sorted = parallel::collect(points, WHAT, |id| Point {
            at: sites.center(id as u32),
            id: id as u32,
        })?;
        let has = |has: fn(&_, u32) -> bool| points > 0 && has(sites, 0);
        let has_classes = has(|sites, id| Sites::classes(sites, id).is_some());
        let has_bounds = has(|sites, id| Sites::bounds(sites, id).is_some());
        let class = |point: &Point<T>| sites.classes(point.id).unwrap_or(Classes::ANY);
        let sections = |point: &Point<T>| class(point).section();
        let section: Option<Section<T>> = if has_classes { Some(&sections) } else { None };
        parallel::within(points, || arrange(&mut sorted, section));
        let count = points.div_ceil(WIDTH);
        let blocks = parallel::collect(count, WHAT, |k| Block::new(part(&sorted, k)))?;
        let extent = |point: &Point<T>| sites.bounds(point.id).unwrap_or(Extent::at(point.at));
        let of_bodies = |k: usize| Boxes::new(part(&sorted, k).iter().map(extent));
        let bodies = parallel::collect(if has_bounds { count } else { 0 }, WHAT, of_bodies)?;
        let mut extents = parallel::collect(count, WHAT, |k| Extent::around(part(&sorted, k).iter().map(extent)))?;
        let mut levels = Vec::new();
        while levels.last().is_none_or(|last: &Vec<_>| last.len() > 1) && !extents.is_empty() {
            let parents = extents.len().div_ceil(WIDTH);
            levels.push(parallel::collect(parents, WHAT, |k| {
                Boxes::new(part(&extents, k).iter().copied())
            })?);
            extents = parallel::collect(parents, WHAT, |k| Extent::around(part(&extents, k).iter().copied()))?;
        }
        let classes = match has_classes {
            true => classes_of(&sorted, &class)?,
            false => Vec::new(),
        };
        Ok(Self {
            points,
            blocks,
            bodies,
            levels,
            classes,
        })
    }

    /// Returns the number of points of a block.
    pub fn points_of(&self, block: usize) -> usize {
        WIDTH.min(self.points - block * WIDTH)
    }

    /// Returns the caller's position of the point at a position of the tree.
    #[inline(always)]
    pub fn id(&self, position: u32) -> u32 {
        self.blocks[position as usize / WIDTH].ids[position as usize % WIDTH]
    }

    /// Returns the point at a position of the tree.
    #[inline(always)]
    pub fn point(&self, position: u32) -> [f64; 3] {
        let block = &self.blocks[position as usize / WIDTH];
        std::array::from_fn(|axis| block.points[axis][position as usize % WIDTH].to_f64())
    }
}

/// Returns the items below a node.
fn part<T>(items: &[T], node: usize) -> &[T] {
    &items[node * WIDTH..items.len().min((node + 1) * WIDTH)]
}

/// Returns the section of a point; see [`Classes::section`].
type Section<'a, T> = &'a (dyn Fn(&Point<T>) -> u64 + Sync);

/// Returns the classes of the blocks, and of the nodes of each level.
fn classes_of<T: Coordinate>(
    points: &[Point<T>],
    class: &(impl Fn(&Point<T>) -> Classes + Sync),
) -> Result<Vec<Vec<Classes>>> {
    let joined = |all: &mut dyn Iterator<Item = Classes>| all.reduce(Classes::union).unwrap_or(Classes::ANY);
    let of_points = |k: usize| joined(&mut part(points, k).iter().map(class));
    let mut levels = vec![parallel::collect(points.len().div_ceil(WIDTH), WHAT, of_points)?];
    while let Some(last) = levels.last().filter(|last| last.len() > 1) {
        let of_nodes = |k: usize| joined(&mut part(last, k).iter().copied());
        let next = parallel::collect(last.len().div_ceil(WIDTH), WHAT, of_nodes)?;
        levels.push(next);
    }
    Ok(levels)
}

/// Sorts points into the order of the blocks.
fn arrange<T: Coordinate>(points: &mut [Point<T>], section: Option<Section<T>>) {
    let mut parts = vec![points];
    for _ in 0..ROUNDS {
        let halves = parallel::map(parts, |part| halve(part, section));
        parts = halves.into_iter().flatten().filter(|half| half.len() > WIDTH).collect();
    }
    parallel::for_each(parts, |part| arrange_alone(part, section));
}

/// [`arrange`] on one thread.
fn arrange_alone<T: Coordinate>(points: &mut [Point<T>], section: Option<Section<T>>) {
    if points.len() > WIDTH {
        for half in halve(points, section) {
            arrange_alone(half, section);
        }
    }
}

/// Divides points in two.
fn halve<'a, T: Coordinate>(points: &'a mut [Point<T>], section: Option<Section<T>>) -> [&'a mut [Point<T>]; 2] {
    let blocks = points.len().div_ceil(WIDTH);
    let middle = (blocks.next_power_of_two() / 2 * WIDTH).min(points.len());
    let (first, rest) = points
        .split_first()
        .map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
    let by_section = section.filter(|section| {
        rest.iter()
            .any(|point| first.is_some_and(|first| section(point) != section(first)))
    });
    if let Some(section) = by_section {
        points.select_nth_unstable_by_key(middle, section);
    } else if middle < points.len() {
        let Extent { low, high } = Extent::around_points(points);
        let sizes: [f64; 3] = std::array::from_fn(|axis| high[axis].to_f64() - low[axis].to_f64());
        match sizes {
            [x, y, z] if x >= y && x >= z => select::<0, T>(points, middle),
            [_, y, z] if y >= z => select::<1, T>(points, middle),
            _ => select::<2, T>(points, middle),
        }
    }
    points.split_at_mut(middle).into()
}

/// Moves the points with the smallest coordinates to the front.
fn select<const AXIS: usize, T: Coordinate>(points: &mut [Point<T>], count: usize) {
    let order = |a: &Point<T>, b: &Point<T>| a.at[AXIS].partial_cmp(&b.at[AXIS]).unwrap_or(std::cmp::Ordering::Equal);
    points.select_nth_unstable_by(count, order);
}

impl<T: Coordinate> Block<T> {
    fn new(points: &[Point<T>]) -> Self {
        let mut block = Self {
            points: [[T::INFINITY; WIDTH]; 3],
            ids: [u32::MAX; WIDTH],
        };
        for (lane, point) in points.iter().enumerate() {
            block.ids[lane] = point.id;
            for axis in 0..3 {
                block.points[axis][lane] = point.at[axis];
            }
        }
        block
    }
}

impl<T: Coordinate> Boxes<T> {
    fn new(extents: impl Iterator<Item = Extent<T>>) -> Self {
        let mut boxes = Self {
            low: [[T::INFINITY; WIDTH]; 3],
            high: [[T::INFINITY; WIDTH]; 3],
        };
        for (lane, extent) in extents.enumerate() {
            for axis in 0..3 {
                boxes.low[axis][lane] = extent.low[axis];
                boxes.high[axis][lane] = extent.high[axis];
            }
        }
        boxes
    }
}

impl<T: Coordinate> Extent<T> {
    const EMPTY: Self = Self {
        low: [T::INFINITY; 3],
        high: [T::NEGATIVE_INFINITY; 3],
    };

    /// Returns the box around one point.
    pub fn at(point: [T; 3]) -> Self {
        Self {
            low: point,
            high: point,
        }
    }

    /// Returns the smallest box around all.
    #[inline(always)]
    pub fn around(extents: impl Iterator<Item = Self>) -> Self {
        extents.fold(Self::EMPTY, Self::union)
    }

    #[inline(always)]
    fn union(mut self, other: Self) -> Self {
        for axis in 0..3 {
            if other.low[axis] < self.low[axis] {
                self.low[axis] = other.low[axis];
            }
            if other.high[axis] > self.high[axis] {
                self.high[axis] = other.high[axis];
            }
        }
        self
    }

    /// Returns the smallest box around many points: four boxes at a time, as none then waits for
    /// the one before.
    fn around_points(points: &[Point<T>]) -> Self {
        let (fours, rest) = points.as_chunks::<4>();
        let mut boxes = [Self::EMPTY; 4];
        for four in fours {
            for (all, point) in boxes.iter_mut().zip(four) {
                *all = all.union(Self::at(point.at));
            }
        }
        Self::around(boxes.into_iter().chain(rest.iter().map(|point| Self::at(point.at))))
    }
}
