//! The time of a piece of work.

use std::hint::black_box;
use std::time::Instant;

/// The time of the fastest of several rounds, in seconds, and the last round's result. There is at
/// least one round.
pub fn least<T>(rounds: usize, mut work: impl FnMut() -> T) -> (f64, T) {
    let mut round = || {
        let start = Instant::now();
        let result = black_box(work());
        (start.elapsed().as_secs_f64(), result)
    };
    let first = round();
    (1..rounds).fold(first, |(best, _), _| {
        let (time, result) = round();
        (best.min(time), result)
    })
}
