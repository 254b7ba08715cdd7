//! Bounds of many records, whatever their shape: one pass that validates them, makes their bounds and gathers what the broad
//! phase wants to know about those.

use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::base::problem::BoxProblem;
use crate::geometry::bounds::{Bounds, Gather};

/// Checks `boxes`, fills `bounds` with their bounds and returns what the broad phase gathers about them: one pass over memory.
///
/// There is a place for each in `bounds`. `bounds_of(boxes, first, bounds, gathered)` does so for some of them, the first of which
/// has the position `first`. It returns whether all are valid; if not, `problem` says what is wrong.
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

/// An error that names the first of `boxes` that has a problem, if any has.
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
