//! Checks of a few bodies, as programs make many of them. In the steps of all other checks, the
//! query and the report take longer than the search for pairs.

use crate::base::clock::Instant;
use crate::base::config::{BroadPhase, Config, Output, Precision, validate_margin};
use crate::base::error::Result;
use crate::base::memory;
use crate::base::stage::Stage;
use crate::base::timings::milliseconds;
use crate::broad_phase::all_pairs_cpu::{FEW, all_pairs};
use crate::broad_phase::bounds_lanes::Sorted;
use crate::broad_phase::choice::BroadPhaseChoice;
use crate::broad_phase::small_worlds_cpu::pairs_of_few;
use crate::engine::cpu::batch::Batch;
use crate::engine::cpu::tested::Tested;
use crate::engine::cpu::work::work;
use crate::engine::cpu::worker::{Shared, Worker};
use crate::engine::cpu::{CpuChecker, Walks, engine, finish};
use crate::engine::query::Query;
use crate::engine::query::resolved::Wanted;
use crate::geometry::bounds::{BOUNDS, Bounds, half_margin};
use crate::geometry::rounding::above;
use crate::outputs::report::Report;
use crate::outputs::sort_as_found::sort_found;
use crate::rules::filter::PairRules;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::kind::Records;

impl CpuChecker {
    /// Finds the pairs of one small set.
    pub(super) fn check_few(
        &mut self,
        set: Records<'_>,
        rules: &PairRules,
        config: &Wanted<'_>,
        choice: BroadPhaseChoice,
        old: Report,
    ) -> Result<Report> {
        let start = Instant::now();
        memory::make_scratch(&mut self.bounds, set.len(), BOUNDS)?;
        let () = set.bounds(rules.sets[0].widening(config.margin), &mut self.bounds)?;
        let bounds_done = Instant::now();
        let bounds = &self.bounds[..];
        let tested = Tested::few(set, Sorted(bounds));
        let Walks {
            workers,
            degrees,
            sorter,
        } = &mut self.walks;
        let shared = Shared::new(tested, rules, config, degrees)?;
        work(workers, &shared, FEW, bounds.len(), |_, batch| {
            all_pairs(bounds, |pairs| batch.test(pairs))
        })?;
        let begun = [start, bounds_done, bounds_done];
        let mut report = finish(&shared, workers, sorter, begun, config, old)?;
        report.broad_phase = Some(choice);
        Ok(report)
    }

    /// Answers a query of a few bodies without rules in this report, whose memory is reused.
    /// Returns `false` if the query or the configuration is another, or if the check fails: then
    /// [`check`](CpuChecker::check) answers the query, or says why it cannot.
    pub fn check_few_bodies(&mut self, query: &Query<'_>, config: &Config, report: &mut Report) -> bool {
        let few = query.plain_bodies().filter(|bodies| bodies.len() <= FEW);
        let Some(bodies) = few.filter(|_| is_plain(config)) else {
            return false;
        };
        let start = Instant::now();
        // Bodies with a margin are never rescaled.
        if config.margin == 0.0 && !matches!(bodies.rescaled(), Ok(None)) {
            return false;
        }
        let workers = &mut self.walks.workers;
        if workers.is_empty() {
            workers.push(Worker::default());
        }
        let workers = &mut workers[..1];
        let shared = Shared::of_pairs(Tested::given(bodies), config);
        let found = find(bodies, &shared, &mut workers[0], &mut self.bounds);
        report.clear();
        if !matches!(found, Ok(true)) || sort_found(workers, shared.buckets, &mut report.pairs).is_err() {
            return false;
        }
        let totals = &workers[0].totals;
        let of_exact = |count: u64| (config.precision == Precision::Exact).then_some(count);
        report.boxes = bodies.len();
        report.candidate_pairs = totals.candidates;
        report.colliding_pairs = totals.colliding;
        report.touching_pairs = of_exact(totals.touching);
        report.near_pairs = of_exact(totals.near);
        report.undecided_pairs = totals.undecided;
        report.undecided_after_f64 = totals.tally.undecided_after_f64();
        report.complete = true;
        report.engine = engine();
        report.broad_phase = Some(BroadPhaseChoice::OF_FEW);
        // Reading the clock between the other steps takes longer than they do.
        let total = start.elapsed();
        report.timings.total = milliseconds(total);
        report.timings.wall.extend([
            (Stage::Bounds, 0.0),
            (
                Stage::Broad,
                milliseconds(total.saturating_sub(totals.narrow + totals.exact)),
            ),
            (Stage::Narrow, milliseconds(totals.narrow)),
            (Stage::Exact, milliseconds(totals.exact)),
        ]);
        true
    }
}

/// Returns `true` if a configuration asks for all pairs, and for nothing else.
fn is_plain(config: &Config) -> bool {
    config.broad_phase == BroadPhase::Auto
        && config.output == Output::Pairs
        && validate_margin(config.margin).is_ok()
        && config.max_pairs.is_none()
        && !config.list_touching
        && !config.count_operations
}

/// Finds the pairs of few bodies, given memory for their bounds. Returns `false` if a body is
/// invalid, or if the check is stopped.
fn find(bodies: Bodies<'_>, shared: &Shared<'_>, worker: &mut Worker, bounds: &mut Vec<Bounds>) -> Result<bool> {
    worker.begin([0; 2], shared.buckets)?;
    let margin = half_margin(above(shared.margin));
    let Some(boxes) = bodies.only_boxes() else {
        memory::make_scratch(bounds, bodies.len(), BOUNDS)?;
        let () = bodies.bounds(|_| margin, bounds)?;
        let mut batch = Batch { shared, worker };
        all_pairs(bounds, |pairs| batch.test(pairs));
        return Ok(!shared.is_over());
    };
    let mut some = worker.worlds.take().unwrap_or_default();
    let mut batch = Batch { shared, worker };
    let found = pairs_of_few(boxes, margin, &mut some, |pairs| batch.test(pairs));
    worker.worlds = Some(some);
    Ok(found? && !shared.is_over())
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::base::stop::Stop;
    use crate::base::timings::Timings;
    use crate::engine::query::sets::Set;
    use crate::rules::model::Rules;
    use crate::shapes::bodies::set::OwnedBodies;
    use crate::shapes::obb::record::Obb;
    use crate::shapes::round::capsule::Capsule;
    use crate::shapes::round::sphere::Sphere;

    /// Boxes, capsules and spheres in turns, of which some touch, some overlap and some need the
    /// exact stage.
    fn some(counts: [usize; 3], random: &mut SplitMix) -> OwnedBodies {
        let mut number = |below: u64| (random.next() % below) as f32;
        let mut one = || {
            let center = Vec3::new(number(6), number(6), number(6));
            let half = Vec3::new(number(3), 0.5 + number(2), number(2));
            let turn = if number(2) == 0.0 { 0.0 } else { number(5) };
            Obb::new(center, half, Quat::from_rotation_x(turn))
        };
        let mut list = |count: usize| (0..count).map(|_| one()).collect::<Vec<_>>();
        let [boxes, capsules, spheres] = counts.map(&mut list);
        let capsule = |obb: &Obb| Capsule::new(obb.center, obb.half_extents.x, obb.rotation, obb.half_extents.y);
        let sphere = |obb: &Obb| Sphere::new(obb.center, obb.half_extents.y);
        OwnedBodies {
            capsules: capsules.iter().map(capsule).collect(),
            spheres: spheres.iter().map(sphere).collect(),
            boxes,
        }
    }

    /// Returns the report in few steps, if the check permits them.
    fn in_few_steps<'a>(bodies: impl Into<Query<'a>>, config: &Config) -> Option<Report> {
        // Whatever the report had before is gone.
        let mut report = Report {
            boxes: 77,
            complete: false,
            device_bytes: 77,
            lists_touching: true,
            ..Report::default()
        };
        let mut checker = CpuChecker::default();
        let is_answered = checker.check_few_bodies(&bodies.into(), config, &mut report);
        report.timings = Timings::default();
        is_answered.then_some(report)
    }

    #[test]
    fn few_bodies_have_the_report_of_all_steps() {
        let mut random = SplitMix(23);
        let (mut colliding, mut undecided) = (0, 0);
        let of_boxes = (0..=FEW).chain([16, 48, 49, FEW]).map(|count| [count, 0, 0]);
        let of_others = (0..=FEW).step_by(3).flat_map(|count| {
            let third = count / 3;
            [[0, count, 0], [0, 0, count], [third, third, count - 2 * third]]
        });
        for counts in of_boxes.chain(of_others) {
            let bodies = some(counts, &mut random);
            let count = counts.iter().sum();
            for precision in [Precision::Exact, Precision::Fast, Precision::Conservative] {
                let config = Config {
                    precision,
                    margin: [0.0, 0.5][count % 2],
                    ..Config::default()
                };
                let report = in_few_steps(bodies.all(), &config).expect("few bodies");
                // A rule that allows all pairs needs all steps.
                let active = vec![true; count];
                let rules = Rules {
                    active: Some(&active),
                    ..Rules::default()
                };
                let all = Set::from(bodies.all()).with(rules);
                let mut expected = CpuChecker::default()
                    .check(all, &config, Report::default())
                    .expect("valid bodies");
                expected.timings = Timings::default();
                assert_eq!(report, expected, "{counts:?}");
                colliding += report.colliding_pairs;
                undecided += report.undecided_pairs;
            }
        }
        assert!(colliding > 100_000 && undecided > 10_000, "{colliding} {undecided}");
    }

    #[test]
    fn other_checks_need_all_steps() {
        let boxes = some([FEW + 1, 0, 0], &mut SplitMix(5)).boxes;
        let few = &boxes[..9];
        let plain = Config::default();
        let with = |change: fn(&mut Config)| {
            let mut config = plain.clone();
            change(&mut config);
            in_few_steps(few, &config)
        };
        assert!(with(|_| ()).is_some());
        let stop = Stop::default();
        stop.request();
        let stopped = Config { stop, ..plain.clone() };
        assert_eq!(in_few_steps(few, &stopped), None);
        assert_eq!(with(|config| config.margin = -0.5), None);
        assert_eq!(with(|config| config.max_pairs = Some(2)), None);
        assert_eq!(with(|config| config.list_touching = true), None);
        assert_eq!(with(|config| config.count_operations = true), None);
        assert_eq!(with(|config| config.output = Output::Count), None);
        assert_eq!(with(|config| config.broad_phase = BroadPhase::Tree), None);
        assert_eq!(in_few_steps(&boxes, &plain), None);
        let mut invalid = few.to_vec();
        invalid[8].half_extents.x = f32::NAN;
        assert_eq!(in_few_steps(&invalid, &plain), None);
        let ball = |radius: f32| Sphere::new(Vec3::X * 1e-30, radius);
        assert_eq!(in_few_steps(&[ball(1.0), ball(f32::NAN)], &plain), None);
        assert_eq!(in_few_steps(&[ball(1e-30), ball(1e-31)], &plain), None);
        assert!(in_few_steps(&[ball(1e-30), ball(1.0)], &plain).is_some());
        let tiny = few.iter().map(|obb| Obb {
            center: obb.center * 1e-30,
            half_extents: obb.half_extents * 1e-30,
            ..*obb
        });
        assert_eq!(in_few_steps(&tiny.collect::<Vec<_>>(), &plain), None);
    }
}
