//! Records in the order of a Morton curve through their centers, and the distances of neighbours on
//! it.
//!
//! A key has 63 bits, 21 of each axis in turn, of cubes that divide the space of the centers.
//! Records that share a key but not a place get another key, of cubes that divide the space of
//! these records alone, so small boxes are separated in a world of any size. Each time the space
//! shrinks by a factor of at least 2^20, from at most 2^62 to at least 2^-149, which is about
//! eleven times.
//!
//! Worlds are kept apart, as are boxes of very different sizes: a box larger than the leaves of its
//! neighbours would make its leaf and all nodes above it as large as itself. Such boxes are few,
//! and have their own leaves.

use std::ops::Range;

use glam::{DVec3, Vec3};

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::tree::node::{WHAT, WIDTH};
use crate::broad_phase::tree::radix::{self, Entry, LARGE};
use crate::geometry::bounds::{BINS, Bounds, size_bin};
use crate::rules::filter::SetRules;

/// Number of bits of a key along each axis.
const AXIS_BITS: u32 = 21;
/// Number of bits of a key.
const KEY_BITS: u32 = 3 * AXIS_BITS;
/// Number of height steps of one key.
pub(crate) const ROUND: u16 = 64;
/// Base of the heights between records whose keys of the first round differ.
const FIRST_ROUND: u16 = 16 * ROUND;
/// Height between records of different worlds or size classes.
pub(crate) const APART: u16 = u16::MAX;

/// Maximum number of size classes.
const CLASSES: usize = 8;
/// Factor of size: a box belongs to the next class if it is larger than this multiple of the leaves
/// that its own class would have.
const CLASS_REACH: f64 = 2.0;

/// The working memory of the sort.
#[derive(Debug, Default)]
pub(crate) struct Order {
    entries: Vec<Entry>,
    scratch: Vec<Entry>,
    /// The distance of each record from the previous one, as the level of the largest cube that
    /// ends between them. It is greater for larger cubes and earlier rounds.
    pub heights: Vec<u16>,
    /// Sections that still need sorting, and the heights within them: the large ones, and the
    /// others.
    large: Vec<(Range<usize>, u16)>,
    small: Vec<(Range<usize>, u16)>,
}

impl Order {
    /// Number of bytes per record.
    pub const BYTES: usize = 2 * size_of::<Entry>() + size_of::<u16>();

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        let entries = (self.entries.capacity() + self.scratch.capacity()) * size_of::<Entry>();
        let sections = (self.large.capacity() + self.small.capacity()) * size_of::<(Range<usize>, u16)>();
        (entries + self.heights.capacity() * size_of::<u16>() + sections) as u64
    }

    /// Sorts the bounds into `records`.
    pub fn sort(&mut self, bounds: &[Bounds], rules: &SetRules, records: &mut Vec<Bounds>) -> Result<()> {
        memory::make_scratch(&mut self.entries, bounds.len(), WHAT)?;
        memory::make_scratch(&mut self.scratch, bounds.len(), WHAT)?;
        memory::make_scratch(&mut self.heights, bounds.len(), WHAT)?;
        memory::make_scratch(records, bounds.len(), WHAT)?;
        parallel::fill(&mut self.heights, |_| APART);
        let classes = Classes::of(bounds);
        self.large.clear();
        self.small.clear();
        if classes.count() == 1 && rules.worlds.is_none() {
            parallel::fill(&mut self.entries, |at| Entry {
                key: 0,
                at: at as u32,
                unused: 0,
            });
            memory::push(&mut self.large, (0..bounds.len(), FIRST_ROUND), WHAT)?;
        } else {
            parallel::fill(&mut self.entries, |at| Entry {
                key: u64::from(rules.world(bounds[at].id)) << u8::BITS | classes.class(&bounds[at]),
                at: at as u32,
                unused: 0,
            });
            radix::sort(&mut self.entries, &mut self.scratch, u32::BITS + u8::BITS);
            for section in runs(&self.entries, 0..bounds.len()) {
                let large = section.len() > LARGE;
                let sections = if large { &mut self.large } else { &mut self.small };
                memory::push(sections, (section, FIRST_ROUND), WHAT)?;
            }
        }
        while let Some((section, round)) = self.large.pop() {
            let entries = &mut self.entries[section.clone()];
            if !set_keys(entries, bounds) {
                continue;
            }
            radix::sort(entries, &mut self.scratch[section.clone()], KEY_BITS);
            let heights = &mut self.heights[section.clone()][1..];
            parallel::fill(heights, |k| height(entries[k].key, entries[k + 1].key, round));
            for run in runs(&self.entries, section).filter(|run| run.len() > WIDTH) {
                let large = run.len() > LARGE;
                let sections = if large { &mut self.large } else { &mut self.small };
                memory::push(sections, (run, round - ROUND), WHAT)?;
            }
        }
        self.small.sort_unstable_by_key(|(section, _)| section.start);
        self.sort_small(bounds);
        let entries = &self.entries;
        parallel::fill(records, |k| bounds[entries[k].at as usize]);
        Ok(())
    }

    /// Copies the bounds to `records`, grouped by world, with worlds ascending.
    pub fn sort_worlds(&mut self, bounds: &[Bounds], rules: &SetRules, records: &mut Vec<Bounds>) -> Result<()> {
        memory::make_scratch(records, bounds.len(), WHAT)?;
        if rules.worlds.is_none() {
            parallel::fill(records, |k| bounds[k]);
            return Ok(());
        }
        memory::make_scratch(&mut self.entries, bounds.len(), WHAT)?;
        memory::make_scratch(&mut self.scratch, bounds.len(), WHAT)?;
        parallel::fill(&mut self.entries, |at| Entry {
            key: rules.world(bounds[at].id).into(),
            at: at as u32,
            unused: 0,
        });
        radix::sort(&mut self.entries, &mut self.scratch, u32::BITS);
        let entries = &self.entries;
        parallel::fill(records, |k| bounds[entries[k].at as usize]);
        Ok(())
    }

    /// Sorts the small sections, which are in order and do not overlap.
    fn sort_small(&mut self, bounds: &[Bounds]) {
        const TOGETHER: usize = 64;
        let sections = &self.small[..];
        let first = |task: usize| {
            sections
                .get(task * TOGETHER)
                .map_or(usize::MAX, |(section, _)| section.start)
        };
        let all = Part {
            first: 0,
            entries: &mut self.entries,
            scratch: &mut self.scratch,
            heights: &mut self.heights,
        };
        let tasks = 0..sections.len().div_ceil(TOGETHER);
        parallel::divide(
            tasks,
            all,
            &|part, task| Part::split(part, first(task)),
            &|task, mut part| {
                let sections = &sections[task * TOGETHER..];
                for (section, round) in &sections[..sections.len().min(TOGETHER)] {
                    part.sort_section(section.clone(), *round, bounds);
                }
            },
        );
    }

    pub fn release(&mut self) {
        *self = Self::default();
    }
}

/// Consecutive records while they are sorted.
struct Part<'a> {
    first: usize,
    entries: &'a mut [Entry],
    scratch: &'a mut [Entry],
    heights: &'a mut [u16],
}

impl Part<'_> {
    /// Splits the part at a record.
    fn split(self, record: usize) -> (Self, Self) {
        let (entries, more_entries) = self.entries.split_at_mut(record - self.first);
        let (scratch, more_scratch) = self.scratch.split_at_mut(record - self.first);
        let (heights, more_heights) = self.heights.split_at_mut(record - self.first);
        let before = Self {
            first: self.first,
            entries,
            scratch,
            heights,
        };
        let rest = Self {
            first: record,
            entries: more_entries,
            scratch: more_scratch,
            heights: more_heights,
        };
        (before, rest)
    }

    /// Sorts a section and all records in it that share keys.
    fn sort_section(&mut self, section: Range<usize>, round: u16, bounds: &[Bounds]) {
        let own = section.start - self.first..section.end - self.first;
        let entries = &mut self.entries[own.clone()];
        if !set_keys(entries, bounds) {
            return;
        }
        radix::sort(entries, &mut self.scratch[own.clone()], KEY_BITS);
        for k in 1..entries.len() {
            self.heights[own.start + k] = height(entries[k - 1].key, entries[k].key, round);
        }
        let mut first = 0;
        while first < own.len() {
            let entries = &self.entries[own.clone()][first..];
            let run = entries.iter().take_while(|entry| entry.key == entries[0].key).count();
            if run > WIDTH {
                self.sort_section(
                    section.start + first..section.start + first + run,
                    round - ROUND,
                    bounds,
                );
            }
            first += run;
        }
    }
}

/// Returns the height between two keys.
fn height(a: u64, b: u64, round: u16) -> u16 {
    round + (u64::BITS - (a ^ b).leading_zeros()) as u16
}

/// Returns the step along the curve of a height: at most eight consecutive cubes belong to one.
pub(crate) fn octant_level(height: u16) -> u16 {
    match height {
        APART => APART,
        _ => height / ROUND * ROUND + (height % ROUND).div_ceil(3),
    }
}

/// Returns the runs of entries with the same key.
fn runs(entries: &[Entry], within: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut next = within.start;
    std::iter::from_fn(move || {
        let start = next;
        let key = entries[..within.end].get(start)?.key;
        next += entries[start..within.end]
            .iter()
            .take_while(|entry| entry.key == key)
            .count();
        Some(start..next)
    })
}

/// Sets the key of each entry to that of its center. Returns `true` if there are different centers.
fn set_keys(entries: &mut [Entry], bounds: &[Bounds]) -> bool {
    let nothing = || (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let merge = |a: (Vec3, Vec3), b: (Vec3, Vec3)| (a.0.min(b.0), a.1.max(b.1));
    let (low, high) = parallel::fold_chunks(
        entries,
        nothing,
        |_, entries| {
            let centers = entries.iter().map(|entry| twice_center(&bounds[entry.at as usize]));
            centers.fold(nothing(), |all, center| merge(all, (center, center)))
        },
        merge,
    );
    let extent = (high.as_dvec3() - low.as_dvec3()).max_element();
    // There are no records, or all are in one place.
    if extent.is_nan() || extent <= 0.0 {
        return false;
    }
    let (low, scale) = (low.as_dvec3(), scale(extent));
    parallel::update(entries, |_, entry| {
        let center = twice_center(&bounds[entry.at as usize]);
        entry.key = key(center.as_dvec3(), low, scale);
    });
    true
}

#[inline(always)]
fn twice_center(bounds: &Bounds) -> Vec3 {
    bounds.low + bounds.high
}

/// Returns the number of cubes per unit of length if an extent is divided into as many cubes as
/// keys distinguish.
pub(super) fn scale(extent: f64) -> f64 {
    f64::from(1u32 << AXIS_BITS) / extent
}

/// Returns the cube that contains a center: its bits along the axes in turn.
#[inline(always)]
pub(super) fn key(center: DVec3, low: DVec3, scale: f64) -> u64 {
    let cell = (center - low) * scale;
    let bits = |x: f64| spread((x as u32).min((1 << AXIS_BITS) - 1));
    bits(cell.x) | bits(cell.y) << 1 | bits(cell.z) << 2
}

/// Spreads the lowest 21 bits, with two zeros after each.
#[inline(always)]
fn spread(x: u32) -> u64 {
    let mut x = u64::from(x);
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

/// Classes of boxes of similar size.
struct Classes {
    /// The largest size bin of each class except the last, and the number of these bins.
    last_bins: [u32; CLASSES],
    limits: usize,
}

impl Classes {
    fn of(bounds: &[Bounds]) -> Self {
        let statistics = parallel::fold_ranges(
            bounds.len(),
            Statistics::default,
            |range| {
                let mut all = Statistics::default();
                bounds[range].iter().for_each(|bounds| all.add(bounds));
                all
            },
            Statistics::merge,
        );
        let mut extents = ((statistics.high.as_dvec3() - statistics.low.as_dvec3()) * 0.5).to_array();
        extents.sort_unstable_by(|a, b| b.total_cmp(a));
        let (mut last_bins, mut limits) = ([0; CLASSES], 0);
        let mut left = bounds.len() as u64;
        let mut bin = 0;
        while limits + 1 < CLASSES && left > 0 {
            let limit = size_bin((CLASS_REACH * leaf_size(extents, left)) as f32) as usize;
            let limit = limit.clamp(bin, BINS - 1);
            left -= statistics.boxes_of_bin[bin..=limit]
                .iter()
                .map(|&boxes| u64::from(boxes))
                .sum::<u64>();
            last_bins[limits] = limit as u32;
            limits += 1;
            bin = limit + 1;
            if bin == BINS {
                break;
            }
        }
        // The last class with boxes has no limit.
        if left == 0 {
            limits = limits.saturating_sub(1);
        }
        Self { last_bins, limits }
    }

    fn count(&self) -> usize {
        self.limits + 1
    }

    #[inline(always)]
    fn class(&self, bounds: &Bounds) -> u64 {
        let bin = size_bin(size(bounds));
        self.last_bins[..self.limits]
            .iter()
            .map(|&last| u64::from(bin > last))
            .sum()
    }
}

/// Estimates the size of the leaves of this many boxes whose centers have these extents along the
/// axes, the largest first.
fn leaf_size([x, y, z]: [f64; 3], boxes: u64) -> f64 {
    let share = WIDTH as f64 / boxes as f64;
    let size = (x * y * z * share).cbrt();
    if size <= z {
        return size;
    }
    let size = (x * y * share).sqrt();
    if size <= y { size } else { x * share }
}

/// Returns the largest extent.
#[inline(always)]
fn size(bounds: &Bounds) -> f32 {
    (bounds.high - bounds.low).max_element().abs()
}

/// The bounds of the centers, multiplied by two, and the number of boxes in each octave of size.
struct Statistics {
    low: Vec3,
    high: Vec3,
    boxes_of_bin: [u32; BINS],
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            low: Vec3::INFINITY,
            high: Vec3::NEG_INFINITY,
            boxes_of_bin: [0; BINS],
        }
    }
}

impl Statistics {
    #[inline(always)]
    fn add(&mut self, bounds: &Bounds) {
        let center = twice_center(bounds);
        (self.low, self.high) = (self.low.min(center), self.high.max(center));
        self.boxes_of_bin[size_bin(size(bounds)) as usize] += 1;
    }

    fn merge(mut self, other: Self) -> Self {
        (self.low, self.high) = (self.low.min(other.low), self.high.max(other.high));
        for (own, others) in self.boxes_of_bin.iter_mut().zip(other.boxes_of_bin) {
            *own += others;
        }
        self
    }
}
