//! The pairs of a scene across the border of its cell, in space that repeats.

use crate::base::error::Result;
use crate::broad_phase::hits::BATCH;
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::PairSearch;
use crate::engine::cpu::cells::Cells;
use crate::engine::cpu::repeated::Repeated;
use crate::engine::cpu::surface::Surface;
use crate::engine::cpu::work::{MOVERS, more_work};
use crate::engine::cpu::worker::{Shared, Worker};
use crate::engine::query::resolved::Wanted;
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::{Gathered, SceneStats};
use crate::rules::filter::{PairRules, SetRules};

/// The border of a scene's cell, across which its bodies meet images of each other.
pub(super) struct Border<'a> {
    cells: &'a Cells<'a>,
    surface: Surface,
    repeated: Repeated<'a>,
}

impl<'a> Border<'a> {
    /// Collects the surface of the cell from the records of a search.
    ///
    /// # Errors
    /// As [`Surface::new`].
    pub fn new(
        cells: &'a Cells<'a>,
        search: &impl PairSearch,
        stats: &Gathered,
        rules: &PairRules<'_>,
        config: &Wanted<'_>,
    ) -> Result<Self> {
        let largest_margin = config.margin + 2.0 * f64::from(rules.sets[0].largest_margin());
        Ok(Self {
            cells,
            surface: Surface::new(cells, search.len(), |k| search.record(k), &SceneStats::from(stats))?,
            repeated: Repeated {
                period: cells.period,
                images: [&cells.images; 2],
                several: 2.0 * (2.0 * cells.largest_radius + largest_margin) >= cells.period.shortest(),
            },
        })
    }

    /// Returns the images of the bodies, if pairs within the cell need more than the test of an
    /// open scene.
    pub fn special(&self) -> Option<&Repeated<'a>> {
        Some(&self.repeated).filter(|repeated| repeated.is_special())
    }

    /// Has workers test the pairs across the border.
    pub fn search(&self, search: &impl PairSearch, rules: &SetRules, shared: &Shared, workers: &mut Vec<Worker>) {
        let Self {
            cells,
            surface,
            repeated,
        } = self;
        more_work(workers, shared, MOVERS, surface.bounds.len(), |range, batch| {
            let mut operations = Operations::default();
            let mut found = Vec::with_capacity(BATCH);
            for run in surface.runs_in(range) {
                let is_passed_over = |axis| move |a: u32| cells.sticks_out_below(&search.record(a as usize), axis);
                let is_passed_over = run.passes_over.map(is_passed_over);
                let mut keep = |Pair { a, b }: Pair| {
                    if is_passed_over.as_ref().is_some_and(|is_passed_over| is_passed_over(a)) {
                        return;
                    }
                    let b = surface.positions[run.range.start + b as usize];
                    found.push(Pair { a, b });
                    if found.len() == BATCH {
                        batch.test_images(repeated, &found, run.image);
                        found.clear();
                    }
                };
                let own = &surface.bounds[run.range.clone()];
                operations += match shared.count_operations {
                    true => search.meet::<true>(own, rules, &mut keep),
                    false => search.meet::<false>(own, rules, &mut keep),
                };
                batch.test_images(repeated, &found, run.image);
                found.clear();
            }
            operations
        });
    }
}
