//! Checks of movers against a prepared scene.

use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::memory;
use crate::engine::cpu::tested::Tested;
use crate::engine::cpu::work::{MOVERS, work};
use crate::engine::cpu::worker::Shared;
use crate::engine::cpu::{Walks, finish};
use crate::engine::prepared::PreparedScene;
use crate::engine::query::resolved::Wanted;
use crate::geometry::bounds::BOUNDS;
use crate::geometry::period::Period;
use crate::outputs::report::Report;
use crate::rules::filter::PairRules;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::kind::Records;

impl Walks {
    /// Finds the colliding pairs of a body of the scene and a mover, in any image if space repeats.
    pub(super) fn check_against(
        &mut self,
        (scene, movers): (&PreparedScene, Bodies<'_>),
        period: Option<Period>,
        rules: &PairRules,
        config: &Wanted<'_>,
        old: Report,
    ) -> Result<Report> {
        if let Some(period) = period {
            return self.check_periodic_against((scene, movers), period, rules, config, old);
        }
        let start = Instant::now();
        let (at_rest, of_movers) = (scene.on_host()?, rules.sets[1]);
        let mut bounds = memory::zeroed(movers.len(), BOUNDS)?;
        // The scene is prepared for any margin, so the movers are widened by all of it.
        let of_scene = scene.rules.largest_margin();
        let margin = 2.0 * (config.margin + f64::from(of_scene));
        let () = Records::from(movers).bounds(of_movers.widening(margin), &mut bounds)?;
        let bounds_done = Instant::now();
        let bounds = at_rest.sort_movers(bounds, of_movers)?;
        let tested = Tested::movers(scene.bodies(), movers);
        let shared = Shared::new(tested, rules, config, &mut self.degrees)?;
        work(
            &mut self.workers,
            &shared,
            MOVERS,
            movers.len(),
            |range, batch| match shared.count_operations {
                true => at_rest.meet_ids::<true>(&bounds[range], of_movers, |pair| batch.push(pair)),
                false => at_rest.meet_ids::<false>(&bounds[range], of_movers, |pair| batch.push(pair)),
            },
        )?;
        let begun = [start, bounds_done, bounds_done];
        let mut report = finish(&shared, &mut self.workers, &mut self.sorter, begun, config, old)?;
        report.grid.extend_from_slice(&scene.grid);
        report.broad_phase = Some(scene.broad_phase);
        Ok(report)
    }
}
