//! Boxes in `f32` around boxes with centers in `f64`, for the broad phase and for GPUs.
//!
//! The centers are taken relative to an origin, the middle of all centers, and rounded to `f32`.
//! The length of r, the vector by which rounding moved a center, is added to the half extents: the
//! box's points are no further than |r| from those of the box about the rounded center, and a box
//! contains all points within |r| of it once each half extent is larger by |r|. Two of these boxes
//! therefore share a point whenever the boxes that they contain do. Near the origin, and if
//! coordinates have few bits, r is zero.

use std::borrow::Cow;

use glam::{DVec3, Vec3};

use crate::base::error::Result;
use crate::base::parallel;
use crate::geometry::bounds::{Bounds, Gather};
use crate::geometry::rounding::{above, exact_sum};
use crate::shapes::bounds::validate;
use crate::shapes::obb::obb_bounds_cpu::obb_bounds_unless;
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;

/// Label for out-of-memory errors.
const WHAT: &str = "the boxes around those with centers in f64";

/// Scenes with a larger number are not rescaled; see [`rescaled`](crate::shapes::rescaled).
const TINY: f64 = 1.0 / (1u64 << 60) as f64;

/// Squares of shorter lengths may come out as 0.
const LEAST: f64 = 1e-150;

/// Boxes, with a box in `f32` around each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boxes64<'a> {
    /// The original boxes. A part of a scene has none, because no pairs are decided there.
    pub boxes: &'a [Obb64],
    pub around: &'a [Obb],
    /// The origin of the `around` boxes.
    pub origin: DVec3,
}

impl<'a> Boxes64<'a> {
    /// Returns the number of boxes.
    pub fn len(self) -> usize {
        self.around.len()
    }

    /// Fills `bounds` with the bounds of the `around` boxes, which may slightly exceed the limits
    /// on the caller's boxes.
    pub fn bounds<G: Gather>(self, margin: impl Fn(u32) -> f32 + Sync + Send, bounds: &mut [Bounds]) -> Result<G> {
        obb_bounds_unless(self.around, margin, bounds, |_| None)
    }

    /// Returns an error that names the first invalid box, if any.
    #[cfg(feature = "gpu")]
    pub fn validate(self) -> Result<()> {
        validate(self.boxes, Obb64::problem)
    }
}

/// A list of boxes, borrowed or owned, and the boxes around them.
#[derive(Debug)]
pub(crate) struct Surrounded<'a> {
    boxes: Cow<'a, [Obb64]>,
    around: Vec<Obb>,
    origin: DVec3,
    /// The factor by which the `around` boxes are rescaled.
    times: f64,
}

impl<'a> Surrounded<'a> {
    /// Makes the boxes around these, rescaled if all numbers are tiny and there is no margin.
    pub fn new(boxes: Cow<'a, [Obb64]>, has_margin: bool) -> Result<Self> {
        let mut surroundings = Surroundings::of(&boxes)?;
        if has_margin {
            surroundings.times = 1.0;
        }
        Ok(Self {
            around: surroundings.around(&boxes)?,
            origin: surroundings.origin,
            times: surroundings.times,
            boxes,
        })
    }

    /// Returns all boxes.
    pub fn all(&self) -> Boxes64<'_> {
        Boxes64 {
            boxes: &self.boxes,
            around: &self.around,
            origin: self.origin,
        }
    }

    /// Converts a length among the `around` boxes to the caller's unit.
    pub fn undone(&self, length: f32) -> f32 {
        match self.times > 1.0 {
            true => (f64::from(length) / self.times) as f32,
            false => length,
        }
    }
}

/// The frame of the `around` boxes: relative to an origin, and rescaled by a power of two if all
/// numbers are tiny.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Surroundings {
    origin: DVec3,
    pub times: f64,
}

impl Surroundings {
    /// Returns the frame of a scene.
    ///
    /// # Errors
    /// [`Error::InvalidBox`](crate::Error::InvalidBox) names the first invalid box.
    pub fn of(boxes: &[Obb64]) -> Result<Self> {
        validate(boxes, Obb64::problem)?;
        let first = boxes.first().map_or(DVec3::ZERO, |obb| obb.center);
        let nothing = [first, first, DVec3::ZERO];
        let ranges = parallel::map_ranges(boxes.len(), |range| {
            boxes[range].iter().fold(nothing, |[low, high, half], obb| {
                let own = obb.half_extents.as_dvec3();
                [low.min(obb.center), high.max(obb.center), half.max(own)]
            })
        });
        let join = |a: [DVec3; 3], b: [DVec3; 3]| [a[0].min(b[0]), a[1].max(b[1]), a[2].max(b[2])];
        let [low, high, half] = ranges.into_iter().fold(nothing, join);
        let largest = half.max(high - low).max_element();
        let exponent = (largest.to_bits() >> 52) as i32 - 1023;
        Ok(Self {
            origin: 0.5 * low + 0.5 * high,
            times: match largest > 0.0 && largest < TINY {
                true => 2f64.powi(-exponent),
                false => 1.0,
            },
        })
    }

    /// Makes the boxes around these.
    pub fn around(self, boxes: &[Obb64]) -> Result<Vec<Obb>> {
        Ok(parallel::collect(boxes.len(), WHAT, |k| self.around_one(&boxes[k]))?)
    }

    fn around_one(self, obb: &Obb64) -> Obb {
        let (mut center, mut moved) = (Vec3::ZERO, DVec3::ZERO);
        for axis in 0..3 {
            let (high, low) = exact_sum(obb.center[axis], -self.origin[axis]);
            let (high, low) = (high * self.times, low * self.times);
            center[axis] = high as f32;
            moved[axis] = (high - f64::from(center[axis])).abs() + low.abs();
        }
        let half = obb.half_extents.as_dvec3() * self.times;
        let reach = match moved == DVec3::ZERO {
            true => half,
            // The added terms exceed the rounding errors of a length and two sums.
            false => (half + moved.length() + LEAST) * (1.0 + 8.0 * f64::EPSILON),
        };
        Obb {
            half_extents: Vec3::from_array(reach.to_array().map(above)),
            ..obb.centered_at(center)
        }
    }
}
