//! Sort and sweep from frame to frame: three lists of interval ends, kept sorted by insertion.
//!
//! D. Baraff, "Dynamic Simulation of Non-Penetrating Rigid Bodies" (1992); J. Cohen, M. Lin, D.
//! Manocha, M. Ponamgi, "I-COLLIDE" (1995). The bounds of a box are an interval on each axis. Boxes
//! that move little exchange positions with few others in the three sorted lists, so insertion sort
//! takes almost no time, and two bounds can begin or cease to overlap only if an end of one passes
//! an end of the other.
//!
//! # Completeness
//!
//! Ends are sorted by their coordinate, with beginnings before ends at equal coordinates. Two
//! intervals therefore share a point if and only if each begins before the other ends. Bounds that
//! overlap and did not before have an axis on which they did not: there a beginning and an end have
//! changed their order, and insertion sort moves one past the other, exactly once. The same holds
//! for bounds that no longer overlap. Each such passage is judged by the bounds before and after,
//! on whichever axis it is.
//!
//! New boxes are merged into the lists, and removed ones are taken out. The pairs of new boxes are
//! found by sweeping only those boxes.
//!
//! In a crowd of n boxes an end passes O(n v / w) others, where v is the displacement of a box and
//! w the width of the world. This is fast for thousands of boxes, not for millions. Passages are
//! counted, and lists with too many are sorted from scratch.

use glam::Vec3;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::phase::{OverBounds, PairSearch};
use crate::broad_phase::sweep::sweep_cpu::Sweep;
use crate::geometry::bounds::{BOUNDS, Bounds, ordered};
use crate::geometry::pair::Pair;
use crate::outputs::sort_pairs_cpu::PairSorter;
use crate::rules::filter::SetRules;

/// Label for out-of-memory errors.
const WHAT: &str = "the sweep lists";
/// The average number of passages per end above which the lists are rebuilt.
const MOST_PASSAGES: usize = 64;
/// The lists are rebuilt if more than one in this many boxes is added or removed.
const STRANGERS: usize = 4;
/// Boxes per task that are compared with the new boxes.
const MOVERS: usize = 1024;

/// The bounds of an absent box: it overlaps nothing, and has no ends in the lists.
pub(crate) const ABSENT: Bounds = Bounds {
    low: Vec3::INFINITY,
    tag: 0,
    high: Vec3::NEG_INFINITY,
    id: u32::MAX,
};

fn is_absent(bounds: &Bounds) -> bool {
    bounds.low.x > bounds.high.x
}

/// The bounds of the last frame, their ends in order along each axis, and the pairs that overlap.
#[derive(Default)]
pub(crate) struct SweepLists {
    bounds: Vec<Bounds>,
    before: Vec<Bounds>,
    axes: [Axis; 3],
    /// Sorted, as are the pairs that began and ended with the last frame.
    pairs: Vec<Pair>,
    begun: Vec<Pair>,
    ended: Vec<Pair>,
    sweep: Sweep,
    sorter: PairSorter,
}

/// The sorted interval ends along an axis. An entry has the coordinate as an ordered integer, a bit
/// for an end, and the box.
#[derive(Default)]
struct Axis {
    ends: Vec<u64>,
    /// The pairs that begin or cease to overlap, found from an end that passed another.
    changed: Vec<Pair>,
}

/// Set in the entry of an end, so that a beginning at the same coordinate comes before it.
const END: u64 = 1 << 31;
/// The maximum number of boxes: the range left for them in an entry.
pub(crate) const MOST_BOXES: usize = 1 << 31;

impl Axis {
    /// Sorts the ends along an axis.
    fn sort_anew(&mut self, axis: usize, bounds: &[Bounds]) -> Result<()> {
        self.ends.clear();
        memory::reserve(&mut self.ends, 2 * bounds.len(), WHAT)?;
        let there = (0..bounds.len()).filter(|&id| !is_absent(&bounds[id]));
        self.ends.extend(there.flat_map(|id| both_ends(id, bounds, axis)));
        parallel::sort(&mut self.ends);
        Ok(())
    }

    /// Removes the ends of boxes that are gone.
    fn leave(&mut self, now: &[Bounds]) {
        self.ends.retain(|entry| !is_absent(&now[box_of(*entry)]));
    }

    /// Inserts the ends of new boxes.
    fn come(&mut self, axis: usize, come: &[u32], now: &[Bounds]) -> Result<()> {
        let mut new = Vec::new();
        memory::reserve(&mut new, 2 * come.len(), WHAT)?;
        new.extend(come.iter().flat_map(|&id| both_ends(id as usize, now, axis)));
        new.sort_unstable();
        let mut last = self.ends.len();
        memory::resize(&mut self.ends, last + new.len(), 0, WHAT)?;
        // Working from the end, nothing is overwritten that is still to be moved.
        for (before, &end) in new.iter().enumerate().rev() {
            let first = self.ends[..last].partition_point(|other| *other < end);
            self.ends.copy_within(first..last, first + before + 1);
            self.ends[first + before] = end;
            last = first;
        }
        Ok(())
    }

    /// Sorts the ends by insertion and records the pairs that change. Returns the number of
    /// passages of one end past another, `None` if that exceeds `most`.
    fn follow(&mut self, axis: usize, before: &[Bounds], now: &[Bounds], most: usize) -> Result<Option<usize>> {
        self.changed.clear();
        let mut passages = 0;
        for k in 0..self.ends.len() {
            let end = entry(self.ends[k] & u64::from(u32::MAX), now, axis);
            let mut place = k;
            while place > 0 && self.ends[place - 1] > end {
                let other = self.ends[place - 1];
                if (other ^ end) & END != 0 {
                    let [a, b] = [other, end].map(box_of);
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

/// Returns the box of an entry.
fn box_of(entry: u64) -> usize {
    (entry & (END - 1)) as usize
}

/// Returns the entries of both ends of a box.
fn both_ends(id: usize, bounds: &[Bounds], axis: usize) -> [u64; 2] {
    [id as u64, END | id as u64].map(|name| entry(name, bounds, axis))
}

/// Returns the entry of an end, given by its lower half.
fn entry(name: u64, bounds: &[Bounds], axis: usize) -> u64 {
    let bounds = &bounds[box_of(name)];
    let corner = if name & END == 0 { bounds.low } else { bounds.high };
    // -0 becomes 0, which is the same coordinate.
    u64::from(ordered(corner[axis] + 0.0)) << 32 | name
}

/// The work done for a frame.
pub(crate) struct Swept {
    /// The number of passages of one end past another.
    pub passages: usize,
    /// `true` if everything was sorted from scratch.
    pub anew: bool,
}

impl SweepLists {
    /// Returns the pairs of boxes whose bounds overlap, sorted.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Returns the pairs that overlap since the last frame, and those that no longer do, both
    /// sorted.
    pub fn changes(&self) -> [&[Pair]; 2] {
        [&self.begun, &self.ended]
    }

    /// Advances to the next frame, of `count` boxes in the same positions of their list. `fill`
    /// provides their bounds, with their positions as ids, or [`ABSENT`]. The flag forces sorting
    /// from scratch. After an error the state is invalid.
    pub fn advance(
        &mut self,
        count: usize,
        anew: bool,
        fill: impl FnOnce(&mut [Bounds]) -> Result<()>,
    ) -> Result<Swept> {
        std::mem::swap(&mut self.bounds, &mut self.before);
        let places = count.max(self.before.len());
        memory::make_scratch(&mut self.bounds, places, BOUNDS)?;
        fill(&mut self.bounds[..count])?;
        self.bounds[count..].fill(ABSENT);
        memory::resize(&mut self.before, places, ABSENT, BOUNDS)?;
        let swept = match anew {
            true => None,
            false => self.follow()?,
        };
        let passages = match swept {
            Some(passages) => passages,
            None => self.sort_anew()?,
        };
        self.bounds.truncate(count);
        Ok(Swept {
            passages,
            anew: swept.is_none(),
        })
    }

    /// Updates the lists and the pairs. Returns the number of passages, `None` if sorting from
    /// scratch is better.
    fn follow(&mut self) -> Result<Option<usize>> {
        let (before, now) = (&self.before[..], &self.bounds[..]);
        let (mut come, mut gone) = (Vec::new(), 0);
        for (id, (before, now)) in before.iter().zip(now).enumerate() {
            match [before, now].map(is_absent) {
                [true, false] => memory::push(&mut come, id as u32, WHAT)?,
                [false, true] => gone += 1,
                _ => {}
            }
        }
        if STRANGERS * (come.len() + gone) > now.len() {
            return Ok(None);
        }
        let most = MOST_PASSAGES * now.len();
        let follow = |axis, lists: &mut [Axis]| -> Result<Option<usize>> {
            let list = &mut lists[0];
            if gone > 0 {
                list.leave(now);
            }
            let passages = list.follow(axis, before, now, most)?;
            if passages.is_some() && !come.is_empty() {
                list.come(axis, &come, now)?;
            }
            Ok(passages)
        };
        let mut all = Some(0);
        for passages in parallel::map_chunks_of(1, &mut self.axes, follow) {
            all = all.zip(passages?).map(|(sum, more)| sum + more);
        }
        if all.is_some() {
            self.change(&come, gone > 0)?;
        }
        Ok(all)
    }

    /// Sorts all ends and boxes from scratch, and finds all pairs.
    fn sort_anew(&mut self) -> Result<usize> {
        let bounds = &self.bounds[..];
        for sorted in parallel::map_chunks_of(1, &mut self.axes, |axis, lists| lists[0].sort_anew(axis, bounds)) {
            sorted?;
        }
        let mut there = Vec::new();
        memory::reserve(&mut there, bounds.len(), BOUNDS)?;
        there.extend(bounds.iter().filter(|bounds| !is_absent(bounds)));
        let rules = SetRules::default();
        self.sweep.sort(&there, &rules)?;
        let sweep = &self.sweep;
        let sorted = sweep.sorted();
        let id = |position: u32| sorted.id(position as usize);
        let found = parallel::map_ranges(sweep.len(), |range| -> Result<Vec<Pair>> {
            let (mut pairs, mut result) = (Vec::new(), Ok(()));
            sweep.pairs::<false>(&rules, range, &mut |batch, _| {
                let named = batch.iter().map(|pair| Pair::new(id(pair.a), id(pair.b)));
                let kept = memory::reserve(&mut pairs, batch.len(), WHAT).map(|()| pairs.extend(named));
                result = std::mem::replace(&mut result, Ok(())).and(kept);
            });
            Ok(result.map(|()| pairs)?)
        });
        let pairs = joined(found, &mut self.sorter)?;
        self.replace(pairs)?;
        Ok(0)
    }

    /// Applies the pairs that have changed, given the new boxes.
    fn change(&mut self, come: &[u32], some_gone: bool) -> Result<()> {
        let mut changed = self.arrivals(come)?;
        for axis in &self.axes {
            memory::extend(&mut changed, &axis.changed, WHAT)?;
        }
        if some_gone {
            let is_gone = |id: u32| is_absent(&self.bounds[id as usize]);
            for pair in self.pairs.iter().filter(|pair| is_gone(pair.a) || is_gone(pair.b)) {
                memory::push(&mut changed, *pair, WHAT)?;
            }
        }
        changed.sort_unstable();
        // A pair may have changed on several axes.
        changed.dedup();
        let mut pairs = Vec::new();
        memory::reserve(&mut pairs, self.pairs.len() + changed.len(), WHAT)?;
        self.begun.clear();
        self.ended.clear();
        let mut rest = &self.pairs[..];
        for pair in changed {
            let (smaller, others) = rest.split_at(rest.partition_point(|other| *other < pair));
            pairs.extend_from_slice(smaller);
            rest = match others.split_first() {
                Some((first, others)) if *first == pair => {
                    memory::push(&mut self.ended, pair, WHAT)?;
                    others
                }
                _ => {
                    memory::push(&mut self.begun, pair, WHAT)?;
                    pairs.push(pair);
                    others
                }
            };
        }
        pairs.extend_from_slice(rest);
        self.pairs = pairs;
        Ok(())
    }

    /// Returns the pairs of new boxes: with each other, and with all others.
    fn arrivals(&mut self, come: &[u32]) -> Result<Vec<Pair>> {
        if come.is_empty() {
            return Ok(Vec::new());
        }
        let (before, now) = (&self.before[..], &self.bounds[..]);
        let rules = SetRules::default();
        let new = memory::collect(come.iter().map(|&id| now[id as usize]), BOUNDS)?;
        self.sweep.sort(&new, &rules)?;
        let sweep = &self.sweep;
        let found = parallel::map_ranges_of(MOVERS, now.len(), |range| -> Result<Vec<Pair>> {
            let (mut pairs, mut result) = (Vec::new(), Ok(()));
            sweep.meet_ids::<false>(&now[range], &rules, |Pair { a, b }| {
                // Two new boxes find each other twice, and each finds itself.
                if (!is_absent(&before[b as usize]) || a < b) && result.is_ok() {
                    result = memory::push(&mut pairs, Pair::new(a, b), WHAT);
                }
            });
            Ok(result.map(|()| pairs)?)
        });
        joined(found, &mut self.sorter)
    }

    /// Replaces the previous pairs by these, which must be sorted.
    fn replace(&mut self, pairs: Vec<Pair>) -> Result<()> {
        only_in_first(&pairs, &self.pairs, &mut self.begun)?;
        only_in_first(&self.pairs, &pairs, &mut self.ended)?;
        self.pairs = pairs;
        Ok(())
    }
}

/// Joins all pairs in one list, sorted.
fn joined(lists: Vec<Result<Vec<Pair>>>, sorter: &mut PairSorter) -> Result<Vec<Pair>> {
    let mut all = Vec::new();
    for list in lists {
        memory::extend(&mut all, &list?, WHAT)?;
    }
    sorter.sort(&mut all)?;
    Ok(all)
}

/// Collects the items of a sorted list that another sorted list lacks.
fn only_in_first(first: &[Pair], second: &[Pair], only: &mut Vec<Pair>) -> Result<()> {
    only.clear();
    let mut rest = second.iter().peekable();
    for pair in first {
        while rest.next_if(|other| *other < pair).is_some() {}
        if rest.peek() != Some(&pair) {
            memory::push(only, *pair, WHAT)?;
        }
    }
    Ok(())
}
