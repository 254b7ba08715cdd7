//! Recorded frames in space that repeats: every image of every pair in rational arithmetic.

use std::collections::BTreeSet;

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::gpu::{ContactsOf, FrameQuery, ImageCounts, ImageRecord, ImagesOf, Outcome};
use obbligato::gpu::{ManifoldRecord, Recorded, RecordedImages, SortPairs};
use obbligato::shape::{BodyCounts, Image, OwnedBodies};
use obbligato::{
    Bodies, BroadPhase, Capsule, Config, Error, GpuChecker, GpuConfig, Obb, Output, Pair, Period, Precision, Query,
    Sphere,
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference;

use super::{LATTICES, Lengths, Place, Random};
use crate::support::gpu::{cpu, gpu_checker};

/// A pair, and the image of its second body that meets the first.
type Found = (Pair, Image);

/// The answers of a frame.
struct Frame {
    outcome: Outcome,
    counts: ImageCounts,
    pairs: Vec<Found>,
    undecided: Vec<Found>,
    /// Of each pair, if contacts are requested.
    manifolds: Vec<ManifoldRecord>,
}

fn open(config: Config) -> GpuChecker {
    gpu_checker(config)
}

/// Records the images of bodies, and a frame of them.
fn record(
    checker: &mut GpuChecker,
    bodies: Bodies<'_>,
    lengths: Lengths,
    most: u32,
) -> (RecordedImages, Recorded, Vec<ManifoldRecord>) {
    let buffer = checker.upload_bodies(bodies).expect("a buffer");
    let (device, queue) = (checker.device().clone(), checker.queue().clone());
    let mut encoder = device.create_command_encoder(&Default::default());
    let asked = ImagesOf::new(&buffer, BodyCounts::from(bodies), Period::new(lengths), most);
    let images = checker.record(&mut encoder, asked).expect("images");
    let found = checker
        .record(&mut encoder, FrameQuery::images(&images))
        .expect("a frame");
    checker.record(&mut encoder, SortPairs(&found)).expect("sorted pairs");
    let contacts = checker
        .record(&mut encoder, ContactsOf::new(&found, 8000))
        .expect("contacts");
    queue.submit([encoder.finish()]);
    let outcome: Outcome = checker.read(&found.outcome, 1).expect("an outcome")[0];
    let manifolds = checker.read(&contacts.manifolds, outcome.pairs).expect("manifolds");
    (images, found, manifolds)
}

fn run(checker: &mut GpuChecker, bodies: Bodies<'_>, lengths: Lengths, most: u32) -> Frame {
    let (images, found, manifolds) = record(checker, bodies, lengths, most);
    let outcome: Outcome = checker.read(&found.outcome, 1).expect("an outcome")[0];
    let counts: ImageCounts = checker.read(&images.counts, 1).expect("counts")[0];
    let stored = counts.all_images().min(most);
    assert_eq!(outcome.first_image, bodies.len() as u32);
    let records: Vec<ImageRecord> = checker.read(&images.images, stored).expect("images");
    let resolved = |pair: &Pair| {
        let Some(k) = pair.b.checked_sub(outcome.first_image) else {
            return (*pair, [0; 3]);
        };
        let of_b = records[k as usize];
        let image = of_b.image.map(i64::from);
        match pair.a < of_b.body {
            true => (Pair::new(pair.a, of_b.body), image),
            false => (Pair::new(of_b.body, pair.a), image.map(|times| -times)),
        }
    };
    let pairs: Vec<Pair> = checker.read(&found.pairs, outcome.pairs).expect("pairs");
    let undecided: Vec<Pair> = checker.read(&found.undecided, outcome.undecided).expect("pairs");
    Frame {
        outcome,
        counts,
        pairs: pairs.iter().map(resolved).collect(),
        undecided: undecided.iter().map(resolved).collect(),
        manifolds,
    }
}

/// Returns every image of every pair that is within the margin.
fn expected_of(bodies: Bodies<'_>, lengths: Lengths, margin: f64) -> BTreeSet<Found> {
    let pairs = reference::periodic_pairs(bodies, lengths, margin);
    let of =
        |(pair, images): (Pair, Vec<reference::ImageContact>)| images.into_iter().map(move |(image, _)| (pair, image));
    pairs.into_iter().flat_map(of).collect()
}

/// Asserts that a frame found what is expected, each once, and that the rest is left to the host.
#[track_caller]
fn compare(what: &str, frame: &Frame, expected: &BTreeSet<Found>) {
    assert_eq!(
        (frame.outcome.fits, frame.counts.out_of_period),
        (1, 0),
        "{what}: {:?}",
        frame.outcome
    );
    let found: BTreeSet<Found> = frame.pairs.iter().copied().collect();
    let undecided: BTreeSet<Found> = frame.undecided.iter().copied().collect();
    assert_eq!(found.len(), frame.pairs.len(), "{what}: pairs that are listed twice");
    assert_eq!(undecided.len(), frame.undecided.len(), "{what}: listed twice");
    assert!(found.is_disjoint(&undecided), "{what}");
    let all: BTreeSet<Found> = found
        .union(&undecided.intersection(expected).copied().collect())
        .copied()
        .collect();
    assert_eq!(&all, expected, "{what}");
}

/// Numbers of bodies of each kind: of one, of two and of all.
const COUNTS: [[usize; 3]; 7] = [
    [30, 0, 0],
    [0, 30, 0],
    [0, 0, 40],
    [20, 15, 0],
    [20, 0, 21],
    [0, 15, 20],
    [12, 10, 15],
];

/// Random bodies whose centers are in a cell from 0, or around 0.
fn bodies_of(random: &mut Random, counts: [usize; 3], (lengths, place, around): (Lengths, Place, bool)) -> OwnedBodies {
    let mut bodies = random.bodies(place, counts);
    let mut center = || {
        DVec3::from(lengths.map(|length| {
            let size = length.unwrap_or(9.0);
            let at = random.below(size) - if around { 0.5 * size } else { 0.0 };
            match place {
                Place::Halves => (2.0 * at).floor() * 0.5,
                _ => at,
            }
        }))
        .as_vec3()
    };
    bodies.boxes.iter_mut().for_each(|obb| obb.center = center());
    bodies.capsules.iter_mut().for_each(|capsule| capsule.center = center());
    bodies.spheres.iter_mut().for_each(|sphere| sphere.center = center());
    bodies
}

/// Every kind of body and mixture, broad phase, lattice and place of the cell, with and without a
/// margin, and bodies that meet in several images.
#[test]
fn c1_recorded_pairs_are_those_of_all_images() {
    let mut random = Random(SplitMix(91));
    let (mut across, mut several, mut decided, mut undecided) = (0, 0, 0, 0);
    for margin in [0.0, 0.05] {
        let mut checkers = [BroadPhase::Grid, BroadPhase::Lbvh].map(|broad_phase| {
            open(Config {
                broad_phase,
                margin,
                ..Config::default()
            })
        });
        for lengths in LATTICES {
            for counts in COUNTS {
                for (place, around) in [(Place::Cell, false), (Place::Cell, true), (Place::Halves, false)] {
                    let bodies = bodies_of(&mut random, counts, (lengths, place, around));
                    let expected = expected_of(bodies.all(), lengths, margin);
                    let pairs: BTreeSet<Pair> = expected.iter().map(|(pair, _)| *pair).collect();
                    several += expected.len() - pairs.len();
                    for checker in &mut checkers {
                        let what = format!("{lengths:?} margin {margin}, {counts:?}, {place:?} {around}");
                        let frame = run(checker, bodies.all(), lengths, 700);
                        compare(&what, &frame, &expected);
                        across += frame.pairs.iter().filter(|(_, image)| *image != [0; 3]).count();
                        if place == Place::Cell {
                            decided += frame.pairs.len();
                            undecided += frame.undecided.len();
                        }
                    }
                }
            }
        }
    }
    assert!(across > 600 && several > 80, "{across} {several}");
    // Where nothing touches, nearly all pairs are decided.
    assert!(100 * undecided < decided, "{undecided} of {decided}");
}

/// A lattice of bodies that touch their neighbours along each axis.
fn lattice(kind_of: impl Fn(usize) -> usize) -> OwnedBodies {
    let mut bodies = OwnedBodies::default();
    for k in 0..64 {
        let center = Vec3::new((k % 4) as f32, (k / 4 % 4) as f32, (k / 16) as f32);
        match kind_of(k) {
            0 => bodies.boxes.push(Obb::axis_aligned(center, Vec3::splat(0.5))),
            1 => bodies.capsules.push(Capsule::new(center, 0.0, Quat::IDENTITY, 0.5)),
            _ => bodies.spheres.push(Sphere::new(center, 0.5)),
        }
    }
    bodies
}

/// Lattices of bodies that touch their neighbours, across the border too: none is lost.
#[test]
fn c1_recorded_lattices_leave_touching_pairs_to_the_host() {
    let mut checker = open(Config::default());
    let lengths = [Some(4.0); 3];
    for (what, bodies) in [
        ("spheres", lattice(|_| 2)),
        ("all kinds", lattice(|k| (k + k / 4 + k / 16) % 3)),
    ] {
        let expected = expected_of(bodies.all(), lengths, 0.0);
        assert!(expected.len() >= 3 * 64, "{}", expected.len());
        let frame = run(&mut checker, bodies.all(), lengths, 200);
        compare(what, &frame, &expected);
        assert_eq!(frame.outcome.complete, 0);
        // The host decides them, whatever image they meet in.
        let left: Vec<Pair> = frame.undecided.iter().map(|(pair, _)| *pair).collect();
        let report = cpu(Config::default())
            .check(Query::pairs(bodies.all(), &left).periodic(Period::new(lengths)))
            .expect("valid pairs");
        let decided: BTreeSet<Pair> = report.pairs().expect("pairs").iter().copied().collect();
        let found: BTreeSet<Pair> = frame.pairs.iter().map(|(pair, _)| *pair).collect();
        let pairs: BTreeSet<Pair> = expected.iter().map(|(pair, _)| *pair).collect();
        assert_eq!(found.union(&decided).copied().collect::<BTreeSet<_>>(), pairs, "{what}");
    }
}

/// Bodies of all kinds across the border of periods that are no `f32` and so long that the rounding
/// of images exceeds all errors of tests, a few units in the last place apart or into each other:
/// where the rounded image decides wrongly, it must not decide. One period is rounded up, and one
/// down.
#[test]
fn c1_recorded_images_decide_nothing_that_their_rounding_may_change() {
    let mut random = Random(SplitMix(94));
    // Halves of the distance of centers that touch: a little less than a multiple of the spacing of
    // coordinates there, and a little more.
    let halves = [0.499_65, 0.499_3];
    for (margin, length) in [0.0, 0.25]
        .into_iter()
        .flat_map(|margin| [20_000.3, 20_000.299_7].map(|length| (margin, length)))
    {
        let lengths = [Some(length), None, None];
        let mut checker = open(Config {
            margin,
            ..Config::default()
        });
        for kinds in (0..9).map(|k| [k / 3, k % 3]) {
            let mut bodies = OwnedBodies::default();
            for k in 0..300 {
                let x = 0.6 + 0.3 * random.0.unit() as f32;
                let other = x + length as f32 - 1.0 - margin as f32;
                let other = f32::from_bits(other.to_bits() + k % 17 - 8);
                let half = halves[k as usize % 2];
                // The first one has the image.
                for (kind, x) in kinds.into_iter().zip([x, other]) {
                    let center = Vec3::new(x, 3.0 * k as f32, 0.0);
                    match kind {
                        // Turned, so that a device with f64 tests them once more.
                        0 => bodies
                            .boxes
                            .push(Obb::new(center, Vec3::splat(half), Quat::from_rotation_x(0.3))),
                        1 => bodies.capsules.push(Capsule::new(center, 0.25, Quat::IDENTITY, half)),
                        _ => bodies.spheres.push(Sphere::new(center, half)),
                    }
                }
            }
            let expected = expected_of(bodies.all(), lengths, margin);
            assert!(expected.len() > 100 && expected.len() < 200, "{}", expected.len());
            let what = format!("kinds {kinds:?}, margin {margin}, period {length}");
            compare(&what, &run(&mut checker, bodies.all(), lengths, 700), &expected);
        }
    }
}

/// Contacts across the border are those of the image at its place.
#[test]
fn c1_recorded_contacts_across_the_border() {
    let mut random = Random(SplitMix(92));
    let mut checker = open(Config::default());
    let lengths = [Some(8.0), Some(8.0), None];
    // By the kinds of both bodies.
    let mut across = [[0; 3]; 3];
    for counts in [[0, 0, 600], [150, 0, 0], [60, 190, 150]] {
        let bodies = bodies_of(&mut random, counts, (lengths, Place::Cell, false));
        let (all, ends) = (bodies.all(), [counts[0], counts[0] + counts[1]]);
        let kind = |id: u32| ends.iter().filter(|end| id as usize >= **end).count();
        let frame = run(&mut checker, all, lengths, 1500);
        let mut certain = 0;
        for ((pair, image), manifold) in frame.pairs.iter().zip(&frame.manifolds) {
            let copies = super::images::moved(all, *image);
            let exact = all.at(pair.a).manifold(copies.all().at(pair.b));
            let Some(exact) = exact.filter(|_| !manifold.is_undecided()) else {
                continue;
            };
            let (depth, expected) = (f64::from(manifold.depth), exact.penetration().depth);
            assert!(
                (depth - expected).abs() < 2e-5,
                "{pair:?} {image:?}: {depth} {expected}"
            );
            certain += 1;
            across[kind(pair.a)][kind(pair.b)] += usize::from(*image != [0; 3]);
        }
        assert!(100 * certain > 99 * frame.pairs.len(), "{certain}");
    }
    let least = (0..3)
        .flat_map(|a| (a..3).map(move |b| [a, b]))
        .map(|[a, b]| across[a][b])
        .min();
    assert!(least >= Some(5), "{across:?}");
}

/// Frames whose images do not fit, and bodies for which the period is too short.
#[test]
fn c1_recorded_images_that_do_not_fit_are_counted() {
    let mut checker = open(Config {
        margin: 0.25,
        ..Config::default()
    });
    let lengths = [Some(8.0), None, None];
    let spheres: Vec<Sphere> = (0..100)
        .map(|k| Sphere::new(Vec3::new(0.25, 3.0 * k as f32, 0.0), 0.5))
        .collect();
    let high = [Sphere::new(Vec3::new(7.75, 0.0, 0.0), 0.5)];
    let all: Vec<Sphere> = spheres.iter().chain(&high).copied().collect();
    let frame = run(&mut checker, Bodies::from(&all), lengths, 60);
    // The images of the hundred, and none of the other.
    let counts = frame.counts;
    assert_eq!(
        (counts.bodies, counts.out_of_period, counts.images),
        (101, 0, [0, 0, 100])
    );
    assert_eq!(
        (frame.outcome.bodies, frame.outcome.bodies_needed, frame.outcome.fits),
        (161, 201, 0)
    );
    assert_eq!(run(&mut checker, Bodies::from(&all), lengths, 100).outcome.fits, 1);

    let (inside, center) = (Vec3::new(1.0, 0.0, 0.0), Vec3::ZERO);
    for (what, body, is_valid) in [
        ("narrower by the margin", Sphere::new(center, 3.8), true),
        (
            "narrower, but within the margin of its image",
            Sphere::new(center, 3.9),
            false,
        ),
        ("as wide", Sphere::new(center, 4.0), false),
        ("in the next cell", Sphere::new(8.0 * inside, 0.5), true),
        ("farther out", Sphere::new(8.5 * inside, 0.5), false),
        (
            "far out along another axis",
            Sphere::new(Vec3::new(0.0, 1e6, -1e6), 0.5),
            true,
        ),
    ] {
        let frame = run(&mut checker, Bodies::from(&[body]), lengths, 10);
        let (out, fits) = if is_valid { (0, 1) } else { (1, 0) };
        assert_eq!((frame.counts.out_of_period, frame.outcome.fits), (out, fits), "{what}");
        assert_eq!(frame.outcome.suspects, out, "{what}");
        assert!(frame.pairs.is_empty(), "{what}");
    }
    // Two bodies in one cell each are too far apart, and so are invalid bodies invalid here.
    let apart = [-7.9, 7.9].map(|x| Sphere::new(Vec3::new(x, 0.0, 0.0), 0.5));
    assert_eq!(
        run(&mut checker, Bodies::from(&apart), lengths, 10)
            .counts
            .out_of_period,
        2
    );
    let invalid = [Sphere::new(Vec3::new(f32::NAN, 0.0, 0.0), 0.5), high[0]];
    let frame = run(&mut checker, Bodies::from(&invalid), lengths, 10);
    assert_eq!((frame.outcome.suspects, frame.outcome.fits), (1, 0));
    // No bodies, and no room.
    let empty: [Sphere; 0] = [];
    assert_eq!(run(&mut checker, Bodies::from(&empty), lengths, 0).outcome.complete, 1);
    let buffer = checker.upload(&empty).expect("a buffer");
    let mut encoder = checker.device().create_command_encoder(&Default::default());
    let none = ImagesOf::new(&buffer, BodyCounts::default(), Period::new(lengths), 0);
    checker.record(&mut encoder, none).expect("no bodies in a short buffer");
}

/// The portable form, without f64, with few workgroups, and the other precisions.
#[test]
fn c1_recorded_images_with_other_settings() {
    let mut random = Random(SplitMix(93));
    let lengths = LATTICES[1];
    let bodies = bodies_of(&mut random, [30, 20, 20], (lengths, Place::Cell, true));
    let expected = expected_of(bodies.all(), lengths, 0.0);
    let gpu = GpuConfig {
        subgroups: false,
        shader_f64: false,
        max_workgroups_per_dimension: Some(3),
        ..GpuConfig::default()
    };
    let mut checker = open(Config {
        gpu,
        ..Config::default()
    });
    compare("portable", &run(&mut checker, bodies.all(), lengths, 700), &expected);
    for precision in [Precision::Fast, Precision::Conservative] {
        let mut checker = open(Config {
            precision,
            ..Config::default()
        });
        let frame = run(&mut checker, bodies.all(), lengths, 700);
        let found: BTreeSet<Found> = frame.pairs.iter().copied().collect();
        assert_eq!((frame.undecided.len(), &found), (0, &expected), "{precision:?}");
    }
}

/// Requests that frames with images do not offer are errors.
#[test]
fn c1_recorded_images_have_typed_errors() {
    let mut checker = open(Config::default());
    let (device, spheres) = (checker.device().clone(), [Sphere::new(Vec3::ZERO, 0.5); 4]);
    let mut encoder = device.create_command_encoder(&Default::default());
    let buffer = checker.upload(&spheres).expect("a buffer");
    let counts = BodyCounts {
        spheres: 4,
        ..BodyCounts::default()
    };
    let period = Period::new([Some(8.0), None, None]);
    let unavailable = |error: Error, expected: &str| match error {
        Error::Unavailable { what, .. } => assert_eq!(what, expected),
        error => panic!("{error}"),
    };
    let mut images = |counts, period| checker.record(&mut encoder, ImagesOf::new(&buffer, counts, period, 9));
    let mixed = BodyCounts { boxes: 1, ..counts };
    assert!(matches!(images(mixed, period), Err(Error::InvalidBuffer { .. })));
    let short = images(counts, Period::new([Some(-1.0), None, None])).expect_err("a negative length");
    assert!(matches!(short, Error::InvalidPeriod { axis: 'x', .. }), "{short}");
    let few = BodyCounts { spheres: 5, ..counts };
    assert!(matches!(images(few, period), Err(Error::InvalidBuffer { .. })));
    let images = images(counts, period).expect("images");

    let flags = checker.upload(&[1u32; 13]).expect("a buffer");
    let query = FrameQuery::images(&images);
    for (query, what) in [
        (query.counted(&flags), "a number of bodies for a frame with images"),
        (query.active(&flags), "flags of active bodies for a frame with images"),
    ] {
        unavailable(checker.record(&mut encoder, query).expect_err(what), what);
    }
    let many = ImagesOf::new(&buffer, counts, period, u32::MAX);
    let error = checker.record(&mut encoder, many).expect_err("too many images");
    assert!(
        matches!(error, Error::LimitExceeded { .. } | Error::TooManyBoxes { .. }),
        "{error}"
    );
}

/// Degrees are those of the pairs that a frame lists, each image counted.
#[test]
fn c1_recorded_images_count_in_degrees() {
    let mut random = Random(SplitMix(99));
    let mut checkers = [Output::Pairs, Output::Degrees].map(|output| {
        open(Config {
            output,
            ..Config::default()
        })
    });
    for counts in [[0, 0, 250], [80, 0, 0], [40, 60, 60]] {
        let lengths = LATTICES[1];
        let bodies = bodies_of(&mut random, counts, (lengths, Place::Cell, false));
        let all = bodies.all();
        let frame = run(&mut checkers[0], all, lengths, 700);
        let mut expected = vec![0; all.len()];
        for (pair, _) in &frame.pairs {
            expected[pair.a as usize] += 1;
            expected[pair.b as usize] += 1;
        }
        let across = frame.pairs.iter().filter(|(_, image)| *image != [0; 3]).count();
        assert!(across > 20, "{across}");

        let checker = &mut checkers[1];
        let buffer = checker.upload_bodies(all).expect("a buffer");
        let (device, queue) = (checker.device().clone(), checker.queue().clone());
        let mut encoder = device.create_command_encoder(&Default::default());
        let asked = ImagesOf::new(&buffer, BodyCounts::from(all), Period::new(lengths), 700);
        let images = checker.record(&mut encoder, asked).expect("images");
        let found = checker.record(&mut encoder, FrameQuery::images(&images));
        let found = found.expect("a frame");
        queue.submit([encoder.finish()]);
        let degrees: Vec<u32> = checker.read(&found.degrees, all.len() as u32).expect("degrees");
        assert_eq!(degrees, expected, "{counts:?}");
    }
}
