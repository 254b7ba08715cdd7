//! The time step of a sweep.

use crate::base::error::{Error, Result};
use crate::shapes::obb::record::Obb;

/// A time step, and the required precision of times of impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The length in seconds: finite and not negative. 0 checks only the start.
    pub dt: f64,
    /// The distance, in the caller's unit, at which bodies that turn or accelerate count as in
    /// contact: finite and above 0. `None` is 1e-4 of the smaller of the two boxes' largest half
    /// extents, or of the larger if the smaller is 0; two points need none. Capsules and spheres
    /// count as the boxes around them.
    pub tolerance: Option<f64>,
}

impl Step {
    /// Returns a step of this length, with a tolerance that suits the boxes.
    pub const fn new(dt: f64) -> Self {
        Self { dt, tolerance: None }
    }

    /// Returns the same step with this tolerance.
    #[must_use]
    pub const fn with_tolerance(self, tolerance: f64) -> Self {
        Self {
            tolerance: Some(tolerance),
            ..self
        }
    }

    /// Returns the distance at which these boxes count as in contact: the step's tolerance, or one
    /// that suits the boxes. 0 for two points.
    pub(crate) fn tolerance_of(&self, a: &Obb, b: &Obb) -> f64 {
        self.tolerance_for([a, b].map(|obb| obb.half_extents.max_element()))
    }

    /// Returns [`tolerance_of`](Self::tolerance_of) boxes with these largest half extents.
    #[inline(always)]
    pub(crate) fn tolerance_for(&self, largest: [f32; 2]) -> f64 {
        let [a, b] = largest.map(f64::from);
        let size = match a.min(b) {
            0.0 => a.max(b),
            least => least,
        };
        self.tolerance.unwrap_or(1e-4 * size)
    }

    /// Returns an error if one of the numbers is invalid.
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
