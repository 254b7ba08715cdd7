//! The sort of bounds into strips, and of each strip by world and then along the first axis.
//!
//! Strips are separated by splitters from a sample. Each strip then has about the same number of
//! boxes, for any distribution (Frazer and McKellar, "Samplesort", 1970). Chunks of boxes are
//! sorted by strip, and then each strip takes its boxes from all chunks. No two threads write to
//! the same place, and no atomics are needed.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::sweep::plan::{MOST_STRIPS, Plan, key, sample};
use crate::geometry::bounds::{Bounds, ordered};
use crate::rules::filter::SetRules;

/// Label for out-of-memory errors.
const WHAT: &str = "the sweep";
/// Number of boxes per chunk: their data fills part of a second-level cache.
const CHUNK: usize = 1 << 15;
/// Number of samples for each strip: with this many, the largest strip is rarely twice the mean.
const OVERSAMPLING: usize = 16;

/// The boxes of one world in one strip: consecutive records, sorted along the first axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub start: u32,
    pub end: u32,
    pub world: u32,
    /// The smallest beginning and the largest end on the second axis.
    pub low: f32,
    pub high: f32,
}

/// The memory for sorting, apart from the records.
#[derive(Default)]
pub(super) struct Scratch {
    /// The strip of each box.
    strips: Vec<u16>,
    /// The boxes of each chunk, sorted by strip.
    entries: Vec<u32>,
    /// The start of each strip's entries in each chunk, and the end of the last strip's.
    starts: Vec<u32>,
    /// The boxes of each strip, with their sort keys in the high bits.
    keys: Vec<u64>,
}

impl Scratch {
    pub fn bytes(&self) -> usize {
        let words = self.entries.capacity() + self.starts.capacity();
        2 * self.strips.capacity() + 4 * words + 8 * self.keys.capacity()
    }

    /// Returns the maximum number of bytes for this many boxes.
    pub fn bytes_for(boxes: u64) -> u64 {
        let chunks = boxes.div_ceil(CHUNK as u64);
        (2 + 4 + 8) * boxes + 4 * chunks * (MOST_STRIPS as u64 + 1)
    }

    /// Sorts bounds into `records`, which get their worlds as tags. Returns the runs.
    pub fn sort(
        &mut self,
        plan: &Plan,
        bounds: &[Bounds],
        rules: &SetRules,
        records: &mut Vec<Bounds>,
    ) -> Result<Vec<Run>> {
        let strips = plan.strips;
        self.partition(plan, bounds, rules)?;
        memory::make_scratch(records, bounds.len(), WHAT)?;
        memory::make_scratch(&mut self.keys, bounds.len(), WHAT)?;
        let starts = self.strip_starts(strips)?;
        let chunks = Chunks {
            entries: &self.entries,
            starts: &self.starts,
            strips,
        };
        let whole = (0, &mut records[..], &mut self.keys[..]);
        let split = |part, strip: usize| split(part, starts[strip] as usize);
        parallel::divide(0..strips, whole, &split, &|strip, (_, records, keys): Part<'_>| {
            let boxes = chunks.of_strip(strip);
            for (key, box_) in keys.iter_mut().zip(boxes) {
                *key = u64::from(rules.world(bounds[box_ as usize].id)) << 32 | u64::from(box_);
            }
            sort_strip(keys, |box_| bounds[box_ as usize].low[plan.axes[0]]);
            for (record, key) in records.iter_mut().zip(keys) {
                let bounds = bounds[*key as u32 as usize];
                *record = Bounds {
                    tag: rules.world(bounds.id),
                    ..bounds
                };
            }
        });
        runs(plan, records, &starts)
    }

    /// Sorts the boxes of each chunk by strip.
    fn partition(&mut self, plan: &Plan, bounds: &[Bounds], rules: &SetRules) -> Result<()> {
        let strips = plan.strips;
        memory::make_scratch(&mut self.strips, bounds.len(), WHAT)?;
        memory::make_scratch(&mut self.entries, bounds.len(), WHAT)?;
        memory::make_scratch(&mut self.starts, bounds.len().div_ceil(CHUNK) * (strips + 1), WHAT)?;
        let key_of = |bounds: &Bounds| key(rules.world(bounds.id), bounds.low[plan.axes[1]]);
        let splitters = splitters(sample(bounds, strips * OVERSAMPLING).map(key_of), strips)?;
        parallel::fill(&mut self.strips, |k| {
            let key = key_of(&bounds[k]);
            splitters.partition_point(|&splitter| splitter <= key) as u16
        });
        let strip_of = &self.strips[..];
        let grains = [CHUNK, strips + 1];
        parallel::chunks_of_both(grains, &mut self.entries, &mut self.starts, |first, entries, starts| {
            let strip_of = &strip_of[first..][..entries.len()];
            starts.fill(0);
            for &strip in strip_of {
                starts[usize::from(strip)] += 1;
            }
            let mut sum = 0;
            for start in starts.iter_mut() {
                sum += *start;
                *start = sum;
            }
            for (k, &strip) in strip_of.iter().enumerate().rev() {
                let start = &mut starts[usize::from(strip)];
                *start -= 1;
                entries[*start as usize] = (first + k) as u32;
            }
        });
        Ok(())
    }

    /// Returns the start of each strip among all boxes, and the end of the last.
    fn strip_starts(&self, strips: usize) -> Result<Vec<u32>> {
        let mut all = memory::zeroed::<u32>(strips + 1, WHAT)?;
        for starts in self.starts.chunks(strips + 1) {
            for (sum, start) in all.iter_mut().zip(starts) {
                *sum += start;
            }
        }
        Ok(all)
    }
}

/// The number of records before a part, its records and its keys.
type Part<'a> = (usize, &'a mut [Bounds], &'a mut [u64]);

/// Splits a part at a position.
fn split((first, records, keys): Part<'_>, position: usize) -> (Part<'_>, Part<'_>) {
    let (records, other_records) = records.split_at_mut(position - first);
    let (keys, other_keys) = keys.split_at_mut(position - first);
    ((first, records, keys), (position, other_records, other_keys))
}

/// The boxes of all chunks, those of each sorted by strip.
struct Chunks<'a> {
    entries: &'a [u32],
    starts: &'a [u32],
    strips: usize,
}

impl Chunks<'_> {
    /// Returns the boxes of a strip, ascending.
    fn of_strip(&self, strip: usize) -> impl Iterator<Item = u32> {
        let chunks = self.entries.chunks(CHUNK).zip(self.starts.chunks(self.strips + 1));
        chunks.flat_map(move |(entries, starts)| {
            let run = &entries[starts[strip] as usize..starts[strip + 1] as usize];
            run.iter().copied()
        })
    }
}

/// Returns the keys that the strips begin with, except for the first strip.
fn splitters(sampled: impl Iterator<Item = u64>, strips: usize) -> Result<Vec<u64>> {
    let mut keys = Vec::new();
    for key in sampled {
        memory::push(&mut keys, key, WHAT)?;
    }
    parallel::sort(&mut keys);
    let key = |strip: usize| keys.get(strip * keys.len() / strips);
    Ok(memory::collect(
        (1..strips).map(|strip| key(strip).copied().unwrap_or(u64::MAX)),
        WHAT,
    )?)
}

/// Sorts the boxes of a strip by world and then by `begin`. The high bits of each key contain the
/// world of the box.
fn sort_strip(keys: &mut [u64], begin: impl Fn(u32) -> f32) {
    let is_one_world = keys.iter().all(|key| key >> 32 == keys[0] >> 32);
    if !is_one_world {
        keys.sort_unstable();
    }
    for world in keys.chunk_by_mut(|a, b| a >> 32 == b >> 32) {
        for key in world.iter_mut() {
            let box_ = *key as u32;
            *key = u64::from(ordered(begin(box_))) << 32 | u64::from(box_);
        }
        parallel::sort(world);
    }
}

/// Returns the runs of the strips, in order.
fn runs(plan: &Plan, records: &[Bounds], starts: &[u32]) -> Result<Vec<Run>> {
    let axis = plan.axes[1];
    let of_strip = |strip: usize| -> Result<Vec<Run>> {
        let mut start = starts[strip];
        let worlds = records[start as usize..starts[strip + 1] as usize].chunk_by(|a, b| a.tag == b.tag);
        let mut runs = Vec::new();
        for world in worlds {
            let run = Run {
                start,
                end: start + world.len() as u32,
                world: world[0].tag,
                low: world
                    .iter()
                    .fold(f32::INFINITY, |low, bounds| low.min(bounds.low[axis])),
                high: world
                    .iter()
                    .fold(f32::NEG_INFINITY, |high, bounds| high.max(bounds.high[axis])),
            };
            start = run.end;
            memory::push(&mut runs, run, WHAT)?;
        }
        Ok(runs)
    };
    let mut all = Vec::new();
    for runs in parallel::map((0..starts.len() - 1).collect(), of_strip) {
        memory::extend(&mut all, &runs?, WHAT)?;
    }
    Ok(all)
}
