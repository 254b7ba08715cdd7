//! Lists of pairs: both backends agree, and long lists are processed in pieces.

use obbligato::glam::Vec3;
use obbligato::query::{ContactQuery, DistanceQuery};
use obbligato::{
    Checker, Config, Error, Obb, Pair,
    contact::{Contacts, closest_points, contacts},
};
use obbligato_verify::scenes::Scene;

use crate::contacts_gpu::expect_contacts;
use crate::support::gpu::{cpu, cpu_pairs, gpu};

/// Asserts the errors for missing and for invalid boxes, of 4,000.
fn expect_errors(checker: &mut Checker, boxes: &[Obb]) {
    let sets = [boxes, boxes];
    let missing = [Pair { a: 0, b: 1 }, Pair { a: 0, b: 4_000 }];
    let error = checker
        .check(ContactQuery::new(sets, &missing))
        .expect_err("no such box");
    assert!(
        matches!(
            error,
            Error::InvalidPair {
                index: 1,
                named: 4_000,
                boxes: 4_000
            }
        ),
        "{error}"
    );
    let few: [&[Obb]; 2] = [&boxes[..1], boxes];
    let error = checker
        .check(DistanceQuery::new(few, &[Pair { a: 1, b: 0 }]))
        .expect_err("no such box");
    assert!(
        matches!(
            error,
            Error::InvalidPair {
                index: 0,
                named: 1,
                boxes: 1
            }
        ),
        "{error}"
    );
    let bad = [Obb::axis_aligned(Vec3::NAN, Vec3::ONE)];
    let error = checker
        .check(ContactQuery::new([boxes, &bad], &[Pair { a: 0, b: 0 }]))
        .expect_err("no box");
    // Positions continue from the first list to the second.
    assert!(
        matches!(error, Error::InvalidBox { index, count: 1, .. } if index == boxes.len()),
        "{error}"
    );
}

/// Asserts that contacts in `f64` and in `f32` have nearly the same depths, and all but a few the
/// same normals and features.
fn expect_alike(on_cpu: &Contacts, on_gpu: &Contacts) {
    let names = |contacts: &Contacts, k: usize| -> Vec<_> {
        let points = contacts.points_of(k).iter();
        let mut names: Vec<_> = points.map(|point| (point.feature_a, point.feature_b)).collect();
        names.sort_unstable();
        names
    };
    let (mut same, count) = (0, on_cpu.penetrations().len());
    for k in 0..count {
        let [one, other] = [on_cpu, on_gpu].map(|contacts| contacts.penetrations()[k].expect("they collide"));
        let near = (one.depth - other.depth).abs() <= 0.02 * one.depth + 1e-3;
        assert!(near, "{one:?} {other:?}");
        let alike = one.normal.distance(other.normal) < 1e-3 && names(on_cpu, k) == names(on_gpu, k);
        same += usize::from(alike);
    }
    // Of axes that are equally good f32 may choose another.
    assert!(same * 1_000 > count * 999, "{same} of {count}");
}

#[test]
fn b7_backends_agree_about_lists() {
    let boxes = Scene::Dense.generate(4_000, 2);
    let pairs = cpu_pairs(&boxes);
    assert!(pairs.len() > 5_000, "{}", pairs.len());
    let sets: [&[Obb]; 2] = [&boxes, &boxes];
    let on_cpu = cpu(Config::default())
        .check(ContactQuery::new(sets, &pairs))
        .expect("contacts");
    assert_eq!(on_cpu, contacts(sets, &pairs).expect("contacts"));
    let mut checker = gpu(Config::default());
    let on_gpu = checker.check(ContactQuery::new(sets, &pairs)).expect("contacts");
    let waited = pollster::block_on(checker.check_async(ContactQuery::new(sets, &pairs))).expect("contacts");
    assert_eq!(waited, on_gpu);
    assert_eq!(on_gpu.offsets().len(), pairs.len() + 1);
    for (k, pair) in pairs.iter().enumerate() {
        let [a, b] = [pair.a, pair.b].map(|i| &boxes[i as usize]);
        expect_contacts("dense", a, b, on_gpu.penetrations()[k].as_ref(), on_gpu.points_of(k));
    }
    expect_alike(&on_cpu, &on_gpu);
    let distances = cpu(Config::default())
        .check(DistanceQuery::new(sets, &pairs))
        .expect("distances");
    assert_eq!(distances, closest_points(sets, &pairs).expect("distances"));
    let waited = pollster::block_on(checker.check_async(DistanceQuery::new(sets, &pairs))).expect("distances");
    assert!(waited.iter().all(|closest| closest.distance == 0.0));

    // An empty list, and pairs that do not exist.
    for checker in [&mut checker, &mut cpu(Config::default())] {
        assert!(
            checker
                .check(ContactQuery::new(sets, &[]))
                .expect("contacts")
                .penetrations()
                .is_empty()
        );
        assert!(
            checker
                .check(DistanceQuery::new(sets, &[]))
                .expect("distances")
                .is_empty()
        );
        expect_errors(checker, &boxes);
        assert_eq!(
            checker
                .check(ContactQuery::new(sets, &pairs[..9]))
                .expect("contacts")
                .penetrations()
                .len(),
            9
        );
    }
}

/// More pairs than are processed together.
#[test]
fn long_lists_are_processed_in_pieces() {
    let boxes = Scene::Dense.generate(2_000, 4);
    let some = cpu_pairs(&boxes);
    let many: Vec<Pair> = some.iter().copied().cycle().take((1 << 18) + 1_000).collect();
    let sets: [&[Obb]; 2] = [&boxes, &boxes];
    let mut checker = gpu(Config::default());
    let (few, all) = (
        checker.check(ContactQuery::new(sets, &some)).expect("contacts"),
        checker.check(ContactQuery::new(sets, &many)).expect("contacts"),
    );
    for k in 0..many.len() {
        let again = k % some.len();
        assert_eq!(all.penetrations()[k], few.penetrations()[again], "{k}");
        assert_eq!(all.points_of(k), few.points_of(again), "{k}");
    }
    let (few, all) = (
        checker.check(DistanceQuery::new(sets, &some)).expect("distances"),
        checker.check(DistanceQuery::new(sets, &many)).expect("distances"),
    );
    assert!((0..many.len()).all(|k| all[k] == few[k % some.len()]));
}
