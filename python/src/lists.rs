//! One or two lists of boxes whose pairs are examined.

use obbligato::{Error, Obb, Obb64, Result};
use pyo3::prelude::*;

use crate::boxes::{Centers, Room};
use crate::rules::Held;

/// One or two lists of boxes whose pairs are examined.
pub struct Lists {
    pub boxes: Held,
    pub against: Option<Held>,
}

impl Lists {
    pub fn new(boxes: &Bound<'_, PyAny>, against: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let other = |boxes| Held::new("against", boxes, None, Centers::F64Too);
        Ok(Self {
            boxes: Held::new("boxes", boxes, None, Centers::F64Too)?,
            against: against.map(other).transpose()?,
        })
    }

    /// Returns `true` if one of them has centers in `f64`.
    pub fn are_doubles(&self) -> bool {
        [Some(&self.boxes), self.against.as_ref()]
            .into_iter()
            .flatten()
            .any(|held| held.boxes.are_doubles())
    }

    pub fn records<'a>(&'a self, room: &'a mut Room, other: &'a mut Room) -> Result<[&'a [Obb]; 2]> {
        let first = self.boxes.boxes.records(room)?;
        let second = self.against.as_ref().map(|held| held.boxes.records(other));
        Ok([first, second.transpose()?.unwrap_or(first)])
    }

    pub fn records64<'a>(&'a self, room: &'a mut Room, other: &'a mut Room) -> Result<[&'a [Obb64]; 2]> {
        let first = self.boxes.boxes.records64(room)?;
        let second = self.against.as_ref().map(|held| held.boxes.records64(other));
        let lists = [first, second.transpose()?.unwrap_or(first)];
        lists.into_iter().try_for_each(validate)?;
        Ok(lists)
    }
}

/// An error that names the first invalid box, if there is any.
fn validate(boxes: &[Obb64]) -> Result<()> {
    let mut problems = (0..)
        .zip(boxes)
        .filter_map(|(index, boxed)| Some((index, boxed.problem()?)));
    match problems.next() {
        Some((index, problem)) => Err(Error::InvalidBox {
            index,
            problem,
            count: 1 + problems.count(),
        }),
        None => Ok(()),
    }
}
