//! Scenes larger than the device's limits: cut into parts that fit, so that each pair lies in at least one.

use glam::Vec3;

use crate::bounds::Bounds;
use crate::{Error, Result};

/// Cuts a scene into parts of at most `most` boxes, given as positions in `bounds`.
///
/// A part is the boxes whose bounds meet a region of space; the regions cover space and share their borders. Two boxes
/// whose bounds overlap therefore share a part, and may share several. The regions are found by halving at the median
/// (a k-d tree). Fails if more than `most` boxes lie so close together that no cut separates them.
pub(crate) fn parts(bounds: &[Bounds], most: usize) -> Result<Vec<Vec<u32>>> {
    let mut parts = Vec::new();
    let mut pending = vec![(0..bounds.len() as u32).collect::<Vec<_>>()];
    while let Some(part) = pending.pop() {
        if part.len() <= most {
            parts.push(part);
            continue;
        }
        match halve(bounds, &part) {
            Some(halves) => pending.extend(halves),
            None => {
                return Err(Error::LimitExceeded {
                    what: "a cluster of overlapping boxes".to_owned(),
                    needed: part.len() as u64,
                    available: most as u64,
                    hint: "raise the limits in `GpuConfig`, or use the CPU backend",
                });
            }
        }
    }
    Ok(parts)
}

/// The two halves of a part along the axis that separates it best, or `None` if no axis leaves both smaller.
fn halve(bounds: &[Bounds], part: &[u32]) -> Option<[Vec<u32>; 2]> {
    let center = |id: u32, axis: usize| 0.5 * bounds[id as usize].low[axis] + 0.5 * bounds[id as usize].high[axis];
    let best = (0..3)
        .map(|axis| {
            let mut centers: Vec<f32> = part.iter().map(|&id| center(id, axis)).collect();
            let middle = centers.len() / 2;
            let cut = *centers.select_nth_unstable_by(middle, f32::total_cmp).1;
            let below = part.iter().filter(|&&id| bounds[id as usize].low[axis] <= cut).count();
            let above = part.iter().filter(|&&id| bounds[id as usize].high[axis] >= cut).count();
            (below.max(above), axis, cut)
        })
        .min_by_key(|&(larger, ..)| larger)?;
    let (larger, axis, cut) = best;
    (larger < part.len()).then(|| {
        let half =
            |keep: &dyn Fn(&Bounds) -> bool| part.iter().copied().filter(|&id| keep(&bounds[id as usize])).collect();
        [half(&|b| b.low[axis] <= cut), half(&|b| b.high[axis] >= cut)]
    })
}

/// Bounds that contain those a GPU computes, whose rounding may differ: widened by twice their own widening.
pub(crate) fn widened(bounds: &mut [Bounds]) {
    use crate::bounds::{ABSOLUTE_ERROR, CENTER_ERROR, EXTENT_ERROR};
    for b in bounds {
        let span = b.high - b.low;
        let margin = 4.0 * EXTENT_ERROR * span.element_sum()
            + 2.0 * CENTER_ERROR * b.low.abs().max(b.high.abs())
            + Vec3::splat(2.0 * ABSOLUTE_ERROR);
        b.low -= margin;
        b.high += margin;
    }
}
