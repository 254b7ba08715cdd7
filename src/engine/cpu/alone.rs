//! Checks of large scenes of boxes alone or spheres alone, which are searched as bodies and not as
//! bounds.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::base::clock::Instant;
use crate::base::config::{BroadPhase, Config};
use crate::base::error::Result;
use crate::base::memory;
use crate::base::parallel::fine_grain;
use crate::broad_phase::bounded::Compared;
use crate::broad_phase::choice::BroadPhaseChoice;
use crate::broad_phase::grid::grid_bodies::SortedBodies;
use crate::broad_phase::grid::phase::GridPhase;
use crate::broad_phase::operations::Operations;
use crate::broad_phase::small_worlds_cpu::InWorlds;
use crate::engine::cpu::tested::Tested;
use crate::engine::cpu::work::work;
use crate::engine::cpu::worker::Shared;
use crate::engine::cpu::{CpuChecker, Terms, finish};
use crate::engine::query::resolved::Wanted;
use crate::geometry::scene_stats::Gathered;
use crate::outputs::report::Report;
use crate::rules::filter::{PairRules, SetRules};
use crate::shapes::bodies::set::Bodies;
use crate::shapes::kind::Records;
use crate::shapes::obb::obb_bounds_cpu::{obb_statistics, validate};
use crate::shapes::obb::record::Obb;
use crate::shapes::round::round_bounds_cpu::sphere_statistics;
use crate::shapes::round::sphere::Sphere;

impl CpuChecker {
    /// Like [`CpuChecker::bytes_for`], for boxes in a grid.
    pub(super) fn bytes_of_boxes(config: &Config, boxes: usize, pairs: u64) -> u64 {
        let sorted = GridPhase::most_bytes_with::<Obb>(boxes as u64);
        Self::bytes_beside_phase(config, boxes, pairs).saturating_add(sorted)
    }

    /// Like [`CpuChecker::bytes_for`], for spheres alone.
    pub fn bytes_for_balls(config: &Config, balls: usize, pairs: u64) -> u64 {
        let sorted = GridPhase::most_bytes_with::<Sphere>(balls as u64);
        Self::bytes_beside_phase(config, balls, pairs).saturating_add(sorted)
    }

    /// Finds the pairs of one large set of boxes without layers, usually by a grid. `known` is the
    /// choice of that, if already made.
    pub(super) fn check_boxes(
        &mut self,
        boxes: &[Obb],
        terms: Terms<'_>,
        known: Option<BroadPhaseChoice>,
        old: Report,
    ) -> Result<Report> {
        let Terms {
            rules, config, start, ..
        } = terms;
        let needed = Self::bytes_of_boxes(config, boxes.len(), 0);
        memory::ensure(needed.saturating_sub(self.bytes()), "the broad phase")?;
        let set_rules = rules.sets[0];
        let margin = set_rules.widening(config.margin);
        let phase = self.phases.grid.only(boxes.len())?;
        let by_grid = known.is_none_or(|choice| choice.used == BroadPhase::Grid);
        let begun = match by_grid {
            true => begin(phase, &mut self.boxes, boxes, margin, set_rules, config)?,
            false => None,
        };
        let is_begun = begun.is_some();
        let mut stats = begun.map_or_else(|| obb_statistics(boxes, margin), Ok)?;
        if terms.is_flat() {
            stats.flatten();
        }
        let bounds_done = Instant::now();
        let by_statistics = || BroadPhaseChoice::by_statistics(&stats, set_rules.worlds.is_some());
        let choice = known.unwrap_or_else(by_statistics);
        if choice.used != BroadPhase::Grid {
            let set = Records::from(Bodies::from(boxes));
            let () = set.bounds(margin, self.room_for_bounds(set, rules, config, choice.used)?)?;
            let begun = [start, Instant::now()];
            return self.check_bounds(set, &stats, (choice, begun), terms, old);
        }
        let phase = self.phases.grid.only(boxes.len())?;
        if !is_begun || !phase.sort_by_kept_plan(&mut self.boxes, boxes, margin, &stats, set_rules)? {
            phase.sort_bodies(&mut self.boxes, boxes, margin, &stats, set_rules)?;
        }
        let tested = Tested::Placed {
            ids: &phase.grid.columns.ids,
            boxes: &self.boxes.bodies,
        };
        let begun = [start, bounds_done, Instant::now()];
        let mut report = self.walks.search(phase, tested, &stats, terms, begun, old)?;
        report.grid.extend(phase.levels());
        report.broad_phase = Some(choice);
        Ok(report)
    }

    /// Finds the pairs of boxes in worlds that are runs of them. Bounds are made as they are
    /// compared, and their time is that of the broad phase.
    pub(super) fn check_small_worlds(
        &mut self,
        boxes: &[Obb],
        rules: &PairRules,
        config: &Wanted<'_>,
        choice: BroadPhaseChoice,
        old: Report,
    ) -> Result<Report> {
        let start = Instant::now();
        let needed = Self::bytes_beside_phase(config, boxes.len(), 0);
        memory::ensure(needed.saturating_sub(self.bytes()), "the broad phase")?;
        let of_set = rules.sets[0];
        let in_worlds = InWorlds {
            bodies: boxes,
            worlds: of_set.worlds.as_deref().unwrap_or_default(),
            counts: config.count_operations,
        };
        let widening = of_set.widening(config.margin);
        let is_invalid = AtomicBool::new(false);
        let walks = &mut self.walks;
        let mut shared = Shared::new(Tested::given(boxes.into()), rules, config, &mut walks.degrees)?;
        shared.rules = rules.to_ask_within_worlds();
        work(
            &mut walks.workers,
            &shared,
            fine_grain(boxes.len()),
            boxes.len(),
            |range, batch| {
                let mut some = batch.worker.worlds.take().unwrap_or_default();
                let found = in_worlds.pairs(&mut some, range, widening, |pairs| batch.test(pairs));
                batch.worker.worlds = Some(some);
                match found {
                    Ok(Some(operations)) => return operations,
                    Ok(None) => is_invalid.store(true, Relaxed),
                    Err(error) => shared.note(Err(error)),
                }
                Operations::default()
            },
        )?;
        if is_invalid.into_inner() {
            validate(boxes)?;
        }
        let begun = [start; 3];
        let mut report = finish(&shared, &mut walks.workers, &mut walks.sorter, begun, config, old)?;
        report.broad_phase = Some(choice);
        Ok(report)
    }

    /// Finds the pairs of one large set of spheres.
    pub(super) fn check_balls(
        &mut self,
        spheres: &[Sphere],
        terms: Terms<'_>,
        choice: BroadPhaseChoice,
        old: Report,
    ) -> Result<Report> {
        let Terms {
            rules, config, start, ..
        } = terms;
        let needed = Self::bytes_for_balls(config, spheres.len(), 0);
        memory::ensure(needed.saturating_sub(self.bytes()), "the grid")?;
        let set_rules = rules.sets[0];
        let margin = set_rules.widening(config.margin);
        let (phase, sorted) = (&mut self.balls, &mut self.sorted_balls);
        let begun = begin(phase, sorted, spheres, margin, set_rules, config)?;
        let is_begun = begun.is_some();
        let mut stats = begun.map_or_else(|| sphere_statistics(spheres, margin), Ok)?;
        if terms.is_flat() {
            stats.flatten();
        }
        let bounds_done = Instant::now();
        if !is_begun || !phase.sort_by_kept_plan(sorted, spheres, margin, &stats, set_rules)? {
            phase.sort_bodies(sorted, spheres, margin, &stats, set_rules)?;
        }
        let tested = Tested::balls(&phase.grid.columns.ids, &sorted.bodies, spheres);
        let begun = [start, bounds_done, Instant::now()];
        let mut report = self.walks.search(&*phase, tested, &stats, terms, begun, old)?;
        report.grid.extend(phase.levels());
        report.broad_phase = Some(choice);
        Ok(report)
    }
}

/// Begins to sort bodies by the plan of the check before, if that may suit them and all are valid.
/// Returns the statistics of their bounds, which are gathered on the way.
fn begin<B: Compared<N>, const N: usize>(
    phase: &mut GridPhase<N>,
    sorted: &mut SortedBodies<B>,
    bodies: &[B],
    margin: impl Fn(u32) -> f32 + Sync + Send,
    rules: &SetRules,
    config: &Wanted<'_>,
) -> Result<Option<Gathered>> {
    // Counts of operations do not depend on earlier checks.
    if config.count_operations {
        phase.forget_plan();
    }
    let begun = phase.try_kept_plan(sorted, bodies, margin, rules)?;
    Ok(begun.and_then(|(stats, are_valid)| are_valid.then_some(stats)))
}
