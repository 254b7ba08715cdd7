//! Measurement of the crowding of cells of each size. Twin of
//! `shaders/broad_phase/grid/grid_probe.wgsl`.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use glam::Vec3;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::grid::layout::{MAX_LEVELS, SizeGroups, probe_size};
use crate::rules::filter::SetRules;

/// Number of samples that are read before any is counted: they are far apart, and the processor
/// waits for several at a time.
const BLOCK: usize = 32;

/// The low corner of the bounds of a record, and its id.
pub(crate) type Sample = (Vec3, u32);

/// The probe's table, kept between calls.
#[derive(Default)]
pub(crate) struct Probe(Vec<AtomicU32>);

impl Probe {
    /// Returns the maximum number of bytes needed for this many boxes.
    pub fn bytes_for(boxes: usize) -> u64 {
        let (_, slots) = probe_size(boxes, u64::MAX);
        u64::from(slots) * (MAX_LEVELS * size_of::<AtomicU32>()) as u64
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        (self.0.capacity() * size_of::<AtomicU32>()) as u64
    }

    /// Sorts `samples` of the records, evenly spread over their positions, into a table of `slots`
    /// (a power of two) for each group's cell size, and counts the pairs that share a slot.
    ///
    /// `read` sets the sample at each place of a block to the low corner and the id of a record,
    /// given the position of the first record and the number of records from one to the next.
    pub fn run(
        &mut self,
        groups: &mut SizeGroups,
        records: usize,
        rules: &SetRules,
        (samples, slots): (u32, u32),
        read: impl Fn(usize, usize, &mut [Sample]) + Sync + Send,
    ) -> Result<()> {
        if records == 0 {
            return Ok(());
        }
        let count = groups.count as usize;
        memory::resize_with(&mut self.0, count * slots as usize, AtomicU32::default, "the grid")?;
        parallel::update(&mut self.0, |_, met| *met.get_mut() = 0);
        let (table, stride) = (&self.0, records / samples as usize);
        let probed = &*groups;
        let probe = |range: Range<usize>| {
            let mut coincidences = [0; MAX_LEVELS];
            let mut block: [Sample; BLOCK] = [(Vec3::ZERO, 0); BLOCK];
            for first in range.clone().step_by(BLOCK) {
                let block = &mut block[..BLOCK.min(range.end - first)];
                read(first * stride, stride, block);
                for (low, id) in &*block {
                    for (g, group) in probed.groups[..count].iter().enumerate() {
                        let hash = group.probe_hash(*low, probed.origin, rules.world(*id));
                        let slot = g * slots as usize + (hash & (slots - 1)) as usize;
                        coincidences[g] += table[slot].fetch_add(1, Relaxed);
                    }
                }
            }
            coincidences
        };
        let sum = |a: [u32; MAX_LEVELS], b: [u32; MAX_LEVELS]| std::array::from_fn(|g| a[g] + b[g]);
        let coincidences = parallel::fold_ranges(samples as usize, || [0; MAX_LEVELS], probe, sum);
        for (group, coincidences) in groups.groups[..count].iter_mut().zip(coincidences) {
            group.coincidences = coincidences;
        }
        Ok(())
    }
}
