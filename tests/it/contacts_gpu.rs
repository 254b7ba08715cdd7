//! Contact manifolds, distances and closest points computed on the GPU: invariants on hard and on
//! random pairs, with every way to compile the shaders, and agreement with `f64`.

mod lists;
mod stable;

use std::cell::RefCell;
use std::collections::BTreeSet;

use obbligato::glam::{Quat, Vec3};
use obbligato::query::{ContactQuery, DistanceQuery};
use obbligato::{
    Checker, Config, GpuConfig, Obb, Pair,
    contact::{ClosestPoints, ContactPoint, Contacts, Penetration, contacts},
};
use obbligato_verify::adversarial;
use obbligato_verify::reference;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::support::cases::Numbers;
use crate::support::gpu::{gpu, gpu_with};
use crate::support::random;
use crate::support::solids::{outside, overlap, overlaps, size};

/// The slop, in units of the smaller box; the preference for faces, as a fraction.
const SLOP: f64 = 1e-4;
const PREFERENCE: f64 = 0.01;
/// The amounts that `f32` adds to every tolerance, in units of the size of a pair, and to the depth
/// along nearly parallel edges.
const ROUNDING: f64 = 6e-6;
const PARALLEL: f64 = 2.5e-4;

/// The tolerance of lengths.
fn tolerance(a: &Obb, b: &Obb) -> f64 {
    let largest = |solid: &Obb| f64::from(solid.half_extents.max_element());
    let coordinates = f64::from(a.center.abs().max(b.center.abs()).max_element());
    SLOP * largest(a).min(largest(b)) + ROUNDING * size(a, b) + 4e-16 * coordinates + 1e-18
}

/// Asserts the invariants of the contacts of a pair.
fn expect_contacts(name: &str, a: &Obb, b: &Obb, penetration: Option<&Penetration>, points: &[ContactPoint]) {
    let context = || format!("{name}: {penetration:#?}\n{points:#?}\n{a:?}\n{b:?}");
    assert_eq!(penetration.is_some(), a.contact(b).collides(), "{}", context());
    let Some(&Penetration { normal, depth, .. }) = penetration else {
        assert!(points.is_empty(), "{}", context());
        return;
    };
    let tolerance = tolerance(a, b);
    assert!((normal.length() - 1.0).abs() < 1e-5, "{}", context());
    // Moved by the depth, B is clear of A along the normal, and by less it is not; and no other
    // axis needs a much shorter translation.
    let along = overlap(a, b, normal.normalize());
    let apart = along.max(0.0) - depth;
    assert!(
        apart.abs() <= tolerance + PARALLEL * depth.min(tolerance),
        "{along}: {}",
        context()
    );
    let axes = overlaps(a, b).into_iter();
    let least = axes.map(|(overlap, _)| overlap).fold(f64::INFINITY, f64::min);
    let preferred = depth * PREFERENCE + 3.0 * tolerance + PARALLEL * size(a, b);
    assert!(depth <= least.max(0.0) + preferred, "{least}: {}", context());

    assert!((1..=8).contains(&points.len()), "{}", context());
    for point in points {
        for (solid, place) in [(a, point.on_a), (b, point.on_b)] {
            let outside = outside(solid, place);
            assert!(
                outside <= 4.0 * tolerance,
                "{outside:e} outside, {tolerance:e} {least:e}: {}",
                context()
            );
        }
        assert!((0.0..=depth + 2.0 * tolerance).contains(&point.depth), "{}", context());
        let aside = point.on_a - point.on_b - point.depth * normal;
        let coordinates = f64::from(a.center.abs().max(b.center.abs()).max_element());
        assert!(
            aside.length() <= 1e-14 * size(a, b) + 4e-16 * coordinates,
            "{}",
            context()
        );
    }
    let names: BTreeSet<_> = points.iter().map(|point| (point.feature_a, point.feature_b)).collect();
    assert_eq!(names.len(), points.len(), "{}", context());
}

/// Asserts the invariants of the closest points of a pair.
fn expect_closest(name: &str, a: &Obb, b: &Obb, found: &ClosestPoints) {
    let context = || format!("{name}: {found:#?}\n{a:?}\n{b:?}");
    let error = 1.6e-5 * size(a, b) + 1e-17;
    let coordinates = 1e-15 * f64::from(a.center.abs().max(b.center.abs()).max_element());
    assert_eq!(found.distance == 0.0, a.distance(b) == 0.0, "{}", context());
    assert!(
        (found.distance - a.distance(b)).abs() <= error,
        "{}: {}",
        a.distance(b),
        context()
    );
    assert!(
        (found.on_a.distance(found.on_b) - found.distance).abs() <= error + coordinates,
        "{}",
        context()
    );
    assert!(outside(a, found.on_a) <= error + coordinates, "on A: {}", context());
    assert!(outside(b, found.on_b) <= error + coordinates, "on B: {}", context());
}

/// Two lists of boxes. Those at the same position are a pair.
struct Pairs {
    a: Vec<Obb>,
    b: Vec<Obb>,
}

impl Pairs {
    fn sets(&self) -> [&[Obb]; 2] {
        [&self.a, &self.b]
    }

    fn list(&self) -> Vec<Pair> {
        (0..self.a.len() as u32).map(|k| Pair { a: k, b: k }).collect()
    }
}

fn hard_pairs(count: u64) -> Pairs {
    let (a, b) = (0..count).map(|index| adversarial::pair(index, 31)).unzip();
    Pairs { a, b }
}

/// Boxes of moderate sizes near one another, many of them plates, rods, points, aligned, or rotated
/// about one axis.
fn random_pairs(count: usize) -> Pairs {
    let mut numbers = Numbers::new(7);
    let mut solid = |k: usize| {
        let mut half = (numbers.point() + 1.0).max(Vec3::splat(0.01));
        if k.is_multiple_of(5) {
            half[k / 5 % 3] = 0.0;
            half[k / 15 % 3] *= numbers.part().round();
        }
        let rotation = match k / 2 % 4 {
            0 => Quat::from_rotation_z(6.0 * numbers.part()),
            1 => Quat::IDENTITY,
            _ => numbers.rotation(),
        };
        Obb::new(numbers.point(), half, rotation)
    };
    let (a, b) = (0..count).map(|k| (solid(2 * k), solid(2 * k + 1))).unzip();
    Pairs { a, b }
}

/// Checkers with every way to compile the shaders.
fn checkers() -> [(&'static str, Checker); 3] {
    let without_subgroups = GpuConfig {
        subgroups: false,
        ..GpuConfig::default()
    };
    let checked = GpuConfig {
        shader_checks: true,
        ..GpuConfig::default()
    };
    [
        ("with subgroups", gpu(Config::default())),
        ("without subgroups", gpu_with(without_subgroups)),
        ("with checks", gpu_with(checked)),
    ]
}

#[test]
fn b7_contacts_are_sensible_and_agree_with_f64() {
    for (what, pairs, most_other) in [
        ("hard", hard_pairs(26_000), 0.06),
        ("random", random_pairs(20_000), 0.001),
    ] {
        let list = pairs.list();
        let expected = contacts(pairs.sets(), &list).expect("contacts");
        let mut first: Option<Contacts> = None;
        for (how, mut checker) in checkers() {
            let found = checker.check(ContactQuery::new(pairs.sets(), &list)).expect("contacts");
            for k in 0..list.len() {
                let penetration = found.penetrations()[k].as_ref();
                let name = format!("{what} {k} {how}");
                expect_contacts(&name, &pairs.a[k], &pairs.b[k], penetration, found.points_of(k));
            }
            let (same, other) = agreement(&pairs, &expected, &found);
            println!("{what}, {how}: {same} manifolds as in f64, {other} others");
            assert!(
                (other as f64) < most_other * (same as f64),
                "{what}: {same} same, {other} others"
            );
            // Equal except for differences in compiled code.
            if let Some(first) = &first {
                let (same, other) = agreement(&pairs, first, &found);
                assert!(
                    (other as f64) < 0.005 * (same as f64),
                    "{what}, {how}: {same} same, {other} others"
                );
            }
            first.get_or_insert(found);
        }
    }
}

/// The number of manifolds with equal axis, features and points, up to the tolerance, and of the
/// others.
fn agreement(pairs: &Pairs, expected: &Contacts, found: &Contacts) -> (usize, usize) {
    let named = |points: &[ContactPoint]| -> Vec<_> {
        let mut named: Vec<_> = points.to_vec();
        named.sort_by_key(|point| (point.feature_a, point.feature_b));
        named
    };
    let mut counts = (0, 0);
    for k in 0..pairs.a.len() {
        let (Some(one), Some(other)) = (expected.penetrations()[k], found.penetrations()[k]) else {
            continue;
        };
        let near = 8.0 * tolerance(&pairs.a[k], &pairs.b[k]);
        let [points, others] = [expected, found].map(|contacts| named(contacts.points_of(k)));
        let same = (one.feature_a, one.feature_b, one.reference) == (other.feature_a, other.feature_b, other.reference)
            && one.normal.distance(other.normal) < 1e-2
            && (one.depth - other.depth).abs() <= near
            && points.len() == others.len()
            && points.iter().zip(&others).all(|(one, other)| {
                (one.feature_a, one.feature_b) == (other.feature_a, other.feature_b)
                    && one.on_a.distance(other.on_a) <= 20.0 * near
                    && (one.depth - other.depth).abs() <= near
            });
        match same {
            true => counts.0 += 1,
            false => counts.1 += 1,
        }
    }
    counts
}

/// Lists of pairs of all kinds, which proptest shrinks on failure: tests the invariants of each
/// pair, and that moving B by the depth separates them and moving it by less does not.
#[test]
fn any_list_of_pairs() {
    let mut checker = gpu(Config::default());
    let checker = RefCell::new(&mut checker);
    let lists = prop::collection::vec(random::any_pair(), 1..=64);
    let run = TestRunner::new(random::cases(200)).run(&lists, |list| {
        let (a, b) = list.into_iter().unzip();
        let pairs = Pairs { a, b };
        let found = checker
            .borrow_mut()
            .check(ContactQuery::new(pairs.sets(), &pairs.list()));
        let found = found.expect("contacts");
        let closest = checker
            .borrow_mut()
            .check(DistanceQuery::new(pairs.sets(), &pairs.list()));
        for (k, closest) in closest.expect("distances").iter().enumerate() {
            let (a, b) = (&pairs.a[k], &pairs.b[k]);
            expect_contacts("any", a, b, found.penetrations()[k].as_ref(), found.points_of(k));
            expect_closest("any", a, b, closest);
            if let Some(penetration) = &found.penetrations()[k] {
                expect_parted(a, b, penetration);
            }
        }
        Ok(())
    });
    run.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Asserts that B is clear of A after moving by the depth along the normal, and not after moving by
/// less.
fn expect_parted(a: &Obb, b: &Obb, &Penetration { normal, depth, .. }: &Penetration) {
    let collide = |by: f64| {
        let center = (b.center.as_dvec3() + by * normal).as_vec3();
        a.contact(&Obb { center, ..*b }).collides()
    };
    // The moved center is rounded to f32.
    let coordinates = f64::from(a.center.abs().max(b.center.abs()).max_element());
    let tolerance = 4.0 * tolerance(a, b) + 1e-6 * coordinates;
    assert!(!collide(depth + tolerance), "{a:?} {b:?}");
    let less = depth * (1.0 - PREFERENCE) - tolerance - PARALLEL * size(a, b);
    assert!(less <= 0.0 || collide(less), "{a:?} {b:?}");
}

/// Long beams, edge on edge, at angles down to 1e-5: the cross product of both edges is short, and
/// inaccurate in f32.
#[test]
fn nearly_parallel_edges_have_true_depths() {
    let mut numbers = Numbers::new(6);
    let roll = Quat::from_rotation_x(std::f32::consts::FRAC_PI_4);
    let mut beams = |k: usize| {
        let yaw = Quat::from_rotation_z(10f32.powf(-1.0 - 4.0 * numbers.part()));
        let depth = 10f32.powf(-1.0 - numbers.part());
        let whole = if k.is_multiple_of(2) {
            Quat::IDENTITY
        } else {
            numbers.rotation()
        };
        let half = Vec3::new(5.0, 1.0, 1.0);
        let above = Vec3::new(numbers.part(), 0.0, 2.0 * 2f32.sqrt() - depth);
        (
            Obb::new(Vec3::ZERO, half, whole * roll),
            Obb::new(whole * above, half, whole * yaw * roll),
        )
    };
    let (a, b) = (0..10_000).map(&mut beams).unzip();
    let pairs = Pairs { a, b };
    let expected = contacts(pairs.sets(), &pairs.list()).expect("contacts");
    let found = gpu(Config::default())
        .check(ContactQuery::new(pairs.sets(), &pairs.list()))
        .expect("contacts");
    let mut at_edges = 0;
    let mut worst = 0f64;
    for k in 0..pairs.a.len() {
        let (a, b) = (&pairs.a[k], &pairs.b[k]);
        let (one, other) = (
            expected.penetrations()[k].expect("they collide"),
            found.penetrations()[k].expect("they collide"),
        );
        expect_contacts(&format!("beams {k}"), a, b, Some(&other), found.points_of(k));
        let error = one.depth * PREFERENCE + 3.0 * tolerance(a, b);
        if one.reference.is_none() && other.reference.is_none() {
            worst = worst.max((one.depth - other.depth).abs() / size(a, b));
        }
        let within = (one.depth - other.depth).abs() <= error;
        assert!(within, "beams {k}: {one:?} {other:?}\n{a:?}\n{b:?}");
        at_edges += usize::from(other.reference.is_none());
    }
    println!("at edges {at_edges}, worst {worst:e}");
    assert!((3_000..9_000).contains(&at_edges), "{at_edges}");
}

#[test]
fn b8_closest_points_are_true() {
    for (what, pairs) in [("hard", hard_pairs(26_000)), ("random", apart(random_pairs(20_000)))] {
        let list = pairs.list();
        for (how, mut checker) in checkers() {
            let found = checker
                .check(DistanceQuery::new(pairs.sets(), &list))
                .expect("distances");
            assert_eq!(found.len(), list.len());
            let mut colliding = 0;
            for (k, found) in found.iter().enumerate() {
                let (a, b) = (&pairs.a[k], &pairs.b[k]);
                expect_closest(&format!("{what} {k} {how}"), a, b, found);
                colliding += usize::from(found.distance == 0.0);
                // By other formulas.
                let reference = reference::distance(a, b);
                assert!(
                    (found.distance - reference).abs() <= 1.6e-5 * size(a, b) + 1e-17,
                    "{what} {k}"
                );
            }
            assert!(
                (list.len() / 20..list.len() * 9 / 10).contains(&colliding),
                "{what}: {colliding}"
            );
        }
    }
}

/// The pairs, some of them moved apart.
fn apart(mut pairs: Pairs) -> Pairs {
    let mut numbers = Numbers::new(9);
    pairs
        .b
        .iter_mut()
        .for_each(|solid| solid.center += 3.0 * numbers.point());
    pairs
}
