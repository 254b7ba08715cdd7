//! A sample of a frame, from which the next frame estimates the speed of boxes.

use crate::shapes::obb::displacement::displacements;
use crate::shapes::obb::record::Obb;
use crate::tracking::coherent::extent_of;
use crate::tracking::id_map::IdMap;
use crate::tracking::lifetime::Motions;

/// The number of boxes sampled.
const SAMPLES: usize = 2048;

/// Some boxes of a frame, with their ids.
#[derive(Debug, Default)]
pub(crate) struct Survey(Vec<(u32, Obb)>);

impl Survey {
    /// Samples the boxes of this frame, given by slots, at even spacing.
    pub fn of(names: &IdMap, boxes: &[Obb]) -> Self {
        let stride = boxes.len().div_ceil(SAMPLES).max(1);
        let sampled = (0..boxes.len()).step_by(stride);
        Self(sampled.map(|slot| (names.id(slot as u32), boxes[slot])).collect())
    }

    /// Returns the motion of these boxes until the next frame. `None` if most are gone or have
    /// changed.
    pub fn motions(&self, names: &IdMap, boxes: &[Obb]) -> Option<Motions> {
        let (mut count, mut motions) = (0, Motions::default());
        let mut slots = 0..boxes.len() as u32;
        for (id, before) in &self.0 {
            // Both are in ascending order of ids.
            slots.start += names.before(&slots, *id);
            if slots.is_empty() || names.id(slots.start) != *id {
                continue;
            }
            let now = boxes[slots.start as usize];
            displacements(&[*before], &[now], |_, moved| motions.speed += moved[0]);
            motions.extent += extent_of(&now);
            count += 1;
        }
        let mean = 1.0 / count as f32;
        motions.speed *= mean;
        motions.extent *= mean;
        (2 * count > self.0.len() && motions.speed.is_finite()).then_some(motions)
    }
}
