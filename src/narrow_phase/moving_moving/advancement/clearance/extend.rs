//! The time for which a gap stays wide enough.

use crate::narrow_phase::moving_moving::advancement::clearance::Clearance;
use crate::narrow_phase::moving_moving::advancement::clearance::reach::lesser;

/// The relative precision to which a time is found.
pub const CLOSE: f64 = 0.2;

/// The maximum number of times an interval is narrowed.
const MOST_ROUNDS: usize = 48;

impl Clearance {
    /// Returns `true` if the gap has been as wide as `floor` for a time of `back`.
    #[inline(always)]
    pub fn was_wide(&self, back: f64, [floor, error]: [f64; 2]) -> bool {
        self.least(back, 0.0) >= self.width(floor, error)
    }

    /// Returns the width along the axis of a gap that is `floor` wide along one of length 1. Along
    /// a short axis all lengths shrink except the error.
    #[inline(always)]
    pub(super) fn width(&self, floor: f64, error: f64) -> f64 {
        f64::max(floor * self.size, error)
    }

    /// Returns how long after the moment the gap stays as wide as `floor`, to within a fifth, if
    /// that is longer than `known` by as much; else `known`. Returns `None` if it stays wider than
    /// `error` until `end`. `guess` is tried first.
    #[inline(always)]
    pub fn extend(&self, known: f64, guess: f64, end: f64, [floor, error]: [f64; 2]) -> Option<f64> {
        let floor = self.width(floor, error);
        let start = self.start - floor;
        let (mut low, mut above) = (0.0, start);
        // A gap that does not last longer than `known` does not last until the end.
        if known > 0.0 {
            low = lesser((1.0 + CLOSE) * known, end);
            above = self.least_ahead(low) - floor;
            if above <= 0.0 {
                return Some(known);
            }
        }
        let last = self.least_ahead(end);
        if last > error {
            return None;
        }
        // The time, less a small margin, at which a gap that shrinks with the square of time
        // vanishes, if it is `gap` at `time`.
        let gone = |time: f64, gap: f64| 0.92 * time * (start / (start - gap)).sqrt();
        let mut high = end;
        let mut next = match known > 0.0 {
            true => gone(low, above),
            false => lesser(guess, gone(end, last - floor)),
        };
        for _ in 0..MOST_ROUNDS {
            // The bound is a concave function, or nearly so: the rest of it vanishes as fast as the
            // part already gone. NaN also ends the loop.
            if !(above > floor && above > CLOSE * start && high - low > CLOSE * low) {
                break;
            }
            if !(next > low && next < high) {
                next = match low < self.near && self.near < high {
                    true => self.near,
                    false => low + 0.25 * (high - low),
                };
            }
            let gap = self.least_ahead(next) - floor;
            let gone = gone(next, gap);
            match gap >= 0.0 {
                true => {
                    (low, above) = (next, gap);
                    next = lesser(f64::max(gone, (1.0 + CLOSE) * low), 4.0 * low);
                }
                false => (high, next) = (next, gone),
            }
        }
        Some(low)
    }
}
