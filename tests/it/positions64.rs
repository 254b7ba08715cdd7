//! Boxes with centers in `f64`: exact at any position, equal on every backend, and equal to `f32`
//! where `f32` can represent them.

mod rules_and_outputs;

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::unstable::exact::classify_each_way64;
use obbligato::unstable::separating_axes::Decision;
use obbligato::{
    Checker, Config, Error, Obb, Obb64, Pair,
    contact::{Contact, ContactPoint, Manifold, closest_points, contacts},
    shape::{COORDINATE_LIMIT, Shapes},
};
use obbligato_verify::adversarial;
use obbligato_verify::reference;
use obbligato_verify::reference::oracle;
use obbligato_verify::scenes::Scene;

use crate::support::cases::Numbers;
use crate::support::gpu::{backends, check, cpu, expect_pairs, expect_same};
use crate::support::positions::moved;

/// The positions that scenes are moved to: places on a map, and up to the limit of coordinates.
const FAR: [DVec3; 6] = [
    DVec3::new(4e6, 5.5e6, 120.0),
    DVec3::new(-4_123_456.789, 1e6 / 3.0, -0.1),
    DVec3::new(1e7, -1e7, 1e7),
    DVec3::new(1e10, 1e3, -1e12),
    DVec3::new(-1e15, 1e15, 1e14),
    DVec3::new(0.5e18, -1e18, 1e17),
];

/// Boxes of a scene far away, each moved by less than `f32` can resolve there.
fn far_scene(scene: Scene, count: usize, by: DVec3) -> Vec<Obb64> {
    let mut numbers = Numbers::new(count as u64);
    let mut part = || f64::from(numbers.part()) * 1e-3;
    let boxes = scene.generate(count, 7);
    let mut at = |obb: &Obb| moved(obb, by + DVec3::new(part(), part(), part()));
    boxes.iter().map(&mut at).collect()
}

fn pairs_of(contacts: &[(Pair, Contact)], wanted: impl Fn(Contact) -> bool) -> Vec<Pair> {
    let those = contacts.iter().filter(|(_, contact)| wanted(*contact));
    those.map(|(pair, _)| *pair).collect()
}

/// The backends, with settings that list touching pairs.
fn listing_backends() -> Vec<(&'static str, Checker)> {
    backends(&Config {
        list_touching: true,
        ..Config::default()
    })
}

/// Compares every backend with the reference, in all results.
fn expect_all(what: &str, backends: &mut [(&str, Checker)], boxes: &[Obb64]) -> Vec<Pair> {
    let contacts = reference::contacts64(boxes);
    let pairs = pairs_of(&contacts, |_| true);
    let touching = pairs_of(&contacts, |contact| contact == Contact::Touching);
    for (name, checker) in backends {
        let what = format!("{what}, {name}");
        let report = checker.check(boxes).unwrap_or_else(|error| panic!("{what}: {error}"));
        expect_pairs(&what, &pairs, report.pairs().expect("asked for"));
        expect_pairs(&what, &touching, report.touching().expect("asked for"));
        assert_eq!(report.touching_pairs, Some(touching.len() as u64), "{what}");
        assert_eq!(report.near_pairs, Some(0), "{what}");
        assert_eq!(report.boxes, boxes.len(), "{what}");
    }
    pairs
}

/// Every code path against rational arithmetic, for hard pairs: in place, far away, and slightly
/// moved.
#[test]
fn every_code_path_is_correct() {
    let mut counts = [0; 3];
    let mut ways = [0; 5];
    for index in 0..150_000u64 {
        let (a, b) = adversarial::pair(index, 64);
        let place = FAR[(index / 13 % 6) as usize] * if index % 2 == 0 { 0.0 } else { 1.0 };
        let (a, mut b) = (moved(&a, place), moved(&b, place));
        match index / 26 % 3 {
            0 => {}
            1 => b.center.x = b.center.x.next_up(),
            _ => b.center *= 1.0 + 1e-13,
        }
        if a.problem().or(b.problem()).is_some() {
            continue;
        }
        let expected = oracle::contact64(&a, &b);
        counts[expected as usize] += 1;
        assert_eq!(a.contact(&b), expected, "{a:?} {b:?}");
        assert_eq!(b.contact(&a), expected, "{b:?} {a:?}");
        let manifold = a.manifold(&b);
        assert_eq!(manifold.is_some(), expected.collides(), "{a:?} {b:?}");
        assert!(
            a == b || b.manifold(&a).map(Manifold::swapped) == manifold,
            "{a:?} {b:?}"
        );
        let found = classify_each_way64(&a, &b);
        let of_f64 = match found.f64 {
            Decision::Decided(contact) => Some(contact),
            Decision::Unclear(_) => None,
        };
        let all = [found.short, found.aligned, of_f64, found.parallel, Some(found.general)];
        for (way, count) in all.iter().zip(&mut ways) {
            if let Some(contact) = way {
                *count += 1;
                assert_eq!(*contact, expected, "{found:?} of {a:?} {b:?}");
            }
        }
    }
    println!("separated, touching, overlapping: {counts:?}; short, aligned, f64, parallel, general: {ways:?}");
    assert!(counts.iter().all(|count| *count > 2000), "{counts:?}");
    assert!(ways.iter().all(|count| *count > 5000), "{ways:?}");
}

/// Boxes far away have the same contacts as at the origin: the computation uses only the difference
/// of the centers, and only points are rounded at their position.
#[test]
fn contacts_are_those_at_the_origin() {
    let place = DVec3::new(4_194_304.0, -5_500_000.0, 120.0);
    for scene in [Scene::Dense, Scene::Bricks, Scene::Sticks, Scene::Crowd] {
        let mut near = scene.generate(3000, 3);
        for obb in &mut near {
            obb.center = (obb.center * 1024.0).round() / 1024.0;
        }
        let far: Vec<Obb64> = near.iter().map(|obb| moved(obb, place)).collect();
        let exact = |(a, b): (&Obb, &Obb64)| b.center - place == a.center.as_dvec3();
        assert!(near.iter().zip(&far).all(exact), "nothing is rounded");
        let pairs = reference::contacts64(&far)
            .iter()
            .map(|(pair, _)| *pair)
            .collect::<Vec<Pair>>();
        let (of_near, of_far) = (
            contacts([&near, &near], &pairs).expect("the pairs are of these boxes"),
            contacts([&far, &far], &pairs).expect("the pairs are of these boxes"),
        );
        assert!(
            pairs.len() > 500 && of_near.penetrations() == of_far.penetrations(),
            "{scene:?}"
        );
        assert_eq!(of_near.offsets(), of_far.offsets(), "{scene:?}");
        for (one, other) in of_near.points().iter().zip(of_far.points()) {
            for (here, there) in [(one.on_a, other.on_a), (one.on_b, other.on_b)] {
                assert!((there - place - here).abs().max_element() <= 1e-9, "{one:?} {other:?}");
            }
            let rest = |point: &ContactPoint| (point.depth, point.feature_a, point.feature_b);
            assert_eq!(rest(one), rest(other));
        }
        for (k, pair) in pairs.iter().enumerate() {
            let manifold = far[pair.a as usize]
                .manifold(&far[pair.b as usize])
                .expect("they collide");
            assert_eq!(Some(*manifold.penetration()), of_far.penetrations()[k]);
            assert_eq!(manifold.points(), of_far.points_of(k));
        }
        let closest = closest_points([&far, &far], &pairs).expect("the pairs are of these boxes");
        assert!(closest.iter().all(|closest| closest.distance == 0.0));
    }
    let beyond = [Pair::new(0, 1)];
    let error = contacts([Shapes::from(&[] as &[Obb64]); 2], &beyond).expect_err("there are no boxes");
    assert!(matches!(error, Error::InvalidPair { .. }), "{error}");
    assert!(closest_points([Shapes::from(&[] as &[Obb64]); 2], &beyond).is_err());
}

/// Touching boxes whose difference needs more digits than `f32` has, along a face of a rotated box.
#[test]
fn turned_boxes_touch_far_away() {
    // |q|² is 1025 / 1024, so these columns are 1025 / 1024 long.
    let turn = Quat::from_xyzw(0.0, 0.0, 0.625, 0.78125);
    let across = DVec3::new(0.78125 * 0.78125 - 0.625 * 0.625, 2.0 * 0.625 * 0.78125, 0.0);
    let along = DVec3::new(-across.y, across.x, 0.0);
    let n = 1025.0 / 1024.0;
    let mut longer = 0;
    for k in 1..200 {
        let reach = f64::from(k) / 16.0;
        let half = Vec3::new((n * reach * 0.5) as f32, 2.0, 1.0);
        let slide = f64::from(k * 7919) / f64::from(1 << 18);
        let d = across * reach + along * slide;
        let place = DVec3::new(4_194_304.0, -4_194_304.0, 1024.0);
        let a = Obb64::new(place, half, turn);
        let b = Obb64::new(place + d, half, turn);
        assert_eq!(b.center - a.center, d, "nothing is rounded");
        longer += u32::from(d.as_vec3().as_dvec3() != d);
        let expected = if slide * n <= 4.0 {
            Contact::Touching
        } else {
            Contact::Separated
        };
        assert_eq!(a.contact(&b), expected, "{k}");
        assert_eq!(oracle::contact64(&a, &b), expected, "{k}");
        let one_step = [(1.0, Contact::Separated), (-1.0, Contact::Overlapping)];
        for (way, then) in one_step
            .into_iter()
            .filter(|_| expected == Contact::Touching && slide < 3.9)
        {
            let mut off = b;
            off.center.x += way * 2f64.powi(-30);
            assert_eq!(a.contact(&off), then, "{k}, {way}");
        }
    }
    assert!(longer > 100, "{longer} differences are longer than f32");
}

/// Millimetres, and the smallest distance that `f64` can resolve, 4,000 km away.
#[test]
fn x5_small_gaps_far_away() {
    use Contact::{Overlapping, Separated, Touching};
    let cube = |x: f64, y: f64| Obb64::axis_aligned(DVec3::new(x, y, 0.0), Vec3::splat(0.5));
    let here = 4e6;
    let a = cube(here, -here);
    let mut backends = listing_backends();
    for (x, expected) in [
        (1.0, Touching),
        (1.001, Separated),
        (0.999, Overlapping),
        (1.0 + 1e-9, Separated),
        (1.0 - 1e-9, Overlapping),
    ] {
        let b = cube(here + x, -here + 0.25);
        assert_eq!(a.contact(&b), expected, "{x}");
        let pairs: &[Pair] = if expected == Separated { &[] } else { &[Pair::new(0, 1)] };
        let name = format!("{x}");
        assert_eq!(expect_all(&name, &mut backends, &[a, b]), pairs);
    }
    // In f32 all of these are at one place.
    let places = (0..1000).map(|k| cube(here + f64::from(k) * 1.5, here).center);
    let row: Vec<Obb64> = places
        .map(|center| Obb64::axis_aligned(center * 1e3, Vec3::splat(0.75e3)))
        .collect();
    assert_eq!(expect_all("a row", &mut backends, &row).len(), 999);
}

#[test]
fn scenes_far_away() {
    let mut backends = listing_backends();
    for (place, by) in FAR.into_iter().enumerate() {
        // At the place where f64 is coarser than the boxes they coincide.
        let scenes: &[Scene] = match place {
            0 => &Scene::ALL,
            1..4 => &[Scene::Uniform, Scene::Bricks, Scene::Sticks],
            _ => &[Scene::Uniform],
        };
        for &scene in scenes {
            let boxes = far_scene(scene, 700, by);
            let pairs = expect_all(&format!("{scene} at {by}"), &mut backends, &boxes);
            assert!(pairs.len() > 50, "{scene} at {by}: {} pairs", pairs.len());
        }
    }
}

/// Scenes that do not fit in `f32`: as large as a planet, with boxes of all sizes.
#[test]
fn x5_scenes_as_large_as_a_planet() {
    let mut backends = listing_backends();
    let mut numbers = Numbers::new(5);
    let mut cities = Vec::new();
    for city in 0..8 {
        let turn = f64::from(city) * 0.785;
        let place = DVec3::new(6.4e6 * turn.cos(), 6.4e6 * turn.sin(), 1e6 * f64::from(city));
        let scene = [Scene::Uniform, Scene::Mixed, Scene::Bricks, Scene::Sticks][city as usize % 4];
        cities.extend(far_scene(scene, 300, place));
    }
    let pairs = expect_all("cities", &mut backends, &cities);
    assert!(pairs.len() > 500, "{}", pairs.len());
    let mut random = |size: f64| f64::from(numbers.part() - 0.5) * size;
    let sparse: Vec<Obb64> = (0..3000)
        .map(|k| {
            let center = DVec3::new(random(1e4), random(1e4), random(1e4)) * 1e3;
            let turn = Quat::from_rotation_y(k as f32);
            Obb64::new(center, Vec3::splat(2f32.powi(k % 25 - 5)), turn)
        })
        .collect();
    expect_all("boxes of all sizes", &mut backends, &sparse);
}

/// `f32` can represent these scenes, so nothing may differ, down to the number of undecided pairs.
#[test]
fn scenes_of_f32_are_the_same() {
    let config = Config {
        list_touching: true,
        ..Config::default()
    };
    let (mut checker, mut backends) = (cpu(config.clone()), backends(&config));
    for scene in Scene::ALL {
        let plain = scene.generate(5000, 3);
        let wide: Vec<Obb64> = plain.iter().copied().map(Obb64::from).collect();
        let expected = check(&mut checker, "plain", &plain);
        for (name, checker) in &mut backends {
            let report = checker.check(&wide).expect("valid boxes");
            expect_same(&format!("{scene}, {name}"), &expected, &report);
        }
        let found = checker.check(&wide).expect("valid boxes");
        // Centers are subtracted in f64 here, and rounded once.
        assert!(
            found.undecided_pairs.abs_diff(expected.undecided_pairs) <= 2 + expected.undecided_pairs / 10,
            "{scene}: {} and {}",
            found.undecided_pairs,
            expected.undecided_pairs
        );
    }
}

#[test]
fn tiny_scenes() {
    let mut backends = listing_backends();
    for (size, what) in [(1e-20, "small"), (1e-36, "tiny"), (3e-42, "subnormal")] {
        let boxes: Vec<Obb64> = far_scene(Scene::Uniform, 400, DVec3::ZERO)
            .into_iter()
            .map(|obb| Obb64 {
                center: obb.center * size,
                half_extents: (obb.half_extents.as_dvec3() * size).as_vec3(),
                ..obb
            })
            .collect();
        assert!(expect_all(what, &mut backends, &boxes).len() > 100);
        // Far fewer than all pairs.
        let report = cpu(Config::default()).check(&boxes).expect("valid boxes");
        assert!(report.candidate_pairs < 4000, "{what}: {}", report.candidate_pairs);
    }
    // Points that f32 cannot represent.
    let points: Vec<Obb64> = (0..300)
        .map(|k| Obb64::axis_aligned(DVec3::new(f64::from_bits(1) * f64::from(k / 2), 0.0, 0.0), Vec3::ZERO))
        .collect();
    assert_eq!(expect_all("points", &mut backends, &points).len(), 150);
    let nothing: [Obb64; 0] = [];
    assert!(expect_all("nothing", &mut backends, &nothing).is_empty());
    let limit = f64::from(COORDINATE_LIMIT);
    let ends = [-limit, limit].map(|x| Obb64::axis_aligned(DVec3::splat(x), Vec3::splat(COORDINATE_LIMIT)));
    assert_eq!(expect_all("the limits", &mut backends, &ends), [Pair::new(0, 1)]);
    // The boxes around them are larger than a box of the caller may be.
    let near_ends = [-limit, 0.999_999_9 * limit];
    let near_ends = near_ends.map(|x| Obb64::axis_aligned(DVec3::splat(x), Vec3::splat(COORDINATE_LIMIT)));
    assert_eq!(
        expect_all("nearly the limits", &mut backends, &near_ends),
        [Pair::new(0, 1)]
    );
}

/// A building far away has the pairs that it has at the origin, where all its numbers have a place.
#[test]
fn a_building_on_the_map() {
    let file = crate::words::project().join("tests/data/building.csv");
    let mut boxes = obbligato_files::read_scene(&file, None)
        .expect("the file is sound")
        .boxes;
    // Multiples of 2^-29 m, which f64 can represent up to 2^24 m.
    let part = f32::from_bits((127 + 29) << 23);
    let whole = |length: f32| (length * part).round() / part;
    for obb in &mut boxes {
        obb.center = Vec3::from_array(obb.center.to_array().map(whole));
    }
    let config = Config {
        list_touching: true,
        ..Config::default()
    };
    let mut backends = backends(&config);
    let expected = check(&mut cpu(config), "at the origin", &boxes);
    assert!(expected.touching_pairs > Some(20), "{:?}", expected.touching_pairs);
    for by in [DVec3::new(4e6, 5.5e6, 120.0), DVec3::new(-4e6, 4_000_000.5, 0.0)] {
        let there: Vec<Obb64> = boxes.iter().map(|obb| moved(obb, by)).collect();
        assert!(
            there
                .iter()
                .zip(&boxes)
                .all(|(a, b)| a.center - by == b.center.as_dvec3())
        );
        for (name, checker) in &mut backends {
            let report = checker.check(&there).expect("valid boxes");
            expect_same(&format!("{by}, {name}"), &expected, &report);
        }
    }
}
