//! The CPU backend: runs the CPU twins of all kernels in sequence.

mod alone;
mod batch;
mod border;
mod cells;
pub(crate) mod crossing;
mod few;
mod images;
mod movers;
#[macro_use]
pub(crate) mod phases;
mod periodic;
pub(crate) mod periodic_movers;
mod repeated;
mod surface;
mod tested;
mod work;
mod worker;

use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;

use crate::base::clock::Instant;
use crate::base::config::{BroadPhase, Config, Output};
use crate::base::engine::Engine;
use crate::base::error::Result;
use crate::base::parallel::{GRAIN, fine_grain};
use crate::base::stage::Stage;
use crate::base::timings::milliseconds;
use crate::base::{memory, parallel};
use crate::broad_phase::all_pairs_cpu::FEW;
use crate::broad_phase::choice::{BroadPhaseChoice, SMALL};
use crate::broad_phase::grid::columns::OF_SPHERES;
use crate::broad_phase::grid::grid_bodies::SortedBodies;
use crate::broad_phase::grid::phase::GridPhase;
use crate::broad_phase::hits::BATCH;
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::PairSearch;
use crate::engine::cpu::border::Border;
use crate::engine::cpu::cells::Cells;
use crate::engine::cpu::phases::{AtRest, Phases};
use crate::engine::cpu::tested::{Tested, room_for, room_for_boxes, room_for_moving};
use crate::engine::cpu::work::{Shares, gather, work};
use crate::engine::cpu::worker::{MOST_KEPT, Shared, Worker};
use crate::engine::prepared::{Memory, PreparedScene};
use crate::engine::query::resolved::{Holder, Resolved, Subject, Wanted};
use crate::engine::query::{Query, check_count};
use crate::geometry::bounds::{BOUNDS, Bounds};
use crate::geometry::pair::Pair;
use crate::geometry::pair::validate_pairs;
use crate::geometry::scene_stats::Gathered;
use crate::outputs::report::Report;
use crate::outputs::sort_pairs_cpu::PairSorter;
use crate::rules::filter::{PairRules, SetRules};
use crate::rules::model::Rules;
use crate::shapes::bodies::set::{Bodies, OwnedBodies};
use crate::shapes::kind::Records;
use crate::shapes::obb::record::Obb;
use crate::shapes::round::sphere::Sphere;

/// The CPU backend. It keeps its memory between calls.
#[derive(Default)]
pub(crate) struct CpuChecker {
    /// The bounds of the boxes until they are sorted, then the boxes in the order of their records,
    /// so that those of a candidate pair are close together. Of spheres alone, their records until
    /// they are sorted.
    bounds: Vec<Bounds>,
    /// The grid for scenes of spheres alone.
    balls: GridPhase<OF_SPHERES>,
    /// The spheres of `balls` in the order of its grid.
    sorted_balls: SortedBodies<Sphere>,
    /// The boxes in the order of their grid.
    boxes: SortedBodies<Obb>,
    phases: Phases,
    walks: Walks,
}

/// The working memory for finding and sorting pairs.
#[derive(Default)]
struct Walks {
    workers: Vec<Worker>,
    degrees: Vec<AtomicU32>,
    sorter: PairSorter,
}

/// A question about one set.
#[derive(Clone, Copy)]
struct Terms<'a> {
    rules: &'a PairRules<'a>,
    config: &'a Wanted<'a>,
    /// The cell of the set, if space repeats.
    cells: Option<&'a Cells<'a>>,
    /// When the work began.
    start: Instant,
}

impl Terms<'_> {
    /// Returns `true` if a grid need not divide the scene along z. Lookups across the border clip
    /// bounds to the world, which must then have its true height.
    fn is_flat(&self) -> bool {
        self.config.is_flat && self.cells.is_none()
    }
}

impl CpuChecker {
    /// Returns the maximum number of bytes used at the peak of a check, for any broad phase that
    /// may be chosen.
    pub fn bytes_for(config: &Config, boxes: usize, pairs: u64) -> u64 {
        let sorted = Self::bytes_with_room(config, boxes, room_for_boxes(boxes), pairs);
        match config.broad_phase {
            BroadPhase::Auto | BroadPhase::Grid => sorted.max(Self::bytes_of_boxes(config, boxes, pairs)),
            _ => sorted,
        }
    }

    /// Like [`CpuChecker::bytes_for`], for records of moving boxes.
    pub fn bytes_for_moving(config: &Config, boxes: usize, pairs: u64) -> u64 {
        Self::bytes_with_room(config, boxes, room_for_moving(boxes), pairs)
    }

    fn bytes_with_room(config: &Config, boxes: usize, room: usize, pairs: u64) -> u64 {
        let of = |phase| Self::bytes_with(phase, config, (boxes, room), pairs);
        match config.broad_phase {
            BroadPhase::Auto => BroadPhaseChoice::ALL.into_iter().map(of).fold(0, u64::max),
            phase => of(phase),
        }
    }

    /// Like [`CpuChecker::bytes_for`], with this broad phase, for `boxes` records that take the
    /// memory of `room` bounds.
    fn bytes_with(phase: BroadPhase, config: &Config, (boxes, room): (usize, usize), pairs: u64) -> u64 {
        let records = (room * size_of::<Bounds>()) as u64;
        let n = boxes as u64;
        let sorted = Phases::bytes_for(phase, n);
        Self::bytes_beside_phase(config, boxes, pairs).saturating_add(records + sorted)
    }

    fn bytes_beside_phase(config: &Config, boxes: usize, pairs: u64) -> u64 {
        let n = boxes as u64;
        let workers = boxes.div_ceil(fine_grain(boxes)).min(parallel::threads());
        let kept = match config.output {
            Output::Pairs => config.max_pairs.map_or(pairs, |most| pairs.min(most as u64)),
            Output::Degrees | Output::Count => 0,
        };
        let sorted = kept.saturating_mul(size_of::<Pair>() as u64);
        let findings = Worker::bytes_for(workers, kept).saturating_add(sorted);
        // All workers count in one list, and the report gets another.
        let degrees = match config.output {
            Output::Degrees => 2 * n * size_of::<AtomicU32>() as u64,
            Output::Pairs | Output::Count => 0,
        };
        findings.saturating_add(degrees + MOST_KEPT)
    }

    /// Returns the number of bytes held between checks.
    fn bytes(&self) -> u64 {
        let records = self.bounds.capacity() * size_of::<Bounds>();
        records as u64 + self.balls.held() + self.sorted_balls.bytes() + self.boxes.bytes() + self.phases.bytes()
    }

    /// Answers a query, reusing the memory of an old report.
    pub fn check<'a>(&mut self, query: impl Into<Query<'a>>, config: &Config, old: Report) -> Result<Report> {
        let holder = Holder::new(query, config.margin)?;
        let resolved = holder.resolve()?;
        let config = &resolved.wanted(config);
        let Resolved {
            subject,
            rules,
            period,
            candidates,
            ..
        } = resolved;
        let items = candidates.map_or(subject.count(), <[Pair]>::len);
        let known = chosen_beforehand(subject, config.broad_phase, &rules);
        let report = parallel::within(items, || match (subject, candidates) {
            (Subject::Set(set), Some(pairs)) if let Some(period) = period => {
                self.walks.check_periodic_pairs(set, pairs, period, &rules, config, old)
            }
            (Subject::Set(records), Some(pairs)) if let Some(bodies) = records.bodies() => {
                self.walks.check_pairs(bodies, pairs, &rules, config, old)
            }
            (Subject::Set(records), _) => {
                let start = Instant::now();
                let cells = period.map(|period| Cells::new(records, period, config)).transpose()?;
                let cells = cells.as_ref();
                let terms = Terms {
                    rules: &rules,
                    config,
                    cells,
                    start,
                };
                self.check_any(records, terms, known, old)
            }
            (Subject::Movers { scene, movers }, _) => {
                self.walks.check_against((scene, movers), period, &rules, config, old)
            }
        });
        holder.named(report.map_err(|error| holder.named_error(error))?)
    }

    /// Finds the pairs of one set. `known` is the choice of broad phase, if already made.
    fn check_any(
        &mut self,
        records: Records<'_>,
        terms: Terms<'_>,
        known: Option<BroadPhaseChoice>,
        old: Report,
    ) -> Result<Report> {
        let Terms {
            rules, config, cells, ..
        } = terms;
        // The narrow phase needs the bodies as they are given.
        let in_place = cells.is_none_or(Cells::are_in_place);
        if cells.is_none()
            && records.len() <= FEW
            && let Some(choice) = known.filter(|choice| choice.used == BroadPhase::AllPairs)
        {
            return self.check_few(records, rules, config, choice, old);
        }
        if cells.is_none()
            && let Some(boxes) = records.boxes()
            && let Some(choice) = known.filter(BroadPhaseChoice::is_of_small_worlds)
        {
            return self.check_small_worlds(boxes, rules, config, choice, old);
        }
        let can_be_alone = in_place && !rules.sets[0].layers.any();
        if can_be_alone
            && let Some(spheres) = records.bodies().and_then(|bodies| bodies.only_spheres())
            && let Some(choice) = BroadPhaseChoice::of_balls(config.broad_phase)
        {
            return self.check_balls(spheres, terms, choice, old);
        }
        if can_be_alone
            && let Some(boxes) = records.boxes()
            && known.map_or(boxes.len() as u64 >= SMALL, |choice| choice.used == BroadPhase::Grid)
        {
            return self.check_boxes(boxes, terms, known, old);
        }
        self.check_set(records, terms, known, old)
    }

    /// Finds the pairs of one large set. `known` is the choice of broad phase, if already made.
    fn check_set(
        &mut self,
        set: Records<'_>,
        terms: Terms<'_>,
        known: Option<BroadPhaseChoice>,
        old: Report,
    ) -> Result<Report> {
        let Terms {
            rules,
            config,
            cells,
            start,
        } = terms;
        let of_set = rules.sets[0];
        let phase = known.map_or(BroadPhase::Grid, |choice| choice.used);
        let bounds = self.room_for_bounds(set, rules, config, phase)?;
        let widening = of_set.widening(config.margin);
        let mut stats: Gathered = match cells {
            Some(cells) => cells.bounds(widening, bounds)?,
            None => set.bounds(widening, bounds)?,
        };
        if terms.is_flat() {
            stats.flatten();
        }
        let bounds_done = Instant::now();
        let choice = match known {
            Some(choice) => choice,
            None => {
                let choice = match of_set.layers.part_all() {
                    true => BroadPhaseChoice::at_rest(config.broad_phase, &stats),
                    false => BroadPhaseChoice::by_statistics(&stats, of_set.worlds.is_some()),
                };
                self.expect_memory(set, rules, config, choice.used)?;
                choice
            }
        };
        let begun = [start, bounds_done];
        self.check_bounds(set, &stats, (choice, begun), terms, old)
    }

    /// Reserves memory for the bounds of a set that a broad phase sorts, and returns it, if there
    /// is enough for all that the check needs.
    fn room_for_bounds(
        &mut self,
        set: Records<'_>,
        rules: &PairRules,
        config: &Config,
        phase: BroadPhase,
    ) -> Result<&mut [Bounds]> {
        self.expect_memory(set, rules, config, phase)?;
        memory::make_scratch(&mut self.bounds, room_for(set), BOUNDS)?;
        Ok(&mut self.bounds[..set.len()])
    }

    /// Returns an error unless there is memory for a check by a broad phase over bounds.
    fn expect_memory(&self, set: Records<'_>, rules: &PairRules, config: &Config, phase: BroadPhase) -> Result<()> {
        let by_layer = match rules.sets[0].layers.any() {
            true => (set.len() * size_of::<Bounds>()) as u64,
            false => 0,
        };
        let needed = by_layer + Self::bytes_with(phase, config, (set.len(), room_for(set)), 0);
        Ok(memory::ensure(needed.saturating_sub(self.bytes()), "the broad phase")?)
    }

    /// Finds the pairs of one large set, whose bounds are made, by the broad phase chosen. `begun`
    /// holds the start times of the bounds and of the broad phase.
    fn check_bounds(
        &mut self,
        set: Records<'_>,
        stats: &Gathered,
        (choice, begun): (BroadPhaseChoice, [Instant; 2]),
        terms: Terms<'_>,
        old: Report,
    ) -> Result<Report> {
        let rules = terms.rules;
        let in_order = choice.used == BroadPhase::AllPairs && !rules.sets[0].layers.any();
        let walks = &mut self.walks;
        let mut report = with_phase!(self.phases, choice.used,
            phase => {
                phase.build(&mut self.bounds[..set.len()], stats, rules.sets[0])?;
                let tested = match in_order {
                    true => Tested::few(set, phase.sorted()),
                    false => Tested::sorted(set, phase.sorted(), &mut self.bounds),
                };
                let begun = [begun[0], begun[1], Instant::now()];
                let mut report = walks.search(phase, tested, stats, terms, begun, old)?;
                phase.list_levels(&mut report.grid);
                report
            }
        );
        report.broad_phase = Some(choice);
        Ok(report)
    }

    /// Sorts the boxes of a scene for checks of movers against them.
    pub fn prepare(bodies: Bodies<'_>, rules: Rules<'_>, asked: BroadPhase) -> Result<PreparedScene> {
        check_count(bodies.len())?;
        let rules = SetRules::new(&rules, bodies.len())?;
        let mut bounds = memory::zeroed(bodies.len(), BOUNDS)?;
        let stats: Gathered = Records::from(bodies).bounds(|_| 0.0, &mut bounds)?;
        let choice = BroadPhaseChoice::at_rest(asked, &stats);
        let at_rest = AtRest::over(choice.used, &mut bounds, &stats, &rules)?;
        let mut grid = Vec::new();
        at_rest.list_levels(&mut grid);
        Ok(PreparedScene {
            bodies: OwnedBodies::joined(&[bodies], "a scene to prepare")?,
            rules: rules.into_owned()?,
            grid,
            broad_phase: choice,
            engine: engine(),
            memory: Memory::Host(Box::new(at_rest)),
            centers: OnceLock::new(),
            extent: OnceLock::new(),
        })
    }
}

impl Walks {
    /// Finds the pairs of a broad phase. The broad phase, the narrow phase and the exact stage are
    /// interleaved, so candidate pairs need almost no memory. `begun` holds the start times of the
    /// bounds, the broad phase and this call.
    fn search(
        &mut self,
        search: &impl PairSearch,
        tested: Tested<'_>,
        stats: &Gathered,
        Terms {
            rules, config, cells, ..
        }: Terms<'_>,
        begun: [Instant; 3],
        old: Report,
    ) -> Result<Report> {
        let (worlds, count) = (rules.sets[0], search.len());
        let grain = fine_grain(count);
        let border = cells
            .map(|cells| Border::new(cells, search, stats, rules, config))
            .transpose()?;
        let mut shared = Shared::new(tested, rules, config, &mut self.degrees)?;
        shared.repeated = border.as_ref().and_then(Border::special);
        work(&mut self.workers, &shared, grain, count, |range, batch| {
            match shared.count_operations {
                true => search.pairs::<true>(worlds, range, &mut |pairs, found| batch.take(pairs, found)),
                false => search.pairs::<false>(worlds, range, &mut |pairs, found| batch.take(pairs, found)),
            }
        })?;
        if let Some(border) = &border {
            border.search(search, worlds, &shared, &mut self.workers);
        }
        finish(&shared, &mut self.workers, &mut self.sorter, begun, config, old)
    }

    /// Finds the colliding pairs among `pairs`.
    fn check_pairs(
        &mut self,
        bodies: Bodies<'_>,
        pairs: &[Pair],
        rules: &PairRules,
        config: &Wanted<'_>,
        old: Report,
    ) -> Result<Report> {
        let start = Instant::now();
        bodies.validate()?;
        validate_pairs(bodies.len(), pairs)?;
        let validated = Instant::now();
        let shared = Shared::new(Tested::given(bodies), rules, config, &mut self.degrees)?;
        work(&mut self.workers, &shared, GRAIN, pairs.len(), |range, batch| {
            pairs[range].chunks(BATCH).for_each(|pairs| batch.test(pairs));
            Operations::default()
        })?;
        let begun = [start, validated, validated];
        let mut report = finish(&shared, &mut self.workers, &mut self.sorter, begun, config, old)?;
        let is_done = |stage: &(Stage, f64)| [Stage::Narrow, Stage::Exact].contains(&stage.0);
        report.timings.wall.retain(is_done);
        Ok(report)
    }
}

/// Returns the choice of a broad phase for one set, if it does not depend on sizes.
fn chosen_beforehand(subject: Subject<'_>, asked: BroadPhase, rules: &PairRules<'_>) -> Option<BroadPhaseChoice> {
    match subject {
        Subject::Set(set) => BroadPhaseChoice::beforehand(asked, (set.len(), set.boxes().is_some()), rules.sets[0]),
        Subject::Movers { .. } => None,
    }
}

/// Returns the report on the workers' findings, reusing the memory of an old one. `begun` holds the
/// start times of the bounds, of the steps before the work, and of the work.
fn finish(
    shared: &Shared,
    workers: &mut Vec<Worker>,
    sorter: &mut PairSorter,
    begun: [Instant; 3],
    config: &Config,
    old: Report,
) -> Result<Report> {
    let [start, bounds_done, work] = begun;
    let work_done = Instant::now();
    let gathered = gather(shared, workers, sorter, config, old, work_done - work);
    if sorter.bytes() + workers.iter().map(Worker::bytes).sum::<u64>() > MOST_KEPT {
        workers.clear();
        *sorter = PairSorter::default();
    }
    let (findings, shares) = gathered?;
    let mut report = findings.finish(shared.tested.count())?;
    report.engine = engine();
    let end = Instant::now();
    let steps = steps([start, bounds_done, work, work_done, end], &shares);
    report.timings.wall.extend(steps);
    report.timings.total = milliseconds(end - start);
    Ok(report)
}

/// Returns the time of each step, given the start times of the bounds, of the steps before the
/// work, of the work, and of the steps after it, which count towards the exact stage, and their
/// end.
fn steps([start, bounds_done, work, work_done, end]: [Instant; 5], shares: &Shares) -> [(Stage, f64); 4] {
    let narrow = (work_done - work).mul_f64(shares.narrow);
    let exact = (work_done - work).mul_f64(shares.exact);
    [
        (Stage::Bounds, milliseconds(bounds_done - start)),
        (
            Stage::Broad,
            milliseconds(work_done.saturating_duration_since(bounds_done + narrow + exact)),
        ),
        (Stage::Narrow, milliseconds(narrow)),
        (Stage::Exact, milliseconds(end - work_done + exact)),
    ]
}

/// Returns the engine of this backend.
fn engine() -> Engine {
    Engine::Cpu {
        threads: parallel::threads(),
    }
}
