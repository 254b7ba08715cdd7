//! Overlaps of listed pairs.

use crate::base::error::Result;
use crate::base::waiting::Waiting;
use crate::engine::backends::Backends;
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::overlap::Overlap;
use crate::narrow_phase::obb_obb::overlap::two::Measure;
use crate::narrow_phase::overlaps::overlaps_of;
use crate::narrow_phase::partners::Partners;
use crate::questions::question::Question;
use crate::shapes::any::Shapes;

/// The overlaps of a list of pairs of boxes, in their order: the volumes of their intersections,
/// and these over the volumes of their unions. See [`Obb::overlap`](crate::Obb::overlap).
///
/// Sets and pairs are as in [`ContactQuery`](crate::query::ContactQuery), but both bodies of a pair
/// must be boxes or upright cuboids. Everything is computed in `f64`, or with more digits, on the
/// host, so the result has the same bits on every backend. Pairs that do not collide have the
/// volume 0.
///
/// ```
/// use obbligato::query::OverlapQuery;
/// use obbligato::{Backend, Checker, Config, Obb, Pair, glam::{Quat, Vec3}};
/// # fn main() -> obbligato::Result<()> {
/// let tilted = Obb::new(Vec3::ZERO, Vec3::ONE, Quat::from_xyzw(0.6, 0.0, 0.0, 0.8));
/// let boxes = [tilted, Obb { center: Vec3::X, ..tilted }, tilted];
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let pairs = [Pair::new(0, 1), Pair::new(0, 2)];
/// let overlaps = checker.check(OverlapQuery::within(&boxes, &pairs))?;
/// assert_eq!(overlaps.iter().map(|found| found.iou).collect::<Vec<_>>(), [1.0 / 3.0, 1.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`ContactQuery`](crate::query::ContactQuery); also
/// [`Error::Unavailable`](crate::Error::Unavailable) if a body of a pair is a capsule or a sphere.
#[derive(Clone, Copy, Debug)]
pub struct OverlapQuery<'a> {
    pub(crate) sets: [Shapes<'a>; 2],
    pub(crate) pairs: &'a [Pair],
}

impl<'a> OverlapQuery<'a> {
    /// The overlaps of pairs of a box of each set.
    pub fn new(sets: [impl Into<Shapes<'a>>; 2], pairs: &'a [Pair]) -> Self {
        Self {
            sets: sets.map(Into::into),
            pairs,
        }
    }

    /// The overlaps of pairs within one set, such as those found by a check of that set.
    pub fn within(shapes: impl Into<Shapes<'a>>, pairs: &'a [Pair]) -> Self {
        Self {
            sets: [shapes.into(); 2],
            pairs,
        }
    }
}

impl<'a> Question<'a> for OverlapQuery<'a> {
    type Answer = Vec<Overlap>;

    async fn answer(self, _: &mut Backends, _: Waiting) -> Result<Vec<Overlap>> {
        let partners = Partners::new(self.sets)?;
        partners.validate(self.pairs)?;
        overlaps_of(&partners, self.pairs, Measure::Volume)
    }
}
