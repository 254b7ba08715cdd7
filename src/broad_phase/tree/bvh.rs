//! The tree for direct use by applications.

mod rays;

use glam::Vec3;

use crate::base::error::{Error, Result};
use crate::base::lanes::{self, dispatch};
use crate::base::problem::{BoxProblem, COORDINATE_LIMIT};
use crate::base::{memory, parallel};
use crate::broad_phase::hits::Found;
use crate::broad_phase::tree::lists::{FOUND, Lists, answer_each};
use crate::broad_phase::tree::node::{Extent, Nodes, WHAT};
use crate::broad_phase::tree::phase::{Build, ByMorton, ByOctants, BySurface};
use crate::broad_phase::tree::walk::{self, Leaves};
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::{MAX_BOXES, Pair};
use crate::rules::filter::SetRules;

/// The method of building a [`Bvh`]. All give the same answers, and differ in time and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BvhBuild {
    /// By the surface area heuristic, in bins: the fastest for queries.
    #[default]
    Surface,
    /// Along a Morton curve: the fastest to build, for trees that answer few queries before they
    /// are rebuilt.
    Morton,
    /// An octree of tight boxes: between the other two.
    Octree,
}

/// The point where a ray meets a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The box's position in the caller's slice.
    pub index: u32,
    /// The `t` at which the ray enters the box, or the value returned by the caller's closure, in
    /// lengths of the ray's direction. 0 if the ray begins in the box.
    pub t: f32,
}

/// A tree of axis-aligned boxes that answers queries by pairs, boxes, points and rays.
///
/// Boxes are named by their positions in the slice that the tree is built from. They are closed:
/// boxes that touch meet. All answers are independent of the [`BvhBuild`], the number of threads
/// and the vector instructions.
///
/// ```
/// use obbligato::glam::Vec3;
/// use obbligato::{shape::Aabb, tree::{Bvh, Ray}, Pair};
///
/// # fn main() -> obbligato::Result<()> {
/// let unit = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
/// let mut boxes = [unit(0.0), unit(3.0), unit(0.5), unit(7.0)];
/// let mut tree = Bvh::new(&boxes)?;
/// assert_eq!(tree.pairs()?, [Pair { a: 0, b: 2 }]);
/// assert_eq!(tree.containing(Vec3::new(0.75, 0.5, 0.5))?, [0, 2]);
///
/// let ray = Ray::new(Vec3::new(10.0, 0.5, 0.5), Vec3::NEG_X);
/// let hit = tree.first_hit(&ray)?.expect("a box");
/// assert_eq!((hit.index, hit.t), (3, 2.0));
///
/// // Boxes that have moved need no new tree.
/// boxes[3] = unit(3.5);
/// tree.refit(&boxes)?;
/// assert_eq!(tree.pairs()?.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Bvh {
    /// The records in the order of the tree.
    pub(super) records: Vec<Bounds>,
    pub(super) nodes: Nodes,
}

impl Bvh {
    /// Builds a tree by the surface area heuristic. Takes time O(n log n), on all cores with the
    /// feature `rayon`.
    ///
    /// # Errors
    /// If a box is invalid ([`Aabb::problem`]), there are too many, or memory runs out.
    pub fn new(boxes: &[Aabb]) -> Result<Self> {
        Self::built(boxes, BvhBuild::default())
    }

    /// Builds a tree with the given method. Takes time O(n log n).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn built(boxes: &[Aabb], build: BvhBuild) -> Result<Self> {
        validate(boxes)?;
        let mut tree = Self::default();
        let bounds = parallel::collect(boxes.len(), WHAT, |k| bounds_of(&boxes[k], k as u32))?;
        let rules = SetRules::default();
        let (records, nodes) = (&mut tree.records, &mut tree.nodes);
        parallel::within(boxes.len(), || match build {
            BvhBuild::Surface => BySurface::default().build(&bounds, &rules, records, nodes),
            BvhBuild::Morton => ByMorton::default().build(&bounds, &rules, records, nodes),
            BvhBuild::Octree => ByOctants::default().build(&bounds, &rules, records, nodes),
        })?;
        Ok(tree)
    }

    /// Returns the number of boxes.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns `true` if there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns the smallest box around all boxes, or `None` if there are none.
    pub fn bounds(&self) -> Option<Aabb> {
        let root = self.nodes.inner.first()?;
        let Extent { low, high } = root.bounds.extent();
        Some(Aabb::new(low, high))
    }

    /// Moves every box to its new place. Takes time O(n), and is several times as fast as building.
    ///
    /// Answers stay correct wherever the boxes go. They take longer the further former neighbours
    /// have moved apart: [`cost`](Self::cost) shows when a new tree pays.
    ///
    /// # Errors
    /// If the number of boxes has changed, or one is invalid. The tree is then unchanged.
    pub fn refit(&mut self, boxes: &[Aabb]) -> Result<()> {
        if boxes.len() != self.len() {
            return Err(Error::MissingBoxes {
                boxes: boxes.len(),
                held: self.len(),
            });
        }
        validate(boxes)?;
        parallel::within(boxes.len(), || {
            parallel::update(&mut self.records, |_, record| {
                *record = bounds_of(&boxes[record.id as usize], record.id)
            });
            self.nodes.refit(&self.records);
        });
        Ok(())
    }

    /// Returns the mean number of nodes, of eight boxes each, visited by a line through
    /// [`bounds`](Self::bounds), computed from the surfaces of the nodes. Lower is better. After
    /// [`refit`](Self::refit) it grows as the tree gets worse; at about twice the cost of the tree
    /// as built, a new one usually pays. Takes time O(n).
    pub fn cost(&self) -> f64 {
        self.nodes.cost()
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        (self.records.capacity() * size_of::<Bounds>()) as u64 + self.nodes.bytes()
    }

    /// Finds all pairs of boxes that share a point, sorted.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn pairs(&self) -> Result<Vec<Pair>> {
        let named = |pair: &Pair| {
            let [a, b] = [pair.a, pair.b].map(|record| self.records[record as usize].id);
            Pair::new(a, b).key()
        };
        let range = |range, found: &mut dyn FnMut(&[Pair])| {
            let (nodes, records) = (&self.nodes, &self.records[..]);
            let found = |pairs: &[Pair], _: Found| found(pairs);
            dispatch!(lanes::level(), simd => walk::pairs::<_, false>(simd, nodes, records, range, |_| u32::MAX, found));
        };
        sorted_pairs(self.len(), named, range)
    }

    /// Calls `found` with every pair of boxes that share a point, in no particular order, on the
    /// calling thread. Unlike [`pairs`](Self::pairs), it neither allocates memory nor sorts.
    pub fn for_each_pair(&self, mut found: impl FnMut(Pair)) {
        let (nodes, records) = (&self.nodes, &self.records[..]);
        let found = |pairs: &[Pair], _: Found| {
            for pair in pairs {
                let [a, b] = [pair.a, pair.b].map(|record| records[record as usize].id);
                found(Pair::new(a, b));
            }
        };
        let range = 0..self.len();
        dispatch!(lanes::level(), simd => walk::pairs::<_, false>(simd, nodes, records, range, |_| u32::MAX, found));
    }

    /// Finds all pairs of a box of this tree, `a`, and one of another, `b`, that share a point,
    /// sorted.
    ///
    /// # Errors
    /// If memory runs out.
    pub fn pairs_with(&self, other: &Self) -> Result<Vec<Pair>> {
        let named = |pair: &Pair| {
            let (a, b) = (self.records[pair.a as usize].id, other.records[pair.b as usize].id);
            Pair { a, b }.key()
        };
        let range = |range, found: &mut dyn FnMut(&[Pair])| {
            let others = (&other.nodes, &other.records[..]);
            let found = |pairs: &[Pair], _: Found| found(pairs);
            dispatch!(lanes::level(), simd => walk::pairs_between(simd, &self.nodes, others, range, found));
        };
        sorted_pairs(other.len(), named, range)
    }

    /// Finds the boxes that share a point with a box, ascending.
    ///
    /// # Errors
    /// If the box is invalid, or memory runs out.
    pub fn overlapping(&self, with: &Aabb) -> Result<Vec<u32>> {
        validate(std::slice::from_ref(with))?;
        let mut boxes = Vec::new();
        self.add_overlapping(with, &mut boxes)?;
        Ok(boxes)
    }

    /// Performs [`overlapping`](Self::overlapping) for many boxes, on all cores with the feature
    /// `rayon`.
    ///
    /// # Errors
    /// If a box is invalid, or memory runs out.
    pub fn overlapping_each(&self, with: &[Aabb]) -> Result<Lists<u32>> {
        validate(with)?;
        let answer = |(): &mut (), k: usize, boxes: &mut Vec<u32>| self.add_overlapping(&with[k], boxes);
        answer_each(&self.nodes, with.len(), |k| with[k].min, answer)
    }

    /// Appends the boxes that share a point with a box.
    fn add_overlapping(&self, with: &Aabb, boxes: &mut Vec<u32>) -> Result<()> {
        let extent = Extent {
            low: with.min,
            high: with.max,
        };
        let (first, mut outcome) = (boxes.len(), Ok(()));
        let found = |record: usize| self.keep(record, boxes, &mut outcome);
        dispatch!(lanes::level(), simd => walk::overlapping::<_, false>(simd, &self.nodes, extent, Leaves::ALL, found));
        outcome?;
        boxes[first..].sort_unstable();
        Ok(())
    }

    /// Finds the boxes that contain a point, surfaces included, ascending.
    ///
    /// # Errors
    /// If the point is invalid, or memory runs out.
    pub fn containing(&self, point: Vec3) -> Result<Vec<u32>> {
        validate_point(point, 0)?;
        self.overlapping(&Aabb::new(point, point))
    }

    /// Performs [`containing`](Self::containing) for many points, on all cores with the feature
    /// `rayon`.
    ///
    /// # Errors
    /// If a point is invalid, or memory runs out.
    pub fn containing_each(&self, points: &[Vec3]) -> Result<Lists<u32>> {
        validate_points(points)?;
        let answer =
            |(): &mut (), k: usize, boxes: &mut Vec<u32>| self.add_overlapping(&Aabb::new(points[k], points[k]), boxes);
        answer_each(&self.nodes, points.len(), |k| points[k], answer)
    }

    /// Adds a record's position to a list.
    #[inline(always)]
    pub(super) fn keep(&self, record: usize, boxes: &mut Vec<u32>, outcome: &mut Result<()>) {
        if outcome.is_ok() {
            *outcome = memory::push(boxes, self.records[record].id, FOUND).map_err(Into::into);
        }
    }
}

fn bounds_of(aabb: &Aabb, id: u32) -> Bounds {
    Bounds {
        low: aabb.min,
        tag: 0,
        high: aabb.max,
        id,
    }
}

/// Returns an error if a box is invalid, or there are too many.
fn validate(boxes: &[Aabb]) -> Result<()> {
    if boxes.len() > MAX_BOXES {
        return Err(Error::TooManyBoxes {
            boxes: boxes.len(),
            limit: MAX_BOXES,
        });
    }
    let bad = parallel::map_ranges(boxes.len(), |range| {
        let mut bad = range.filter_map(|index| boxes[index].problem().map(|problem| (index, problem)));
        (bad.next(), bad.count())
    });
    let Some((index, problem)) = bad.iter().find_map(|&(first, _)| first) else {
        return Ok(());
    };
    let count = bad
        .iter()
        .map(|&(first, more)| usize::from(first.is_some()) + more)
        .sum();
    Err(Error::InvalidBox { index, problem, count })
}

/// Returns an error if a point, at this position in its list, is invalid.
pub(super) fn validate_point(point: Vec3, index: usize) -> Result<()> {
    let problem = if !point.is_finite() {
        BoxProblem::NotFinite
    } else if point.abs().max_element() > COORDINATE_LIMIT {
        BoxProblem::TooLarge
    } else {
        return Ok(());
    };
    Err(Error::InvalidPoint {
        index,
        group: None,
        problem,
        count: 1,
    })
}

/// Returns an error if one of the points is invalid.
pub(super) fn validate_points(points: &[Vec3]) -> Result<()> {
    (0..)
        .zip(points)
        .try_for_each(|(index, point)| validate_point(*point, index))
}

/// Returns the answers to many questions.
pub(super) fn of_each<Q: Sync, T: Send>(questions: &[Q], answer: impl Fn(&Q) -> T + Sync + Send) -> Result<Vec<T>> {
    Ok(parallel::collect(questions.len(), FOUND, |k| answer(&questions[k]))?)
}

/// Returns the pairs that `walk` finds for ranges of records, sorted by the keys that `named` gives
/// them.
fn sorted_pairs(
    records: usize,
    named: impl Fn(&Pair) -> u64 + Sync + Send,
    walk: impl Fn(std::ops::Range<usize>, &mut dyn FnMut(&[Pair])) + Sync + Send,
) -> Result<Vec<Pair>> {
    Ok(parallel::within(records, || {
        let lists = parallel::map_ranges(records, |range| {
            let (mut keys, mut outcome) = (Vec::new(), Ok(()));
            walk(range, &mut |pairs| {
                if outcome.is_ok() {
                    outcome = memory::reserve(&mut keys, pairs.len(), FOUND);
                }
                if outcome.is_ok() {
                    keys.extend(pairs.iter().map(&named));
                }
            });
            outcome.map(|()| keys)
        });
        let mut keys: Vec<u64> = Vec::new();
        for list in lists {
            memory::extend(&mut keys, &list?, FOUND)?;
        }
        parallel::sort(&mut keys);
        parallel::collect(keys.len(), FOUND, |k| Pair {
            a: (keys[k] >> u32::BITS) as u32,
            b: keys[k] as u32,
        })
    })?)
}
