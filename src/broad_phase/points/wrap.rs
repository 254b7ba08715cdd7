//! Distances in space that repeats: points and boxes of a tree whose centers are in one cell.
//!
//! Along each axis, the nearest image of a point is at the distance `min(|d|, |L - |d||)`, where
//! `d` is the difference of two coordinates in the cell of length `L`. Two boxes have the gap
//! `max(b, h)`, where `b` and `h` are the lower end of each less the upper end of the other, and to
//! the next image `L + min(b, h)`: with the distance `d` of their middles and half the sum `w` of
//! their widths, these are `|d| - w` and `L - |d| - w`. The lesser is a lower bound of the gap of
//! all images, also if boxes stick out of the cell.
//!
//! # The error
//!
//! Coordinates are rounded when they are moved into the cell, which is around 0: by at most `u L`
//! for the spacing `2 u` of numbers next to 1. Their differences, and those of L, are rounded
//! again, by `4 u L` at most, because bounds reach over less than two periods. [`Wrap::slack`] is
//! 16 u of the largest length, more than the error along an axis. Gaps of boxes are reduced by it.
//! Distances of points are not, so their limits are wider: a distance is off by less than 2 of it,
//! and so is the least one that it is compared with.

use glam::DVec3;

use crate::broad_phase::points::coordinate::Coordinate;
use crate::geometry::period::{Image, Period};
use crate::geometry::rounding::exact_sum_of_four;

/// A length that makes an axis one that does not repeat: no coordinate is as large.
const NEVER: f64 = (1u128 << 90) as f64;

/// The lengths of a period, for the distances of a walk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrap<T> {
    pub lengths: [T; 3],
    /// More than the error of a distance along an axis.
    pub slack: T,
}

impl<T: Coordinate> Wrap<T> {
    pub fn new(period: &Period) -> Self {
        let lengths = [0, 1, 2].map(|axis| period.along(axis));
        Self {
            lengths: lengths.map(|length| T::of(length.unwrap_or(NEVER))),
            slack: T::of(8.0 * T::SPACING * period.longest()),
        }
    }

    /// Returns the largest computed square of any point that is no farther than one with this
    /// computed square, or than the root of it.
    pub fn limit(&self, square: T) -> T {
        let farthest = square.to_f64().sqrt() + 4.0 * self.slack.to_f64();
        T::limit(T::of(farthest * farthest * (1.0 + 4.0 * T::SPACING)))
    }
}

/// Returns a center moved into the cell around 0, rounded.
pub(crate) fn in_cell(center: DVec3, period: &Period) -> DVec3 {
    let moved = period.moved(image_in_cell(center, period));
    DVec3::from_array([0, 1, 2].map(|k| exact_sum_of_four([center[k], moved[k].0, moved[k].1, 0.0])[0]))
}

/// Returns the image of a center that is in the cell around 0, up to rounding.
pub(crate) fn image_in_cell(center: DVec3, period: &Period) -> Image {
    [0, 1, 2].map(|axis| match period.along(axis) {
        Some(length) => -(center[axis] / length).round() as i64,
        None => 0,
    })
}
