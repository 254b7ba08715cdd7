//! Contacts, distances and overlaps in the plane of space that repeats, against those of copies.

use std::collections::BTreeSet;

use obbligato::contact::Contacts;
use obbligato::glam::{DVec2, DVec3, Quat, Vec2, Vec3};
use obbligato::gpu::{ContactsOf, FrameQuery, ImageRecord, ImagesOf, ManifoldRecord, Outcome};
use obbligato::query::{ContactQuery, DistanceQuery, InPlane, OverlapQuery};
use obbligato::shape::{BodyCounts, yaw};
use obbligato::{Bodies, BroadPhase, Capsule, Checker, Config, Error, Obb, Obb64, Pair, Period, Sphere};
use obbligato_support::split_mix::SplitMix;

use super::config;
use crate::support::gpu::{cpu, gpu_checker};

/// The period along x and y. Coordinates are multiples of 1/64, so that copies are not rounded.
const LENGTHS: [f64; 2] = [8.0, 6.0];

/// The largest number of periods by which a copy is moved.
const MOST: i64 = 2;

/// Rectangles, stadiums and discs.
#[derive(Clone, Default)]
struct Figures {
    boxes: Vec<Obb>,
    capsules: Vec<Capsule>,
    spheres: Vec<Sphere>,
}

impl Figures {
    fn random(random: &mut SplitMix, count: usize) -> Self {
        let mut number = move |least: u64, most: u64| (least + random.next() % (most - least)) as f32 / 64.0;
        let mut figures = Self::default();
        for _ in 0..count {
            // Some are wider than half of the period.
            let mut center = || Vec2::new(number(0, 512), number(0, 384));
            let centers = [(); 3].map(|()| center());
            let turn = yaw(f64::from(number(0, 512)));
            let half = Vec2::new(number(0, 192), number(0, 192));
            figures.boxes.push(Obb::in_plane(centers[0], half, turn));
            let stadium = Capsule::in_plane(centers[1], number(0, 128), turn, number(0, 64));
            figures.capsules.push(stadium);
            figures
                .spheres
                .push(Sphere::new(centers[2].extend(0.0), number(0, 128)));
        }
        figures
    }

    fn all(&self) -> Bodies<'_> {
        Bodies {
            boxes: &self.boxes,
            capsules: &self.capsules,
            spheres: &self.spheres,
        }
    }

    fn len(&self) -> u32 {
        self.all().len() as u32
    }

    /// Returns these figures, moved by an image.
    fn moved(&self, [i, j, _]: [i64; 3]) -> Self {
        let by = Vec3::new((i as f64 * LENGTHS[0]) as f32, (j as f64 * LENGTHS[1]) as f32, 0.0);
        let mut moved = self.clone();
        moved.boxes.iter_mut().for_each(|obb| obb.center += by);
        moved.capsules.iter_mut().for_each(|capsule| capsule.center += by);
        moved.spheres.iter_mut().for_each(|sphere| sphere.center += by);
        moved
    }
}

fn period() -> Period {
    // A length along z means nothing in the plane.
    Period::new([Some(LENGTHS[0]), Some(LENGTHS[1]), Some(0.125)])
}

fn images() -> impl Iterator<Item = [i64; 3]> {
    (-MOST..=MOST).flat_map(|i| (-MOST..=MOST).map(move |j| [i, j, 0]))
}

/// All pairs of two different bodies.
fn pairs(count: u32) -> Vec<Pair> {
    (0..count)
        .flat_map(|a| (0..count).filter(move |b| *b != a).map(move |b| Pair { a, b }))
        .collect()
}

fn depth(contacts: &Contacts, k: usize) -> Option<f64> {
    contacts.penetrations()[k].map(|found| found.depth)
}

#[test]
fn c4_contacts_and_distances_are_those_of_the_best_copy() {
    let (mut random, mut checker) = (SplitMix(11), cpu(config(BroadPhase::Auto)));
    let mut counts = [0; 4];
    for _ in 0..4 {
        let figures = Figures::random(&mut random, 5);
        let pairs = pairs(figures.len());
        let copies: Vec<_> = images().map(|image| (image, figures.moved(image))).collect();
        let flat = copies.iter().map(|(image, copy)| {
            let sets = || [figures.all(), copy.all()];
            let contacts = checker.check(ContactQuery::new(sets(), &pairs).in_plane());
            let distances = checker.check(DistanceQuery::new(sets(), &pairs).in_plane());
            (*image, contacts.expect("valid"), distances.expect("valid"))
        });
        let flat: Vec<_> = flat.collect();
        let asked = ContactQuery::within(figures.all(), &pairs).periodic(period());
        let contacts = checker.check(asked.in_plane()).expect("valid");
        let asked = DistanceQuery::within(figures.all(), &pairs).periodic(period());
        let distances = checker.check(asked.in_plane()).expect("valid");
        for (k, pair) in pairs.iter().enumerate() {
            let what = format!("{pair:?} of {figures:?}", figures = figures.all());
            let deepest = flat.iter().filter_map(|(_, found, _)| depth(found, k)).reduce(f64::max);
            let nearest = flat
                .iter()
                .map(|(.., found)| found[k].distance)
                .fold(f64::INFINITY, f64::min);
            let found = &distances.found[k];
            assert!((found.distance - nearest).abs() < 1e-12, "{what}: {found:?}, {nearest}");
            assert!(
                (found.on_a - found.on_b).length() - nearest < 1e-12 && found.on_a.z == 0.0,
                "{what}"
            );
            assert_eq!(depth(&contacts.found, k).is_some(), deepest.is_some(), "{what}");
            let Some(deepest) = deepest else {
                counts[0] += 1;
                continue;
            };
            let image = contacts.images[k];
            counts[1 + usize::from(image != [0; 3])] += 1;
            // Of equally deep images, rounding may choose another.
            let of_image = flat
                .iter()
                .find(|(other, ..)| *other == image)
                .expect("an image in reach");
            let found = depth(&contacts.found, k).expect("they collide");
            let expected = depth(&of_image.1, k).expect("they collide");
            assert!(
                (found - deepest).abs() < 1e-12 && (found - expected).abs() < 1e-12,
                "{what}"
            );
            let normals = [&contacts.found, &of_image.1].map(|found| found.penetrations()[k].map(|found| found.normal));
            assert_eq!(normals[0].map(|normal| normal.z), Some(0.0), "{what}");
            let points = [contacts.found.points_of(k), of_image.1.points_of(k)];
            assert_eq!(points[0].len(), points[1].len(), "{what}");
            for (point, expected) in points[0].iter().zip(points[1]) {
                let off = (point.on_a - expected.on_a).length() + (point.on_b - expected.on_b).length();
                counts[3] += usize::from(off < 1e-12);
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

#[test]
fn c4_overlaps_are_the_areas_of_the_deepest_copy() {
    let (mut random, mut checker) = (SplitMix(12), cpu(config(BroadPhase::Auto)));
    let boxes = Figures::random(&mut random, 20).boxes;
    let pairs = pairs(20);
    let asked = ContactQuery::within(&boxes, &pairs).periodic(period()).in_plane();
    let images = checker.check(asked).expect("valid").images;
    let asked = OverlapQuery::within(&boxes, &pairs).periodic(period()).in_plane();
    let overlaps = checker.check(asked).expect("valid");
    assert_eq!(overlaps.images, images);
    let mut above = 0;
    for (k, pair) in pairs.iter().enumerate() {
        let moved = Figures {
            boxes: vec![boxes[pair.b as usize]],
            ..Figures::default()
        }
        .moved(images[k]);
        let sets = [&boxes[pair.a as usize..][..1], &moved.boxes];
        let expected = OverlapQuery::new(sets, &[Pair { a: 0, b: 0 }]).in_plane();
        let expected = checker.check(expected).expect("valid")[0];
        assert!((overlaps.found[k].volume - expected.volume).abs() < 1e-12, "{pair:?}");
        above += usize::from(expected.volume > 0.0 && images[k] != [0; 3]);
    }
    assert!(above > 20, "{above}");
}

#[track_caller]
fn refused<T: std::fmt::Debug>(found: obbligato::Result<T>) {
    assert!(matches!(found, Err(Error::NotInPlane { index: 0, .. })), "{found:?}");
}

/// The answer of boxes with centers in `f64`, and errors.
#[test]
fn c4_far_centers_and_what_is_not_in_the_plane() {
    let mut checker: Checker = cpu(config(BroadPhase::Auto));
    let at = |x: f64| Obb64::in_plane(DVec2::new(x, 5e6), Vec2::ONE, Quat::IDENTITY);
    let squares = [at(4e6 + 1.0), at(4e6 + 9.25)];
    let listed = [Pair::new(0, 1)];
    let period = Period::new([Some(10.0), None, None]);
    let asked = ContactQuery::within(&squares, &listed).periodic(period).in_plane();
    let contacts = checker.check(asked).expect("valid");
    let found = contacts.found.penetrations()[0].map(|found| (found.normal, found.depth));
    assert_eq!((found, contacts.images[0]), (Some((-DVec3::X, 0.25)), [-1, 0, 0]));
    let raised = [Obb::axis_aligned(Vec3::Z, Vec3::ONE); 2];
    refused(checker.check(ContactQuery::within(&raised, &listed).periodic(period).in_plane()));
    refused(checker.check(DistanceQuery::within(&raised, &listed).periodic(period).in_plane()));
    refused(checker.check(OverlapQuery::within(&raised, &listed).periodic(period).in_plane()));
    let ball = [Sphere::new(Vec3::ZERO, 1.0); 2];
    let asked: InPlane<_> = OverlapQuery::within(&ball, &listed).periodic(period).in_plane();
    assert!(matches!(checker.check(asked), Err(Error::Unavailable { .. })));
    let none = Period::new([None, Some(0.0), None]);
    let asked = DistanceQuery::within(&squares, &listed).periodic(none).in_plane();
    assert!(matches!(
        checker.check(asked),
        Err(Error::InvalidPeriod { axis: 'y', .. })
    ));
}

/// Contacts of recorded frames, of figures of all kinds with the images that they meet.
#[test]
fn c4_recorded_contacts_with_images() {
    let (mut random, mut reference) = (SplitMix(13), cpu(config(BroadPhase::Auto)));
    let mut checker = gpu_checker(Config::default());
    let mut figures = Figures::random(&mut random, 40);
    // Narrower than the period.
    figures.boxes.iter_mut().for_each(|obb| obb.half_extents *= 0.25);
    figures
        .capsules
        .iter_mut()
        .for_each(|capsule| capsule.half_length *= 0.25);
    let buffer = checker.upload_bodies(figures.all()).expect("a buffer");
    let (device, queue) = (checker.device().clone(), checker.queue().clone());
    let mut encoder = device.create_command_encoder(&Default::default());
    let period = Period::new([Some(LENGTHS[0]), Some(LENGTHS[1]), None]);
    let asked = ImagesOf::new(&buffer, BodyCounts::from(figures.all()), period, 400);
    let images = checker.record(&mut encoder, asked).expect("images");
    let found = checker
        .record(&mut encoder, FrameQuery::images(&images))
        .expect("a frame");
    let contacts = checker.record(&mut encoder, ContactsOf::new(&found, 9000).in_plane());
    let contacts = contacts.expect("contacts");
    queue.submit([encoder.finish()]);

    let outcome: Outcome = checker.read(&found.outcome, 1).expect("an outcome")[0];
    assert_eq!(outcome.fits, 1, "{outcome:?}");
    let listed = outcome.bodies - outcome.first_image;
    let records: Vec<ImageRecord> = checker.read(&images.images, listed).expect("images");
    let pairs: Vec<Pair> = checker.read(&found.pairs, outcome.pairs).expect("pairs");
    let manifolds: Vec<ManifoldRecord> = checker.read(&contacts.manifolds, outcome.pairs).expect("manifolds");
    let mut kinds = BTreeSet::new();
    for (pair, manifold) in pairs.into_iter().zip(manifolds) {
        let Some(image) = pair.b.checked_sub(outcome.first_image) else {
            continue;
        };
        let ImageRecord { body, image } = records[image as usize];
        let copies = figures.moved(image.map(i64::from));
        let named = [Pair { a: pair.a, b: body }];
        let asked = ContactQuery::new([figures.all(), copies.all()], &named);
        let expected = depth(&reference.check(asked.in_plane()).expect("valid"), 0);
        let Some(expected) = expected.filter(|_| !manifold.is_undecided()) else {
            continue;
        };
        let what = format!("{pair:?} {image:?}");
        assert!(
            (f64::from(manifold.depth) - expected).abs() < 3e-4,
            "{what}: {manifold:?} {expected}"
        );
        kinds.insert([pair.a / 40, body / 40]);
    }
    // Each of a body and each of an image.
    assert_eq!(kinds.len(), 9, "{kinds:?}");
}
