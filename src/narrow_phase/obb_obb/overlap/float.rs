//! The numbers in which overlaps are computed, from the fewest digits to the most.

use std::ops::{Div, Neg};

use crate::geometry::double::Double;
use crate::geometry::rotation::Number;

/// Numbers with a fixed number of digits.
pub(super) trait Float: Number + Div<Output = Self> + Neg<Output = Self> + PartialOrd + From<f64> {
    /// More than the relative error of an operation.
    const UNIT: f64;

    /// Returns the nearest `f64`, or a neighbour of it.
    fn rounded(self) -> f64;

    /// Returns the absolute value.
    #[inline(always)]
    fn size(self) -> Self {
        if self < Self::from(0.0) { -self } else { self }
    }
}

impl Float for f64 {
    const UNIT: Self = Self::EPSILON;

    #[inline(always)]
    fn rounded(self) -> f64 {
        self
    }
}

impl Float for Double {
    /// 2^-100.
    const UNIT: f64 = f64::from_bits((1023 - 100) << 52);

    fn rounded(self) -> f64 {
        Self::rounded(self)
    }
}
