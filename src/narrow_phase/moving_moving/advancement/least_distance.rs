//! The least distance of bodies that turn or accelerate, by branch and bound.
//!
//! An interval of time is ruled out if an axis shows that the bodies are nowhere in it nearer than
//! the least distance found so far, less the tolerance. The axis is the direction of their closest
//! points in the middle of the interval, fixed in the world or turning with a body; the bound of
//! the gap along it is that of [`clearance`](super::clearance). Other intervals are halved. The
//! bound loses a multiple of the square of the interval at worst, so few intervals around the
//! nearest time are halved often.

use crate::narrow_phase::moving_moving::advancement::Search;
use crate::narrow_phase::moving_moving::advancement::clearance::Clearance;

/// The number of parts in which a step is first looked at.
const FIRST_PARTS: u32 = 8;

/// The maximum number of intervals; after these, the nearest time found is the answer.
const MOST_INTERVALS: usize = 1 << 14;

impl Search<'_> {
    /// Returns the first time at which the bodies are nearest, their distance, both within the
    /// tolerance, and `false` if the search ran out of steps. They must not meet.
    pub fn least_distance(&self) -> (f64, f64, bool) {
        let mut best = (0.0, self.distance(0.0));
        let offer = |time: f64, distance: f64, best: &mut (f64, f64)| {
            if distance < best.1 || distance == best.1 && time < best.0 {
                *best = (time, distance);
            }
        };
        let part = self.dt / f64::from(FIRST_PARTS);
        for k in 1..=FIRST_PARTS {
            let time = f64::from(k) * part;
            offer(time, self.distance(time), &mut best);
        }
        // The first interval is on top.
        let mut open: Vec<(f64, f64)> = (0..FIRST_PARTS)
            .rev()
            .map(|k| (f64::from(k) * part, f64::from(k + 1) * part))
            .collect();
        for _ in 0..MOST_INTERVALS {
            let Some((start, end)) = open.pop() else {
                return (best.0, best.1, true);
            };
            let middle = 0.5 * (start + end);
            let moment = self.course.at(middle);
            let direct = moment.between(moment.closest_points());
            offer(middle, direct.gap, &mut best);
            let floor = best.1 - self.tolerance + self.course.error;
            let half = 0.5 * (end - start);
            let is_ruled_out = moment
                .carriers(&direct)
                .any(|carrier| Clearance::new(&moment, &direct, carrier).least(half, half) >= floor);
            if !is_ruled_out && middle > start && middle < end {
                open.extend([(middle, end), (start, middle)]);
            }
        }
        (best.0, best.1, false)
    }
}
