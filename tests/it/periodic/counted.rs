//! Recorded frames in space that repeats whose number of bodies stands in a buffer.

use std::collections::BTreeSet;

use obbligato::glam::Vec3;
use obbligato::gpu::{AdjacencyOf, ContactsOf, FrameQuery, ImageCounts, ImageRecord, ImagesOf, Outcome, SortPairs};
use obbligato::report::Direction;
use obbligato::shape::{BodyCounts, OwnedBodies};
use obbligato::{BroadPhase, Config, GpuChecker, Pair, Period, Query};
use obbligato_support::split_mix::SplitMix;

use super::followed::bodies_of;
use super::{LATTICES, Lengths, Random};
use crate::support::gpu::{cpu, gpu_checker};

/// Room for images and for contact points.
const MOST: u32 = 1500;

/// The answers of a frame.
struct Frame {
    outcome: Outcome,
    counts: ImageCounts,
    /// By the positions of their bodies, as sorted.
    pairs: Vec<Pair>,
    undecided: BTreeSet<Pair>,
    offsets: Vec<u32>,
    /// Depths of contacts.
    depths: Vec<f32>,
}

fn run(checker: &mut GpuChecker, bodies: &OwnedBodies, lengths: Lengths, number: u32) -> Frame {
    let all = bodies.all();
    let buffer = checker.upload_bodies(all).expect("a buffer");
    let count = checker.upload(&[number]).expect("a buffer");
    let (device, queue) = (checker.device().clone(), checker.queue().clone());
    let mut encoder = device.create_command_encoder(&Default::default());
    let asked = ImagesOf::new(&buffer, BodyCounts::from(all), Period::new(lengths), MOST).counted(&count);
    let images = checker.record(&mut encoder, asked).expect("images");
    let found = checker
        .record(&mut encoder, FrameQuery::images(&images))
        .expect("a frame");
    checker.record(&mut encoder, SortPairs(&found)).expect("sorted pairs");
    let rows = checker.record(&mut encoder, AdjacencyOf::new(&found, Direction::Both));
    let rows = rows.expect("an adjacency");
    let contacts = checker
        .record(&mut encoder, ContactsOf::new(&found, MOST))
        .expect("contacts");
    queue.submit([encoder.finish()]);

    let outcome: Outcome = checker.read(&found.outcome, 1).expect("an outcome")[0];
    let records: Vec<ImageRecord> = checker
        .read(&images.images, outcome.bodies - outcome.first_image)
        .expect("images");
    let body = |position: u32| match position.checked_sub(outcome.first_image) {
        Some(image) => records[image as usize].body,
        None => position,
    };
    let of_bodies = |pair: &Pair| Pair::new(body(pair.a), body(pair.b));
    let pairs: Vec<Pair> = checker.read(&found.pairs, outcome.pairs).expect("pairs");
    let undecided: Vec<Pair> = checker.read(&found.undecided, outcome.undecided).expect("pairs");
    let manifolds: Vec<obbligato::gpu::ManifoldRecord> =
        checker.read(&contacts.manifolds, outcome.pairs).expect("manifolds");
    Frame {
        outcome,
        counts: checker.read(&images.counts, 1).expect("counts")[0],
        pairs: pairs.iter().map(of_bodies).collect(),
        undecided: undecided.iter().map(of_bodies).collect(),
        offsets: checker.read(&rows.offsets, rows.rows + 1).expect("offsets"),
        depths: manifolds.iter().map(|manifold| manifold.depth).collect(),
    }
}

/// The first bodies.
fn first_of(bodies: &OwnedBodies, count: usize) -> OwnedBodies {
    let boxes = count.min(bodies.boxes.len());
    let capsules = (count - boxes).min(bodies.capsules.len());
    OwnedBodies {
        boxes: bodies.boxes[..boxes].to_vec(),
        capsules: bodies.capsules[..capsules].to_vec(),
        spheres: bodies.spheres[..count - boxes - capsules].to_vec(),
    }
}

/// Pairs, rows and contacts of the first bodies: of some of one kind, or of whole kinds. The others
/// are invalid, but nobody reads them.
#[test]
fn c1_counted_bodies_have_images() {
    let mut random = Random(SplitMix(101));
    let lengths = LATTICES[1];
    for broad_phase in [BroadPhase::Grid, BroadPhase::Lbvh] {
        let mut checker = gpu_checker(Config {
            broad_phase,
            ..Config::default()
        });
        let mut across = 0;
        for kind in 0..4 {
            let bodies = bodies_of(&mut random, kind, 210, lengths, 0.55);
            for number in [0, 1, 65, 70, 100, 140, 209, 210] {
                let what = format!("{broad_phase}, kind {kind}, {number} bodies");
                let mut given = bodies_of(&mut random, kind, 210, lengths, 0.55);
                let nowhere = Vec3::splat(f32::NAN);
                given.boxes.iter_mut().for_each(|obb| obb.center = nowhere);
                given.capsules.iter_mut().for_each(|capsule| capsule.center = nowhere);
                given.spheres.iter_mut().for_each(|sphere| sphere.center = nowhere);
                let first = first_of(&bodies, number);
                given.boxes[..first.boxes.len()].copy_from_slice(&first.boxes);
                given.capsules[..first.capsules.len()].copy_from_slice(&first.capsules);
                given.spheres[..first.spheres.len()].copy_from_slice(&first.spheres);

                let frame = run(&mut checker, &given, lengths, number as u32);
                let outcome = frame.outcome;
                let images = frame.counts.all_images();
                assert_eq!(
                    (outcome.fits, outcome.first_image),
                    (1, number as u32),
                    "{what}: {outcome:?}"
                );
                assert_eq!(
                    (outcome.bodies, frame.counts.bodies),
                    (number as u32 + images, number as u32),
                    "{what}"
                );
                let query = Query::from(first.all()).periodic(Period::new(lengths));
                let report = cpu(Config::default()).check(query).expect("valid bodies");
                let expected: BTreeSet<Pair> = report.pairs().expect("pairs").iter().copied().collect();
                let mut found: BTreeSet<Pair> = frame.pairs.iter().copied().collect();
                found.extend(expected.intersection(&frame.undecided));
                assert_eq!(found, expected, "{what}");
                assert!(frame.pairs.is_sorted(), "{what}");
                let mut degrees = vec![0; 210];
                for pair in &frame.pairs {
                    degrees[pair.a as usize] += 1;
                    degrees[pair.b as usize] += 1;
                }
                let rows: Vec<u32> = frame.offsets.windows(2).map(|row| row[1] - row[0]).collect();
                assert_eq!(rows, degrees, "{what}");
                // Contacts of other bodies, or of bodies elsewhere, would be far too deep.
                let deep = frame.depths.iter().filter(|depth| !(0.0..2.0).contains(*depth)).count();
                assert_eq!(deep, 0, "{what}");
                across += images;
            }
        }
        assert!(across > 500, "{across}");
    }
}

/// More bodies than there is room for: the first are checked, and the frame reports it.
#[test]
fn c1_counted_bodies_beyond_the_most_are_counted() {
    let mut random = Random(SplitMix(102));
    let mut checker = gpu_checker(Config::default());
    let lengths = LATTICES[0];
    for kind in 0..4 {
        let bodies = bodies_of(&mut random, kind, 60, lengths, 0.5);
        let most = run(&mut checker, &bodies, lengths, 60);
        let frame = run(&mut checker, &bodies, lengths, 77);
        let outcome = frame.outcome;
        assert_eq!((most.outcome.fits, outcome.fits, frame.counts.bodies), (1, 0, 77));
        assert_eq!(outcome.bodies, most.outcome.bodies);
        assert_eq!(outcome.bodies_needed, most.outcome.bodies + 17);
        assert_eq!(frame.pairs, most.pairs);
        // No axis repeats, so there are no images, whatever there is room for.
        let open = run(&mut checker, &bodies, [None; 3], 77).outcome;
        assert_eq!((open.bodies, open.bodies_needed, open.first_image), (60, 77, 60));
        // There are none, and there is room for none.
        let none = run(&mut checker, &OwnedBodies::default(), lengths, 3).outcome;
        assert_eq!((none.bodies, none.bodies_needed, none.fits), (0, 3, 0));
        assert_eq!(run(&mut checker, &OwnedBodies::default(), lengths, 0).outcome.fits, 1);
    }
}
