//! One or two lists of shapes whose pairs are examined.

use obbligato::{Result, shape::Shapes};
use pyo3::prelude::*;

use crate::bodies::{Centers, Room};
use crate::rules::Held;

/// One or two lists of shapes whose pairs are examined.
pub struct Lists {
    boxes: Held,
    against: Option<Held>,
}

impl Lists {
    pub fn new(boxes: &Bound<'_, PyAny>, against: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let other = |boxes| Held::new("against", boxes, None, Centers::F64Too);
        Ok(Self {
            boxes: Held::new("boxes", boxes, None, Centers::F64Too)?,
            against: against.map(other).transpose()?,
        })
    }

    /// The arguments and their lengths, for [`about`](crate::errors::about).
    pub fn lengths(&self) -> [(&'static str, usize); 2] {
        let others = self.against.as_ref().map_or(0, Held::len);
        [("boxes", self.boxes.len()), ("against", others)]
    }

    /// The shapes of both lists, or of one twice.
    pub fn shapes<'a>(&'a self, [room, other]: &'a mut [Room; 2]) -> Result<[Shapes<'a>; 2]> {
        let first = self.boxes.shapes.shapes(room)?;
        let second = self.against.as_ref().map(|held| held.shapes.shapes(other));
        Ok([first, second.transpose()?.unwrap_or(first)])
    }
}
