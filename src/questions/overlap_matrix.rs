//! Overlaps of all pairs of two sets.

use crate::base::error::Result;
use crate::base::memory;
use crate::base::waiting::Waiting;
use crate::engine::backends::Backends;
use crate::engine::query::Query;
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::overlap::Overlap;
use crate::narrow_phase::obb_obb::overlap::two::Measure;
use crate::narrow_phase::overlaps::overlaps_of;
use crate::narrow_phase::partners::Partners;
use crate::outputs::report::Report;
use crate::questions::in_plane::{InPlane, expect_lists};
use crate::questions::question::Question;
use crate::shapes::any::Shapes;

/// Label for out-of-memory errors.
const MATRIX: &str = "the matrix of overlaps";

/// The overlaps of each box of one set with each box of another, or of the same one: volumes and
/// IoU, as between the detections of a frame and what is really there.
///
/// The answer has a row for each box of the first set, one after the other, with an entry for each
/// box of the second: `answer[a * second.len() + b]`. Each has the bits that
/// [`OverlapQuery`](crate::query::OverlapQuery) gives. The checker finds the pairs that collide, on
/// its backend, and only these are computed. All other entries are 0.
///
/// The answer takes 16 bytes for each entry. For long lists of which few boxes meet, check the sets
/// and list the [`overlaps`](crate::contact::overlaps()) of the pairs.
///
/// ```
/// use obbligato::query::OverlapMatrix;
/// use obbligato::{Backend, Checker, Config, Obb, glam::Vec3};
/// # fn main() -> obbligato::Result<()> {
/// let row = |from: f32| [0.0, 1.0, 2.0].map(|x| Obb::axis_aligned(Vec3::new(from + x, 0.0, 0.0), Vec3::ONE));
/// let (detected, actual) = (row(0.0), row(1.0));
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let matrix = checker.check(OverlapMatrix::between(&detected, &actual))?;
/// let ious: Vec<f64> = matrix[3..6].iter().map(|found| found.iou).collect();
/// assert_eq!(ious, [1.0, 1.0 / 3.0, 0.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`OverlapQuery`](crate::query::OverlapQuery), also for spheres and capsules that meet
/// nothing; [`Error::Unavailable`](crate::Error::Unavailable) if the checker has a fixed capacity,
/// or does not return pairs; [`Error::OutOfMemory`](crate::Error::OutOfMemory).
#[derive(Clone, Copy, Debug)]
pub struct OverlapMatrix<'a> {
    sets: [Shapes<'a>; 2],
    is_within: bool,
}

impl<'a> OverlapMatrix<'a> {
    /// The overlaps of each box of the first set with each of the second.
    pub fn between(first: impl Into<Shapes<'a>>, second: impl Into<Shapes<'a>>) -> Self {
        Self {
            sets: [first.into(), second.into()],
            is_within: false,
        }
    }

    /// The overlaps of each box of a set with each of them, itself included: a symmetric matrix.
    pub fn within(shapes: impl Into<Shapes<'a>>) -> Self {
        Self {
            sets: [shapes.into(); 2],
            is_within: true,
        }
    }

    /// Asks the same about rectangles in the plane z = 0 (see
    /// [`Query::in_plane`](crate::Query::in_plane)): volumes are areas.
    ///
    /// # Errors
    /// As [`OverlapMatrix`] and [`Query::in_plane`](crate::Query::in_plane).
    pub fn in_plane(self) -> InPlane<Self> {
        InPlane { question: self }
    }

    async fn measured(self, measure: Measure, backends: &mut Backends, waiting: Waiting) -> Result<Vec<Overlap>> {
        backends.expect_all_pairs([
            "a matrix of overlaps without pairs",
            "a matrix of overlaps with a fixed capacity",
        ])?;
        let [first, second] = self.sets;
        let partners = Partners::new(self.sets)?;
        partners.expect_boxes()?;
        let query = match self.is_within {
            true => Query::from(first),
            false => Query::between(first, second),
        };
        let found = backends.answer(&query, Report::default(), waiting).await?;
        let mut pairs = found.into_pairs()?;
        if self.is_within {
            let own = first.len() as u32;
            memory::reserve(&mut pairs, first.len(), MATRIX)?;
            pairs.extend((0..own).map(|k| Pair { a: k, b: k }));
        }
        let mut matrix = memory::filled(first.len().saturating_mul(second.len()), Overlap::default(), MATRIX)?;
        let columns = second.len();
        let overlaps = overlaps_of(&partners, &pairs, measure)?;
        for (pair, overlap) in pairs.iter().zip(overlaps) {
            let [a, b] = [pair.a, pair.b].map(|k| k as usize);
            matrix[a * columns + b] = overlap;
            if self.is_within {
                matrix[b * columns + a] = overlap;
            }
        }
        Ok(matrix)
    }
}

impl<'a> Question<'a> for OverlapMatrix<'a> {
    type Answer = Vec<Overlap>;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Vec<Overlap>> {
        self.measured(Measure::Volume, backends, waiting).await
    }
}

impl<'a> Question<'a> for InPlane<OverlapMatrix<'a>> {
    type Answer = Vec<Overlap>;

    async fn answer(self, backends: &mut Backends, waiting: Waiting) -> Result<Vec<Overlap>> {
        expect_lists(self.question.sets.map(|shapes| Some(shapes.0)))?;
        self.question.measured(Measure::Area, backends, waiting).await
    }
}
