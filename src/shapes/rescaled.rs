//! Rescaling of scenes of tiny numbers.
//!
//! Bounds are widened by `2^-100`, and the error bounds of the tests have a constant term, for
//! numbers that a GPU flushes to zero. In a scene of about that size all pairs of boxes would be
//! candidates, and all of them undecided. Multiplying all lengths by one number does not change
//! which boxes collide, and multiplying by a power of two above 1 rounds nothing (`larger_collide`
//! and `rescaled_exactly` of `proofs`). Such a scene is therefore checked as a rescaled copy.

use bytemuck::Zeroable;
use glam::Vec3;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::aabb::Aabb;
use crate::shapes::obb::record::Obb;

/// Scenes with a number of at least this size are not rescaled: `2^-100` is negligible compared
/// with it. 2^-60, in the caller's unit.
const TINY: f32 = f32::from_bits((127 - 60) << 23);

/// The number of records examined first: a scene of usual size is recognised by these.
const SAMPLES: usize = 64;

/// A record with lengths: the numbers that double if everything doubles in size.
pub(crate) trait Lengths: Copy + Send + Sync + Zeroable {
    /// Returns those numbers.
    fn lengths(&self) -> [Vec3; 2];

    /// Returns the record with other lengths.
    fn with_lengths(self, lengths: [Vec3; 2]) -> Self;
}

impl Lengths for Obb {
    fn lengths(&self) -> [Vec3; 2] {
        [self.center, self.half_extents]
    }

    fn with_lengths(self, [center, half_extents]: [Vec3; 2]) -> Self {
        Self {
            center,
            half_extents,
            ..self
        }
    }
}

impl Lengths for Aabb {
    fn lengths(&self) -> [Vec3; 2] {
        [self.min, self.max]
    }

    fn with_lengths(self, [min, max]: [Vec3; 2]) -> Self {
        Self { min, max }
    }
}

/// A record whose scene can be rescaled.
pub(crate) trait Rescaled: Sized {
    /// Returns a rescaled copy to check instead of these records, if their numbers are tiny.
    fn rescaled(records: &[Self]) -> Result<Option<(Rescaling, Vec<Self>)>>;
}

impl<T: Lengths> Rescaled for T {
    fn rescaled(records: &[Self]) -> Result<Option<(Rescaling, Vec<Self>)>> {
        Rescaling::of(records)
            .map(|rescaling| Ok((rescaling, rescaling.copy(records)?)))
            .transpose()
    }
}

/// A power of two, which may be too large for `f32`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rescaling(f64);

impl Rescaling {
    /// Returns the power of two that scales the largest number of tiny records to about 1. `None`
    /// if they are not tiny, or not finite.
    pub fn of<T: Lengths>(records: &[T]) -> Option<Self> {
        Self::by_largest(records.len(), |k| Self::largest(&records[k]))
    }

    /// Returns the largest number of a record; infinity if one is not finite.
    pub fn largest(record: &impl Lengths) -> f64 {
        let lengths = record.lengths();
        match lengths.iter().all(|length| length.is_finite()) {
            true => f64::from(lengths[0].abs().max(lengths[1].abs()).max_element()),
            false => f64::INFINITY,
        }
    }

    /// Computes the same for `count` records, given the largest number of each.
    pub fn by_largest(count: usize, largest: impl Fn(usize) -> f64 + Sync + Send) -> Option<Self> {
        let is_tiny = |length: f64| length < f64::from(TINY);
        let stride = count.div_ceil(SAMPLES).max(1);
        if count == 0 || !(0..count).step_by(stride).all(|k| is_tiny(largest(k))) {
            return None;
        }
        let largest = parallel::map_ranges(count, |range| range.map(&largest).fold(0.0, f64::max));
        let largest = largest.into_iter().fold(0.0, f64::max);
        if largest == 0.0 || !is_tiny(largest) {
            return None;
        }
        let exponent = (largest.to_bits() >> 52) as i32 - 1023;
        Some(Self(2f64.powi(-exponent)))
    }

    /// Returns the factor by which the copy is larger.
    pub fn times(self) -> f64 {
        self.0
    }

    /// Returns a rescaled copy.
    pub fn copy<T: Lengths>(self, records: &[T]) -> Result<Vec<T>> {
        let mut copy = memory::zeroed(records.len(), "the rescaled boxes")?;
        parallel::fill(&mut copy, |k| {
            let record = records[k];
            record.with_lengths(record.lengths().map(|length| (length.as_dvec3() * self.0).as_vec3()))
        });
        Ok(copy)
    }

    /// Converts a length of a rescaled scene to the caller's unit.
    pub fn undone(self, length: f32) -> f32 {
        (f64::from(length) / self.0) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tiny_scenes_are_magnified_and_without_rounding() {
        let at = |x: f32, half: f32| Obb::axis_aligned(Vec3::new(x, -x, 0.0), Vec3::splat(half));
        let least = f32::from_bits(1);
        let scene = [at(3.0 * least, least), at(-(TINY / 2.0 + TINY / 1e6), 0.0)];
        let rescaling = Rescaling::of(&scene).expect("a tiny scene");
        let copy = rescaling.copy(&scene).expect("a copy");
        for (own, rescaled) in scene.iter().zip(&copy) {
            let lengths = rescaled.lengths().map(|length| length.to_array());
            assert_eq!(
                lengths.map(|length| length.map(|x| rescaling.undone(x))),
                own.lengths().map(|x| x.to_array())
            );
        }
        assert!((1.0..2.0).contains(&-copy[1].center.x), "{copy:?}");

        // One number among a thousand that is not tiny, in the sample or not.
        for odd in [0, 500, 999] {
            for other in [TINY, 1.0, f32::NAN, f32::INFINITY] {
                let mut scene = [at(least, least); 1000];
                assert!(Rescaling::of(&scene).is_some());
                scene[odd].half_extents.y = other;
                assert_eq!(Rescaling::of(&scene), None);
            }
        }
        assert_eq!(Rescaling::of(&[at(0.0, 0.0)]), None);
        assert_eq!(Rescaling::of::<Obb>(&[]), None);
    }
}
