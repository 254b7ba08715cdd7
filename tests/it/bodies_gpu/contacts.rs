//! Contacts and closest points of recorded frames of bodies of any kind: invariants on hard and on
//! random pairs, in either order, and agreement with `f64`.

mod frames;
mod hard_pairs;

use std::collections::BTreeSet;

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::gpu::{ClosestPointsOf, ContactsOf};
use obbligato::{
    Bodies, Capsule, Config, GpuConfig, Obb, Pair, Precision, Rules, Sphere,
    contact::{Feature, Penetration},
    wgpu,
};
use obbligato::{
    GpuChecker,
    gpu::{ClosestRecord, FrameQuery, ManifoldRecord, Outcome, PointRecord, RulesOf},
};

use crate::bodies::Scene;
use crate::bodies_gpu::all_settings;
use crate::body_contacts::{Body, Random, least_overlap, of_coordinates, overlap, size};
use crate::support::gpu::gpu_checker;

/// The slop, in units of the smaller body, the preference for faces, and the amount that `f32` adds
/// to the tolerance, in units of the pair's size.
const SLOP: f64 = 1e-4;
const PREFERENCE: f64 = 0.01;
const ROUNDING: f64 = 6e-6;
/// The error that `ClosestRecord` promises, in units of the pair's size: 128 · 2^-23.
const PROMISED: f64 = 1.53e-5;

/// A frame's pairs, and the records about them.
struct Frame {
    pairs: Vec<Pair>,
    manifolds: Vec<ManifoldRecord>,
    points: Vec<PointRecord>,
    points_needed: u32,
    closest: Vec<ClosestRecord>,
}

impl Frame {
    fn points_of(&self, k: usize) -> &[PointRecord] {
        let manifold = &self.manifolds[k];
        &self.points[manifold.first as usize..][..manifold.len()]
    }
}

/// Records contacts and closest points of a frame, and reads them after they have run.
fn run(checker: &mut GpuChecker, max_points: u32, query: FrameQuery<'_>) -> Frame {
    let mut encoder = checker.device().create_command_encoder(&Default::default());
    let recorded = checker.record(&mut encoder, query).expect("a frame");
    let contacts = checker
        .record(&mut encoder, ContactsOf::new(&recorded, max_points))
        .expect("contacts");
    let closest = checker
        .record(&mut encoder, ClosestPointsOf(&recorded))
        .expect("closest points");
    // The records of the previous frame belong to other pairs.
    let mut first = checker.device().create_command_encoder(&Default::default());
    for buffer in [&contacts.manifolds, &contacts.points, &closest] {
        first.clear_buffer(buffer, 0, None);
    }
    checker.queue().submit([first.finish(), encoder.finish()]);
    let outcome: Outcome = checker.read(&recorded.outcome, 1).expect("an outcome")[0];
    assert_eq!(outcome.fits, 1, "{outcome:?}");
    let points_needed = checker.read::<u32>(&contacts.counts, 1).expect("counts")[0];
    Frame {
        pairs: checker.read(&recorded.pairs, outcome.pairs).expect("pairs"),
        manifolds: checker.read(&contacts.manifolds, outcome.pairs).expect("manifolds"),
        points: checker
            .read(&contacts.points, points_needed.min(max_points))
            .expect("points"),
        points_needed,
        closest: checker.read(&closest, outcome.pairs).expect("closest points"),
    }
}

/// Every pair has a manifold, and every point belongs to one.
#[track_caller]
fn expect_whole(what: &str, frame: &Frame) {
    let mut used = vec![false; frame.points_needed as usize];
    for (k, manifold) in frame.manifolds.iter().enumerate() {
        assert!(!manifold.is_empty(), "{what} {k}: no points");
        for place in &mut used[manifold.first as usize..][..manifold.len()] {
            assert!(!std::mem::replace(place, true), "{what} {k}: a point of two pairs");
        }
    }
    assert!(used.iter().all(|&used| used), "{what}: a point of no pair");
}

/// The largest possible rounding error.
fn rounding(a: &Body, b: &Body) -> f64 {
    of_coordinates(a, b) + 4e-18
}

/// Returns `true` if neither body has a radius: then cores that meet may be undecided however deep
/// they are in each other.
fn without_radius(a: &Body, b: &Body) -> bool {
    [a, b].iter().all(|body| match body {
        Body::Box(_) => true,
        Body::Capsule(capsule) => capsule.radius == 0.0,
        Body::Sphere(sphere) => sphere.radius == 0.0,
    })
}

/// Asserts the invariants of the closest points of a pair.
fn expect_closest(what: &str, a: &Body, b: &Body, record: &ClosestRecord) {
    let found = record.closest_points(a.of());
    let context = || format!("{what}: {found:?} {}\n{a:?}\n{b:?}", record.bits);
    let error = PROMISED * size(a, b) + rounding(a, b);
    let distance = a.of().distance(b.of());
    assert!((found.distance - distance).abs() <= error, "{distance}: {}", context());
    assert!(found.distance == 0.0 || distance > 0.0, "{distance}: {}", context());
    if record.is_undecided() {
        assert_eq!(found.distance, 0.0, "{}", context());
        let depth = a
            .of()
            .manifold(b.of())
            .map_or(0.0, |manifold| manifold.penetration().depth);
        assert!(
            depth <= 2.0 * error || without_radius(a, b),
            "{depth} deep: {}",
            context()
        );
    } else {
        assert_eq!(found.distance == 0.0, distance == 0.0, "{}", context());
    }
    let apart = found.on_a.distance(found.on_b);
    assert!((apart - found.distance).abs() <= error, "{apart} apart: {}", context());
    assert!(a.outside(found.on_a) <= error, "on A: {}", context());
    assert!(b.outside(found.on_b) <= error, "on B: {}", context());
}

/// Asserts the invariants of the contacts of a pair. If they collide, returns `true` if normal and
/// features are those of `f64`.
fn expect_contacts(what: &str, [a, b]: [&Body; 2], frame: &Frame, k: usize, random: &mut Random) -> Option<bool> {
    let (record, points) = (&frame.manifolds[k], frame.points_of(k));
    let expected = a.of().manifold(b.of());
    let Penetration { normal, depth, .. } = record.penetration();
    let context = || format!("{what}: {record:?}\n{points:?}\n{expected:?}\n{a:?}\n{b:?}");
    let (size, rounding) = (size(a, b), rounding(a, b));
    let tolerance = SLOP * a.size().min(b.size()) + ROUNDING * size + rounding;
    assert!(expected.is_some() || record.is_undecided(), "{}", context());
    assert!((normal.length() - 1.0).abs() < 1e-5, "{}", context());
    assert!(points.len() <= 2 && depth >= 0.0, "{}", context());
    let expected = expected?;
    if record.is_undecided() {
        let shallow = expected.penetration().depth <= 2.0 * PROMISED * size + rounding;
        assert!(shallow || without_radius(a, b), "{}", context());
    }

    // Moved by the depth along the normal, B only touches A, and no other translation is much
    // shorter.
    let along = overlap(a, b, normal.normalize());
    let off = (along.max(0.0) - depth).abs();
    assert!(off <= ROUNDING * size + rounding, "overlap {along}: {}", context());
    let least = least_overlap(a, b, normal.normalize(), random);
    let preferred = match a.is_box() || b.is_box() {
        true => PREFERENCE * depth + tolerance,
        false => 0.0,
    };
    assert!(
        depth <= least.max(0.0) + preferred + ROUNDING * size + rounding,
        "{least}: {}",
        context()
    );
    for point in points {
        let point = point.contact_point(a.of(), record);
        assert!((0.0..=depth).contains(&point.depth), "{}", context());
        assert!(a.outside(point.on_a) <= 4.0 * tolerance, "on A: {}", context());
        assert!(b.outside(point.on_b) <= 4.0 * tolerance, "on B: {}", context());
        for (body, feature) in [(a, point.feature_a), (b, point.feature_b)] {
            assert_eq!(body.is_box(), !matches!(feature, Feature::Round(_)), "{}", context());
        }
    }
    let found = record.penetration();
    let features = |found: &Penetration| (found.feature_a, found.feature_b, found.reference);
    let of_points = |points: &mut dyn Iterator<Item = (Feature, Feature)>| points.collect::<BTreeSet<_>>();
    let (own, theirs) = (
        of_points(
            &mut points
                .iter()
                .map(|point| (Feature::from_bits(point.bits), Feature::from_bits(point.bits >> 8))),
        ),
        of_points(&mut expected.points().iter().map(|point| (point.feature_a, point.feature_b))),
    );
    let same = found.normal.distance(expected.penetration().normal) < 1e-3
        && features(&found) == features(expected.penetration())
        && own == theirs;
    Some(same)
}

/// Bodies in the order in which they are numbered, and their positions in that order.
fn scene_of(bodies: &[Body]) -> (Scene, Vec<u32>) {
    let mut scene = Scene::default();
    for body in bodies {
        match body {
            Body::Box(obb) => scene.boxes.push(*obb),
            Body::Capsule(capsule) => scene.capsules.push(*capsule),
            Body::Sphere(sphere) => scene.spheres.push(*sphere),
        }
    }
    let mut next = [0, scene.boxes.len(), scene.boxes.len() + scene.capsules.len()];
    let positions = bodies.iter().map(|body| {
        let next = match body {
            Body::Box(_) => &mut next[0],
            Body::Capsule(_) => &mut next[1],
            Body::Sphere(_) => &mut next[2],
        };
        *next += 1;
        *next as u32 - 1
    });
    let positions = positions.collect();
    (scene, positions)
}

/// The contacts and closest points of pairs, in the order of the pairs. Each pair is in a world of
/// its own, the first body at rest and the second as a mover, both with this margin.
fn frame_of(checker: &mut GpuChecker, margin: f32, pairs: &[[Body; 2]]) -> Frame {
    let sides = [0, 1].map(|k| scene_of(&pairs.iter().map(|pair| pair[k]).collect::<Vec<_>>()));
    let worlds = sides.each_ref().map(|(_, positions)| {
        let mut worlds = vec![0; positions.len()];
        positions
            .iter()
            .zip(0..)
            .for_each(|(&position, world)| worlds[position as usize] = world);
        worlds
    });
    let margins = vec![margin; pairs.len()];
    let rules = worlds.each_ref().map(|worlds| Rules {
        worlds: Some(worlds),
        margins: Some(&margins),
        ..Rules::default()
    });
    let [resting, moving] = sides.each_ref().map(|(scene, _)| scene.bodies());
    let scene = checker.checker().prepare(resting.with(rules[0])).expect("a scene");
    let rules = checker
        .upload_rules(RulesOf::against(&scene, &rules[1], pairs.len() as u32))
        .expect("rules");
    let movers = checker.upload_bodies(moving).expect("memory");
    let query = FrameQuery::bodies_against(&scene, &movers, moving.into()).with(&rules);
    let mut frame = run(checker, 8 * pairs.len() as u32, query);
    expect_whole("pairs", &frame);
    let mut order: Vec<usize> = (0..frame.pairs.len()).collect();
    order.sort_by_key(|&k| worlds[0][frame.pairs[k].a as usize]);
    let found: Vec<u32> = order.iter().map(|&k| worlds[0][frame.pairs[k].a as usize]).collect();
    assert!(found.into_iter().eq(0..pairs.len() as u32), "a pair is missing");
    frame.pairs = order.iter().map(|&k| frame.pairs[k]).collect();
    frame.manifolds = order.iter().map(|&k| frame.manifolds[k]).collect();
    frame.closest = order.iter().map(|&k| frame.closest[k]).collect();
    frame
}

/// A checker that lists all pairs within the bodies' margins, and those that f32 cannot decide.
fn lists_all(gpu: GpuConfig) -> GpuChecker {
    let config = Config {
        precision: Precision::Conservative,
        gpu,
        ..Config::default()
    };
    gpu_checker(config)
}

/// Compares pairs with `f64`, and with the other order. Returns the number of pairs that are apart,
/// that are undecided, that collide, and that collide as in `f64`.
fn hold(what: &str, checker: &mut GpuChecker, margin: f32, pairs: &[[Body; 2]]) -> [usize; 4] {
    let frame = frame_of(checker, margin, pairs);
    let turned: Vec<[Body; 2]> = pairs.iter().map(|[a, b]| [*b, *a]).collect();
    let back = frame_of(checker, margin, &turned);
    let mut random = Random::new(1);
    let mut tally = [0; 4];
    for (k, [a, b]) in pairs.iter().enumerate() {
        let what = format!("{what} {k}");
        expect_closest(&what, a, b, &frame.closest[k]);
        expect_closest(&what, b, a, &back.closest[k]);
        let same = expect_contacts(&what, [a, b], &frame, k, &mut random);
        expect_contacts(&what, [b, a], &back, k, &mut random);
        let (one, other) = (frame.manifolds[k].penetration(), back.manifolds[k].penetration());
        // Of spheres with equal center and radius none is the first.
        if a.center() != b.center() || a.lengths() != b.lengths() {
            assert_eq!(one, other.swapped(), "{what}: {a:?} {b:?}");
        }
        assert_eq!(frame.closest[k].distance, back.closest[k].distance, "{what}");
        assert_eq!(frame.closest[k].bits, back.closest[k].bits, "{what}");
        assert_eq!(frame.points_of(k).len(), back.points_of(k).len(), "{what}");
        tally[0] += usize::from(same.is_none());
        tally[1] += usize::from(frame.manifolds[k].is_undecided() && same.is_some());
        tally[2] += usize::from(same.is_some());
        tally[3] += usize::from(same == Some(true));
    }
    tally
}

#[test]
fn random_pairs_of_all_kinds_match_f64_in_either_order() {
    for (name, settings) in all_settings(&GpuConfig::default()) {
        let mut checker = lists_all(settings);
        // The cases of `Random` that are far from the origin, and those that are tiny or large,
        // have frames of their own.
        for (scale, remainder) in [(1.0, 2), (2f32.powi(40), 1), (2f32.powi(-120), 0)] {
            let cases = (0..1_000u64).map(|case| 7 * case + remainder);
            let pairs: Vec<[Body; 2]> = cases.map(|case| Random::new(case).pair()).collect();
            let tally = hold(&format!("{name}, {scale}:"), &mut checker, 32.0 * scale, &pairs);
            println!("{name}, {scale}: {tally:?}");
            let [apart, undecided, collide, same] = tally;
            assert!(apart > 250 && collide > 250, "{tally:?}");
            if scale >= 1.0 {
                // Many are level, or equally deep in two directions, where the slop decides.
                assert!(undecided < 150 && 5 * same > 4 * collide, "{tally:?}");
            }
        }
    }
}

/// Contacts worked out by hand, of a capsule on a floor and a sphere on both.
#[test]
fn recorded_contacts_by_hand() {
    let floor = [Obb::axis_aligned(Vec3::ZERO, Vec3::new(5.0, 5.0, 1.0))];
    let lying = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);
    let capsules = [Capsule::new(Vec3::new(4.0, 0.0, 1.25), 2.0, lying, 0.5)];
    let spheres = [Sphere::new(Vec3::new(3.0, 0.875, 1.25), 0.5)];
    let bodies = Bodies {
        boxes: &floor,
        capsules: &capsules,
        spheres: &spheres,
    };
    let mut checker = gpu_checker(Config::default());
    let buffer: wgpu::Buffer = checker.upload_bodies(bodies).expect("memory");
    let frame = run(&mut checker, 100, FrameQuery::bodies(&buffer, bodies.into()));
    let mut found: Vec<_> = (0..frame.pairs.len()).collect();
    found.sort_by_key(|&k| frame.pairs[k]);
    let expected: [(Pair, DVec3, f64, &[DVec3]); 3] = [
        (
            Pair::new(0, 1),
            DVec3::Z,
            0.25,
            &[DVec3::new(2.0, 0.0, 1.0), DVec3::new(5.0, 0.0, 1.0)],
        ),
        (Pair::new(0, 2), DVec3::Z, 0.25, &[DVec3::new(3.0, 0.875, 1.0)]),
        (Pair::new(1, 2), DVec3::Y, 0.125, &[DVec3::new(3.0, 0.5, 1.25)]),
    ];
    assert_eq!(found.len(), expected.len());
    for (k, (pair, normal, depth, points)) in found.into_iter().zip(expected) {
        let manifold = &frame.manifolds[k];
        let penetration = manifold.penetration();
        assert_eq!(frame.pairs[k], pair);
        assert!(penetration.normal.distance(normal) < 1e-6, "{pair:?}: {penetration:?}");
        assert!((penetration.depth - depth).abs() < 1e-6, "{pair:?}: {penetration:?}");
        let own = frame
            .points_of(k)
            .iter()
            .map(|point| point.contact_point(bodies.at(pair.a), manifold).on_a);
        let own: Vec<DVec3> = own.collect();
        assert_eq!(own.len(), points.len(), "{pair:?}: {own:?}");
        let near = |a: &DVec3, b: &DVec3| a.distance(*b) < 1e-5;
        assert!(
            points.iter().all(|point| own.iter().any(|own| near(own, point))),
            "{pair:?}: {own:?}"
        );
        assert!(!manifold.is_undecided(), "{pair:?}");
    }
}
