//! The candidate pairs of bodies in many small worlds, each of which is a run of bodies: some
//! worlds at a time, from their bodies to their pairs, in the caches. If a world has more than a
//! few bodies, these are sorted along its longest axis. Blocks of as many bodies as a vector has
//! lanes are compared with each body after the first of them or, in a sorted world, with those that
//! begin before the block ends.

use std::ops::Range;

use fearless_simd::prelude::*;

use crate::base::error::Result;
use crate::base::lanes::{self, Simd, dispatch};
use crate::base::memory;
use crate::broad_phase::all_pairs_cpu::FEW as MOST_OF_FEW;
use crate::broad_phase::bounded::{Bounded, MOST_LANES};
use crate::broad_phase::grid::columns::{Columns, ColumnsView, OF_BOUNDS};
use crate::broad_phase::grid::view::View;
use crate::broad_phase::hits::{BATCH, Room, WalkHits, room};
use crate::broad_phase::operations::Operations;
use crate::geometry::bounds::ordered;
use crate::geometry::pair::Pair;

/// The most bodies of a world that are not sorted: comparing all of them takes less time.
const FEW: usize = 48;

/// Number of bodies whose bounds take hardly any time to clear.
const VERY_FEW: usize = MOST_LANES;

/// Number of boxes in a box's world up to which this takes less time than a grid, on average. By
/// measurement.
pub(crate) const MOST_IN_WORLD: usize = 5000;

/// The numbers of a body's bounds: the coordinates of the low corner, and those of the high one.
const NUMBERS: usize = 6;

/// Label for out-of-memory errors.
const WHAT: &str = "the bounds of some worlds";

/// Bodies in worlds that ascend.
pub(crate) struct InWorlds<'a, B> {
    pub bodies: &'a [B],
    pub worlds: &'a [u32],
    /// `true` if comparisons are counted.
    pub counts: bool,
}

/// The bounds of the bodies of some worlds, and memory for their pairs. The memory is kept for
/// later use.
#[derive(Default)]
pub(crate) struct SomeWorlds {
    /// The bounds, and the number of each body among these. Keys are not used.
    columns: Columns<OF_BOUNDS>,
    worlds: Vec<World>,
    /// The bodies of a world in order, as the number along which they are sorted and the position.
    keys: Vec<u64>,
    /// The numbers of a world before they are sorted.
    unsorted: Vec<f32>,
    /// Two for the pairs of a walk, and one for the pairs as they are passed on.
    rooms: Vec<Room<BATCH>>,
}

/// A world among some worlds.
struct World {
    bodies: Range<usize>,
    /// The axis along which the bodies are sorted by their low corners, if they are.
    sorted: Option<usize>,
}

impl World {
    /// Returns the end of those bodies of the world that begin before `high` along the axis by
    /// which they are sorted, or of all if they are not sorted. Those before `start` do.
    #[inline(always)]
    fn end_of_reach(&self, view: ColumnsView<'_, OF_BOUNDS>, start: usize, high: [f32; 3]) -> usize {
        self.sorted.map_or(self.bodies.end, |axis| {
            let lows = view.run(axis, &(start..self.bodies.end));
            start + lows.partition_point(|low| *low <= high[axis])
        })
    }
}

impl<B: Bounded> InWorlds<'_, B> {
    /// Calls `found` with batches of the candidate pairs of the worlds that begin in a range of
    /// bodies: each pair once, in any order. Bounds are widened by `margin`, given the position of
    /// a body. Returns the amount of work if it is counted; `None` if a body is invalid.
    pub fn pairs(
        &self,
        some: &mut SomeWorlds,
        range: Range<usize>,
        margin: impl Fn(u32) -> f32,
        mut found: impl FnMut(&[Pair]),
    ) -> Result<Option<Operations>> {
        let range = self.first_world(range.start)..self.first_world(range.end);
        let (bodies, base) = (&self.bodies[range.clone()], range.start as u32);
        let margin = |k: usize| margin(base + k as u32);
        let is_valid = dispatch!(lanes::level(), simd => some.fill(simd, bodies, &margin))?;
        if !is_valid {
            return Ok(None);
        }
        some.part(&self.worlds[range])?;
        let mut rooms = std::mem::take(&mut some.rooms);
        rooms.resize(3, room());
        if let Some((rooms, [named, ..])) = rooms.split_first_chunk_mut() {
            let (ids, any_sorted) = (
                &some.columns.ids,
                some.worlds.iter().any(|world| world.sorted.is_some()),
            );
            let mut pass = |pairs: &[Pair]| {
                for (named, &Pair { a, b }) in named.iter_mut().zip(pairs) {
                    *named = match any_sorted {
                        true => Pair::new(base + ids[a as usize], base + ids[b as usize]),
                        false => Pair {
                            a: base + a,
                            b: base + b,
                        },
                    };
                }
                found(&named[..pairs.len()]);
            };
            dispatch!(lanes::level(), simd => some.meet(simd, rooms, &mut pass));
        }
        some.rooms = rooms;
        let comparisons = if self.counts { some.comparisons() } else { 0 };
        Ok(Some(Operations {
            comparisons,
            ..Operations::default()
        }))
    }

    /// Returns the first position of the first world that begins at a body or after it.
    fn first_world(&self, position: usize) -> usize {
        match position.checked_sub(1) {
            Some(before) if position < self.worlds.len() => {
                let world = self.worlds[before];
                position + self.worlds[position..].partition_point(|other| *other == world)
            }
            _ => position,
        }
    }
}

/// Calls `found` with batches of the candidate pairs of at most [`MOST_OF_FEW`] bodies in one
/// world, whose bounds are widened by `margin`: each pair once, in any order. Returns `false` if a
/// body is invalid.
pub(crate) fn pairs_of_few<B: Bounded>(
    bodies: &[B],
    margin: f32,
    some: &mut SomeWorlds,
    found: impl FnMut(&[Pair]),
) -> Result<bool> {
    if bodies.len() > FEW {
        let in_world = InWorlds {
            bodies,
            worlds: &[0; MOST_OF_FEW][..bodies.len()],
            counts: false,
        };
        return Ok(in_world.pairs(some, 0..bodies.len(), |_| margin, found)?.is_some());
    }
    let mut rooms = std::mem::take(&mut some.rooms);
    rooms.resize(3, room());
    let mut are_valid = false;
    if let Some(rooms) = rooms.first_chunk_mut() {
        are_valid = match bodies.len() <= VERY_FEW {
            true => dispatch!(lanes::level(), simd => meet_few::<_, _, VERY_FEW>(simd, (bodies, margin), rooms, found)),
            false => {
                dispatch!(lanes::level(), simd => meet_few::<_, _, { FEW.next_multiple_of(MOST_LANES) }>(simd, (bodies, margin), rooms, found))
            }
        };
    }
    some.rooms = rooms;
    Ok(are_valid)
}

/// Performs [`pairs_of_few`] without any memory but the stack's, which has as many places.
#[inline(always)]
fn meet_few<S: Simd, B: Bounded, const PLACES: usize>(
    simd: S,
    (bodies, margin): (&[B], f32),
    rooms: &mut [Room<BATCH>; 2],
    mut found: impl FnMut(&[Pair]),
) -> bool {
    let mut lists = [[0.0; PLACES]; NUMBERS];
    let mut are_valid = true;
    for first in (0..bodies.len()).step_by(S::f32s::LEN) {
        let lanes = &bodies[first..bodies.len().min(first + S::f32s::LEN)];
        let (bounds, valid) = B::checked_bounds(simd, lanes, |_| margin);
        are_valid &= valid;
        for (list, numbers) in lists.iter_mut().zip(bounds.low.iter().chain(&bounds.high)) {
            numbers.store_slice(&mut list[first..first + S::f32s::LEN]);
        }
    }
    let mut hits = WalkHits::new(rooms, |pairs, _| found(pairs));
    let [x, y, z, high_x, high_y, high_z] = lists.each_ref().map(|list| &list[..]);
    let view = ColumnsView::of([x, y, z, high_x, high_y, high_z, &[]]);
    for first in (0..bodies.len()).step_by(S::f32s::LEN) {
        let block = first..bodies.len().min(first + S::f32s::LEN);
        let (walkers, _) = view.walkers(simd, block);
        view.meet_any::<S, true>(&walkers, first + 1..bodies.len(), &mut hits);
    }
    if are_valid {
        hits.flush();
    }
    are_valid
}

impl SomeWorlds {
    /// Returns the number of bytes held that grow with the size of a world.
    pub fn bytes(&self) -> usize {
        let sorting = self.keys.capacity() * size_of::<u64>() + self.unsorted.capacity() * size_of::<f32>();
        self.columns.bytes() + self.worlds.capacity() * size_of::<World>() + sorting
    }

    /// Sets the bounds to those of bodies, and returns `true` if all of these are valid.
    #[inline(always)]
    fn fill<S: Simd, B: Bounded>(&mut self, simd: S, bodies: &[B], margin: &impl Fn(usize) -> f32) -> Result<bool> {
        let (ids, mut lists) = self.columns.make_room(bodies.len())?;
        for (k, id) in ids.iter_mut().enumerate() {
            *id = k as u32;
        }
        let mut is_valid = true;
        for first in (0..bodies.len()).step_by(S::f32s::LEN) {
            let lanes = first..bodies.len().min(first + S::f32s::LEN);
            let (bounds, are_valid) = B::checked_bounds(simd, &bodies[lanes.clone()], |lane| margin(first + lane));
            is_valid &= are_valid;
            for (list, numbers) in lists.iter_mut().zip(bounds.low.iter().chain(&bounds.high)) {
                match lanes.len() == S::f32s::LEN {
                    true => numbers.store_slice(&mut list[lanes.clone()]),
                    false => list[lanes.clone()].copy_from_slice(&numbers.as_slice()[..lanes.len()]),
                }
            }
        }
        Ok(is_valid)
    }

    /// Lists the worlds, and sorts the bodies of those that have more than a few.
    fn part(&mut self, worlds: &[u32]) -> Result<()> {
        self.worlds.clear();
        let mut end = 0;
        for run in worlds.chunk_by(|a, b| a == b) {
            let bodies = end..end + run.len();
            end = bodies.end;
            let sorted = match bodies.len() > FEW {
                true => Some(self.sort(bodies.clone())?),
                false => None,
            };
            memory::push(&mut self.worlds, World { bodies, sorted }, WHAT)?;
        }
        Ok(())
    }

    /// Sorts the bodies of a world along its longest axis, and returns that.
    fn sort(&mut self, bodies: Range<usize>) -> Result<usize> {
        let Self {
            columns,
            keys,
            unsorted,
            ..
        } = self;
        let view = columns.view();
        let extent = |axis: usize| {
            let [low, high] = [axis, 3 + axis].map(|list| view.run(list, &bodies));
            let low = low.iter().copied().fold(f32::INFINITY, f32::min);
            high.iter().copied().fold(f32::NEG_INFINITY, f32::max) - low
        };
        let extents = [0, 1, 2].map(extent);
        let axis = (0..3).max_by(|&a, &b| extents[a].total_cmp(&extents[b])).unwrap_or(0);
        keys.clear();
        memory::reserve(keys, bodies.len(), WHAT)?;
        let lows = view.run(axis, &bodies).iter();
        keys.extend(
            (0u32..)
                .zip(lows)
                .map(|(k, low)| u64::from(ordered(*low)) << u32::BITS | u64::from(k)),
        );
        keys.sort_unstable();
        let order = keys.iter().map(|key| (*key as u32) as usize);
        memory::make_scratch(unsorted, bodies.len(), WHAT)?;
        let (ids, lists) = columns.all_mut();
        for list in &mut lists[..NUMBERS] {
            let list = &mut list[bodies.clone()];
            unsorted.copy_from_slice(list);
            for (place, k) in list.iter_mut().zip(order.clone()) {
                *place = unsorted[k];
            }
        }
        for (id, k) in ids[bodies.clone()].iter_mut().zip(order) {
            *id = (bodies.start + k) as u32;
        }
        Ok(axis)
    }

    /// Passes on the pairs of bounds of the same world that overlap, as positions.
    #[inline(always)]
    fn meet<S: Simd>(&self, simd: S, rooms: &mut [Room<BATCH>; 2], mut found: impl FnMut(&[Pair])) {
        let mut hits = WalkHits::new(rooms, |pairs, _| found(pairs));
        let view = self.columns.view();
        for world in &self.worlds {
            let Range { start, end } = world.bodies;
            for first in (start..end).step_by(S::f32s::LEN) {
                let block = first..end.min(first + S::f32s::LEN);
                let (walkers, [_, high]) = view.walkers(simd, block.clone());
                let [x, y, z, _] = high.to_array();
                let reached = world.end_of_reach(view, block.end, [x, y, z]);
                view.meet_any::<S, true>(&walkers, first + 1..reached, &mut hits);
            }
        }
        hits.flush();
    }

    /// Returns the number of comparisons of one body with another that these worlds need.
    fn comparisons(&self) -> u64 {
        let view = self.columns.view();
        let of_world = |world: &World| {
            let of_body = |k: usize| {
                let high = [3, 4, 5].map(|list| view.number(list, k));
                (world.end_of_reach(view, k + 1, high) - (k + 1)) as u64
            };
            world.bodies.clone().map(of_body).sum::<u64>()
        };
        self.worlds.iter().map(of_world).sum()
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::shapes::obb::obb_bounds_cpu::bounds_of;
    use crate::shapes::obb::record::Obb;

    /// Boxes of which some touch, and their worlds: of one to `most` boxes each.
    fn some(count: usize, most: u64, random: &mut SplitMix) -> (Vec<Obb>, Vec<u32>) {
        let (mut boxes, mut worlds) = (Vec::new(), Vec::new());
        while boxes.len() < count {
            let size = 1 + random.next() % most;
            for _ in 0..size.min((count - boxes.len()) as u64) {
                let mut number = |below: u64| (random.next() % below) as f32;
                let center = Vec3::new(number(6), number(6), number(6));
                let half = Vec3::new(number(3), 0.5 + number(2), number(2));
                boxes.push(Obb::new(center, half, Quat::from_rotation_x(number(3))));
            }
            worlds.extend(vec![3 * worlds.len() as u32; boxes.len() - worlds.len()]);
        }
        (boxes, worlds)
    }

    #[test]
    fn pairs_of_each_world_are_found_once() {
        let mut random = SplitMix(17);
        let (mut total, mut memory) = (0, SomeWorlds::default());
        for (count, most) in [(1, 1), (9, 1), (40, 5), (500, 20), (500, 100), (1500, 2000)] {
            let (bodies, worlds) = some(count, most, &mut random);
            let in_worlds = InWorlds {
                bodies: &bodies,
                worlds: &worlds,
                counts: true,
            };
            let margin = |k: u32| 0.25 * (k % 3) as f32;
            let bounds: Vec<_> = (0..)
                .zip(&bodies)
                .map(|(k, obb)| bounds_of(obb, margin(k), k))
                .collect();
            let mut expected = Vec::new();
            for a in 0..count {
                let others = (a + 1..count).filter(|&b| worlds[a] == worlds[b] && bounds[a].overlaps(&bounds[b]));
                expected.extend(others.map(|b| Pair::new(a as u32, b as u32)));
            }
            for grain in [1, 7, 64, count] {
                let (mut found, mut comparisons) = (Vec::new(), 0);
                for first in (0..count).step_by(grain) {
                    let range = first..count.min(first + grain);
                    let work = in_worlds.pairs(&mut memory, range, margin, |pairs| found.extend_from_slice(pairs));
                    comparisons += work.expect("memory").expect("valid boxes").comparisons;
                }
                found.sort_unstable();
                assert_eq!(found, expected, "{count} boxes, worlds of up to {most}, grain {grain}");
                let of_world = |run: &[u32]| (run.len() * (run.len() - 1) / 2) as u64;
                let all = worlds.chunk_by(|a, b| a == b).map(of_world).sum::<u64>();
                match most <= FEW as u64 {
                    true => assert_eq!(comparisons, all),
                    false => assert!(comparisons < all, "{comparisons} of {all}"),
                }
            }
            total += expected.len();
        }
        assert!(total > 10_000, "{total}");
    }

    #[test]
    fn invalid_bodies_are_noticed() {
        let (bodies, worlds) = some(100, 9, &mut SplitMix(18));
        for k in [0, 50, 99] {
            let mut bodies = bodies.clone();
            bodies[k].half_extents.y = -1.0;
            let in_worlds = InWorlds {
                bodies: &bodies,
                worlds: &worlds,
                counts: false,
            };
            let work = in_worlds.pairs(&mut SomeWorlds::default(), 0..100, |_| 0.0, |_| ());
            assert!(work.expect("memory").is_none(), "{k}");
        }
    }
}
