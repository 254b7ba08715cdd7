//! Recorded frames whose plan is kept or not: they must find the same pairs, regardless of the
//! changes between frames.

use bytemuck::Zeroable;
use glam::Vec3;

use crate::base::config::{Backend, Config, GpuConfig};
use crate::base::stage::Stage;
use crate::broad_phase::grid::grid_build::SLOT_COUNTS;
use crate::broad_phase::grid::grid_plan::PLAN;
use crate::broad_phase::grid::layout::Plan;
use crate::broad_phase::grid::phase::GridPhase;
use crate::broad_phase::grid::tests::changes::{CHANGES, COUNT, uniform};
use crate::broad_phase::passes::GRID;
use crate::broad_phase::phase::{OverBounds, PairSearch};
use crate::checker::Checker;
use crate::engine::gpu::engine::GpuEngine;
use crate::engine::gpu::frame_rules::{FrameRules, RulesOf};
use crate::engine::gpu::recorded::{Capacity, FrameQuery};
use crate::frame::counters::Counters;
use crate::frame::outcome::Outcome;
use crate::frame::params::Params;
use crate::frame::slots::CANDIDATES;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::Gathered;
use crate::made_up::{self, Scene};
use crate::rules::filter::SetRules;
use crate::rules::model::{NO_OWNER, Rules};
use crate::shapes::obb::obb_bounds_cpu::obb_bounds;
use crate::shapes::obb::record::Obb;

fn checker(gpu: GpuConfig, count_operations: bool) -> Checker {
    let config = Config {
        backend: Backend::Gpu,
        gpu,
        count_operations,
        ..Config::default()
    };
    Checker::new(config).expect("a GPU adapter, a software one will do")
}

fn reserve(engine: &mut GpuEngine) {
    let capacity = Capacity {
        boxes: COUNT as u32,
        candidates: 400_000,
        pairs: 400_000,
        undecided: 1000,
    };
    engine.reserve(capacity).expect("memory");
}

fn read<T: bytemuck::Pod>(engine: &mut GpuEngine, buffer: &wgpu::Buffer, count: u32) -> Vec<T> {
    pollster::block_on(engine.read(buffer, count)).expect("the device works")
}

/// Runs a frame. Returns `true` if it has kept the plan, and its pairs.
fn frame(engine: &mut GpuEngine, boxes: &[Aabb], rules: Option<&FrameRules>) -> (bool, Vec<Pair>) {
    let buffer = engine.upload(boxes).expect("memory");
    let query = FrameQuery::bounds(&buffer, boxes.len() as u32);
    let query = rules.map_or(query, |rules| query.with(rules));
    let mut encoder = engine.context.device.create_command_encoder(&Default::default());
    let recorded = engine.record(&mut encoder, query).expect("a recorded frame");
    engine.context.queue.submit([encoder.finish()]);
    assert!(!recorded.refitted);
    let outcome = read::<Outcome>(engine, &recorded.outcome, 1)[0];
    assert_eq!((outcome.fits, outcome.stale), (1, 0), "{outcome:?}");
    let mut pairs: Vec<Pair> = read(engine, &recorded.pairs, outcome.pairs);
    pairs.sort_unstable();
    let of = |engine: &GpuEngine, slot| {
        engine
            .pipeline
            .as_ref()
            .expect("it has run")
            .arena
            .buffer(slot)
            .expect("it is there")
            .clone()
    };
    let plan = of(engine, &PLAN);
    let counts = of(engine, &SLOT_COUNTS);
    let counts: Vec<u32> = read(engine, &counts, (counts.size() / 4) as u32);
    assert!(counts.iter().all(|count| *count == 0), "counts are left");
    (read::<Plan>(engine, &plan, 1)[0].kept > 0, pairs)
}

/// Returns the pairs of all boxes that overlap and are not forbidden by worlds and owners.
fn expected(boxes: &[Aabb], rules: &Rules<'_>) -> Vec<Pair> {
    let alike = |of: Option<&[u32]>, a: usize, b: usize| of.is_none_or(|of| of[a] == of[b]);
    let owned = |k: usize| rules.owners.is_some_and(|of| of[k] != NO_OWNER);
    let may_meet = |a, b| alike(rules.worlds, a, b) && !(owned(a) && alike(rules.owners, a, b));
    let of = |a: usize| {
        (a + 1..boxes.len())
            .filter(move |&b| boxes[a].overlaps(&boxes[b]) && may_meet(a, b))
            .map(move |b| [a, b])
    };
    let all = (0..boxes.len()).flat_map(of);
    all.map(|[a, b]| Pair::new(a as u32, b as u32)).collect()
}

#[test]
fn pairs_stay_correct_as_a_scene_changes() {
    let portable = GpuConfig {
        subgroups: false,
        shader_checks: true,
        ..GpuConfig::default()
    };
    for gpu in [GpuConfig::default(), portable] {
        let mut on_gpu = checker(gpu, false);
        let engine = on_gpu.gpu().expect("a GPU");
        reserve(engine);
        let mut boxes = uniform(COUNT);
        let worlds: Vec<u32> = (0..COUNT as u32).map(|k| k * 7 % 3).collect();
        // Layers: those of one owner, of another one, and the others.
        let owners: Vec<u32> = (0..COUNT as u32)
            .map(|k| match k % 5 {
                0 | 1 => 1,
                2 => 2,
                _ => NO_OWNER,
            })
            .collect();
        for (in_worlds, in_layers) in [(false, false), (true, false), (false, true), (true, true)] {
            let rules = Rules {
                worlds: in_worlds.then_some(&worlds[..]),
                owners: in_layers.then_some(&owners[..]),
                ..Rules::default()
            };
            let uploaded =
                FrameRules::upload(&engine.context, RulesOf::boxes(&rules, COUNT as u32)).expect("valid rules");
            let uploaded = (in_worlds || in_layers).then_some(&uploaded);
            let (kept, found) = frame(engine, &boxes, uploaded);
            assert_eq!((kept, found), (false, expected(&boxes, &rules)), "first");
            let mut quiet = 0;
            for (what, keeps, change) in CHANGES {
                change(&mut boxes);
                for again in [false, true] {
                    let what = format!("{what}, again {again}, worlds {in_worlds}, layers {in_layers}");
                    let (kept, found) = frame(engine, &boxes, uploaded);
                    let expected = expected(&boxes, &rules);
                    quiet += usize::from(expected.len() < 10);
                    assert!(
                        found == expected,
                        "{what}: {} pairs, not {}",
                        found.len(),
                        expected.len()
                    );
                    assert_eq!(kept, *keeps || again, "{what}");
                }
            }
            assert!(quiet <= 6, "{quiet}");
            boxes = uniform(COUNT);
        }
    }
}

/// Returns the counters of the last frame.
pub(super) fn counters(engine: &mut GpuEngine) -> Counters {
    let pipeline = engine.pipeline.as_ref().expect("it has run");
    let candidates = pipeline.arena.buffer(&CANDIDATES).expect("it is there").clone();
    read::<Counters>(engine, &candidates, 1)[0]
}

/// Returns the number of bounds that movers compare with the bounds of boxes at rest.
fn compared_by_movers(boxes: &[Obb], movers: &[Obb]) -> u64 {
    let [(mut bounds, stats), (movers, _)] = [boxes, movers].map(|boxes| {
        let mut bounds = vec![Bounds::zeroed(); boxes.len()];
        let stats: Gathered = obb_bounds(boxes, |_| 0.0, &mut bounds).expect("valid boxes");
        (bounds, stats)
    });
    let (mut phase, rules) = (GridPhase::default(), SetRules::default());
    phase.build(&mut bounds, &stats, &rules).expect("memory");
    let movers = phase.sort_movers(movers, &rules).expect("memory");
    phase.meet::<true>(&movers, &rules, |_| {}).comparisons
}

/// Two sets in a recorded frame, whether it keeps a plan or not, are compared no more than one of
/// them prepared and the other one moving.
#[test]
fn two_sets_in_a_frame_cost_what_a_prepared_one_and_movers_do() {
    let mut on_gpu = checker(GpuConfig::default(), true);
    // All in one place, and some about it, of which few reach in.
    let crowd = vec![Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); COUNT];
    let few = made_up::boxes(Scene::Uniform, 50, 1);
    let spread = made_up::boxes(Scene::Uniform, COUNT, 1);
    let clusters = [1, 2].map(|seed| made_up::boxes(Scene::Clusters, COUNT, seed));
    let engine = on_gpu.gpu().expect("a GPU");
    let capacity = Capacity {
        boxes: 2 * COUNT as u32,
        candidates: 400_000,
        pairs: 400_000,
        undecided: 100_000,
    };
    engine.reserve(capacity).expect("memory");
    for (what, first, second) in [
        ("a crowd and a few", &crowd, &few),
        ("many and a crowd", &spread, &crowd),
        ("clusters", &clusters[0], &clusters[1]),
    ] {
        let most = compared_by_movers(first, second);
        let meets = |a: &Obb| second.iter().filter(|b| a.contact(b).collides()).count();
        let colliding = first.iter().map(meets).sum::<usize>() as u32;
        let boxes = [&first[..], second].concat();
        let sets = [first, second].map(|set| (&NO_RULES, set.len() as u32));
        let rules = FrameRules::upload(&engine.context, RulesOf::between(sets)).expect("valid rules");
        let buffer = engine.upload(&boxes).expect("memory");
        for again in [false, true] {
            let query = FrameQuery::boxes(&buffer, boxes.len() as u32).with(&rules);
            let mut encoder = engine.context.device.create_command_encoder(&Default::default());
            let recorded = engine.record(&mut encoder, query).expect("a recorded frame");
            engine.context.queue.submit([encoder.finish()]);
            let outcome = read::<Outcome>(engine, &recorded.outcome, 1)[0];
            let possible = outcome.pairs_needed..=outcome.pairs_needed + outcome.undecided_needed;
            assert!(possible.contains(&colliding), "{what}: {outcome:?}");
            let plan = engine
                .pipeline
                .as_ref()
                .expect("it has run")
                .arena
                .buffer(&PLAN)
                .expect("it is there")
                .clone();
            assert_eq!(read::<Plan>(engine, &plan, 1)[0].kept > 0, again, "{what}");
            let compared = counters(engine).comparisons[0];
            assert!(
                f64::from(compared) <= 1.3 * most as f64,
                "{what}, again {again}: {compared} comparisons, and {most} of movers"
            );
        }
    }
}

/// Sets without rules.
const NO_RULES: Rules<'static> = Rules {
    owners: None,
    worlds: None,
    statics: None,
    active: None,
    margins: None,
    groups: None,
    excluded: None,
};

#[test]
fn a_plan_is_kept_only_for_the_same_boxes() {
    let mut on_gpu = checker(GpuConfig::default(), false);
    let engine = on_gpu.gpu().expect("a GPU");
    reserve(engine);
    let (many, few) = (uniform(COUNT), uniform(COUNT - 7));
    let run = |engine: &mut GpuEngine, boxes: &[Aabb], keeps: bool| {
        let (kept, found) = frame(engine, boxes, None);
        assert_eq!(kept, keeps, "{} boxes", boxes.len());
        assert!(found == expected(boxes, &Rules::default()), "{} boxes", boxes.len());
    };
    for (boxes, keeps) in [
        (&many, false),
        (&many, true),
        (&few, false),
        (&few, true),
        (&many, false),
    ] {
        run(engine, boxes, keeps);
    }
    // A frame that never runs leaves no plan, although the next one expects it.
    let buffer = engine.upload(&few).expect("memory");
    let mut never = engine.context.device.create_command_encoder(&Default::default());
    engine
        .record(&mut never, FrameQuery::bounds(&buffer, few.len() as u32))
        .expect("a recorded frame");
    drop(never);
    run(engine, &few, false);
    run(engine, &few, true);
    // A plan is not kept forever.
    let kept = (0..130).filter(|_| frame(engine, &few, None).0).count();
    assert_eq!(kept, 128);
}

/// Checks the figures of docs/src/design/gpu-frames.md, "Kept plans".
#[test]
fn a_recorded_frame_moves_few_bytes_per_box() {
    // A uniform scene, as measured with 10M boxes: slots, candidates and pairs.
    let (n, s, c, p) = (10_000_000_u64, 11_543_176_u32, 10_000_000, 4_000_000);
    let of = |refit: u32| {
        let params = Params {
            box_count: n as u32,
            refit,
            ..Params::default()
        };
        let mut plan: Plan = bytemuck::Zeroable::zeroed();
        plan.slots = s;
        let all = (GRID.bytes)(&params, &plan);
        let plan_and_sort: u64 = all
            .iter()
            .filter(|(stage, _)| *stage != Stage::Pairs)
            .map(|(_, bytes)| bytes)
            .sum();
        let (s, starts) = (
            u64::from(s),
            all.iter().find(|(stage, _)| *stage == Stage::Pairs).expect("a stage").1,
        );
        assert_eq!(
            plan_and_sort,
            if refit > 0 {
                64 * n + 24 * s
            } else {
                104 * n + 24 * s + 32 * (1 << 16)
            }
        );
        let bounds = 80 * n;
        let pairs = 32 * n + starts + 8 * c;
        let narrow = 8 * c + 48 * n + 8 * p;
        (bounds + plan_and_sort + pairs + narrow) as f64 / n as f64
    };
    let [fresh, kept] = [of(0), of(1)];
    println!("{fresh:.1} bytes a box, {kept:.1} where the plan is kept");
    // One frame in 64 makes a plan.
    assert!((63.0 * kept + fresh) / 64.0 <= 280.0, "{fresh} and {kept}");
}
