//! Boxes in `f32` around boxes with centers in `f64`: what the broad phase and a GPU get of them.
//!
//! The centers are taken relative to an origin, the middle of all centers, and rounded to `f32`. What rounding has moved a center
//! by, a vector r, is added to the half extents: the box's points are no further than |r| from those of the box about the rounded
//! center, and a box contains all that is within |r| of it once each half extent is larger by |r|. So two of these boxes share a
//! point wherever those that they contain do. Near the origin, and where coordinates are short, r is zero.

use glam::{DVec3, Vec3};

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::bounds::{Bounds, Gather};
use crate::geometry::rounding::{above, exact_sum};
use crate::shapes::bounds::validate;
use crate::shapes::obb::obb_bounds_cpu::obb_bounds_unless;
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;

/// What memory is for.
const WHAT: &str = "the boxes around those with centers in f64";

/// Scenes with a larger number are not magnified; see [`magnified`](crate::shapes::magnified).
const TINY: f64 = 1.0 / (1u64 << 60) as f64;

/// Squares of shorter lengths may come out as 0.
const LEAST: f64 = 1e-150;

/// Boxes, and a box in `f32` around each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boxes64<'a> {
    /// As they are. A part of a scene, which nobody decides, does without.
    pub boxes: &'a [Obb64],
    pub around: &'a [Obb],
}

impl<'a> Boxes64<'a> {
    /// How many there are.
    pub fn len(self) -> usize {
        self.around.len()
    }

    /// Fills `bounds` with those of the boxes around, which may be a little larger than a box of the caller's may be.
    pub fn bounds<G: Gather>(self, margin: impl Fn(u32) -> f32 + Sync + Send, bounds: &mut [Bounds]) -> Result<G> {
        obb_bounds_unless(self.around, margin, bounds, |_| None)
    }

    /// An error that names the first that is not valid, if any is.
    #[cfg(feature = "gpu")]
    pub fn validate(self) -> Result<()> {
        validate(self.boxes, Obb64::problem)
    }
}

/// The boxes around those of a list, which has its own place unless it was made of two.
#[derive(Debug, Default)]
pub(crate) struct OwnedBoxes64 {
    boxes: Vec<Obb64>,
    around: Vec<Obb>,
    /// How many times larger the boxes around are; 0 if there are none.
    times: f64,
}

impl OwnedBoxes64 {
    /// The boxes around these, magnified if all is tiny and there is no margin.
    pub fn around(boxes: &[Obb64], has_margin: bool) -> Result<Self> {
        let mut surroundings = Surroundings::of(boxes)?;
        if has_margin {
            surroundings.times = 1.0;
        }
        Ok(Self {
            boxes: Vec::new(),
            around: surroundings.around(boxes)?,
            times: surroundings.times,
        })
    }

    /// Two lists in one, and the boxes around these.
    pub fn joined(first: &[Obb64], second: &[Obb64], has_margin: bool) -> Result<Self> {
        let mut boxes = Vec::new();
        memory::reserve(&mut boxes, first.len() + second.len(), "both sets of boxes")?;
        boxes.extend_from_slice(first);
        boxes.extend_from_slice(second);
        let around = Self::around(&boxes, has_margin)?;
        Ok(Self { boxes, ..around })
    }

    /// All of two lists.
    pub fn all(&self) -> Boxes64<'_> {
        self.with(&self.boxes)
    }

    /// All, given the list that they were made of.
    pub fn with<'a>(&'a self, boxes: &'a [Obb64]) -> Boxes64<'a> {
        Boxes64 {
            boxes,
            around: &self.around,
        }
    }

    /// What a length among the boxes around is in the caller's unit.
    pub fn undone(&self, length: f32) -> f32 {
        match self.times > 1.0 {
            true => (f64::from(length) / self.times) as f32,
            false => length,
        }
    }
}

/// Where the boxes around are: relative to an origin, and magnified by a power of two if all is tiny.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Surroundings {
    origin: DVec3,
    pub times: f64,
}

impl Surroundings {
    /// Those of a scene.
    ///
    /// # Errors
    /// [`Error::InvalidBox`](crate::Error::InvalidBox) names the first box that is not valid.
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

    /// The boxes around these.
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
            // What is added is more than a length and two sums lose by rounding.
            false => (half + moved.length() + LEAST) * (1.0 + 8.0 * f64::EPSILON),
        };
        Obb {
            half_extents: Vec3::from_array(reach.to_array().map(above)),
            ..obb.centered_at(center)
        }
    }
}
