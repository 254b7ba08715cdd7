//! Lists of the overlaps of many pairs.

use std::ops::Range;

#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;
use crate::geometry::period::Image;
use crate::narrow_phase::obb_obb::overlap::two::{Measure, Two};
use crate::narrow_phase::obb_obb::overlap::{Overlap, measure};
use crate::narrow_phase::partners::{Partners, ROUND, Repeating};
use crate::shapes::any::Shapes;
#[cfg(doc)]
use crate::shapes::obb::record::Obb;
#[cfg(doc)]
use crate::shapes::obb64::record::Obb64;

/// Label for out-of-memory errors.
const WHAT: &str = "the overlaps of pairs";

/// The number of pairs that are converted at a time: few enough to stay in the caches.
const BLOCK: usize = 64;

/// Computes [`Obb::overlap`], or [`Obb64::overlap`], for many pairs, in order, on all cores
/// (feature `rayon`), and several pairs at a time.
///
/// Sets and pairs are as in [`contacts`](crate::contact::contacts()), but both bodies of each pair
/// must be boxes. Upright cuboids are boxes: those that `Obb::from` makes of them. Each overlap has
/// the same bits as that of the pair alone. The result takes 16 bytes per pair.
///
/// ```
/// use obbligato::{contact::overlaps, glam::Vec3, Backend, Checker, Config, Obb};
/// # fn main() -> obbligato::Result<()> {
/// let boxes = [0.0, 1.0, 2.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let report = checker.check(&boxes)?;
/// let overlaps = overlaps([&boxes, &boxes], report.pairs()?)?;
/// // The first and the last only touch.
/// assert_eq!(overlaps.iter().map(|found| found.volume).collect::<Vec<_>>(), [4.0, 0.0, 4.0]);
/// assert_eq!(overlaps[0].iou, 1.0 / 3.0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`contacts`](crate::contact::contacts()); also [`Error::Unavailable`] if a body of a pair is
/// a capsule or a sphere.
pub fn overlaps<'a>(sets: [impl Into<Shapes<'a>>; 2], pairs: &[Pair]) -> Result<Vec<Overlap>> {
    let partners = Partners::new(sets.map(Into::into))?;
    overlaps_of(&partners, pairs, Measure::Volume)
}

/// Computes the overlaps of pairs as volumes or as areas.
pub(crate) fn overlaps_of(partners: &Partners<'_>, pairs: &[Pair], measure: Measure) -> Result<Vec<Overlap>> {
    partners.expect_pairs(pairs)?;
    of_each(pairs.len(), |k| partners.two(pairs[k], measure))
}

/// Computes the overlaps of pairs with an image of each.
pub(crate) fn overlaps_in_images(
    partners: &Partners<'_>,
    pairs: &[Pair],
    space: Repeating<'_>,
    images: &[Image],
) -> Result<Vec<Overlap>> {
    of_each(pairs.len(), |k| {
        partners.periodic(pairs[k], space, |pair| pair.two(images[k]))
    })
}

/// Computes the overlap of each pair, on all cores. `two` returns `None` if a body is round.
fn of_each(count: usize, two: impl Fn(usize) -> Option<Two> + Sync + Send) -> Result<Vec<Overlap>> {
    let parts = parallel::map_ranges(count, |range: Range<usize>| {
        let (mut part, mut block) = (Vec::new(), Vec::new());
        memory::reserve(&mut part, range.len(), WHAT)?;
        memory::reserve(&mut block, BLOCK, WHAT)?;
        part.resize(range.len(), Overlap::default());
        for (k, found) in part.chunks_mut(BLOCK).enumerate() {
            let first = range.start + k * BLOCK;
            block.clear();
            for k in first..first + found.len() {
                block.push(two(k).ok_or(ROUND)?);
            }
            measure(&block, found);
        }
        Ok(part)
    });
    let parts = parts.into_iter().collect::<Result<Vec<Vec<Overlap>>>>()?;
    let mut all = Vec::new();
    memory::reserve(&mut all, count, WHAT)?;
    parts.iter().for_each(|part| all.extend_from_slice(part));
    Ok(all)
}
