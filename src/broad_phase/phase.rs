//! The interface of the CPU's broad phases to the engine, once they are built over the bounds of a
//! scene.

use std::ops::Range;

use crate::base::error::Result;
use crate::base::memory;
use crate::broad_phase::bounds_lanes::Sorted;
use crate::broad_phase::grid::layout::GridLevel;
use crate::broad_phase::hits::Found;
use crate::broad_phase::operations::Operations;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::Gathered;
use crate::rules::filter::SetRules;

/// A search for the pairs of records whose bounds overlap, and for the records that other bounds
/// overlap.
pub(crate) trait PairSearch: Sync {
    /// Returns the number of records.
    fn len(&self) -> usize;

    /// Calls `found` with batches of the pairs that the records in `range` find, as positions of
    /// records, and with the kind of each batch. The ranges together, on any threads, find each
    /// pair once. The rules are used only for the boxes' worlds, and pairs from different worlds
    /// may be found. Returns the amount of work if `COUNT` is set.
    fn pairs<const COUNT: bool>(
        &self,
        rules: &SetRules,
        range: Range<usize>,
        found: &mut dyn FnMut(&[Pair], Found),
    ) -> Operations;

    /// Returns the bounds of the record at a position, and its id. The tag is unspecified.
    fn record(&self, position: usize) -> Bounds;

    /// Calls `found` for the pairs of a record (`a`, its position) and a mover (`b`, its position
    /// in the slice) whose bounds overlap. `rules` give the movers' worlds, and pairs from
    /// different worlds may be found.
    fn meet<const COUNT: bool>(&self, movers: &[Bounds], rules: &SetRules, found: impl FnMut(Pair)) -> Operations;
}

/// A broad phase over bounds, which keeps its memory between calls.
///
/// Scenes may have thousands of worlds in one place: worlds that never meet must not cost more than
/// if they were apart.
pub(crate) trait OverBounds: PairSearch + Default {
    /// Sorts bounds of any size and number, given their statistics. The rules give their worlds.
    /// Positions of pairs refer to [`sorted`](Self::sorted). The order and the tags of the given
    /// bounds are unspecified afterwards.
    fn build(&mut self, bounds: &mut [Bounds], stats: &Gathered, rules: &SetRules) -> Result<()>;

    /// Returns the bounds in an order in which neighbours are close to each other. Their tags are
    /// unspecified.
    fn sorted(&self) -> Sorted<'_>;

    /// Appends the levels of the grid, if this is one.
    fn list_levels(&self, _: &mut Vec<GridLevel>) {}

    /// Like [`PairSearch::meet`], with the ids of both.
    fn meet_ids<const COUNT: bool>(
        &self,
        movers: &[Bounds],
        rules: &SetRules,
        mut found: impl FnMut(Pair),
    ) -> Operations {
        let sorted = self.sorted();
        self.meet::<COUNT>(movers, rules, |pair| {
            found(Pair {
                a: sorted.id(pair.a as usize),
                b: movers[pair.b as usize].id,
            });
        })
    }

    /// Groups movers that are close to each other, if that pays.
    fn sort_movers(&self, movers: Vec<Bounds>, _: &SetRules) -> Result<Vec<Bounds>> {
        Ok(movers)
    }

    /// Groups records that are close to each other and will be compared with those of `met`. Only
    /// the memory of this phase is used, which is not built.
    fn sort_walkers(&mut self, met: &Self, walkers: &mut [Bounds], rules: &SetRules) -> Result<()> {
        let movers = memory::collect(walkers.iter().copied(), "sorting by layers")?;
        walkers.copy_from_slice(&met.sort_movers(movers, rules)?);
        Ok(())
    }

    /// Frees the memory that only [`pairs`](PairSearch::pairs) and another `build` need.
    fn release_scratch(&mut self);

    /// Returns the number of bytes held.
    fn bytes(&self) -> u64;

    /// Returns the maximum number of bytes held by a build over this many bounds.
    fn bytes_for(boxes: u64) -> u64;
}
