//! Computes a frame from the previous one: moved boxes, boxes that left their fat AABBs, and pairs
//! that are due for a test.
//!
//! # Completeness
//!
//! Every box is within its [fat AABB](super::fat_aabbs), or gets another one in this frame. Two
//! boxes that collide share a point, which lies in both fat AABBs. The pair is therefore among the
//! [watched](super::watched) ones, unless the rules forbid it, and either its known state is still
//! valid or it is tested. When boxes are added, change their extents or groups, or move further
//! than can be counted, the states of all their pairs are discarded.

mod outlook;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use glam::Vec3;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;
use crate::rules::filter::{PairRules, SetRules};
use crate::rules::kinds::layers_of;
use crate::shapes::obb::displacement::displacements;
use crate::shapes::obb::lanes::LANES;
use crate::shapes::obb::obb_bounds_cpu::{bounds_of, validate};
use crate::shapes::obb::record::Obb;
use crate::tracking::fat_aabbs::{FatAabbs, Room};
use crate::tracking::id_map::NOWHERE;
use crate::tracking::lifetime::{self, Spent, Work};
use crate::tracking::pair_cache::{FIRST_TRAVEL, Flip, LAST_TRAVEL, PairCache};
use crate::tracking::shapes::Shapes;

/// Label for out-of-memory errors.
const WHAT: &str = "the boxes of the previous frame";
/// Set in the travel of a box whose state is unknown, until it has another fat AABB.
const STRANGE: u32 = 1 << 30;
/// The longest step that can be counted, in quanta.
const LONGEST_STEP: f32 = (1u32 << 27) as f32;
/// Quanta in the typical extent of a box: 2^20.
const QUANTA: f32 = (1u32 << 20) as f32;
/// Relative reduction of distances that are rounded to quanta.
const ROUNDING: f32 = 1.0 / (1u32 << 18) as f32;
/// All fat AABBs are rebuilt when one in this many boxes is outside their grid.
const OUTSIDE: usize = 10;

/// The number of boxes sampled for typical values.
const SAMPLES: usize = 1024;

/// The work done for a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    /// The number of boxes that moved or changed.
    pub moved: usize,
    /// The number of watched pairs.
    pub watched: usize,
    /// The number of tested pairs.
    pub tested: usize,
    /// The number of boxes whose fat AABBs were checked, and of those that got another fat AABB,
    /// unless all did.
    pub looked_at: usize,
    pub renewed: usize,
    /// `true` if all boxes got other fat AABBs.
    pub rebuilt: bool,
}

/// The state of a box when it got its fat AABB.
#[derive(Clone, Copy, Debug, Default)]
struct Since {
    center: Vec3,
    travel: u32,
    frame: u32,
}

/// The state after the last frame, by slots.
#[derive(Default)]
pub(crate) struct Coherent {
    placed: Vec<Obb>,
    travel: Vec<u32>,
    /// The travel at which a box may leave its fat AABB.
    leave: Vec<u32>,
    since: Vec<Since>,
    /// 0, or [`RENEWED`] and [`FORGOTTEN`], while fat AABBs are renewed.
    marks: Vec<u8>,
    fat_aabbs: FatAabbs,
    pair_cache: PairCache,
    rules: SetRules<'static>,
    /// The reciprocal of the quantum, a power of two.
    per_quantum: f32,
    /// The number of the frame, and the number of the frame in which all fat AABBs were made.
    frame: u32,
    built: u32,
    lasting: u16,
    /// `true` if boxes have got other slots since the last frame.
    renamed: bool,
    /// The cost since all fat AABBs were last made, and the cost of the period before; the number
    /// of times they were made.
    spent: Spent,
    spent_before: Spent,
    builds: u32,
    /// The number of pairs tested in the last frame.
    tested: usize,
}

/// The boxes that have left their fat AABBs.
struct Left {
    /// The slots, ascending.
    slots: Vec<u32>,
    /// The number of boxes checked.
    looked_at: usize,
    /// The longest travel of all boxes.
    longest: u32,
}

const RENEWED: u8 = 1;
const FORGOTTEN: u8 = 2;

impl Coherent {
    /// Begins with these boxes, which must be valid, and fat AABBs for `lasting` frames at this
    /// mean speed.
    pub fn begin(
        (boxes, shapes): (&[Obb], &Shapes<'_>),
        rules: &SetRules<'_>,
        speed: f32,
        lasting: u16,
    ) -> Result<Self> {
        let mut new = Self {
            placed: memory::collect(boxes.iter().copied(), WHAT)?,
            travel: memory::filled(boxes.len(), FIRST_TRAVEL, WHAT)?,
            leave: memory::zeroed(boxes.len(), WHAT)?,
            since: memory::filled(boxes.len(), Since::default(), WHAT)?,
            marks: memory::zeroed(boxes.len(), WHAT)?,
            rules: rules.clone().into_owned()?,
            per_quantum: per_quantum(boxes),
            lasting,
            ..Self::default()
        };
        let room = Room {
            slack: speed * f32::from(lasting),
            stretch: Vec3::ZERO,
        };
        new.build(&|_| room, &mut Vec::new())?;
        new.pair_cache
            .test_late(&new.placed, shapes, &new.travel, new.per_quantum, &mut Vec::new())?;
        Ok(new)
    }

    /// Returns the colliding pairs of slots, in order.
    pub fn colliding(&self) -> impl Iterator<Item = Pair> {
        self.pair_cache.colliding()
    }

    /// Advances to the next frame, of the boxes in the same slots. Appends the changes, in order.
    /// After an error the state is invalid.
    pub fn advance(
        &mut self,
        (boxes, shapes): (&[Obb], &Shapes<'_>),
        rules: &SetRules<'_>,
        lasting: u16,
        flips: &mut Vec<Flip>,
    ) -> Result<Done> {
        self.frame += 1;
        self.lasting = lasting;
        let mut done = Done::default();
        let changed = !self.rules.equals(rules);
        if changed {
            self.rules = rules.clone().into_owned()?;
        }
        done.moved = self.follow(boxes)?;
        if done.moved > 0 || changed || std::mem::take(&mut self.renamed) {
            self.settle_in(changed, flips, &mut done)?;
            done.tested = self
                .pair_cache
                .test_late(&self.placed, shapes, &self.travel, self.per_quantum, flips)?;
        }
        done.watched = self.pair_cache.len();
        self.tested = done.tested;
        self.spent.frame(self.work(done.looked_at, done.renewed));
        flips.sort_unstable_by_key(|flip| flip.pair);
        Ok(done)
    }

    /// Returns the work of a frame in which the number of tested pairs equals that of the last.
    fn work(&self, looked_at: usize, renewed: usize) -> Work {
        Work {
            boxes: self.placed.len(),
            watched: self.pair_cache.len(),
            tested: self.tested,
            looked_at,
            renewed,
        }
    }

    /// Records the positions of the boxes. Returns the number that moved.
    fn follow(&mut self, boxes: &[Obb]) -> Result<usize> {
        let (all_valid, moved) = (AtomicBool::new(true), AtomicUsize::new(0));
        let per_quantum = self.per_quantum;
        let grains = [parallel::GRAIN; 2];
        parallel::chunks_of_both(grains, &mut self.placed, &mut self.travel, |first, placed, travel| {
            let now = &boxes[first..][..placed.len()];
            let mut count = 0;
            let valid = displacements(placed, now, |first, bounds| {
                for (travel, bound) in travel[first..].iter_mut().zip(bounds) {
                    let step = (bound * per_quantum).ceil();
                    count += usize::from(step > 0.0);
                    match step <= LONGEST_STEP {
                        true => *travel += step as u32,
                        false => *travel |= STRANGE,
                    }
                }
            });
            if count > 0 || !valid {
                placed.copy_from_slice(now);
            }
            moved.fetch_add(count, Relaxed);
            all_valid.fetch_and(valid, Relaxed);
        });
        match all_valid.into_inner() {
            true => Ok(moved.into_inner()),
            // Finding the invalid one takes another pass.
            false => validate(boxes).map(|()| moved.into_inner()),
        }
    }

    /// Makes other fat AABBs for the boxes that have left theirs, or for all boxes.
    fn settle_in(&mut self, all: bool, flips: &mut Vec<Flip>, done: &mut Done) -> Result<()> {
        let Left {
            slots: left,
            looked_at,
            longest,
        } = self.left()?;
        (done.renewed, done.looked_at) = (left.len(), looked_at);
        let costs_more = looked_at > 0 && self.spent.is_exceeded_by(self.work(looked_at, left.len()));
        for &slot in &left {
            let travel = &mut self.travel[slot as usize];
            let is_strange = *travel & STRANGE != 0;
            *travel &= !STRANGE;
            self.marks[slot as usize] = RENEWED | if is_strange { FORGOTTEN } else { 0 };
        }
        let outside = self.fat_aabbs.outside() + left.len();
        let too_far = longest >= LAST_TRAVEL;
        if all || too_far || costs_more || outside > self.placed.len() / OUTSIDE {
            if too_far {
                self.travel.fill(FIRST_TRAVEL);
                self.pair_cache.forget();
            }
            let old = std::mem::take(&mut self.since);
            let (frame, lasting) = (self.frame, f32::from(self.lasting));
            let rooms = Rooms::new(self, &old, frame, lasting, too_far);
            let rooms = parallel::collect(old.len(), WHAT, |slot| rooms.of(slot as u32))?;
            self.since = old;
            self.build(&|slot| rooms[slot as usize], flips)?;
            done.rebuilt = true;
            done.renewed = 0;
        } else if !left.is_empty() {
            self.renew(&left, flips)?;
        }
        left.iter().for_each(|&slot| self.marks[slot as usize] = 0);
        Ok(())
    }

    /// Finds the boxes that have left their fat AABBs.
    fn left(&mut self) -> Result<Left> {
        let (fat_aabbs, placed, per_quantum) = (&self.fat_aabbs, &self.placed[..], self.per_quantum);
        let travel = &self.travel[..];
        let leave = |first: usize, leave: &mut [u32]| {
            let (mut left, mut looked_at, mut longest) = (Vec::new(), 0, 0);
            // Boxes that moved far enough to have left are checked, several at a time.
            let mut look = |slots: &[u32], leave: &mut [u32]| {
                let lanes = std::array::from_fn(|lane| slots[lane.min(slots.len() - 1)]);
                for (&slot, room) in slots.iter().zip(fat_aabbs.left(placed, lanes)) {
                    let travel = travel[slot as usize];
                    let quanta = match travel & STRANGE {
                        0 => room * (1.0 - ROUNDING) * per_quantum,
                        _ => -1.0,
                    };
                    match quanta >= 1.0 {
                        true => leave[slot as usize - first] = at_most_last(travel, quanta),
                        false => left.push(slot),
                    }
                }
            };
            let (mut late, mut count) = ([0; LANES], 0);
            for k in 0..leave.len() {
                let travel = travel[first + k];
                longest = longest.max(travel & !STRANGE);
                late[count] = (first + k) as u32;
                let is_late = usize::from(travel > leave[k]);
                (count, looked_at) = (count + is_late, looked_at + is_late);
                if count == LANES {
                    look(&late, leave);
                    count = 0;
                }
            }
            if count > 0 {
                look(&late[..count], leave);
            }
            (left, looked_at, longest)
        };
        let found = parallel::map_chunks(&mut self.leave, leave);
        let mut slots = Vec::new();
        for (left, ..) in &found {
            memory::extend(&mut slots, left, WHAT)?;
        }
        Ok(Left {
            slots,
            looked_at: found.iter().map(|found| found.1).sum(),
            longest: found.iter().map(|found| found.2).max().unwrap_or(0),
        })
    }

    /// Makes new fat AABBs for all boxes.
    fn build(&mut self, room: &(impl Fn(u32) -> Room + Sync + Send), flips: &mut Vec<Flip>) -> Result<()> {
        let count = self.placed.len();
        // The groups in records are not used because they may change before the next build. Boxes
        // that are added or move until then look into all layers.
        self.rules.layers = layers_of(&PairRules::of_one_set(&self.rules, count)?, count, &|_| None)?;
        let rules = PairRules::of_one_set(&self.rules, count)?;
        let pairs = self.fat_aabbs.build(&self.placed, room, &rules)?;
        let marks = &self.marks;
        let forgotten = |pair: Pair| (marks[pair.a as usize] | marks[pair.b as usize]) & FORGOTTEN != 0;
        self.pair_cache.replace(&pairs, |_| true, forgotten, flips)?;
        self.spent_before = std::mem::replace(&mut self.spent, Spent::of_build(self.placed.len(), pairs.len()));
        self.builds += 1;
        let (travel, placed, frame, per_quantum) = (&self.travel, &self.placed, self.frame, self.per_quantum);
        parallel::fill(&mut self.leave, |slot| {
            leave_at(travel[slot], room(slot as u32).slack, per_quantum)
        });
        parallel::fill(&mut self.since, |slot| Since {
            center: placed[slot].center,
            travel: travel[slot],
            frame,
        });
        self.built = self.frame;
        Ok(())
    }

    /// Makes new fat AABBs for some boxes.
    fn renew(&mut self, slots: &[u32], flips: &mut Vec<Flip>) -> Result<()> {
        let rules = PairRules::of_one_set(&self.rules, self.placed.len())?;
        let lasting = f32::from(self.lasting).min(8.0);
        let rooms = Rooms::new(self, &self.since, self.frame, lasting, false);
        let rooms = memory::collect(slots.iter().map(|&slot| rooms.of(slot)), WHAT)?;
        let room = |slot: u32| slots.binary_search(&slot).map_or(Room::default(), |k| rooms[k]);
        let pairs = self.fat_aabbs.renew(&self.placed, slots, room, &rules)?;
        let marks = &self.marks;
        let marked = |pair: Pair| marks[pair.a as usize] | marks[pair.b as usize];
        let renewed = |pair| marked(pair) & RENEWED != 0;
        self.pair_cache
            .replace(&pairs, renewed, |pair| marked(pair) & FORGOTTEN != 0, flips)?;
        for (&slot, room) in slots.iter().zip(&rooms) {
            let k = slot as usize;
            self.leave[k] = leave_at(self.travel[k], room.slack, self.per_quantum);
            self.since[k] = Since {
                center: self.placed[k].center,
                travel: self.travel[k],
                frame: self.frame,
            };
        }
        Ok(())
    }

    /// Assigns other slots to the boxes, in the same order, and [`NOWHERE`] to those that are gone.
    /// `boxes`, which must be valid, are those of the next frame.
    pub fn rename(&mut self, slots: &[u32], boxes: &[Obb]) -> Result<()> {
        fn moved<T: Copy>(old: &[T], slots: &[u32], mut new: Vec<T>) -> Vec<T> {
            for (item, &slot) in old.iter().zip(slots).filter(|(_, slot)| **slot != NOWHERE) {
                new[slot as usize] = *item;
            }
            new
        }
        let count = boxes.len();
        self.placed = moved(&self.placed, slots, memory::collect(boxes.iter().copied(), WHAT)?);
        // New boxes have no fat AABBs.
        self.travel = moved(
            &self.travel,
            slots,
            memory::filled(count, FIRST_TRAVEL | STRANGE, WHAT)?,
        );
        self.leave = moved(&self.leave, slots, memory::zeroed(count, WHAT)?);
        self.since = moved(&self.since, slots, memory::filled(count, Since::default(), WHAT)?);
        self.marks = memory::zeroed(count, WHAT)?;
        self.fat_aabbs.rename(slots, count)?;
        self.pair_cache.rename(slots);
        self.renamed = true;
        Ok(())
    }

    /// Discards the state of the bodies in these slots, which have other shapes.
    pub fn forget(&mut self, slots: impl Iterator<Item = u32>) {
        for slot in slots {
            self.travel[slot as usize] |= STRANGE;
            // Even if nothing has moved, there is work to do.
            self.renamed = true;
        }
    }
}

/// Computes rooms that suit the motion of the boxes so far.
struct Rooms<'a> {
    coherent: &'a Coherent,
    since: &'a [Since],
    frame: u32,
    lasting: f32,
    /// The mean speed, which is used for boxes without a history.
    mean: f32,
}

impl<'a> Rooms<'a> {
    fn new(coherent: &'a Coherent, since: &'a [Since], frame: u32, lasting: f32, too_far: bool) -> Self {
        let known = !too_far && since.len() == coherent.travel.len();
        let stride = since.len().div_ceil(SAMPLES).max(1);
        let mut rooms = Self {
            coherent,
            since,
            frame,
            lasting,
            mean: 0.0,
        };
        let sampled = (0..since.len()).step_by(stride).filter(|_| known);
        let count = sampled.clone().count().max(1) as f32;
        rooms.mean = sampled.map(|slot| rooms.speed(slot)).sum::<f32>() / count;
        rooms
    }

    /// Returns the number of frames since the box got its fat AABB.
    fn frames(&self, slot: usize) -> f32 {
        self.frame.saturating_sub(self.since[slot].frame).max(1) as f32
    }

    /// Returns an upper bound of the displacement of the points of a box per frame.
    fn speed(&self, slot: usize) -> f32 {
        let travel = (self.coherent.travel[slot] & !STRANGE).saturating_sub(self.since[slot].travel);
        travel as f32 / (self.coherent.per_quantum * self.frames(slot))
    }

    fn of(&self, slot: u32) -> Room {
        let slot = slot as usize;
        let obb = &self.coherent.placed[slot];
        let extent = 0.5 * extent_of(obb);
        if self.coherent.marks[slot] & FORGOTTEN != 0 {
            return lifetime::room(Vec3::ZERO, self.mean, self.lasting, extent);
        }
        let velocity = (obb.center - self.since[slot].center) / self.frames(slot);
        lifetime::room(velocity, self.speed(slot), self.lasting, extent)
    }
}

/// Returns the travel at which a box with this slack may leave its fat AABB.
fn leave_at(travel: u32, slack: f32, per_quantum: f32) -> u32 {
    at_most_last(travel, slack * (1.0 - ROUNDING) * per_quantum)
}

/// Returns the travel after this number of quanta, rounded down and limited to values below
/// [`STRANGE`].
fn at_most_last(travel: u32, quanta: f32) -> u32 {
    travel.saturating_add(quanta as u32).min(STRANGE - 1)
}

/// Returns the largest extent of a box's bounds.
pub(crate) fn extent_of(obb: &Obb) -> f32 {
    let bounds = bounds_of(obb, 0.0, 0);
    (bounds.high - bounds.low).max_element()
}

/// Returns the reciprocal of a quantum that suits these boxes: a small fraction of the median
/// extent.
fn per_quantum(boxes: &[Obb]) -> f32 {
    let stride = boxes.len().div_ceil(SAMPLES).max(1);
    let mut extents: Vec<f32> = boxes.iter().step_by(stride).map(extent_of).collect();
    extents.sort_unstable_by(f32::total_cmp);
    let median = extents.get(extents.len() / 2).copied().unwrap_or(1.0);
    // A power of two rounds nothing.
    let power = f32::from_bits(median.to_bits() & 0x7F80_0000).max(f32::MIN_POSITIVE);
    QUANTA / power
}
