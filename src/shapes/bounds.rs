//! Bounds of many records of any shape: one pass that validates them, computes their bounds and
//! gathers the data that the broad phase needs about them.

use crate::base::arrays::{Mapped, by_index};
use bytemuck::{Zeroable, cast};
use wide::{f32x4, u32x4};

use crate::base::error::{Error, Result};
use crate::base::lanes::axes;
use crate::base::parallel;
use crate::base::problem::BoxProblem;
use crate::geometry::bounds::{Bounds, COARSENESS, Gather, SIZE_ERROR, size_bin};
use crate::shapes::obb::lanes::LANES;

/// Checks `boxes`, fills `bounds` with their bounds and returns the data that the broad phase
/// gathers about them, in one pass over memory.
///
/// `bounds` has one place for each box. `bounds_of(boxes, first, bounds, gathered)` does the work
/// for some of the boxes, of which the first has the position `first`. It returns whether all are
/// valid; if not, `problem` finds the error.
pub(crate) fn fill<T: Sync, G: Gather>(
    boxes: &[T],
    bounds: &mut [Bounds],
    problem: impl Fn(&T) -> Option<BoxProblem> + Sync + Send,
    bounds_of: impl Fn(&[T], u32, &mut [Bounds], &mut G) -> bool + Sync + Send,
) -> Result<G> {
    assert_eq!(boxes.len(), bounds.len(), "places for bounds");
    let some = |first: usize, bounds: &mut [Bounds]| {
        let mut gathered = G::default();
        let valid = bounds_of(&boxes[first..][..bounds.len()], first as u32, bounds, &mut gathered);
        (gathered, valid)
    };
    let nothing = || (G::default(), true);
    let merge = |a: (G, bool), b: (G, bool)| (a.0.merge(b.0), a.1 && b.1);
    let (gathered, valid) = parallel::fold_chunks(bounds, nothing, some, merge);
    if !valid {
        validate(boxes, problem)?;
    }
    Ok(gathered)
}

/// Calls [`fill`] with four records at a time. `bounds_of` takes the records and their margins, and
/// returns their bounds and whether all four are certainly valid. Records are numbered from
/// `first`.
pub(crate) fn fill_lanes<T: Sync, G: Gather>(
    records: &[T],
    first: u32,
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut [Bounds],
    problem: fn(&T) -> Option<BoxProblem>,
    bounds_of: impl Fn([&T; LANES], f32x4) -> (BoundsLanes, bool) + Sync + Send,
) -> Result<G> {
    fill(
        records,
        bounds,
        problem,
        |records, position, bounds, gathered: &mut G| {
            let mut valid = true;
            for ((first, records), bounds) in (first + position..)
                .step_by(LANES)
                .zip(records.chunks(LANES))
                .zip(bounds.chunks_mut(LANES))
            {
                // Missing records are copies of the last.
                let lanes = by_index(|lane| &records[lane.min(records.len() - 1)]);
                let ids = by_index(|lane| first + lane.min(records.len() - 1) as u32);
                let (four, certainly) = bounds_of(lanes, f32x4::new(ids.mapped(&margin)));
                // Records this close to the limits are rare.
                valid &= certainly || records.iter().all(|record| problem(record).is_none());
                let made = four.records(ids);
                let sizes = four.size.to_array();
                for (lane, place) in bounds.iter_mut().enumerate() {
                    *place = made[lane];
                    gathered.add(place, sizes[lane]);
                }
            }
            valid
        },
    )
}

/// The bounds of four records, one per lane.
pub(crate) struct BoundsLanes {
    pub low: [f32x4; 3],
    pub high: [f32x4; 3],
    /// [`Bounds::size`].
    pub size: f32x4,
}

impl BoundsLanes {
    /// Returns the bounds that extend by `reach` from the centers.
    #[inline(always)]
    pub fn around(center: [f32x4; 3], reach: [f32x4; 3]) -> Self {
        let low = axes!(|axis| center[axis] - reach[axis]);
        let high = axes!(|axis| center[axis] + reach[axis]);
        let largest = |v: [f32x4; 3]| v[0].fast_max(v[1]).fast_max(v[2]);
        let coordinate = largest(axes!(|axis| high[axis].abs().fast_max(low[axis].abs())));
        let extent = largest(axes!(|axis| high[axis] - low[axis])).abs();
        Self {
            low,
            high,
            size: extent.fast_max(coordinate * f32x4::splat(COARSENESS)) * f32x4::splat(1.0 + SIZE_ERROR),
        }
    }

    /// Returns the records of bodies with these positions.
    #[inline(always)]
    pub fn records(&self, ids: [u32; LANES]) -> [Bounds; LANES] {
        let tags: u32x4 = u32x4::new(self.size.to_array().mapped(size_bin));
        let rows = |[x, y, z]: [f32x4; 3], word: u32x4| f32x4::transpose([x, y, z, cast(word)]);
        let (low, high) = (rows(self.low, tags), rows(self.high, u32x4::new(ids)));
        let mut records = [Bounds::zeroed(); LANES];
        for (lane, record) in records.iter_mut().enumerate() {
            *record = cast([low[lane], high[lane]]);
        }
        records
    }
}

/// Returns an error that names the first of `boxes` that has a problem, if any.
pub(crate) fn validate<T: Sync>(boxes: &[T], problem: impl Fn(&T) -> Option<BoxProblem> + Sync + Send) -> Result<()> {
    let bad = parallel::map_ranges(boxes.len(), |range| {
        let mut bad = range.filter_map(|index| problem(&boxes[index]).map(|problem| (index, problem)));
        (bad.next(), bad.count())
    });
    let Some((index, problem)) = bad.iter().find_map(|&(first, _)| first) else {
        return Ok(());
    };
    let count = bad
        .iter()
        .map(|&(first, more)| usize::from(first.is_some()) + more)
        .sum();
    Err(Error::InvalidBox { index, problem, count })
}
