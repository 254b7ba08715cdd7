//! Comparison of every pair of bounds. For few bounds, and for many small worlds, this takes less
//! time than sorting them. It exists on the CPU only, because starting work on a device takes
//! longer.

use std::ops::Range;

use bytemuck::Zeroable;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::bounds_lanes::Sorted;
use crate::broad_phase::bounds_lanes::{Block, Walker};
use crate::broad_phase::hits::{BATCH, Found, Hits, LANES, room};
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::{OverBounds, PairSearch};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::Gathered;
use crate::rules::filter::SetRules;

/// Maximum number of boxes that count as few. By measurement, a grid is faster from about here on.
pub(crate) const FEW: usize = 128;

/// Number of boxes whose blocks take hardly any time to clear.
const VERY_FEW: usize = 16;

/// Maximum number of pairs per batch for few boxes: they have few pairs, and a larger batch takes
/// time to clear.
const BATCH_OF_FEW: usize = 128;

/// Calls `found` with batches of the candidate pairs of `bounds`, as positions: each pair once,
/// sorted. There must be at most [`FEW`] bounds. Returns the amount of work.
pub(crate) fn all_pairs(bounds: &[Bounds], found: impl FnMut(&[Pair])) -> Operations {
    match bounds.len() {
        0..=VERY_FEW => pairs_in::<{ VERY_FEW / LANES }>(bounds, found),
        _ => pairs_in::<{ FEW / LANES }>(bounds, found),
    }
}

/// Like [`all_pairs`], for the bounds of at most this many blocks.
#[inline(always)]
fn pairs_in<const BLOCKS: usize>(bounds: &[Bounds], found: impl FnMut(&[Pair])) -> Operations {
    let mut blocks = [Block::zeroed(); BLOCKS];
    let blocks = &mut blocks[..bounds.len().div_ceil(LANES)];
    for (block, bounds) in blocks.iter_mut().zip(bounds.chunks(LANES)) {
        *block = Block::new(bounds);
    }
    pairs_of::<BATCH_OF_FEW>(blocks, bounds, 0..bounds.len(), |_| bounds.len(), found)
}

/// Finds the partners of the bounds in `range` among those after them, up to an end, and perhaps
/// some after that. The blocks hold all bounds.
#[inline(always)]
fn pairs_of<const SIZE: usize>(
    blocks: &[Block],
    bounds: &[Bounds],
    range: Range<usize>,
    end_of: impl Fn(usize) -> usize,
    mut found: impl FnMut(&[Pair]),
) -> Operations {
    let mut operations = Operations::default();
    let mut room = room::<SIZE>();
    let mut hits = Hits::new(&mut room);
    for i in range {
        let walker = Walker::new(&bounds[i]);
        let (first, end) = ((i + 1) / LANES, end_of(i));
        let mut allowed = 0b1111 << ((i + 1) % LANES);
        let masks = blocks[..end.div_ceil(LANES)].iter().skip(first).map(|block| {
            let own = std::mem::replace(&mut allowed, 0b1111);
            block.meet(&walker) & own & 0b1111
        });
        hits.add_many(i as u32, first * LANES, masks, &mut found);
        operations.comparisons += (end - i - 1) as u64;
    }
    hits.flush(&mut found);
    operations
}

/// All bounds, each of which is compared with those after it. Worlds are kept apart if each is a
/// run of bounds.
#[derive(Default)]
pub(crate) struct AllPairs {
    records: Vec<Bounds>,
    blocks: Vec<Block>,
    /// The end of the world of each record; empty if worlds are not kept apart.
    ends: Vec<u32>,
}

impl AllPairs {
    /// Finds the ends of the worlds.
    fn find_ends(&mut self, rules: &SetRules) -> Result<()> {
        self.ends.clear();
        let Some(worlds) = rules.worlds.as_deref() else {
            return Ok(());
        };
        let world = |record: &Bounds| worlds[record.id as usize];
        if !self.records.is_sorted_by_key(world) {
            return Ok(());
        }
        memory::make_scratch(&mut self.ends, self.records.len(), "all bounds")?;
        let mut first = 0;
        for run in self.records.chunk_by(|a, b| world(a) == world(b)) {
            let end = first + run.len();
            self.ends[first..end].fill(end as u32);
            first = end;
        }
        Ok(())
    }
}

impl PairSearch for AllPairs {
    fn len(&self) -> usize {
        self.records.len()
    }

    fn pairs<const COUNT: bool>(
        &self,
        _: &SetRules,
        range: Range<usize>,
        found: &mut dyn FnMut(&[Pair], Found),
    ) -> Operations {
        let all = self.records.len();
        let end_of = |i: usize| self.ends.get(i).map_or(all, |end| *end as usize);
        pairs_of::<BATCH>(&self.blocks, &self.records, range, end_of, |pairs| {
            found(pairs, Found::Candidates)
        })
    }

    fn record(&self, position: usize) -> Bounds {
        self.records[position]
    }

    fn meet<const COUNT: bool>(&self, movers: &[Bounds], _: &SetRules, mut found: impl FnMut(Pair)) -> Operations {
        for (b, mover) in (0..).zip(movers) {
            for (a, _) in (0..).zip(&self.records).filter(|(_, other)| mover.overlaps(other)) {
                found(Pair { a, b });
            }
        }
        Operations {
            rows: 0,
            comparisons: (movers.len() * self.records.len()) as u64,
        }
    }
}

impl OverBounds for AllPairs {
    fn build(&mut self, bounds: &mut [Bounds], _: &Gathered, rules: &SetRules) -> Result<()> {
        memory::make_scratch(&mut self.records, bounds.len(), "all bounds")?;
        self.records.copy_from_slice(bounds);
        memory::make_scratch(&mut self.blocks, bounds.len() / LANES + 1, "all bounds")?;
        let bounds = &*bounds;
        parallel::fill(&mut self.blocks, |k| Block::new(&bounds[k * LANES..]));
        self.find_ends(rules)
    }

    fn sorted(&self) -> Sorted<'_> {
        Sorted(&self.records)
    }

    fn release_scratch(&mut self) {
        self.blocks = Vec::new();
        self.ends = Vec::new();
    }

    fn bytes(&self) -> u64 {
        let records = self.records.capacity() * size_of::<Bounds>();
        (records + self.blocks.capacity() * size_of::<Block>() + self.ends.capacity() * size_of::<u32>()) as u64
    }

    fn bytes_for(boxes: u64) -> u64 {
        let blocks = boxes / LANES as u64 + 1;
        boxes * (size_of::<Bounds>() + size_of::<u32>()) as u64 + blocks * size_of::<Block>() as u64
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::base::split_mix::SplitMix;

    /// Returns bounds of which few, many or all meet: corners are integers below 8, and sizes are
    /// integers below `size`.
    fn some(count: usize, size: u64, random: &mut SplitMix) -> Vec<Bounds> {
        let mut vector = |below: u64| Vec3::from_array(std::array::from_fn(|_| (random.next() % below) as f32));
        let one = |id| {
            let low = vector(8);
            Bounds {
                low,
                tag: 0,
                high: low + vector(size),
                id,
            }
        };
        (0..count as u32).map(one).collect()
    }

    #[test]
    fn pairs_match_a_double_loop() {
        let mut random = SplitMix(3);
        let (mut passed_on, mut most) = (0, 0);
        for count in (0..=FEW).chain([200, 1000]) {
            for size in [1, 4, 40] {
                let bounds = some(count, size, &mut random);
                let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
                let expected: Vec<Pair> = pairs
                    .filter(|&(a, b)| bounds[a].overlaps(&bounds[b]))
                    .map(|(a, b)| Pair::new(a as u32, b as u32))
                    .collect();
                let mut found = Vec::new();
                if count <= FEW {
                    let operations = all_pairs(&bounds, |pairs| {
                        passed_on += 1;
                        found.extend_from_slice(pairs);
                    });
                    assert!(found == expected, "{count} records, sizes below {size}");
                    assert_eq!(operations.comparisons as usize, count * count.saturating_sub(1) / 2);
                    found.clear();
                }
                let mut search = AllPairs::default();
                search
                    .build(&mut bounds.clone(), &Gathered::default(), &SetRules::default())
                    .expect("memory");
                for range in [0..count / 3, count / 3..count] {
                    search.pairs::<false>(&SetRules::default(), range, &mut |pairs, what| {
                        assert_eq!(what, Found::Candidates);
                        found.extend_from_slice(pairs);
                    });
                }
                assert!(found == expected, "{count} records in parts, sizes below {size}");
                most = most.max(expected.len());
            }
        }
        // Far more pairs than fit a batch, and often.
        assert!(most > 100 * BATCH && passed_on > 2000, "{most} {passed_on}");
    }

    #[test]
    fn worlds_that_are_runs_are_kept_apart() {
        let mut random = SplitMix(5);
        for count in [1, 7, 300] {
            let bounds = some(count, 4, &mut random);
            let mut worlds: Vec<u32> = (0..count).map(|_| (random.next() % 40) as u32).collect();
            worlds.sort_unstable();
            let compared = |worlds: &[u32]| {
                let rules = SetRules {
                    worlds: Some(worlds.into()),
                    ..SetRules::default()
                };
                let mut search = AllPairs::default();
                search
                    .build(&mut bounds.clone(), &Gathered::default(), &rules)
                    .expect("memory");
                let mut found = Vec::new();
                let operations = search.pairs::<true>(&rules, 0..count, &mut |pairs, _| {
                    let same = |pair: &&Pair| worlds[pair.a as usize] == worlds[pair.b as usize];
                    found.extend(pairs.iter().filter(same).copied());
                });
                let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
                let expected: Vec<Pair> = all
                    .filter(|&(a, b)| worlds[a] == worlds[b] && bounds[a].overlaps(&bounds[b]))
                    .map(|(a, b)| Pair::new(a as u32, b as u32))
                    .collect();
                assert!(found == expected, "{count} records");
                operations.comparisons as usize
            };
            let of_run = |run: &[u32]| run.len() * (run.len() - 1) / 2;
            let of_runs: usize = worlds.chunk_by(|a, b| a == b).map(of_run).sum();
            assert_eq!(compared(&worlds), of_runs);
            // A world in two runs: all are compared.
            worlds.reverse();
            let sorted = worlds.is_sorted();
            assert_eq!(
                compared(&worlds),
                if sorted { of_runs } else { count * (count - 1) / 2 }
            );
        }
    }
}
