//! The space that a question is asked in: open or repeating, three-dimensional or a plane.

use obbligato::contact::{ClosestPoints, Contacts, Overlap};
use obbligato::motion::{Approaches, Impacts};
use obbligato::query::{ApproachQuery, ContactQuery, DistanceQuery, OverlapQuery, Sweep};
use obbligato::shape::Image;
use obbligato::{Checker, Period, Query, Report, Result};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The space that a question is asked in.
#[derive(Clone, Copy, Default)]
pub struct Space {
    pub period: Option<Period>,
    pub in_plane: bool,
}

/// An answer, and the image of each pair's second body if space repeats.
pub type InSpace<T> = (T, Option<Vec<Image>>);

/// Asks a question about listed pairs in a space. Each kind of question has types of its own for
/// the plane and for space that repeats.
macro_rules! of_pairs {
    ($space:expr, $checker:expr, $query:expr) => {
        match ($space.period, $space.in_plane) {
            (None, false) => Ok(($checker.check($query)?, None)),
            (None, true) => Ok(($checker.check($query.in_plane())?, None)),
            (Some(period), false) => {
                let all = $checker.check($query.periodic(period))?;
                Ok((all.found, Some(all.images)))
            }
            (Some(period), true) => {
                let all = $checker.check($query.periodic(period).in_plane())?;
                Ok((all.found, Some(all.images)))
            }
        }
    };
}

impl Space {
    /// The space of a call: `period` has a length or None for each axis.
    pub fn of(period: Option<&Bound<'_, PyAny>>, in_plane: bool) -> PyResult<Self> {
        let lengths = period.map(|period| {
            period.extract::<[Option<f64>; 3]>().map_err(|_| {
                PyValueError::new_err(
                    "period is not three lengths: give one for each axis, None where space does not repeat",
                )
            })
        });
        Ok(Self {
            period: lengths.transpose()?.map(Period::new),
            in_plane,
        })
    }

    pub fn check(self, checker: &mut Checker, query: Query<'_>) -> Result<Report> {
        let query = match self.period {
            Some(period) => query.periodic(period),
            None => query,
        };
        match self.in_plane {
            true => checker.check(query.in_plane()),
            false => checker.check(query),
        }
    }

    pub fn contacts(self, checker: &mut Checker, query: ContactQuery<'_>) -> Result<InSpace<Contacts>> {
        of_pairs!(self, checker, query)
    }

    pub fn distances(self, checker: &mut Checker, query: DistanceQuery<'_>) -> Result<InSpace<Vec<ClosestPoints>>> {
        of_pairs!(self, checker, query)
    }

    pub fn overlaps(self, checker: &mut Checker, query: OverlapQuery<'_>) -> Result<InSpace<Vec<Overlap>>> {
        of_pairs!(self, checker, query)
    }

    pub fn approaches(self, checker: &mut Checker, query: ApproachQuery<'_>) -> Result<InSpace<Approaches>> {
        match self.period {
            Some(period) => {
                let all = checker.check(query.periodic(period))?;
                Ok((all.found, Some(all.images)))
            }
            None => Ok((checker.check(query)?, None)),
        }
    }

    pub fn sweep(self, checker: &mut Checker, sweep: Sweep<'_>) -> Result<InSpace<Impacts>> {
        let Some(period) = self.period else {
            let found = match self.in_plane {
                true => checker.check(sweep.in_plane())?,
                false => checker.check(sweep)?,
            };
            return Ok((found, None));
        };
        let sweep = sweep.periodic(period);
        let all = match self.in_plane {
            true => checker.check(sweep.in_plane())?,
            false => checker.check(sweep)?,
        };
        Ok((all.found, Some(all.images)))
    }
}
