//! Periodic boundaries: space that repeats along the axes of the world.

use glam::DVec3;

use crate::base::arrays::Mapped;
use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::base::problem::PeriodProblem;
use crate::geometry::rounding::exact_product;

/// The lengths after which space repeats along the axes of the world.
///
/// Every body is repeated at each whole multiple of the length of each axis, so centers may lie
/// anywhere, and it does not matter in which cell a body is given. An axis without a length does
/// not repeat.
///
/// ```
/// use obbligato::glam::Vec3;
/// use obbligato::{Backend, Checker, Config, Obb, Pair, Period, Query};
/// # fn main() -> obbligato::Result<()> {
/// let boxes = [0.5, 5.0, 9.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let period = Period::new([Some(10.0), None, None]);
/// // The last box, ten to the left, is at -1.
/// assert_eq!(checker.check(Query::from(&boxes).periodic(period))?.pairs()?, [Pair::new(0, 2)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Period {
    /// The length along each axis, in the caller's unit; `None` for an axis that does not repeat.
    pub lengths: [Option<f64>; 3],
}

/// The whole numbers by which a body is moved, in periods along each axis; 0 where space does not
/// repeat.
pub type Image = [i64; 3];

/// A vector by which a body is moved: each component as a rounded number and the part lost to
/// rounding.
pub(crate) type Moved = [(f64, f64); 3];

/// The shortest length of a period: 2^-90, about 8e-28. Bounds are wider than their body by 2^-100.
pub const SHORTEST_PERIOD: f64 = 1.0 / (1u128 << 90) as f64;

/// The length from which no body of the limits on coordinates, whatever the margin, reaches its
/// next image: 2^64. Centers are up to 2^60, extents less than `2^61`, and margins `3 * 2^60`.
const UNREACHABLE: f64 = (1u128 << 64) as f64;

/// The most periods from the origin to a body: 2^50. Differences of such numbers are exact in
/// `f64`.
pub const MOST_PERIODS: f64 = (1u64 << 50) as f64;

/// The names of the axes in errors.
pub(crate) const AXES: [char; 3] = ['x', 'y', 'z'];

impl Period {
    /// Creates a period of these lengths.
    pub const fn new(lengths: [Option<f64>; 3]) -> Self {
        Self { lengths }
    }

    /// Returns an error if a length is not valid.
    pub(crate) fn validate(&self) -> Result<()> {
        let is_valid = |length: f64| length.is_finite() && length >= SHORTEST_PERIOD;
        for (axis, length) in AXES.into_iter().zip(self.lengths) {
            if let Some(length) = length.filter(|&length| !is_valid(length)) {
                return Err(Error::InvalidPeriod { axis, length });
            }
        }
        Ok(())
    }

    /// Returns the length along an axis, if bodies can reach their images along it.
    #[inline]
    pub(crate) fn along(&self, axis: usize) -> Option<f64> {
        self.lengths[axis].filter(|&length| length < UNREACHABLE)
    }

    /// Returns the shortest length; infinity if there is none.
    pub(crate) fn shortest(&self) -> f64 {
        (0..3).filter_map(|axis| self.along(axis)).fold(f64::INFINITY, f64::min)
    }

    /// Returns the longest length; 0 if there is none.
    pub(crate) fn longest(&self) -> f64 {
        (0..3).filter_map(|axis| self.along(axis)).fold(0.0, f64::max)
    }

    /// Returns the problem of a center that is too far out.
    pub(crate) fn problem(&self, center: DVec3) -> Option<PeriodProblem> {
        let is_far = |axis: &usize| {
            let length = self.along(*axis);
            length.is_some_and(|length| center[*axis].abs() / length > MOST_PERIODS)
        };
        let axis = (0..3).find(is_far)?;
        Some(PeriodProblem::TooFar { axis: AXES[axis] })
    }

    /// Returns an error that names the first of `count` bodies with a problem.
    pub(crate) fn expect_none(
        count: usize,
        problem: impl Fn(usize) -> Option<PeriodProblem> + Sync + Send,
    ) -> Result<()> {
        let found = parallel::map_ranges(count, |range| {
            range.fold(None, |found: Option<(usize, PeriodProblem, usize)>, id| {
                let Some(problem) = problem(id) else { return found };
                let (index, first, count) = found.unwrap_or((id, problem, 0));
                Some((index, first, count + 1))
            })
        });
        let mut found = found.into_iter().flatten();
        let Some((index, problem, first)) = found.next() else {
            return Ok(());
        };
        let count = first + found.map(|(.., count)| count).sum::<usize>();
        Err(Error::OutOfPeriod { index, problem, count })
    }

    /// Returns an error of the second of two lists, which continues the positions of the first.
    pub(crate) fn error_after(first: usize, error: Error) -> Error {
        match error {
            Error::OutOfPeriod { index, problem, count } => Error::OutOfPeriod {
                index: first + index,
                problem,
                count,
            },
            error => error,
        }
    }

    /// Returns the vector by which a body is moved.
    #[inline]
    pub(crate) fn moved(&self, image: Image) -> Moved {
        [0, 1, 2].mapped(|axis| match (image[axis], self.along(axis)) {
            (0, _) | (_, None) => (0.0, 0.0),
            (times, Some(length)) => exact_product(times as f64, length),
        })
    }
}
