//! Bounds of many records, whatever their shape: one pass that validates them, makes their bounds and gathers what the broad
//! phase wants to know about those.

use bytemuck::Zeroable;

use crate::base::error::{Error, Result};
use crate::base::problem::BoxProblem;
use crate::base::{memory, parallel};
use crate::geometry::bounds::{Bounds, Gather};

/// Checks `boxes`, fills `bounds` with their bounds and returns what the broad phase gathers about them: one pass over memory.
pub(crate) fn fill<T: Sync, G: Gather>(
    boxes: &[T],
    bounds: &mut Vec<Bounds>,
    problem: impl Fn(&T) -> Option<BoxProblem> + Sync + Send,
    bounds_of: impl Fn(&T, u32) -> Bounds + Sync + Send,
) -> Result<G> {
    memory::resize(bounds, boxes.len(), Zeroable::zeroed(), "the bounds of the boxes")?;
    let parts = parallel::map_chunks(bounds, |first, bounds| {
        let (mut gathered, mut bad) = (G::default(), false);
        for (k, bounds) in bounds.iter_mut().enumerate() {
            let i = first + k;
            if problem(&boxes[i]).is_some() {
                bad = true;
            } else {
                *bounds = bounds_of(&boxes[i], i as u32);
                gathered.add(bounds);
            }
        }
        (gathered, bad)
    });
    if parts.iter().any(|&(_, bad)| bad) {
        validate(boxes, problem)?;
    }
    Ok(parts.into_iter().fold(G::default(), |all, (part, _)| all.merge(part)))
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
