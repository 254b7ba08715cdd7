//! A list of answers for each of many questions, all in one allocation.

use std::ops::{Index, Range};

use glam::{DVec3, Vec3};

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::tree::node::Nodes;
use crate::broad_phase::tree::order;

/// Label for out-of-memory errors.
pub(super) const FOUND: &str = "what a tree has found";

/// Minimum and maximum number of questions of a task. Each task sorts its questions by their
/// places.
const GRAIN: [usize; 2] = [512, 1 << 14];

/// Number of tasks per thread: some take longer than others.
const TASKS: usize = 4;

/// A list for each question, one after the other in one allocation.
///
/// ```
/// use obbligato::glam::Vec3;
/// use obbligato::{shape::Aabb, tree::Bvh};
///
/// # fn main() -> obbligato::Result<()> {
/// let unit = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
/// let tree = Bvh::new(&[0.0, 0.5, 7.0].map(unit))?;
/// let found = tree.containing_each(&[Vec3::splat(0.75), Vec3::splat(5.0), Vec3::new(8.0, 0.5, 0.5)])?;
/// assert_eq!(found.len(), 3);
/// assert_eq!(found[0], [0, 1]);
/// assert!(found[1].is_empty());
/// assert_eq!((found.items(), found.starts()), (&[0, 1, 2][..], &[0, 2, 2, 3][..]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Lists<T> {
    /// The start of each list, followed by the number of items.
    starts: Vec<usize>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    /// Returns the number of lists: one for each question.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns `true` if there are no lists.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the items of all lists, one list after the other.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Returns the start of each list in [`items`](Self::items), followed by the number of items.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Returns the lists in the order of the questions.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        self.starts.windows(2).map(|ends| &self.items[ends[0]..ends[1]])
    }
}

/// Returns the list of a question, by its position.
impl<T> Index<usize> for Lists<T> {
    type Output = [T];

    fn index(&self, question: usize) -> &[T] {
        &self.items[self.starts[question]..self.starts[question + 1]]
    }
}

/// The answers to the questions of a task, in their order.
struct Part<T> {
    items: Vec<T>,
    /// The end of each list.
    ends: Vec<usize>,
}

/// Answers `questions` questions about a tree on all cores. `at` returns the place of a question,
/// and `answer` appends to a list. The questions of a task are answered along a Morton curve, so
/// that each finds its data in the caches, and share a state that carries over from one to the
/// next.
pub(super) fn answer_each<T: Copy + Send, S: Default>(
    nodes: &Nodes,
    questions: usize,
    at: impl Fn(usize) -> Vec3 + Sync + Send,
    answer: impl Fn(&mut S, usize, &mut Vec<T>) -> Result<()> + Sync + Send,
) -> Result<Lists<T>> {
    let grain = (questions / (TASKS * parallel::threads())).clamp(GRAIN[0], GRAIN[1]);
    let curve = Curve::of(nodes);
    let parts = parallel::map_ranges_of(grain, questions, |range| {
        part(range, |question| curve.key(at(question)), &answer)
    });
    let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
    let (mut starts, mut items) = (Vec::new(), Vec::new());
    memory::reserve(&mut starts, questions + 1, FOUND)?;
    memory::reserve(&mut items, parts.iter().map(|part| part.items.len()).sum(), FOUND)?;
    starts.push(0);
    for part in parts {
        starts.extend(part.ends.iter().map(|end| items.len() + end));
        items.extend_from_slice(&part.items);
    }
    Ok(Lists { starts, items })
}

/// Answers the questions of a task.
fn part<T: Copy, S: Default>(
    range: Range<usize>,
    key: impl Fn(usize) -> u64,
    answer: impl Fn(&mut S, usize, &mut Vec<T>) -> Result<()>,
) -> Result<Part<T>> {
    // The keys, with their positions in the range, which is shorter than 2^32.
    let keys = range
        .clone()
        .map(|question| (key(question), (question - range.start) as u32));
    let mut order = memory::collect(keys, FOUND)?;
    order.sort_unstable();
    let (mut found, mut lists) = (Vec::new(), memory::filled(range.len(), 0..0, FOUND)?);
    let mut state = S::default();
    for (_, place) in order {
        let first = found.len();
        answer(&mut state, range.start + place as usize, &mut found)?;
        lists[place as usize] = first..found.len();
    }
    let (mut items, mut ends) = (Vec::new(), Vec::new());
    memory::reserve(&mut items, found.len(), FOUND)?;
    memory::reserve(&mut ends, range.len(), FOUND)?;
    for list in lists {
        items.extend_from_slice(&found[list]);
        ends.push(items.len());
    }
    Ok(Part { items, ends })
}

/// A Morton curve through the bounds of a tree.
struct Curve {
    low: DVec3,
    scale: f64,
}

impl Curve {
    fn of(nodes: &Nodes) -> Self {
        let (low, high) = nodes.inner.first().map_or((Vec3::ZERO, Vec3::ONE), |root| {
            let extent = root.bounds.extent();
            (extent.low, extent.high)
        });
        let (low, high) = (low.as_dvec3(), high.as_dvec3());
        let size = (high - low).max_element();
        Self {
            low,
            scale: order::scale(if size > 0.0 { size } else { 1.0 }),
        }
    }

    /// Returns the place of a point along the curve. A point beyond the bounds has that of the
    /// nearest cube.
    fn key(&self, point: Vec3) -> u64 {
        order::key(point.as_dvec3(), self.low, self.scale)
    }
}
