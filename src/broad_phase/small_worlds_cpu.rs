//! The candidate pairs of bodies in many small worlds, each of which is a run of bodies: some
//! worlds at a time, from their bodies to their pairs, in the caches. If a world has more than a
//! few bodies, these are sorted along its longest axis, and each is compared only with those that
//! begin before it ends.

use std::ops::Range;

use fearless_simd::f32x8;
use fearless_simd::prelude::*;

use crate::base::error::Result;
use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::base::memory;
use crate::broad_phase::bounded::{Bounded, MOST_LANES};
use crate::broad_phase::hits::{BATCH, Hits, room};
use crate::broad_phase::operations::Operations;
use crate::geometry::bounds::ordered;
use crate::geometry::pair::Pair;

/// The number of bounds that are compared at a time.
const LANES: usize = 8;

/// The most bodies of a world that are not sorted: comparing all of them takes less time.
const FEW: usize = 48;

/// Number of boxes in a box's world up to which this takes less time than a grid, on average. By
/// measurement.
pub(crate) const MOST_IN_WORLD: usize = 3000;

/// Label for out-of-memory errors.
const WHAT: &str = "the bounds of some worlds";

/// Bodies in worlds that ascend.
pub(crate) struct InWorlds<'a, B> {
    pub bodies: &'a [B],
    pub worlds: &'a [u32],
}

/// The bounds of the bodies of some worlds.
struct Corners {
    /// A list for each coordinate of the low corners, then of the high ones, with room for a vector
    /// after the last.
    lists: [Vec<f32>; 6],
    /// The number of each body among these.
    ids: Vec<u32>,
    worlds: Vec<World>,
}

/// A world among some worlds.
struct World {
    bodies: Range<usize>,
    /// The axis along which the bodies are sorted by their low corners, if they are.
    sorted: Option<usize>,
}

impl<B: Bounded> InWorlds<'_, B> {
    /// Calls `found` with batches of the candidate pairs of the worlds that begin in a range of
    /// bodies: each pair once, in any order. Bounds are widened by `margin`, given the position of
    /// a body. Returns the amount of work; `None` if a body is invalid.
    pub fn pairs(
        &self,
        range: Range<usize>,
        margin: impl Fn(u32) -> f32,
        mut found: impl FnMut(&[Pair]),
    ) -> Result<Option<Operations>> {
        let range = self.first_world(range.start)..self.first_world(range.end);
        let (bodies, base) = (&self.bodies[range.clone()], range.start as u32);
        let mut corners = Corners::with_room(bodies.len())?;
        let is_valid = dispatch!(lanes::level(), simd => corners.fill(simd, bodies, &|k| margin(base + k as u32)));
        if !is_valid {
            return Ok(None);
        }
        corners.part(&self.worlds[range])?;
        let mut named = room::<BATCH>();
        let ids = &corners.ids;
        let mut pass = |pairs: &[Pair]| {
            for (named, pair) in named.iter_mut().zip(pairs) {
                *named = Pair::new(base + ids[pair.a as usize], base + ids[pair.b as usize]);
            }
            found(&named[..pairs.len()]);
        };
        Ok(Some(dispatch!(lanes::level(), simd => corners.meet(simd, &mut pass))))
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

impl Corners {
    fn with_room(bodies: usize) -> Result<Self> {
        let mut corners = Self {
            lists: Default::default(),
            ids: memory::collect(0..bodies as u32, WHAT)?,
            worlds: Vec::new(),
        };
        for list in &mut corners.lists {
            memory::resize(list, bodies + MOST_LANES, 0.0, WHAT)?;
        }
        Ok(corners)
    }

    /// Sets the corners to those of bodies, and returns `true` if all of these are valid.
    #[inline(always)]
    fn fill<S: Simd, B: Bounded>(&mut self, simd: S, bodies: &[B], margin: &impl Fn(usize) -> f32) -> bool {
        let mut is_valid = true;
        for first in (0..bodies.len()).step_by(S::f32s::LEN) {
            let some = &bodies[first..bodies.len().min(first + S::f32s::LEN)];
            let (bounds, are_valid) = B::checked_bounds(simd, some, |lane| margin(first + lane));
            is_valid &= are_valid;
            for axis in 0..3 {
                let lanes = first..first + S::f32s::LEN;
                bounds.low[axis].store_slice(&mut self.lists[axis][lanes.clone()]);
                bounds.high[axis].store_slice(&mut self.lists[3 + axis][lanes]);
            }
        }
        is_valid
    }

    /// Lists the worlds, and sorts the bodies of those that have more than a few.
    fn part(&mut self, worlds: &[u32]) -> Result<()> {
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
        let extent = |axis: usize| {
            let [low, high] = [axis, 3 + axis].map(|list| &self.lists[list][bodies.clone()]);
            let low = low.iter().copied().fold(f32::INFINITY, f32::min);
            high.iter().copied().fold(f32::NEG_INFINITY, f32::max) - low
        };
        let extents = [0, 1, 2].map(extent);
        let axis = (0..3).max_by(|&a, &b| extents[a].total_cmp(&extents[b])).unwrap_or(0);
        let lows = self.lists[axis][bodies.clone()].iter();
        let key = |(k, low): (u32, &f32)| u64::from(ordered(*low)) << u32::BITS | u64::from(k);
        let mut keys: Vec<u64> = memory::collect((0..bodies.len() as u32).zip(lows).map(key), WHAT)?;
        keys.sort_unstable();
        let order = keys.iter().map(|key| (*key as u32) as usize);
        for list in &mut self.lists {
            let list = &mut list[bodies.clone()];
            let unsorted: Vec<f32> = memory::collect(list.iter().copied(), WHAT)?;
            for (place, k) in list.iter_mut().zip(order.clone()) {
                *place = unsorted[k];
            }
        }
        for (id, k) in self.ids[bodies.clone()].iter_mut().zip(order) {
            *id = (bodies.start + k) as u32;
        }
        Ok(axis)
    }

    /// Passes on the pairs of bounds of the same world that overlap, as positions in the lists.
    #[inline(always)]
    fn meet<S: Simd>(&self, simd: S, mut found: impl FnMut(&[Pair])) -> Operations {
        let mut operations = Operations::default();
        let mut room = room::<BATCH>();
        let mut hits = Hits::new(&mut room);
        // All lists are this long, so that a position is checked once.
        let len = self.lists[0].len();
        let low = axes!(|axis| &self.lists[axis][..len]);
        let high = axes!(|axis| &self.lists[3 + axis][..len]);
        for World { bodies, sorted } in &self.worlds {
            let end = bodies.end;
            for i in bodies.clone() {
                let own_low = axes!(|axis| f32x8::splat(simd, low[axis][i]));
                let own_high = axes!(|axis| f32x8::splat(simd, high[axis][i]));
                for first in (i + 1..end).step_by(LANES) {
                    if sorted.is_some_and(|axis| low[axis][first] > high[axis][i]) {
                        break;
                    }
                    let lanes = first..first + LANES;
                    let [x, y, z] = axes!(|axis| {
                        let below = f32x8::from_slice(simd, &low[axis][lanes.clone()]).simd_le(own_high[axis]);
                        let above = own_low[axis].simd_le(f32x8::from_slice(simd, &high[axis][lanes.clone()]));
                        below & above
                    });
                    let count = LANES.min(end - first);
                    operations.comparisons += count as u64;
                    let mask = (x & y & z).to_bitmask() as usize & ((1 << count) - 1);
                    hits.make_room(2 * LANES, &mut found);
                    hits.put_two(i as u32, first as u32, mask);
                }
            }
        }
        hits.flush(&mut found);
        operations
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
        let mut total = 0;
        for (count, most) in [(1, 1), (9, 1), (40, 5), (500, 20), (500, 100), (1500, 2000)] {
            let (bodies, worlds) = some(count, most, &mut random);
            let in_worlds = InWorlds {
                bodies: &bodies,
                worlds: &worlds,
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
                    let work = in_worlds.pairs(range, margin, |pairs| found.extend_from_slice(pairs));
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
            };
            let work = in_worlds.pairs(0..100, |_| 0.0, |_| ());
            assert!(work.expect("memory").is_none(), "{k}");
        }
    }
}
