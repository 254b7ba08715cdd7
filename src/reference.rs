//! The independent reference: all pairs in f64, by plain formulas, sharing no code with the backends.

use crate::{Obb, Pair};

/// Every colliding pair, sorted. O(n^2).
pub fn colliding_pairs(boxes: &[Obb]) -> Vec<Pair> {
    let _ = boxes;
    Vec::new()
}

/// Every box that collides with box `index`, ascending. O(n).
pub fn partners(boxes: &[Obb], index: usize) -> Vec<u32> {
    let _ = (boxes, index);
    Vec::new()
}

/// The largest separation of two boxes over the 15 axes, in units of length: positive = apart, negative = overlapping.
pub fn separation(a: &Obb, b: &Obb) -> f64 {
    let _ = (a, b);
    0.0
}
