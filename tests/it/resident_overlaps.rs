//! Overlap volumes of frames that stay on the GPU: against those in `f64`, within the bound of
//! each record.

use std::collections::BTreeMap;

use obbligato::gpu::{ContactsOf, FrameQuery, Outcome, OverlapRecord, OverlapsOf, SortPairs};
use obbligato::{
    Bodies, Config, Error, GpuChecker, GpuConfig, Obb, Output, Pair, Precision, Sphere, glam::Quat, glam::Vec3,
};
use obbligato_verify::scenes::Scene;

use crate::overlap::{KINDS, Kind, Random};
use crate::support::application::Application;
use crate::support::gpu::cpu_pairs;

/// The number of pairs of each kind, whose boxes are all compared with one another.
const PAIRS: usize = 30;

/// The unit of the bound of `OverlapRecord`, and its factor.
const UNIT: f64 = 1.0 / (1u32 << 23) as f64;
const FACTOR: f64 = 384.0;
/// The largest volume of a record.
const LARGEST: f32 = f32::from_bits(253 << 23);

/// A frame's pairs and their overlaps.
struct Frame {
    outcome: Outcome,
    overlaps: BTreeMap<Pair, OverlapRecord>,
}

/// Records the overlaps of a frame, and reads them after they have run.
fn run(application: &Application, checker: &mut GpuChecker, query: FrameQuery<'_>) -> Frame {
    let mut encoder = application.encoder();
    let recorded = checker.record(&mut encoder, query).expect("a frame");
    let overlaps = checker.record(&mut encoder, OverlapsOf(&recorded)).expect("overlaps");
    let copies = [&recorded.outcome, &recorded.pairs, &overlaps].map(|buffer| application.copy(&mut encoder, buffer));
    application.queue.submit([encoder.finish()]);
    let [outcome, pairs, overlaps] = &copies;
    let outcome = application.read::<Outcome>(outcome)[0];
    let pairs = application.read::<Pair>(pairs).into_iter().take(outcome.pairs as usize);
    let overlaps = pairs.zip(application.read::<OverlapRecord>(overlaps)).collect();
    Frame { outcome, overlaps }
}

/// Runs a frame of these boxes alone.
fn run_boxes(application: &Application, config: Config, boxes: &[Obb]) -> Frame {
    let mut checker = application.checker(config);
    let buffer = application.boxes(boxes);
    run(
        application,
        &mut checker,
        FrameQuery::boxes(&buffer, boxes.len() as u32),
    )
}

/// Lists the pairs that may collide, too.
fn conservative() -> Config {
    Config {
        precision: Precision::Conservative,
        ..Config::default()
    }
}

/// `u Z S`, the unit of the errors of a pair, Z being along the axes of A and S the surface of A;
/// and what numbers that are too small may add.
fn units_of(a: &Obb, b: &Obb) -> [f64; 2] {
    let surface = |obb: &Obb| {
        let h = obb.half_extents.as_dvec3();
        8.0 * (h.x * h.y + h.y * h.z + h.z * h.x)
    };
    let first = if surface(b) < surface(a) { b } else { a };
    let apart = b.center.as_dvec3() - a.center.as_dvec3();
    let along = (first.rotation.as_dquat().normalize().inverse() * apart).abs();
    let lengths = along + a.half_extents.as_dvec3() + b.half_extents.as_dvec3();
    let size = lengths.element_sum();
    let largest = f64::from(first.half_extents.max_element()).max(2f64.powi(-37) * size);
    // Numbers below 2^-126 may be flushed.
    let unit = UNIT * (size + 2f64.powi(-94)) * surface(first);
    [unit, 2f64.powi(-59) * largest.powi(3) + 2f64.powi(-117)]
}

/// Asserts all that is promised about a record, and returns its error in units of `u Z S`.
fn expect(what: &str, [a, b]: [&Obb; 2], record: &OverlapRecord) -> f64 {
    let (truth, [unit, least]) = (a.overlap(b), units_of(a, b));
    let context = || format!("{what}: {record:?}, {truth:?}, {unit:e}, of\n{a:?}\n{b:?}");
    let (volume, error) = (f64::from(record.volume), f64::from(record.error));
    let union = [a, b].map(|obb| 8.0 * obb.half_extents.as_dvec3().element_product());
    let union = union[0] + (union[1] - truth.volume);
    assert!((0.0..=LARGEST).contains(&record.volume), "{}", context());
    assert!((0.0..=LARGEST).contains(&record.error), "{}", context());
    assert!((0.0..=1.0).contains(&record.iou), "{}", context());
    assert!(record.bits <= 2, "{}", context());
    let is_none = truth.volume == 0.0;
    assert!(!is_none || (record.volume, record.iou) == (0.0, 0.0), "{}", context());
    if record.is_undecided() {
        assert_eq!((record.volume, record.iou), (0.0, 0.0), "{}", context());
    } else {
        let off = (f64::from(record.iou) - truth.iou).abs();
        let most = 2.0 * (FACTOR * unit + least) / union.max(f64::MIN_POSITIVE) + 2f64.powi(-20);
        assert!(is_none || off <= most, "{off:e} {most:e}: {}", context());
    }
    if record.is_too_large() {
        assert!(truth.volume >= 0.999 * f64::from(LARGEST), "{}", context());
        assert_eq!((record.volume, record.error), (LARGEST, LARGEST), "{}", context());
        return 0.0;
    }
    let off = (volume - truth.volume).abs();
    assert!(off <= error * (1.0 + 1e-6), "off by {off:e}: {}", context());
    // An undecided volume of at most the bound may be as large once more.
    let factor = if record.is_undecided() { 2.0 } else { 1.0 };
    let most = 1.001 * factor * (FACTOR * unit + least);
    assert!(error <= most, "{error:e} {most:e}: {}", context());
    if unit > 0.0 && volume > 0.0 { off / unit } else { 0.0 }
}

/// Asserts all about a frame, and returns the largest error in units of `u Z S`.
fn expect_frame(what: &str, sets: [&[Obb]; 2], frame: &Frame) -> f64 {
    let each = frame.overlaps.iter().map(|(pair, record)| {
        let boxes = [&sets[0][pair.a as usize], &sets[1][pair.b as usize]];
        expect(what, boxes, record)
    });
    each.fold(0.0, f64::max)
}

/// The boxes of a kind, with centers in `f32`.
fn boxes_of(kind: Kind) -> Vec<Obb> {
    let mut random = Random::new(7 + kind as u64);
    let pairs = (0..PAIRS).flat_map(|_| kind.pair(&mut random));
    let single = |obb: obbligato::Obb64| Obb::new(obb.center.as_vec3(), obb.half_extents, obb.rotation);
    pairs.map(single).collect()
}

#[test]
fn a6_recorded_volumes_are_within_their_bounds() {
    let application = Application::new();
    for kind in KINDS {
        let boxes = boxes_of(kind);
        let frame = run_boxes(&application, conservative(), &boxes);
        assert_eq!(frame.outcome.pairs, frame.outcome.pairs_needed);
        let colliding = cpu_pairs(&boxes);
        assert!(colliding.len() >= PAIRS / 4, "{kind:?}: {} pairs", colliding.len());
        for pair in &colliding {
            assert!(frame.overlaps.contains_key(pair), "{kind:?}: {pair:?}");
        }
        let worst = expect_frame(&format!("{kind:?}"), [&boxes; 2], &frame);
        println!(
            "{kind:?}: {} pairs, off by at most {worst:.2} u Z S",
            frame.overlaps.len()
        );
        // The bound has room: what is promised is far from what is found.
        assert!(worst < 1.0, "{kind:?}: {worst}");
    }
}

#[test]
fn a6_recorded_volumes_are_those_of_the_listed_pairs() {
    let application = Application::new();
    for checks in [false, true] {
        let config = Config {
            gpu: GpuConfig {
                subgroups: !checks,
                shader_checks: checks,
                ..GpuConfig::default()
            },
            ..Config::default()
        };
        for scene in [Scene::Dense, Scene::Sticks] {
            let boxes = scene.generate(1_500, 3);
            let frame = run_boxes(&application, config.clone(), &boxes);
            let again = run_boxes(&application, config.clone(), &boxes);
            // Without f64, some pairs are left undecided.
            let colliding = cpu_pairs(&boxes);
            assert!(
                frame.overlaps.keys().all(|pair| colliding.binary_search(pair).is_ok()),
                "{scene}"
            );
            let missing = colliding.len() - frame.overlaps.len();
            assert!(missing <= frame.outcome.undecided as usize, "{scene}: {missing}");
            assert!(frame.overlaps.len() > 100, "{scene}: {} pairs", frame.overlaps.len());
            expect_frame(&scene.to_string(), [&boxes; 2], &frame);
            assert_eq!(frame.overlaps, again.overlaps, "{scene}");
        }
    }
}

/// Scenes of tiny and of huge boxes have the same shares, whether or not their volumes are numbers
/// of `f32`.
#[test]
fn a6_recorded_shares_do_not_depend_on_the_unit() {
    let application = Application::new();
    let boxes = boxes_of(Kind::General);
    let of = |scale: f32| {
        let scaled = |obb: &Obb| Obb::new(obb.center * scale, obb.half_extents * scale, obb.rotation);
        let boxes: Vec<Obb> = boxes.iter().map(scaled).collect();
        let frame = run_boxes(&application, conservative(), &boxes);
        expect_frame(&format!("{scale:e}"), [&boxes; 2], &frame);
        let too_large = frame.overlaps.values().filter(|record| record.is_too_large()).count();
        let shares: f64 = frame.overlaps.values().map(|record| f64::from(record.iou)).sum();
        (shares, too_large)
    };
    let (shares, _) = of(1.0);
    assert!(shares > 10.0, "{shares}");
    // 2^-90, 2^-42, 2^41 and 2^57.
    let powers = [37, 85, 168, 184].map(|exponent: u32| f32::from_bits(exponent << 23));
    for (scale, many) in powers.into_iter().zip([false, false, false, true]) {
        let (found, too_large) = of(scale);
        assert!((found - shares).abs() < 0.02 * shares, "{scale:e}: {found} {shares}");
        assert_eq!(too_large > 100, many, "{scale:e}: {too_large}");
    }
}

/// Movers against boxes at rest: touching, flat, equal and contained boxes, far from the origin.
#[test]
fn a6_recorded_volumes_of_known_size() {
    let application = Application::new();
    let turn = Quat::from_xyzw(0.48, 0.0, 0.36, 0.8);
    for (place, turn) in [(Vec3::ZERO, Quat::IDENTITY), (Vec3::new(4096.0, -512.0, 8192.0), turn)] {
        let at = |x: f32, half: Vec3| Obb::new(place + turn * Vec3::new(x, 0.0, 0.0), half, turn);
        let resting = [at(0.0, Vec3::ONE)];
        let cases = [
            (at(0.0, Vec3::ONE), 8.0, 1.0),
            (at(0.0, Vec3::splat(0.5)), 1.0, 0.125),
            (at(0.0, Vec3::splat(4.0)), 8.0, 1.0 / 64.0),
            (at(1.0, Vec3::ONE), 4.0, 1.0 / 3.0),
            (at(0.0, Vec3::new(2.0, 2.0, 0.25)), 2.0, 2.0 / 14.0),
            (at(0.0, Vec3::new(1.0, 1.0, 0.0)), 0.0, 0.0),
            (at(2.0, Vec3::ONE), 0.0, 0.0),
            (at(2.5, Vec3::ONE), 0.0, 0.0),
        ];
        let movers = cases.map(|(mover, ..)| mover);
        let mut checker = application.checker(Config {
            margin: 1.0,
            ..conservative()
        });
        let scene = checker.checker().prepare(&resting).expect("a scene");
        let buffer = application.boxes(&movers);
        let query = FrameQuery::against(&scene, &buffer, movers.len() as u32);
        let frame = run(&application, &mut checker, query);
        assert_eq!(frame.overlaps.len(), movers.len());
        expect_frame("known", [&resting, &movers], &frame);
        let tolerance = if place == Vec3::ZERO { 1e-6 } else { 2e-3 };
        for (record, (mover, volume, iou)) in frame.overlaps.values().zip(cases) {
            let off = [record.volume - volume, record.iou - iou];
            assert!(off.iter().all(|off| off.abs() <= tolerance), "{record:?} {mover:?}");
        }
        // The last but one may touch, the last is apart, and the flat one has no volume.
        let undecided: Vec<bool> = frame.overlaps.values().map(OverlapRecord::is_undecided).collect();
        assert_eq!(undecided, [false, false, false, false, false, false, true, false]);
    }
}

/// Pairs that have no place have no record either, and the others have theirs.
#[test]
fn a6_recorded_volumes_of_a_list_that_is_too_short() {
    let application = Application::new();
    let boxes = Scene::Dense.generate(1_000, 3);
    let config = Config {
        max_pairs: Some(100),
        ..Config::default()
    };
    let frame = run_boxes(&application, config, &boxes);
    assert_eq!((frame.outcome.pairs, frame.overlaps.len()), (100, 100));
    assert!(frame.outcome.pairs_needed > 1000 && frame.outcome.complete == 0);
    expect_frame("short", [&boxes; 2], &frame);
}

#[test]
fn a6_recorded_volumes_of_other_bodies_are_refused() {
    let application = Application::new();
    let boxes = Scene::Dense.generate(100, 3);
    let buffer = application.boxes(&boxes);
    let expect = |what: &str, refused: Result<(), Error>, hint: &str| match refused {
        Err(error @ Error::Unavailable { .. }) => assert!(error.to_string().contains(hint), "{error}"),
        other => panic!("{what}: {other:?}"),
    };
    let mut encoder = application.encoder();
    let mut checker = application.checker(Config {
        output: Output::Count,
        ..Config::default()
    });
    let recorded = checker
        .record(&mut encoder, FrameQuery::boxes(&buffer, 100))
        .expect("a frame");
    let refused = checker.record(&mut encoder, OverlapsOf(&recorded)).map(drop);
    expect("totals", refused, "Output::Pairs");

    let mut checker = application.checker(Config::default());
    let spheres = [Sphere::new(Vec3::ZERO, 1.0)];
    let bodies = Bodies {
        boxes: &boxes,
        spheres: &spheres,
        ..Bodies::default()
    };
    let mixed = checker.upload_bodies(bodies).expect("memory");
    let queries = [
        FrameQuery::bounds(&buffer, 100),
        FrameQuery::bodies(&mixed, bodies.into()),
    ];
    for (query, what) in queries.into_iter().zip(["bounds", "spheres"]) {
        let recorded = checker.record(&mut encoder, query).expect("a frame");
        let refused = checker.record(&mut encoder, OverlapsOf(&recorded)).map(drop);
        expect(what, refused, "boxes alone");
    }

    let recorded = checker
        .record(&mut encoder, FrameQuery::boxes(&buffer, 100))
        .expect("a frame");
    checker.record(&mut encoder, OverlapsOf(&recorded)).expect("overlaps");
    let refused = checker.record(&mut encoder, SortPairs(&recorded));
    expect("a sort", refused, "before those");
    checker
        .record(&mut encoder, ContactsOf::new(&recorded, 100))
        .expect("contacts");
}
