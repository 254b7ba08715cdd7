//! The times of several pieces of work that are compared.

use std::time::Instant;

/// The time of the fastest round of each piece of work, in seconds. The rounds alternate between
/// them, so that other load on the machine affects all of them.
pub fn least_in_turn<const N: usize>(rounds: usize, mut works: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut least = [f64::INFINITY; N];
    for _ in 0..rounds {
        for (least, work) in least.iter_mut().zip(&mut works) {
            let start = Instant::now();
            work();
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    least
}
