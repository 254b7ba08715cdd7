//! Fat AABBs: enlarged bounds in which a box can move, sorted into a grid once. While every box
//! stays within its fat AABB, pairs whose fat AABBs share no point need not be examined (Baraff's
//! "fattened" boxes; predictive ones as in Box2D's dynamic tree, stretched along the box's motion).
//!
//! A box that has left its fat AABB gets another one, outside the grid. The new fat AABB is looked
//! up in the grid, ignoring old fat AABBs of such boxes, and in a small grid of all fat AABBs
//! outside. Each pair whose fat AABBs overlap is therefore found: when the big grid was built if
//! both were in it, otherwise when the later of the two fat AABBs was made.

use glam::Vec3;

use crate::base::error::Result;
use crate::base::parallel::fine_grain;
use crate::base::{memory, parallel};
use crate::broad_phase::grid::phase::GridPhase;
use crate::broad_phase::layered::Layered;
use crate::broad_phase::phase::OverBounds;
use crate::broad_phase::phase::PairSearch;
use crate::geometry::bounds::{BOUNDS, Bounds, Gather, half_margin, size_bin};
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::Gathered;
use crate::outputs::sort_pairs_cpu::PairSorter;
use crate::rules::filter::{PairRules, SetRules};
use crate::shapes::obb::lanes::LANES;
use crate::shapes::obb::obb_bounds_cpu::{bounds_of, bounds_of_lanes, obb_bounds};
use crate::shapes::obb::record::Obb;
use crate::tracking::id_map::NOWHERE;

/// Label for out-of-memory errors.
const WHAT: &str = "the pairs to watch";
/// Movers per task.
const MOVERS: usize = 256;

/// The space that a fat AABB leaves around a box.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Room {
    /// The distance on every side, in the caller's unit.
    pub slack: f32,
    /// The additional stretch in the direction of motion.
    pub stretch: Vec3,
}

/// The fat AABBs of all boxes, by slot.
#[derive(Default)]
pub(crate) struct FatAabbs {
    bounds: Vec<Bounds>,
    at_rest: Layered<GridPhase>,
    sorter: PairSorter,
    /// The slot of each box of the grid, or [`NOWHERE`] if the box is gone.
    slots: Vec<u32>,
    /// `true` if the fat AABB of a slot is outside the grid.
    is_out: Vec<bool>,
    out: Vec<u32>,
}

impl FatAabbs {
    /// Makes new fat AABBs for all boxes, in one grid. Returns the pairs of slots whose fat AABBs
    /// overlap and that the rules allow, sorted.
    pub fn build(
        &mut self,
        boxes: &[Obb],
        room: impl Fn(u32) -> Room + Sync + Send,
        rules: &PairRules<'_>,
    ) -> Result<Vec<Pair>> {
        let count = boxes.len();
        memory::make_scratch(&mut self.bounds, count, BOUNDS)?;
        let () = obb_bounds(boxes, |slot| widening(room(slot).slack), &mut self.bounds)?;
        let stretched = |first: usize, bounds: &mut [Bounds]| {
            let mut stats = Gathered::default();
            for (slot, bounds) in (first as u32..).zip(bounds) {
                *bounds = stretch(*bounds, room(slot).stretch);
                stats.add(bounds, bounds.size());
            }
            stats
        };
        let stats = parallel::fold_chunks(&mut self.bounds, Gathered::default, stretched, Gathered::merge);
        let mut unsorted = parallel::collect(count, BOUNDS, |slot| self.bounds[slot])?;
        sort(&mut self.at_rest, &mut unsorted, &stats, rules.sets[0])?;
        let mut pairs = all_pairs(&self.at_rest, rules)?;
        self.sorter.sort(&mut pairs)?;
        self.slots.clear();
        memory::reserve(&mut self.slots, count, WHAT)?;
        self.slots.extend(0..count as u32);
        self.is_out.clear();
        memory::resize(&mut self.is_out, count, false, WHAT)?;
        self.out.clear();
        Ok(pairs)
    }

    /// Returns the number of fat AABBs outside the grid.
    pub fn outside(&self) -> usize {
        self.out.len()
    }

    /// Returns a distance that any point of the boxes in these slots may move before the boxes may
    /// leave their fat AABBs; below 0 if they may have left.
    pub fn left(&self, boxes: &[Obb], slots: [u32; LANES]) -> [f32; LANES] {
        let now = bounds_of_lanes(slots.map(|slot| &boxes[slot as usize]), slots);
        now.map(|now| {
            let fat_aabb = &self.bounds[now.id as usize];
            (now.low - fat_aabb.low).min(fat_aabb.high - now.high).min_element()
        })
    }

    /// Makes new fat AABBs for the boxes in these slots, ascending. Returns the pairs of these
    /// boxes whose fat AABBs overlap and that the rules allow, sorted.
    pub fn renew(
        &mut self,
        boxes: &[Obb],
        slots: &[u32],
        room: impl Fn(u32) -> Room,
        rules: &PairRules<'_>,
    ) -> Result<Vec<Pair>> {
        for &slot in slots {
            let room = room(slot);
            let bounds = bounds_of(&boxes[slot as usize], widening(room.slack), slot);
            self.bounds[slot as usize] = stretch(bounds, room.stretch);
            if !std::mem::replace(&mut self.is_out[slot as usize], true) {
                memory::push(&mut self.out, slot, WHAT)?;
            }
        }
        let mut pairs = Vec::new();
        let fat_aabbs = |slots: &[u32]| memory::collect(slots.iter().map(|&slot| self.bounds[slot as usize]), BOUNDS);
        let in_grid = |other: u32| {
            let slot = self.slots[other as usize];
            (slot != NOWHERE && !self.is_out[slot as usize]).then_some(slot)
        };
        meet(
            &self.at_rest,
            fat_aabbs(slots)?,
            rules,
            &|other, _| in_grid(other),
            &mut pairs,
        )?;
        let mut outside = fat_aabbs(&self.out)?;
        let mut stats = Gathered::default();
        for bounds in &mut outside {
            bounds.tag = size_bin(bounds.size());
            stats.add(bounds, bounds.size());
        }
        let mut grid = Layered::default();
        sort(&mut grid, &mut outside, &stats, rules.sets[0])?;
        // Two new fat AABBs find each other twice.
        let first = |other: u32, slot: u32| {
            let is_found = other == slot || other > slot && slots.binary_search(&other).is_ok();
            (!is_found).then_some(other)
        };
        meet(&grid, fat_aabbs(slots)?, rules, &first, &mut pairs)?;
        self.sorter.sort(&mut pairs)?;
        Ok(pairs)
    }

    /// Assigns other slots to the boxes; some no longer have any. There are `count` slots in all.
    /// Slots without an old box have no fat AABB until [`FatAabbs::renew`] makes one.
    pub fn rename(&mut self, slots: &[u32], count: usize) -> Result<()> {
        let renamed = |slot: &u32| match *slot {
            NOWHERE => NOWHERE,
            slot => slots[slot as usize],
        };
        parallel::update(&mut self.slots, |_, slot| *slot = renamed(slot));
        let mut bounds = memory::zeroed::<Bounds>(count, BOUNDS)?;
        // A box without a fat AABB is not in the grid.
        let mut is_out = memory::filled(count, false, WHAT)?;
        for (old, &slot) in slots.iter().enumerate().filter(|(_, slot)| **slot != NOWHERE) {
            bounds[slot as usize] = Bounds {
                id: slot,
                ..self.bounds[old]
            };
            is_out[slot as usize] = self.is_out[old];
        }
        self.out.retain_mut(|slot| {
            *slot = renamed(slot);
            *slot != NOWHERE
        });
        (self.bounds, self.is_out) = (bounds, is_out);
        Ok(())
    }
}

/// Returns the widening of bounds that allows a box within them to move by this slack.
fn widening(slack: f32) -> f32 {
    half_margin(2.0 * slack)
}

/// Extends bounds to their position after a displacement.
fn stretch(bounds: Bounds, way: Vec3) -> Bounds {
    let mut stretched = Bounds {
        low: bounds.low + way.min(Vec3::ZERO),
        high: bounds.high + way.max(Vec3::ZERO),
        ..bounds
    };
    stretched.tag = size_bin(stretched.size());
    stretched
}

/// Sorts bounds, which are put into another order, into a grid.
fn sort(grid: &mut Layered<GridPhase>, bounds: &mut [Bounds], stats: &Gathered, rules: &SetRules<'_>) -> Result<()> {
    let needed = <GridPhase as OverBounds>::bytes_for(bounds.len() as u64);
    memory::ensure(needed.saturating_sub(grid.bytes()), "the grid")?;
    grid.build_for_movers(bounds, stats, rules)
}

/// Returns all pairs of a grid that the rules allow.
fn all_pairs(grid: &Layered<GridPhase>, rules: &PairRules<'_>) -> Result<Vec<Pair>> {
    let (asked, records) = (rules.any(), grid.sorted());
    let id = |position: u32| records.id(position as usize);
    let found = parallel::map_ranges_of(fine_grain(grid.len()), grid.len(), |range| {
        let mut pairs = Vec::new();
        let mut outcome = Ok(());
        grid.pairs::<false>(rules.sets[0], range, &mut |batch, _| {
            let named = |pair: &Pair| Pair::new(id(pair.a), id(pair.b));
            if outcome.is_ok() {
                outcome = memory::reserve(&mut pairs, batch.len(), WHAT);
            }
            match (outcome.is_ok(), asked) {
                (false, _) => {}
                (true, None) => pairs.extend(batch.iter().map(named)),
                (true, Some(rules)) => pairs.extend(batch.iter().map(named).filter(|pair| rules.allow(*pair))),
            }
        });
        outcome.map(|()| pairs)
    });
    joined(found)
}

/// Appends the pairs, allowed by the rules, of a mover and the record of a grid that
/// `slot_of(record, mover)` identifies.
fn meet(
    at_rest: &Layered<GridPhase>,
    movers: Vec<Bounds>,
    rules: &PairRules<'_>,
    slot_of: &(impl Fn(u32, u32) -> Option<u32> + Sync),
    pairs: &mut Vec<Pair>,
) -> Result<()> {
    let movers = at_rest.sort_movers(movers, rules.sets[0])?;
    let found = parallel::map_ranges_of(MOVERS, movers.len(), |range| {
        let mut pairs = Vec::new();
        let mut outcome = Ok(());
        at_rest.meet_ids::<false>(&movers[range], rules.sets[0], |found| {
            let pair = slot_of(found.a, found.b).map(|slot| Pair::new(slot, found.b));
            if let Some(pair) = pair.filter(|pair| rules.allow(*pair))
                && outcome.is_ok()
            {
                outcome = memory::push(&mut pairs, pair, WHAT);
            }
        });
        outcome.map(|()| pairs)
    });
    Ok(memory::extend(pairs, &joined(found)?, WHAT)?)
}

/// The pairs of all tasks.
fn joined(found: Vec<memory::Result<Vec<Pair>>>) -> Result<Vec<Pair>> {
    let found: Vec<Vec<Pair>> = found.into_iter().collect::<memory::Result<_>>()?;
    let mut pairs = Vec::new();
    memory::reserve(&mut pairs, found.iter().map(Vec::len).sum(), WHAT)?;
    found.iter().for_each(|some| pairs.extend_from_slice(some));
    Ok(pairs)
}
