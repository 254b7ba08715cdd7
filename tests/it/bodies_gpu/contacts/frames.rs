//! Contacts of frames and movers of all kinds.

use obbligato::gpu::{ClosestPointsOf, ContactsOf};
use obbligato::query::ContactQuery;
use obbligato::query::DistanceQuery;
use obbligato::{Bodies, Config, GpuConfig};
use obbligato::{
    GpuChecker,
    gpu::{FrameQuery, ManifoldRecord, Recorded},
    shape::BodyCounts,
};

use crate::bodies_gpu::contacts::{Frame, expect_whole, run};
use crate::bodies_gpu::{all_settings, mixtures};
use crate::support::gpu::gpu_checker;

/// Compares a frame of one set, or of movers, with the calls that return to the host, which send
/// pairs of two boxes to the GPU.
#[track_caller]
fn expect_frame(what: &str, checker: &mut GpuChecker, sets: [Bodies<'_>; 2], frame: &Frame) {
    assert!(frame.pairs.len() > 100, "{what}: {} pairs", frame.pairs.len());
    expect_whole(what, frame);
    let contacts = checker
        .checker()
        .check(ContactQuery::new(sets, &frame.pairs))
        .expect("contacts");
    let closest = checker
        .checker()
        .check(DistanceQuery::new(sets, &frame.pairs))
        .expect("closest points");
    for (k, pair) in frame.pairs.iter().enumerate() {
        let (a, b) = (sets[0].at(pair.a), sets[1].at(pair.b));
        let (manifold, record) = (&frame.manifolds[k], &frame.closest[k]);
        if manifold.is_undecided() || record.is_undecided() {
            continue;
        }
        let found = contacts.penetrations()[k].expect("they collide");
        let own = manifold.penetration();
        let points: Vec<_> = (frame.points_of(k).iter())
            .map(|point| point.contact_point(a, manifold))
            .collect();
        if (pair.a as usize) < sets[0].boxes.len() && (pair.b as usize) < sets[1].boxes.len() {
            assert_eq!(own, found, "{what} {k}");
            assert_eq!(points, contacts.points_of(k), "{what} {k}");
            assert_eq!(record.closest_points(a), closest[k], "{what} {k}");
        } else {
            let far = (a.center() - b.center()).length() + 20.0;
            let off = 1e-4 * f64::from(far);
            // Another face may be preferred.
            assert!(
                (own.depth - found.depth).abs() <= 0.02 * found.depth + off,
                "{what} {k}: {own:?} {found:?}"
            );
            assert_eq!(record.distance, 0.0, "{what} {k}");
        }
    }
}

#[test]
fn frames_and_movers_of_all_kinds_have_contacts_and_closest_points() {
    let small = GpuConfig {
        // Bodies over three bindings.
        max_buffer_bytes: Some(64 << 10),
        initial_pairs: 1 << 10,
        ..GpuConfig::default()
    };
    let [default, plain, _] = all_settings(&GpuConfig::default()).map(|(_, settings)| settings);
    for (name, settings, count) in [
        ("default", default, 3000),
        ("plain", plain, 3000),
        ("small", small, 500),
    ] {
        let mut checker = gpu_checker(Config {
            gpu: settings,
            ..Config::default()
        });
        // As many as a buffer of 64 KiB holds.
        let most_points = if name == "small" { 3_200 } else { 40_000 };
        for (k, scene) in mixtures(count).iter().enumerate() {
            let what = format!("{name}, mixture {k}");
            let bodies = scene.bodies();
            let buffer = checker.upload_bodies(bodies).expect("memory");
            let frame = run(&mut checker, most_points, FrameQuery::bodies(&buffer, bodies.into()));
            expect_frame(&what, &mut checker, [bodies; 2], &frame);

            // Movers of another mixture.
            let others = &mixtures(count / 2)[6 - k];
            let movers = others.bodies();
            let scene = checker.checker().prepare(bodies).expect("a scene");
            let buffer = checker.upload_bodies(movers).expect("memory");
            let query = FrameQuery::bodies_against(&scene, &buffer, movers.into());
            let frame = run(&mut checker, most_points, query);
            expect_frame(&format!("{what}, movers"), &mut checker, [bodies, movers], &frame);
        }
    }
}

/// If the capacity is too small, points are missing and their number is reported; none is written
/// past the end.
#[test]
fn points_of_bodies_beyond_the_capacity_are_counted() {
    for (name, settings) in all_settings(&GpuConfig::default()) {
        let mut checker = gpu_checker(Config {
            gpu: settings,
            ..Config::default()
        });
        let scene = &mixtures(2000)[6];
        let bodies = scene.bodies();
        let buffer = checker.upload_bodies(bodies).expect("memory");
        let mut frame = |max_points| run(&mut checker, max_points, FrameQuery::bodies(&buffer, bodies.into()));
        let len = |frame: &Frame| frame.manifolds.iter().map(ManifoldRecord::len).sum::<usize>();
        let whole = frame(100_000);
        assert_eq!(len(&whole), whole.points_needed as usize, "{name}");
        for max_points in [0, 1, 100, whole.points_needed - 1, whole.points_needed] {
            let part = frame(max_points);
            assert_eq!(part.points_needed, whole.points_needed, "{name}");
            assert!(len(&part) <= max_points as usize, "{name}");
            // All but those of one pair at the end.
            assert!(
                len(&part) + 8 > max_points as usize,
                "{name}, {max_points}: {}",
                len(&part)
            );
            let fits = |manifold: &ManifoldRecord| manifold.first as usize + manifold.len() <= max_points as usize;
            assert!(
                part.manifolds
                    .iter()
                    .all(|manifold| manifold.is_empty() || fits(manifold)),
                "{name}"
            );
        }
    }
}

/// Only the kernels that have pairs run.
#[test]
fn frames_of_one_kind_do_no_work_for_the_others() {
    use obbligato::unstable::gpu::dispatches_of;
    let mut checker = gpu_checker(Config::default());
    for (k, scene) in mixtures(300).iter().enumerate() {
        let bodies = scene.bodies();
        let counts = BodyCounts::from(bodies);
        let buffer = checker.upload_bodies(bodies).expect("memory");
        let mut encoder = checker.device().create_command_encoder(&Default::default());
        let recorded: Recorded = checker
            .record(&mut encoder, FrameQuery::bodies(&buffer, counts))
            .expect("a frame");
        let (_, dispatched) = dispatches_of(|| {
            checker
                .record(&mut encoder, ContactsOf::new(&recorded, 1000))
                .expect("contacts");
            checker
                .record(&mut encoder, ClosestPointsOf(&recorded))
                .expect("closest points");
        });
        let kernels = |of_boxes: &'static str, of_others: &'static str| {
            let of_boxes = (counts.boxes > 0).then_some(of_boxes);
            of_boxes
                .into_iter()
                .chain((counts.capsules + counts.spheres > 0).then_some(of_others))
        };
        let expected: Vec<_> = kernels("obb_manifolds", "round_manifolds")
            .chain(kernels("obb_closest_points", "round_closest_points"))
            .collect();
        assert_eq!(dispatched, expected, "mixture {k}");
    }
}
