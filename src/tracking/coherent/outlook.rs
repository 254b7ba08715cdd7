//! Predictions from the state: distances that change no pair, the average motion, and the benefit
//! of the fat AABBs.

use crate::base::error::Result;
use crate::base::memory;
use crate::tracking::coherent::{Coherent, ROUNDING, SAMPLES, extent_of};
use crate::tracking::lifetime::{Motions, Size};

impl Coherent {
    /// Computes for each slot a distance in the caller's unit: no pair changes while every box has
    /// moved no further than its distance.
    pub fn safe_distances(&self, distances: &mut Vec<f32>) -> Result<()> {
        let quantum = 1.0 / self.per_quantum;
        let rooms = self.leave.iter().zip(&self.travel);
        distances.clear();
        memory::reserve(distances, self.placed.len(), "the safe distances")?;
        distances
            .extend(rooms.map(|(leave, travel)| leave.saturating_sub(*travel) as f32 * (1.0 - ROUNDING) * quantum));
        for (pair, left) in self.pair_cache.left(&self.travel) {
            let half = left as f32 * (0.5 - ROUNDING) * quantum;
            for slot in [pair.a, pair.b] {
                let distance = &mut distances[slot as usize];
                *distance = distance.min(half);
            }
        }
        Ok(())
    }

    /// Returns the average motion of the boxes since all fat AABBs were made.
    pub fn motions(&self) -> Motions {
        let frames = self.frame.saturating_sub(self.built).max(1) as f32;
        let stride = self.placed.len().div_ceil(SAMPLES).max(1);
        let sampled = (0..self.placed.len()).step_by(stride);
        let count = sampled.clone().count().max(1) as f32;
        let way = |slot: usize| self.travel[slot].saturating_sub(self.since[slot].travel) as f32 / self.per_quantum;
        let extent = |slot: usize| extent_of(&self.placed[slot]);
        Motions {
            speed: sampled.clone().map(way).sum::<f32>() / (count * frames),
            extent: sampled.map(extent).sum::<f32>() / count,
        }
    }

    /// Returns `true` if fresh checks would have cost less over the lifetime of the previous
    /// fat AABBs. The first fat AABBs do not count because little was known when they were made.
    pub fn was_in_vain(&self, size: Size) -> bool {
        self.builds > 2 && self.spent_before.was_in_vain(size)
    }
}
