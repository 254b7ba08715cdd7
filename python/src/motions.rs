//! The motions of boxes, from arrays.

use obbligato::glam::Vec3;
use obbligato::motion::{Motion, MovingSet, Step};
use obbligato::{Error, Result};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Numbers, shape};
use crate::bodies::{Centers, Room};
use crate::errors::{about, raise};
use crate::report::Ids;
use crate::rules::Held;
use crate::settings::read;

/// One or two lists of bodies with their motions.
pub struct Moving {
    first: (Held, Vec<Motion>),
    second: Option<(Held, Vec<Motion>)>,
    pub ids: Ids,
}

/// A list of bodies and their motions, as Python gives them.
type Given<'a, 'py> = (&'a Bound<'py, PyAny>, &'a Bound<'py, PyAny>);

impl Moving {
    /// The bodies and motions of a call.
    pub fn new(
        (boxes, motions): Given<'_, '_>,
        against: [Option<&Bound<'_, PyAny>>; 2],
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut first = (
            Held::new("boxes", boxes, rules, Centers::OnlyF32)?,
            self::motions("motions", motions)?,
        );
        let mut second = match against {
            [Some(boxes), Some(motions)] => Some((
                Held::new("against", boxes, None, Centers::OnlyF32)?,
                self::motions("against_motions", motions)?,
            )),
            [None, None] => None,
            _ => {
                return Err(PyTypeError::new_err(
                    "against and against_motions go together: give both or none",
                ));
            }
        };
        expect_one_each("motions", first.0.len(), first.1.len())?;
        if let Some((others, motions)) = &second {
            expect_one_each("against_motions", others.len(), motions.len())?;
        }
        let ids = Ids::of(&mut first.0, second.as_mut().map(|(others, _)| others));
        Ok(Self { first, second, ids })
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.first.0.len() + self.second.as_ref().map_or(0, |(others, _)| others.len())
    }

    /// The arguments and their lengths, for [`about`].
    pub fn lengths(&self) -> [(&'static str, usize); 2] {
        [
            ("boxes", self.first.0.len()),
            ("against", self.len() - self.first.0.len()),
        ]
    }

    /// Both sets.
    pub fn sets<'a>(&'a self, [room, other]: &'a mut [Room; 2]) -> Result<(MovingSet<'a>, Option<MovingSet<'a>>)> {
        let first = self.first.0.moving(room, &self.first.1)?;
        let second = self.second.as_ref().map(|(held, motions)| held.moving(other, motions));
        Ok((first, second.transpose()?))
    }
}

/// The step of a call.
pub fn step_of(dt: &Bound<'_, PyAny>, tolerance: Option<&Bound<'_, PyAny>>) -> PyResult<Step> {
    let distance = |tolerance| read("tolerance", tolerance, "a distance, or None");
    Ok(Step {
        dt: read("dt", dt, "a number of seconds")?,
        tolerance: tolerance.map(distance).transpose()?,
    })
}

/// Returns an error unless there are as many motions, which errors call `what`, as bodies.
pub fn expect_one_each(what: &str, boxes: usize, motions: usize) -> PyResult<()> {
    match boxes == motions {
        true => Ok(()),
        false => Err(about([(what, 0)])(raise(Error::MissingMotions { boxes, motions }))),
    }
}

/// The motions in the rows of an array of 3, 6, 9 or 10 columns, or of a table.
pub fn motions(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<Motion>> {
    let tables = object.py().import("obbligato._tables")?;
    let array = tables.call_method1("numbers", (what, object, tables.getattr("MOTIONS")?))?;
    let columns = match shape(&array)?[..] {
        [0] => return Ok(Vec::new()),
        [_, columns @ (3 | 6 | 9 | 10)] => columns,
        _ => {
            return Err(PyValueError::new_err(format!(
                "{what} has the shape {}: give (N, 3), (N, 6), (N, 9) or (N, 10): velocity, angular velocity, acceleration, \
                 uncertainty",
                array.getattr("shape")?
            )));
        }
    };
    let rows: Numbers<f32> = Numbers::of(&array)?;
    let motion = |row: &[f32]| {
        let three = |first| row.get(first..first + 3).map_or(Vec3::ZERO, Vec3::from_slice);
        Motion::linear(three(0))
            .turning(three(3))
            .accelerated(three(6))
            .uncertain(row.get(9).copied().unwrap_or(0.0))
    };
    Ok(rows.chunks_exact(columns).map(motion).collect())
}
