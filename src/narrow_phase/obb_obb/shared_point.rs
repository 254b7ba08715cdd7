//! A point that two colliding boxes share.

use glam::DVec3;

use crate::narrow_phase::obb_obb::distance::{Closest, signed};
use crate::narrow_phase::obb_obb::frame::Frame;

impl Frame {
    /// A point in or on both of two colliding boxes. Their intersection has corners where an edge of one box enters the other:
    /// the middle of the part inside is safe from rounding.
    pub fn shared_point(&self) -> DVec3 {
        // Usually the point nearest to the other center is in the other box.
        let next_to_b = self.t.clamp(-self.h_a, self.h_a);
        if self.to_b(next_to_b).abs().cmple(self.h_b).all() {
            return next_to_b;
        }
        let next_to_a = self.to_a(self.to_b(DVec3::ZERO).clamp(-self.h_b, self.h_b));
        if next_to_a.abs().cmple(self.h_a).all() {
            return next_to_a;
        }
        let mut closest = Closest::NONE;
        // Larger by the error, so that rounding does not decide where edges in touching faces are cut.
        let (h_a, h_b) = (self.h_a + self.error, self.h_b + self.error);
        for axis in 0..3 {
            for corner in 0..8 {
                let (on_a, on_b) = (signed(self.h_a, corner), signed(self.h_b, corner));
                let of_b = middle_inside(self.to_a(on_b), self.c.col(axis) * (-2.0 * on_b[axis]), h_a);
                closest.offer(of_b.clamp(-self.h_a, self.h_a), of_b);
                let along = DVec3::AXES[axis] * (-2.0 * on_a[axis]);
                let of_a = middle_inside(self.to_b(on_a), self.c.transpose() * along, h_b);
                let [of_a, inside] = [of_a, of_a.clamp(-self.h_b, self.h_b)].map(|point| self.to_a(point));
                closest.offer(of_a, inside);
            }
        }
        closest.on_a
    }
}

/// The middle of the part inside `-half..half` of the line from a point along a vector, or a nearby point if no part is
/// inside.
fn middle_inside(from: DVec3, along: DVec3, half: DVec3) -> DVec3 {
    let (mut first, mut last) = (0f64, 1f64);
    for axis in 0..3 {
        let ends = [-half[axis], half[axis]].map(|side| (side - from[axis]) / along[axis]);
        // Parallel to the sides, the ends are NaN or infinite and do not limit a line inside the box.
        if ends.iter().all(|end| end.is_finite()) {
            first = first.max(ends[0].min(ends[1]));
            last = last.min(ends[0].max(ends[1]));
        }
    }
    from + along * (0.5 * (first + last)).clamp(0.0, 1.0)
}
