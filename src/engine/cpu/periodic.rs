//! Given pairs in space that repeats.

use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::parallel::GRAIN;
use crate::base::stage::Stage;
use crate::broad_phase::hits::BATCH;
use crate::broad_phase::operations::Operations;
use crate::engine::cpu::cells::Cells;
use crate::engine::cpu::repeated::Repeated;
use crate::engine::cpu::tested::Tested;
use crate::engine::cpu::work::work;
use crate::engine::cpu::worker::Shared;
use crate::engine::cpu::{Walks, finish};
use crate::engine::query::resolved::Wanted;
use crate::geometry::pair::{Pair, validate_pairs};
use crate::geometry::period::Period;
use crate::outputs::report::Report;
use crate::rules::filter::PairRules;
use crate::shapes::kind::Records;

impl Walks {
    /// Finds the colliding pairs among `pairs`, in any image.
    pub(super) fn check_periodic_pairs(
        &mut self,
        set: Records<'_>,
        pairs: &[Pair],
        period: Period,
        rules: &PairRules,
        config: &Wanted<'_>,
        old: Report,
    ) -> Result<Report> {
        let start = Instant::now();
        let bodies = set.bodies().unwrap_or_default();
        bodies.validate()?;
        validate_pairs(bodies.len(), pairs)?;
        let cells = Cells::new(set, period, config)?;
        let validated = Instant::now();
        let repeated = Repeated {
            period,
            images: [&[]; 2],
            several: true,
        };
        let margin = config.margin + 2.0 * f64::from(rules.sets[0].largest_margin());
        cells.expect_reach(margin)?;
        let shared = Shared::new(Tested::given(bodies), rules, config, &mut self.degrees)?;
        work(&mut self.workers, &shared, GRAIN, pairs.len(), |range, batch| {
            pairs[range]
                .chunks(BATCH)
                .for_each(|pairs| batch.test_all_images(&repeated, pairs));
            Operations::default()
        })?;
        let begun = [start, validated, validated];
        let mut report = finish(&shared, &mut self.workers, &mut self.sorter, begun, config, old)?;
        report.timings.wall.retain(|stage| stage.0 == Stage::Exact);
        Ok(report)
    }
}
