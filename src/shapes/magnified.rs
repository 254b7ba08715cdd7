//! Scenes of tiny numbers, magnified.
//!
//! Bounds are widened by `2^-100` and the error bounds of the tests have a constant term, for numbers that a GPU flushes to zero.
//! In a scene of about that size all boxes would be candidates, all of them undecided. But whether boxes collide does not change
//! when all lengths are multiplied by one number, and a power of two that makes them larger rounds nothing. So such a scene is
//! checked as a magnified copy.

use bytemuck::Zeroable;
use glam::Vec3;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::aabb::Aabb;
use crate::shapes::obb::record::Obb;

/// Scenes with a larger number are taken as they are: `2^-100` is nothing beside it. 2^-60, in the caller's unit.
const TINY: f32 = f32::from_bits((127 - 60) << 23);

/// Records that are looked at before any other: a scene of usual size ends the question there.
const SAMPLES: usize = 64;

/// A record with lengths: the numbers that double when all is twice as large.
pub(crate) trait Lengths: Copy + Send + Sync + Zeroable {
    /// Those numbers.
    fn lengths(&self) -> [Vec3; 2];

    /// The same record with others.
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

/// A record that is checked in a scene of its like.
pub(crate) trait Magnified: Sized {
    /// A copy that is checked in the place of these records, if their numbers are tiny.
    fn magnified(records: &[Self]) -> Result<Option<(Magnification, Vec<Self>)>>;
}

impl<T: Lengths> Magnified for T {
    fn magnified(records: &[Self]) -> Result<Option<(Magnification, Vec<Self>)>> {
        Magnification::of(records)
            .map(|magnification| Ok((magnification, magnification.copy(records)?)))
            .transpose()
    }
}

/// A power of two, of which `f32` has no more than a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Magnification(f64);

impl Magnification {
    /// The one that makes the largest number of tiny records about 1. `None` if they are not tiny, or not numbers.
    pub fn of<T: Lengths>(records: &[T]) -> Option<Self> {
        Self::by_largest(records.len(), |k| Self::largest(&records[k]))
    }

    /// The largest number of a record; infinite if one is none.
    pub fn largest(record: &impl Lengths) -> f64 {
        let lengths = record.lengths();
        match lengths.iter().all(|length| length.is_finite()) {
            true => f64::from(lengths[0].abs().max(lengths[1].abs()).max_element()),
            false => f64::INFINITY,
        }
    }

    /// The same for so many records, given the largest number of each.
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

    /// How many times larger the copy is.
    pub fn times(self) -> f64 {
        self.0
    }

    /// A magnified copy.
    pub fn copy<T: Lengths>(self, records: &[T]) -> Result<Vec<T>> {
        let mut copy = memory::zeroed(records.len(), "the magnified boxes")?;
        parallel::fill(&mut copy, |k| {
            let record = records[k];
            record.with_lengths(record.lengths().map(|length| (length.as_dvec3() * self.0).as_vec3()))
        });
        Ok(copy)
    }

    /// What a length of a magnified scene is in the caller's unit.
    pub fn undone(self, length: f32) -> f32 {
        (f64::from(length) / self.0) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiny_scenes_alone_are_magnified_and_nothing_is_rounded() {
        let at = |x: f32, half: f32| Obb::axis_aligned(Vec3::new(x, -x, 0.0), Vec3::splat(half));
        let least = f32::from_bits(1);
        let scene = [at(3.0 * least, least), at(-(TINY / 2.0 + TINY / 1e6), 0.0)];
        let magnification = Magnification::of(&scene).expect("a tiny scene");
        let copy = magnification.copy(&scene).expect("a copy");
        for (own, magnified) in scene.iter().zip(&copy) {
            let lengths = magnified.lengths().map(|length| length.to_array());
            assert_eq!(
                lengths.map(|length| length.map(|x| magnification.undone(x))),
                own.lengths().map(|x| x.to_array())
            );
        }
        assert!((1.0..2.0).contains(&-copy[1].center.x), "{copy:?}");

        // Among a thousand, one that is not tiny, whether or not it is looked at first.
        for odd in [0, 500, 999] {
            for other in [TINY, 1.0, f32::NAN, f32::INFINITY] {
                let mut scene = [at(least, least); 1000];
                assert!(Magnification::of(&scene).is_some());
                scene[odd].half_extents.y = other;
                assert_eq!(Magnification::of(&scene), None);
            }
        }
        assert_eq!(Magnification::of(&[at(0.0, 0.0)]), None);
        assert_eq!(Magnification::of::<Obb>(&[]), None);
    }
}
