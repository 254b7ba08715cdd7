//! Pairs that may collide soon, and the validity of their known states.
//!
//! Every box has a *travel*: the sum of the bounds of its
//! [`displacements`](crate::shapes::obb::displacement), in whole quanta, rounded up. A tested pair
//! gets a deadline: the sum of the travels of its boxes, plus the clearance of the pair in quanta,
//! rounded down. While the sum of the travels has not passed the deadline, both boxes together have
//! moved less than the clearance, so the result is still valid. Sums of integers are exact: a pair
//! that only touches, with clearance 0, is tested whenever one of its boxes has moved at all, and
//! never if neither has.

use crate::base::error::Result;
use crate::base::parallel::GRAIN;
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::clearance_cpu::clearances;
use crate::narrow_phase::obb_obb::exact::classify_pairs;
use crate::shapes::obb::record::Obb;
use crate::tracking::id_map::NOWHERE;
use crate::tracking::shapes::Shapes;

/// Label for out-of-memory errors.
const WHAT: &str = "the pairs to watch";
/// Set in the state of a pair that collides; the rest is its deadline.
const COLLIDES: u32 = 1 << 31;
/// The latest deadline, which no sum of travels exceeds.
const NEVER: u32 = COLLIDES - 1;
/// The initial travel, so that a pair with the deadline 0 is late.
pub(crate) const FIRST_TRAVEL: u32 = 1;
/// The largest travel: two of them do not add up to the latest deadline.
pub(crate) const LAST_TRAVEL: u32 = 1 << 29;

/// A pair that has begun or ceased to collide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flip {
    pub pair: Pair,
    pub collides: bool,
}

/// The pairs, by slots, and their states.
#[derive(Default)]
pub(crate) struct PairCache {
    /// Sorted.
    pairs: Vec<Pair>,
    states: Vec<u32>,
    spare: (Vec<Pair>, Vec<u32>),
    tasks: Vec<Task>,
}

/// The results of one range of pairs, and the memory for its work.
#[derive(Default)]
struct Task {
    late: Vec<u32>,
    late_pairs: Vec<Pair>,
    /// Those of two round bodies.
    rounds: Vec<u32>,
    round_pairs: Vec<Pair>,
    unclear: Vec<(u32, Pair)>,
    unclear_pairs: Vec<Pair>,
    flips: Vec<Flip>,
    outcome: Option<crate::base::error::Error>,
}

impl PairCache {
    /// Returns the number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the pairs that collide.
    pub fn colliding(&self) -> impl Iterator<Item = Pair> {
        let colliding = self
            .pairs
            .iter()
            .zip(&self.states)
            .filter(|(_, state)| **state & COLLIDES != 0);
        colliding.map(|(pair, _)| *pair)
    }

    /// Returns for each pair the total distance, in quanta, that its boxes may move before it must
    /// be tested again.
    pub fn left<'a>(&'a self, travel: &'a [u32]) -> impl Iterator<Item = (Pair, u32)> + 'a {
        let pairs = self.pairs.iter().zip(&self.states);
        pairs.map(|(pair, state)| (*pair, (state & NEVER).saturating_sub(together(travel, *pair))))
    }

    /// Tests the late pairs, by the placements and travels of their boxes, and appends those that
    /// have changed, in order. `per_quantum` is the reciprocal of the quantum. Returns the number
    /// of tested pairs.
    pub fn test_late(
        &mut self,
        boxes: &[Obb],
        shapes: &Shapes<'_>,
        travel: &[u32],
        per_quantum: f32,
        flips: &mut Vec<Flip>,
    ) -> Result<usize> {
        let pairs = &self.pairs[..];
        let tasks = pairs.len().div_ceil(GRAIN);
        if self.tasks.len() < tasks {
            self.tasks.resize_with(tasks, Task::default);
        }
        parallel::chunks_of_both(
            [GRAIN, 1],
            &mut self.states,
            &mut self.tasks[..tasks],
            |first, states, task| {
                let task = &mut task[0];
                task.outcome = task
                    .run(
                        (boxes, shapes),
                        travel,
                        per_quantum,
                        &pairs[first..][..states.len()],
                        states,
                    )
                    .err();
            },
        );
        let mut tested = 0;
        for task in &mut self.tasks[..tasks] {
            if let Some(error) = task.outcome.take() {
                return Err(error);
            }
            tested += task.late.len();
            memory::extend(flips, &task.flips, WHAT)?;
        }
        Ok(tested)
    }

    /// Replaces all pairs that are `renewed(pair)` by the `new` pairs, which must be sorted. States
    /// of pairs in both lists are kept, unless `forgotten(pair)`. Appends the colliding pairs that
    /// are no longer watched, which have separated, in order.
    pub fn replace(
        &mut self,
        new: &[Pair],
        renewed: impl Fn(Pair) -> bool,
        forgotten: impl Fn(Pair) -> bool,
        flips: &mut Vec<Flip>,
    ) -> Result<()> {
        let (pairs, states) = (&mut self.spare.0, &mut self.spare.1);
        pairs.clear();
        states.clear();
        memory::reserve(pairs, self.pairs.len() + new.len(), WHAT)?;
        memory::reserve(states, self.pairs.len() + new.len(), WHAT)?;
        let mut next = 0;
        for (&pair, &state) in self.pairs.iter().zip(&self.states) {
            while next < new.len() && new[next] < pair {
                pairs.push(new[next]);
                states.push(0);
                next += 1;
            }
            let is_new = next < new.len() && new[next] == pair;
            next += usize::from(is_new);
            if is_new || !renewed(pair) {
                pairs.push(pair);
                states.push(if forgotten(pair) { state & COLLIDES } else { state });
            } else if state & COLLIDES != 0 {
                memory::push(flips, Flip { pair, collides: false }, WHAT)?;
            }
        }
        pairs.extend_from_slice(&new[next..]);
        states.resize(pairs.len(), 0);
        std::mem::swap(&mut self.pairs, pairs);
        std::mem::swap(&mut self.states, states);
        Ok(())
    }

    /// Assigns other slots to the boxes, in the same order. Pairs with a box that no longer has a
    /// slot are dropped.
    pub fn rename(&mut self, slots: &[u32]) {
        let mut kept = 0;
        for k in 0..self.pairs.len() {
            let pair = self.pairs[k];
            let pair = Pair {
                a: slots[pair.a as usize],
                b: slots[pair.b as usize],
            };
            if pair.a != NOWHERE && pair.b != NOWHERE {
                self.pairs[kept] = pair;
                self.states[kept] = self.states[k];
                kept += 1;
            }
        }
        self.pairs.truncate(kept);
        self.states.truncate(kept);
    }

    /// Discards the states of all pairs except whether they collide.
    pub fn forget(&mut self) {
        parallel::update(&mut self.states, |_, state| *state &= COLLIDES);
    }
}

/// Returns the sum of the travels of the boxes of a pair.
#[inline(always)]
fn together(travel: &[u32], pair: Pair) -> u32 {
    travel[pair.a as usize] + travel[pair.b as usize]
}

/// The states of some pairs while they are tested.
struct Settling<'a> {
    travel: &'a [u32],
    per_quantum: f32,
    states: &'a mut [u32],
    flips: &'a mut Vec<Flip>,
    unclear: &'a mut Vec<(u32, Pair)>,
}

impl Settling<'_> {
    /// Sets the state of a pair, given its place and its clearance, which says nothing if it is 0.
    fn by_clearance(&mut self, k: u32, pair: Pair, clearance: f32) {
        match clearance == 0.0 {
            true => self.unclear.push((k, pair)),
            // A value beyond 32 bits saturates; it is rounded down in any case.
            false => self.settle(k, pair, clearance < 0.0, (clearance.abs() * self.per_quantum) as u32),
        }
    }

    /// Sets the state of a pair, given its place and its clearance in quanta.
    fn settle(&mut self, k: u32, pair: Pair, collides: bool, clearance: u32) {
        let state = &mut self.states[k as usize];
        if (*state & COLLIDES != 0) != collides {
            self.flips.push(Flip { pair, collides });
        }
        let deadline = together(self.travel, pair).saturating_add(clearance).min(NEVER);
        *state = deadline | if collides { COLLIDES } else { 0 };
    }
}

impl Task {
    fn run(
        &mut self,
        (boxes, shapes): (&[Obb], &Shapes<'_>),
        travel: &[u32],
        per_quantum: f32,
        pairs: &[Pair],
        states: &mut [u32],
    ) -> Result<()> {
        self.flips.clear();
        self.unclear.clear();
        self.unclear_pairs.clear();
        self.find_late(shapes, travel, pairs, states)?;
        let count = self.late.len() + self.rounds.len();
        if count == 0 {
            return Ok(());
        }
        memory::reserve(&mut self.flips, count, WHAT)?;
        memory::reserve(&mut self.unclear, count, WHAT)?;
        memory::reserve(&mut self.unclear_pairs, count, WHAT)?;
        let mut settling = Settling {
            travel,
            per_quantum,
            states,
            flips: &mut self.flips,
            unclear: &mut self.unclear,
        };
        let mut late = self.late.iter();
        clearances(boxes, &self.late_pairs, |pairs, clearances| {
            for ((pair, clearance), &k) in pairs.iter().zip(clearances).zip(&mut late) {
                settling.by_clearance(k, *pair, shapes.clearance(*pair, *clearance));
            }
        });
        let mut rounds = self.rounds.iter();
        shapes.round_clearances(&self.round_pairs, |pairs, clearances| {
            for ((pair, clearance), &k) in pairs.iter().zip(clearances).zip(&mut rounds) {
                let clearance = match *clearance == 0.0 {
                    true => shapes.clearance(*pair, 0.0),
                    false => *clearance,
                };
                settling.by_clearance(k, *pair, clearance);
            }
        });
        self.unclear_pairs
            .extend(settling.unclear.iter().map(|(_, pair)| *pair));
        let unclear = std::mem::take(settling.unclear);
        let mut places = unclear.iter();
        classify_pairs([boxes, boxes], &self.unclear_pairs, |pair, contact| {
            if let Some((k, _)) = places.next() {
                settling.settle(*k, pair, shapes.collide(pair, contact.collides()), 0);
            }
        });
        self.unclear = unclear;
        self.flips.sort_unstable_by_key(|flip| flip.pair);
        Ok(())
    }

    /// Lists the late pairs, and those of two round bodies separately.
    fn find_late(&mut self, shapes: &Shapes<'_>, travel: &[u32], pairs: &[Pair], states: &[u32]) -> Result<()> {
        memory::make_scratch(&mut self.late, pairs.len(), WHAT)?;
        let mut count = 0;
        // Each entry is written, and overwritten by the next if it is not late.
        for (k, (pair, state)) in pairs.iter().zip(states).enumerate() {
            self.late[count] = k as u32;
            count += usize::from(together(travel, *pair) > *state & NEVER);
        }
        self.late.truncate(count);
        self.rounds.clear();
        if shapes.any_round() {
            memory::reserve(&mut self.rounds, count, WHAT)?;
            let rounds = self.late.iter().filter(|k| shapes.are_round(pairs[**k as usize]));
            self.rounds.extend(rounds);
            self.late.retain(|k| !shapes.are_round(pairs[*k as usize]));
        }
        for (places, list) in [
            (&self.late, &mut self.late_pairs),
            (&self.rounds, &mut self.round_pairs),
        ] {
            list.clear();
            memory::reserve(list, places.len(), WHAT)?;
            list.extend(places.iter().map(|&k| pairs[k as usize]));
        }
        Ok(())
    }
}
