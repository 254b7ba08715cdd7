//! Twin of `shaders/grid_build.wgsl`: sorts the bounds by grid slot with a counting sort.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::grid::{Plan, cell_key, slot_of, to_cell};
use crate::bounds::Bounds;
use crate::parallel;

/// The bounds in the order of their slots.
#[derive(Default)]
pub(crate) struct Grid {
    /// The records, those of a slot together. Their tags are cell keys.
    pub records: Vec<Bounds>,
    /// Where each slot's records begin, and one entry more: where the last slot's end.
    pub slot_starts: Vec<u32>,
    slot_counts: Vec<AtomicU32>,
    /// Slot and rank in the slot of every box.
    places: Vec<(u32, u32)>,
    /// The box of every record.
    order: Vec<AtomicU32>,
}

impl Grid {
    /// Fills the grid with `bounds`, whose tags become cell keys.
    pub fn build(&mut self, plan: &Plan, bounds: &mut [Bounds]) {
        self.count_slots(plan, bounds);
        self.scan();
        self.place_records(bounds);
    }

    fn count_slots(&mut self, plan: &Plan, bounds: &mut [Bounds]) {
        let slots = plan.slots();
        self.slot_counts
            .resize_with(slots.max(self.slot_counts.len()), Default::default);
        self.slot_counts.truncate(slots);
        parallel::update(&mut self.slot_counts, |_, count| *count.get_mut() = 0);
        let counts = &self.slot_counts;
        self.places.resize(bounds.len(), (0, 0));
        parallel::update_both(bounds, &mut self.places, |b, place| {
            let l = plan.level_of_bin[b.tag as usize] as usize;
            let level = &plan.levels[l];
            let cell = to_cell((b.low - plan.origin) * level.inverse_cell_size, level.last_cell);
            let slot = slot_of(level, cell);
            b.tag = cell_key(l, cell);
            *place = (slot, counts[slot as usize].fetch_add(1, Relaxed));
        });
    }

    fn scan(&mut self) {
        let mut sum = 0;
        self.slot_starts.clear();
        self.slot_starts.extend(self.slot_counts.iter_mut().map(|count| {
            let start = sum;
            sum += *count.get_mut();
            start
        }));
        self.slot_starts.push(sum);
    }

    fn place_records(&mut self, bounds: &[Bounds]) {
        self.order.resize_with(bounds.len(), Default::default);
        let (places, starts, order) = (&self.places, &self.slot_starts, &self.order);
        parallel::map_ranges(places.len(), |range| {
            for i in range {
                let (slot, rank) = places[i];
                order[(starts[slot as usize] + rank) as usize].store(i as u32, Relaxed);
            }
        });
        self.records.resize(bounds.len(), bytemuck::Zeroable::zeroed());
        parallel::fill(&mut self.records, |k| bounds[order[k].load(Relaxed) as usize]);
    }
}
