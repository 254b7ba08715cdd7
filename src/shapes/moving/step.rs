//! The time that a sweep is about.

use crate::base::error::{Error, Result};
use crate::shapes::obb::record::Obb;

/// A step of time, and how precisely times of impact are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Its length in seconds: finite and not negative. 0 asks about the start alone.
    pub dt: f64,
    /// The distance, in the caller's unit, at which bodies that turn or accelerate count as met: finite and above 0. `None` is 1e-4 of
    /// the lesser of the two boxes' largest half extents, and where that is 0, of the greater; two points need none. Capsules and balls
    /// count as the boxes around them.
    pub tolerance: Option<f64>,
}

impl Step {
    /// A step of this length, with the tolerance that suits the boxes.
    pub const fn new(dt: f64) -> Self {
        Self { dt, tolerance: None }
    }

    /// The same step with this tolerance.
    #[must_use]
    pub const fn with_tolerance(self, tolerance: f64) -> Self {
        Self {
            tolerance: Some(tolerance),
            ..self
        }
    }

    /// The distance at which these boxes count as met: what the step says or what suits them. 0 for two points.
    pub(crate) fn tolerance_of(&self, a: &Obb, b: &Obb) -> f64 {
        let [a, b] = [a, b].map(|obb| f64::from(obb.half_extents.max_element()));
        let size = match a.min(b) {
            0.0 => a.max(b),
            least => least,
        };
        self.tolerance.unwrap_or(1e-4 * size)
    }

    /// An error if its numbers are not as they should be.
    pub(crate) fn validate(&self) -> Result<()> {
        if !self.dt.is_finite() || self.dt < 0.0 {
            return Err(Error::InvalidStep {
                what: "dt",
                value: self.dt,
                wanted: "finite and not negative",
            });
        }
        match self.tolerance {
            Some(value) if !value.is_finite() || value <= 0.0 => Err(Error::InvalidStep {
                what: "tolerance",
                value,
                wanted: "finite and above 0",
            }),
            _ => Ok(()),
        }
    }
}
