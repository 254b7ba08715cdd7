//! Sort and sweep from frame to frame: three lists of interval ends, kept sorted by insertion.
//!
//! D. Baraff, "Dynamic Simulation of Non-Penetrating Rigid Bodies" (1992); J. Cohen, M. Lin, D. Manocha, M. Ponamgi, "I-COLLIDE" (1995).
//! The bounds of a box are an interval on each axis. Boxes that move little change places with few others in the three sorted lists, so
//! insertion sort takes next to no time, and two bounds can only begin or cease to overlap where an end of one passes an end of the other.
//!
//! # Why no pair is missed
//!
//! Ends are sorted by their coordinate, beginnings before ends where it is the same; so two intervals share a point if and only if each
//! begins before the other ends. Bounds that overlap now and did not before have an axis on which they did not: there a beginning and an
//! end have changed their order, and insertion sort moves the one past the other, exactly once. Likewise for bounds that overlap no
//! more. Each such passage is judged by the bounds of before and of now, whichever axis it is on.
//!
//! In a crowd of n boxes an end passes O(n v / w) others, v being what a box moves and w the width of the world: fast for thousands of
//! boxes, not for millions. Passages are counted, and lists that take too many are sorted anew.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::bounds::{BOUNDS, Bounds, ordered};
use crate::geometry::pair::Pair;
use crate::rules::filter::{PairRules, SetRules};
use crate::shapes::obb::obb_bounds_cpu::obb_bounds;
use crate::shapes::obb::record::Obb;
use crate::tracking::anchors::{Anchors, Room};

/// What memory is for.
const WHAT: &str = "the sweep lists";
/// Passages for each end, on average, from which on lists are made anew.
const MOST_PASSAGES: usize = 64;

/// The bounds of the last frame, their ends in order along each axis, and the pairs that overlap.
#[derive(Default)]
pub(crate) struct SweepLists {
    bounds: Vec<Bounds>,
    before: Vec<Bounds>,
    axes: [Axis; 3],
    /// Sorted.
    pairs: Vec<Pair>,
}

/// The interval ends along an axis, sorted: the coordinate as an ordered integer, whether it is an end, and the box.
#[derive(Default)]
struct Axis {
    ends: Vec<u64>,
    /// The pairs of which an end has passed another, that begin or cease to overlap.
    changed: Vec<Pair>,
}

/// Set in the entry of an end, so that a beginning at the same place comes before it.
const END: u64 = 1 << 31;
/// The most boxes: what is left for them in an entry.
pub(crate) const MOST_BOXES: usize = 1 << 31;

impl Axis {
    /// Sorts the ends along an axis.
    fn sort_anew(&mut self, axis: usize, bounds: &[Bounds]) -> Result<()> {
        self.ends.clear();
        memory::reserve(&mut self.ends, 2 * bounds.len(), WHAT)?;
        let both = |id: u64| [id, END | id].map(|name| entry(name, bounds, axis));
        self.ends.extend((0..bounds.len() as u64).flat_map(both));
        parallel::sort(&mut self.ends);
        Ok(())
    }

    /// Sorts the ends by insertion and notes the pairs that change. Returns how many times one has passed another, `None` if that is more
    /// than `most`.
    fn follow(&mut self, axis: usize, before: &[Bounds], now: &[Bounds], most: usize) -> Result<Option<usize>> {
        self.changed.clear();
        let mut passages = 0;
        for k in 0..self.ends.len() {
            let end = entry(self.ends[k] & u64::from(u32::MAX), now, axis);
            let mut place = k;
            while place > 0 && self.ends[place - 1] > end {
                let other = self.ends[place - 1];
                if (other ^ end) & END != 0 {
                    let [a, b] = [other, end].map(|entry| (entry & (END - 1)) as usize);
                    if before[a].overlaps(&before[b]) != now[a].overlaps(&now[b]) {
                        memory::push(&mut self.changed, Pair::new(a as u32, b as u32), WHAT)?;
                    }
                }
                self.ends[place] = other;
                place -= 1;
                passages += 1;
            }
            self.ends[place] = end;
            if passages > most {
                return Ok(None);
            }
        }
        Ok(Some(passages))
    }
}

/// The entry of an end, given by its lower half.
fn entry(name: u64, bounds: &[Bounds], axis: usize) -> u64 {
    let bounds = &bounds[(name & (END - 1)) as usize];
    let corner = if name & END == 0 { bounds.low } else { bounds.high };
    // -0 becomes 0, which is the same place.
    u64::from(ordered(corner[axis] + 0.0)) << 32 | name
}

/// What has been done for a frame.
pub(crate) struct Swept {
    /// Times that an end has passed another.
    pub passages: usize,
    /// Whether all was sorted anew.
    pub anew: bool,
}

impl SweepLists {
    /// The pairs of boxes whose bounds overlap, sorted.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The next frame, of boxes in the same places of their list; of others if `anew`. After an error nothing is known any more.
    pub fn advance(&mut self, boxes: &[Obb], anew: bool) -> Result<Swept> {
        let anew = anew || self.bounds.len() != boxes.len();
        std::mem::swap(&mut self.bounds, &mut self.before);
        memory::make_scratch(&mut self.bounds, boxes.len(), BOUNDS)?;
        let () = obb_bounds(boxes, |_| 0.0, &mut self.bounds)?;
        if anew {
            return self.sort_anew(boxes);
        }
        let (before, now) = (&self.before[..], &self.bounds[..]);
        let most = MOST_PASSAGES * now.len();
        let follow = |axis, lists: &mut [Axis]| lists[0].follow(axis, before, now, most);
        let mut all = Some(0);
        for passages in parallel::map_chunks_of(1, &mut self.axes, follow) {
            all = all.zip(passages?).map(|(sum, more)| sum + more);
        }
        let Some(passages) = all else {
            return self.sort_anew(boxes);
        };
        self.change()?;
        Ok(Swept { passages, anew: false })
    }

    /// Sorts all ends, and finds the pairs by a grid.
    fn sort_anew(&mut self, boxes: &[Obb]) -> Result<Swept> {
        for (axis, list) in self.axes.iter_mut().enumerate() {
            list.sort_anew(axis, &self.bounds)?;
        }
        let rules = SetRules::default();
        let rules = PairRules::of_one_set(&rules, boxes.len())?;
        self.pairs = Anchors::default().build(boxes, |_| Room::default(), &rules)?;
        Ok(Swept {
            passages: 0,
            anew: true,
        })
    }

    /// Takes in the pairs that have changed.
    fn change(&mut self) -> Result<()> {
        let mut changed = Vec::new();
        for axis in &self.axes {
            memory::extend(&mut changed, &axis.changed, WHAT)?;
        }
        changed.sort_unstable();
        // A pair may have changed on several axes.
        changed.dedup();
        let mut pairs = Vec::new();
        memory::reserve(&mut pairs, self.pairs.len() + changed.len(), WHAT)?;
        let mut rest = &self.pairs[..];
        for pair in changed {
            let (smaller, others) = rest.split_at(rest.partition_point(|other| *other < pair));
            pairs.extend_from_slice(smaller);
            rest = match others.split_first() {
                Some((first, others)) if *first == pair => others,
                _ => {
                    pairs.push(pair);
                    others
                }
            };
        }
        pairs.extend_from_slice(rest);
        self.pairs = pairs;
        Ok(())
    }
}
