//! Polygons, clipped at lines or planes across an axis (Sutherland and Hodgman, "Reentrant Polygon
//! Clipping", 1974).

use crate::narrow_phase::obb_obb::overlap::float::Float;

/// The most corners. A clip may at most add half as many: then every other corner is beyond. Four
/// corners become at most 42 by six clips. Only rounding makes more than one a clip.
const MOST: usize = 42;

/// A polygon in the plane or in space.
pub(super) struct Polygon<T, const D: usize> {
    corners: [[T; D]; MOST],
    count: usize,
}

impl<T: Float, const D: usize> Polygon<T, D> {
    /// Returns a polygon without corners.
    #[inline(always)]
    pub fn empty() -> Self {
        Self {
            corners: [[T::from(0.0); D]; MOST],
            count: 0,
        }
    }

    /// Replaces the corners.
    #[inline(always)]
    pub fn set(&mut self, corners: [[T; D]; 4]) {
        self.corners[..4].copy_from_slice(&corners);
        self.count = 4;
    }

    fn corners(&self) -> &[[T; D]] {
        &self.corners[..self.count]
    }

    #[inline(always)]
    fn push(&mut self, corner: [T; D]) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count += 1;
        }
    }

    /// Replaces `part` with the part whose coordinate along `axis` is at most `bound`, or at least
    /// that if `above`.
    #[inline(always)]
    pub fn clip(&self, axis: usize, bound: T, above: bool, part: &mut Self) {
        part.count = 0;
        let Some(last) = self.corners().last() else {
            return;
        };
        let zero = T::from(0.0);
        let beyond = |corner: &[T; D]| match above {
            true => bound - corner[axis],
            false => corner[axis] - bound,
        };
        let (mut from, mut from_beyond) = (*last, beyond(last));
        for to in self.corners() {
            let to_beyond = beyond(to);
            if (from_beyond <= zero) != (to_beyond <= zero) {
                let share = from_beyond / (from_beyond - to_beyond);
                let mut cut = from;
                for k in 0..D {
                    cut[k] = from[k] + (to[k] - from[k]) * share;
                }
                cut[axis] = bound;
                part.push(cut);
            }
            if to_beyond <= zero {
                part.push(*to);
            }
            (from, from_beyond) = (*to, to_beyond);
        }
    }

    /// Clips at both ends of an interval, with room for the polygon in between.
    #[inline(always)]
    pub fn clip_both(&mut self, axis: usize, bound: T, between: &mut Self) {
        self.clip(axis, bound, false, between);
        between.clip(axis, -bound, true, self);
    }

    /// Returns twice the area in the plane of the first two axes: positive if the corners are
    /// counter-clockwise there.
    #[inline(always)]
    pub fn doubled_area(&self) -> T {
        self.sum(|doubled, _| doubled)
    }

    /// Returns the sum of a function of triangles that make up the polygon, given their doubled
    /// areas and corners.
    #[inline(always)]
    pub fn sum(&self, value: impl Fn(T, [&[T; D]; 3]) -> T) -> T {
        let mut sum = T::from(0.0);
        let [first, others @ ..] = self.corners() else {
            return sum;
        };
        for sides in others.windows(2) {
            let [u, v] = [&sides[0], &sides[1]];
            let [ux, uy, vx, vy] = [u[0] - first[0], u[1] - first[1], v[0] - first[0], v[1] - first[1]];
            sum = sum + value(ux * vy - uy * vx, [first, u, v]);
        }
        sum
    }
}
