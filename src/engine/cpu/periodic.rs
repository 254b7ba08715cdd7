//! Checks of scenes in space that repeats.

use crate::base::clock::Instant;
use crate::base::config::BroadPhase;
use crate::base::error::Result;
use crate::base::memory;
use crate::base::parallel::{GRAIN, fine_grain};
use crate::base::stage::Stage;
use crate::broad_phase::choice::BroadPhaseChoice;
use crate::broad_phase::hits::BATCH;
use crate::broad_phase::layered::Layered;
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::{OverBounds, PairSearch};
use crate::engine::cpu::cells::Cells;
use crate::engine::cpu::repeated::Repeated;
use crate::engine::cpu::surface::Surface;
use crate::engine::cpu::tested::{Tested, room_for};
use crate::engine::cpu::work::{more_work, work};
use crate::engine::cpu::worker::Shared;
use crate::engine::cpu::{CpuChecker, MOVERS, Walks, finish};
use crate::engine::query::resolved::Wanted;
use crate::geometry::bounds::BOUNDS;
use crate::geometry::pair::{Pair, validate_pairs};
use crate::geometry::period::Period;
use crate::geometry::scene_stats::{Gathered, SceneStats};
use crate::outputs::report::Report;
use crate::rules::filter::PairRules;
use crate::shapes::kind::Records;

impl CpuChecker {
    /// Finds the pairs of one set in space that repeats. `known` is the choice of broad phase, if
    /// already made.
    pub(super) fn check_periodic(
        &mut self,
        set: Records<'_>,
        period: Period,
        rules: &PairRules,
        config: &Wanted<'_>,
        known: Option<BroadPhaseChoice>,
        old: Report,
    ) -> Result<Report> {
        let start = Instant::now();
        let (room, rules_of_set) = (room_for(set), rules.sets[0]);
        let needed = Self::bytes_with(BroadPhase::Grid, config, (set.len(), room), 0);
        memory::ensure(needed.saturating_sub(self.bytes()), "the broad phase")?;
        let cells = Cells::new(set, period)?;
        if !config.are_candidates {
            cells.expect_narrow()?;
        }
        memory::make_scratch(&mut self.bounds, room, BOUNDS)?;
        let widening = |id: u32| match cells.rounding {
            0.0 => rules_of_set.widening(config.margin)(id),
            rounding => (rules_of_set.widening(config.margin)(id) + rounding).next_up(),
        };
        let stats: Gathered = cells.placed().bounds(widening, &mut self.bounds[..set.len()])?;
        let bounds_done = Instant::now();
        let by_statistics = || BroadPhaseChoice::by_statistics(&stats, rules_of_set.worlds.is_some());
        let choice = known.unwrap_or_else(by_statistics);
        let walks = &mut self.walks;
        let mut report = with_phase!(self.phases, choice.used,
            phase => {
                phase.build(&mut self.bounds[..set.len()], &stats, rules_of_set)?;
                let surface = Surface::new(&cells, phase.sorted(), &SceneStats::from(&stats))?;
                let tested = Tested::sorted(set, phase.sorted(), &mut self.bounds);
                let begun = [start, bounds_done, Instant::now()];
                let scene = Scene { cells: &cells, surface: &surface, tested };
                let mut report = walks.search_images(phase, scene, rules, config, begun, old)?;
                phase.list_levels(&mut report.grid);
                report
            }
        );
        report.broad_phase = Some(choice);
        Ok(report)
    }
}

/// A scene that is sorted.
struct Scene<'a> {
    cells: &'a Cells<'a>,
    surface: &'a Surface,
    tested: Tested<'a>,
}

impl Walks {
    /// Finds the pairs of a broad phase, and then those of bodies that stick out of the cell.
    /// `begun` is as in [`finish`].
    fn search_images<P: OverBounds>(
        &mut self,
        phase: &Layered<P>,
        scene: Scene<'_>,
        rules: &PairRules,
        config: &Wanted<'_>,
        begun: [Instant; 3],
        old: Report,
    ) -> Result<Report> {
        let Scene { cells, surface, tested } = scene;
        let (of_set, count) = (rules.sets[0], phase.len());
        let largest_margin = config.margin + 2.0 * f64::from(of_set.largest_margin());
        let repeated = Repeated {
            period: cells.period,
            images: [&cells.images; 2],
            several: 2.0 * (2.0 * cells.largest_radius + largest_margin) >= cells.period.shortest(),
        };
        let mut shared = Shared::new(tested, rules, config, &mut self.degrees)?;
        shared.repeated = repeated.is_special().then_some(&repeated);
        work(
            &mut self.workers,
            &shared,
            fine_grain(count),
            count,
            |range, batch| match shared.count_operations {
                true => phase.pairs::<true>(of_set, range, &mut |pairs, found| batch.take(pairs, found)),
                false => phase.pairs::<false>(of_set, range, &mut |pairs, found| batch.take(pairs, found)),
            },
        )?;
        let records = phase.sorted();
        more_work(
            &mut self.workers,
            &shared,
            MOVERS,
            surface.bounds.len(),
            |range, batch| {
                let mut operations = Operations::default();
                let mut found = Vec::with_capacity(BATCH);
                for run in surface.runs_in(range) {
                    let passed_over = |a: u32| {
                        let record = records.record(a as usize);
                        run.passes_over
                            .is_some_and(|axis| cells.sticks_out_below(&record, axis))
                    };
                    let own = &surface.bounds[run.range.clone()];
                    let mut keep = |Pair { a, b }: Pair| {
                        if passed_over(a) {
                            return;
                        }
                        let b = surface.positions[run.range.start + b as usize];
                        found.push(Pair { a, b });
                        if found.len() == BATCH {
                            batch.test_images(&repeated, &found, run.image);
                            found.clear();
                        }
                    };
                    operations += match shared.count_operations {
                        true => phase.meet::<true>(own, of_set, &mut keep),
                        false => phase.meet::<false>(own, of_set, &mut keep),
                    };
                    batch.test_images(&repeated, &found, run.image);
                    found.clear();
                }
                operations
            },
        );
        finish(&shared, &mut self.workers, &mut self.sorter, begun, config, old)
    }

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
        let cells = Cells::new(set, period)?;
        cells.expect_narrow()?;
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
