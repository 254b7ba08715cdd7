//! The nearest partners of every body in recorded frames, against distances of all pairs.

use obbligato::glam::{Quat, Vec3};
use obbligato::gpu::{FrameQuery, NearestOf, Outcome, Recorded};
use obbligato::query::NeighbourQuery;
use obbligato::report::Direction;
use obbligato::shape::OwnedBodies;
use obbligato::{Bodies, Capsule, Config, Error, GpuChecker, Obb, Sphere, wgpu};
use obbligato_support::split_mix::SplitMix;

use crate::support::gpu::{cpu, gpu_checker};

/// The error of distances in `f32`, for bodies of size 1 that are near each other.
const ERROR: f64 = 1e-5;

/// A row: partners and their distances in all places, and the number of partners.
type Row = (Vec<u32>, Vec<f32>, u32);

fn within(margin: f64) -> GpuChecker {
    gpu_checker(Config {
        margin,
        ..Config::default()
    })
}

/// The rows of a frame, and the number of its undecided pairs.
fn rows_of(
    checker: &mut GpuChecker,
    (direction, width): (Direction, u32),
    record: impl FnOnce(&mut GpuChecker, &mut wgpu::CommandEncoder) -> Recorded,
) -> (Vec<Row>, u32) {
    let mut encoder = checker.device().create_command_encoder(&Default::default());
    let recorded = record(checker, &mut encoder);
    let near = checker
        .record(&mut encoder, NearestOf::new(&recorded, direction, width))
        .expect("memory");
    checker.queue().submit([encoder.finish()]);
    let outcome: Outcome = checker.read(&recorded.outcome, 1).expect("an outcome")[0];
    assert_eq!((outcome.fits, near.width), (1, width), "{outcome:?}");
    let places = near.rows * width;
    let nearest: Vec<u32> = checker.read(&near.nearest, places).expect("partners");
    let distances: Vec<f32> = checker.read(&near.distances, places).expect("distances");
    let counts: Vec<u32> = checker.read(&near.counts, near.rows).expect("counts");
    let chunks = nearest.chunks(width as usize).zip(distances.chunks(width as usize));
    let row = |((partners, distances), count): ((&[u32], &[f32]), u32)| (partners.to_vec(), distances.to_vec(), count);
    (chunks.zip(counts).map(row).collect(), outcome.undecided)
}

fn rows_of_one_set(checker: &mut GpuChecker, bodies: Bodies<'_>, width: u32) -> (Vec<Row>, u32) {
    let buffer = checker.upload_bodies(bodies).expect("memory");
    rows_of(checker, (Direction::Both, width), |checker, encoder| {
        let query = FrameQuery::bodies(&buffer, bodies.into());
        checker.record(encoder, query).expect("a frame")
    })
}

/// Compares rows with the distances of all partners.
fn expect_rows(rows: &[Row], width: usize, margin: f64, partners: u32, distance: impl Fn(u32, u32) -> Option<f64>) {
    let mut cut = 0;
    for (row, (nearest, distances, count)) in (0..).zip(rows) {
        let mut expected: Vec<(f64, u32)> = (0..partners)
            .filter_map(|other| Some((distance(row, other)?, other)))
            .filter(|(distance, _)| *distance <= margin)
            .collect();
        expected.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        assert_eq!(*count as usize, expected.len(), "row {row}");
        cut += usize::from(expected.len() > width);
        let kept = expected.len().min(width);
        for place in 0..kept {
            let own = distance(row, nearest[place]).expect("a partner");
            let found = f64::from(distances[place]);
            assert!((own - found).abs() <= ERROR, "row {row}: {own} {found}");
            assert!(
                (own - expected[place].0).abs() <= 2.0 * ERROR,
                "row {row}: {own} {expected:?}"
            );
            let is_ordered = |before: usize| {
                let [x, y] = [before, place].map(|place| (distances[place].to_bits(), nearest[place]));
                x < y
            };
            assert!(
                place == 0 || is_ordered(place - 1),
                "row {row}: {nearest:?} {distances:?}"
            );
        }
        assert!(nearest[kept..].iter().all(|other| *other == u32::MAX), "row {row}");
        assert!(distances[kept..].iter().all(|distance| *distance == f32::INFINITY));
    }
    assert!(cut > 0 && cut < rows.len(), "{cut} of {} are cut", rows.len());
}

/// On a lattice, most neighbours are equally near, and exactly so in `f32`.
#[test]
fn c2_recorded_neighbours_of_points_are_those_of_the_cpu() {
    let place = |k: u32| Vec3::new((k % 9) as f32, (k / 9 % 8) as f32, (k / 72) as f32);
    let points: Vec<Sphere> = (0..9 * 8 * 7).map(|k| Sphere::new(place(k), 0.0)).collect();
    let mut checker = within(1.5);
    for width in [1, 4, 18, 21] {
        let (rows, undecided) = rows_of_one_set(&mut checker, (&points).into(), width);
        assert_eq!((rows.len(), undecided), (points.len(), 0));
        let query = NeighbourQuery::of(&points).within(1.5).by_surface();
        let expected = cpu(Config::default()).check(query).expect("points");
        for (k, (nearest, distances, count)) in rows.iter().enumerate() {
            let (partners, own) = (expected.row(k), expected.distances_of(k));
            let kept = partners.len().min(width as usize);
            assert_eq!(
                (*count as usize, &nearest[..kept]),
                (partners.len(), &partners[..kept]),
                "{k}"
            );
            let own = own[..kept].iter().map(|distance| *distance as f32);
            assert!(own.eq(distances[..kept].iter().copied()), "{k}: {distances:?}");
            assert!(nearest[kept..].iter().all(|other| *other == u32::MAX));
        }
    }
}

fn mixed(seed: u64, counts: [usize; 3]) -> OwnedBodies {
    let mut random = SplitMix(seed);
    let mut number = move |size: f64| (size * random.unit()) as f32;
    let mut bodies = OwnedBodies::default();
    for (kind, count) in counts.into_iter().enumerate() {
        for _ in 0..count {
            let center = Vec3::from_array([(); 3].map(|()| number(7.0)));
            let turn = Quat::from_array([(); 4].map(|()| number(2.0) - 1.0)).normalize();
            let size = 0.1 + number(0.3);
            match kind {
                0 => bodies.boxes.push(Obb::new(center, Vec3::new(size, 0.2, 0.3), turn)),
                1 => bodies.capsules.push(Capsule::new(center, size, turn, 0.15)),
                _ => bodies.spheres.push(Sphere::new(center, size)),
            }
        }
    }
    bodies
}

#[test]
fn c2_recorded_neighbours_of_bodies_are_the_nearest() {
    const MARGIN: f64 = 0.7;
    let bodies = mixed(41, [120, 90, 130]);
    let all = bodies.all();
    let mut checker = within(MARGIN);
    for width in [3, 6] {
        let (rows, undecided) = rows_of_one_set(&mut checker, all, width);
        assert_eq!((rows.len(), undecided), (all.len(), 0));
        expect_rows(&rows, width as usize, MARGIN, all.len() as u32, |a, b| {
            (a != b).then(|| all.at(a).distance(all.at(b)))
        });
    }
}

#[test]
fn c2_recorded_neighbours_of_movers_are_the_nearest_bodies_at_rest() {
    const MARGIN: f64 = 0.7;
    let (rest, movers) = (mixed(42, [150, 70, 90]), mixed(43, [40, 20, 60]));
    let (at_rest, moving) = (rest.all(), movers.all());
    let mut checker = within(MARGIN);
    let scene = checker.checker().prepare(at_rest).expect("memory");
    let buffer = checker.upload_bodies(moving).expect("memory");
    for direction in [Direction::BToA, Direction::AToB] {
        let (rows, undecided) = rows_of(&mut checker, (direction, 2), |checker, encoder| {
            let query = FrameQuery::bodies_against(&scene, &buffer, moving.into());
            checker.record(encoder, query).expect("a frame")
        });
        assert_eq!(undecided, 0);
        let [own, others] = match direction {
            Direction::AToB => [at_rest, moving],
            _ => [moving, at_rest],
        };
        assert_eq!(rows.len(), own.len());
        expect_rows(&rows, 2, MARGIN, others.len() as u32, |a, b| {
            Some(own.at(a).distance(others.at(b)))
        });
    }
}

#[test]
fn c2_rows_without_places_or_with_too_many_are_refused() {
    let mut checker = within(0.5);
    let points = [Sphere::new(Vec3::ZERO, 0.0)];
    let buffer = checker.upload_bodies(&points).expect("memory");
    let mut encoder = checker.device().create_command_encoder(&Default::default());
    let query = FrameQuery::bodies(&buffer, Bodies::from(&points).into());
    let recorded = checker.record(&mut encoder, query).expect("a frame");
    match checker.record(&mut encoder, NearestOf::new(&recorded, Direction::Both, 0)) {
        Err(error @ Error::Unavailable { .. }) => {
            assert!(error.to_string().contains("a width of at least 1"), "{error}")
        }
        other => panic!("{other:?}"),
    }
    // Rows of 16 GiB.
    match checker.record(&mut encoder, NearestOf::new(&recorded, Direction::Both, u32::MAX)) {
        Err(Error::LimitExceeded { .. } | Error::OutOfDeviceMemory { .. }) => {}
        other => panic!("{other:?}"),
    }
}
