//! Functions of the caller that visit pairs in place of lists: the same pairs, each once, on the
//! threads of a check and in the kernels of a frame.

mod faults;
mod frames;

use std::sync::Mutex;

use obbligato::contact::{Contacts, Penetration};
use obbligato::query::ContactQuery;
use obbligato::{Checker, Config, Error, Obb, Output, Pair, Period, Query, Rules, Set, Sphere, glam::Vec3};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::{BodyScene, Scene};

use crate::support::gpu::{backends, cpu, expect_pairs, gpu};

/// The pairs that a visitor gets, sorted.
fn visited(checker: &mut Checker, what: &str, query: &Query<'_>) -> Vec<Pair> {
    let all = Mutex::new(Vec::new());
    let visit = |pairs: &[Pair]| all.lock().expect("no panic").extend_from_slice(pairs);
    let report = checker.check(query.visit(&visit));
    let report = report.unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut all = all.into_inner().expect("no panic");
    all.sort_unstable();
    assert_eq!(report.colliding_pairs, all.len() as u64, "{what}");
    assert!(report.pairs().is_err(), "{what}: a list");
    all
}

#[test]
fn c6_visitors_get_each_pair_of_a_check_once() {
    for (backend, mut checker) in backends(&Config::default()) {
        for scene in Scene::ALL {
            // Bricks touch, so the exact stage decides.
            let boxes = scene.generate(400, 7);
            let what = format!("{backend}, {scene}");
            let found = visited(&mut checker, &what, &Query::from(&boxes));
            expect_pairs(&what, &colliding_pairs(&boxes), &found);
        }
        for scene in [BodyScene::Lattice, BodyScene::Capsules, BodyScene::MixedKinds] {
            let bodies = scene.bodies(500, 3);
            let what = format!("{backend}, {scene}");
            let expected = checker.check(bodies.all()).expect("valid bodies").into_pairs();
            let found = visited(&mut checker, &what, &Query::from(bodies.all()));
            expect_pairs(&what, &expected.expect("asked for"), &found);
        }
    }
}

/// A fixed capacity and other outputs do not apply.
#[test]
fn visitors_get_all_pairs_of_any_output() {
    let boxes = Scene::Dense.generate(500, 1);
    let expected = colliding_pairs(&boxes);
    for output in [Output::Pairs, Output::Degrees, Output::Count] {
        let config = Config {
            output,
            max_pairs: Some(3),
            ..Config::default()
        };
        for mut checker in [cpu(config.clone()), gpu(config)] {
            let found = visited(&mut checker, "any output", &Query::from(&boxes));
            expect_pairs("any output", &expected, &found);
        }
    }
}

/// The pairs that a visitor gets with contacts, sorted, with the penetration of each and the number
/// of its points.
fn with_contacts(checker: &mut Checker, what: &str, query: &Query<'_>) -> Vec<(Pair, Option<Penetration>, usize)> {
    let all = Mutex::new(Vec::new());
    let visit = |pairs: &[Pair], contacts: &Contacts| {
        assert_eq!(contacts.penetrations().len(), pairs.len(), "{what}");
        let of_pair = |k: usize| (pairs[k], contacts.penetrations()[k], contacts.points_of(k).len());
        let mut all = all.lock().expect("no panic");
        all.extend((0..pairs.len()).map(of_pair));
    };
    let report = checker.check(query.visit_contacts(&visit));
    let report = report.unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut all = all.into_inner().expect("no panic");
    all.sort_unstable_by_key(|(pair, ..)| *pair);
    assert_eq!(report.colliding_pairs, all.len() as u64, "{what}");
    all
}

/// The contents of a list of contacts for each pair.
fn listed(pairs: &[Pair], contacts: &Contacts) -> Vec<(Pair, Option<Penetration>, usize)> {
    let of_pair = |k: usize| (pairs[k], contacts.penetrations()[k], contacts.points_of(k).len());
    (0..pairs.len()).map(of_pair).collect()
}

#[test]
fn c6_visitors_get_the_contacts_of_a_list() {
    let bodies = BodyScene::MixedKinds.bodies(900, 5);
    let (movers, bricks) = (Scene::Uniform.generate(300, 2), Scene::Bricks.generate(600, 3));
    for (backend, mut checker) in backends(&Config::default()) {
        let mut on_cpu = cpu(Config::default());
        let at_rest = checker.prepare(&bricks).expect("valid boxes");
        let queries: [(&str, Query<'_>, [obbligato::Bodies<'_>; 2]); 4] = [
            ("bodies", Query::from(bodies.all()), [bodies.all(); 2]),
            ("bricks", Query::from(&bricks), [(&bricks).into(); 2]),
            (
                "two sets",
                Query::between(bodies.all(), &movers),
                [bodies.all(), (&movers).into()],
            ),
            (
                "movers",
                Query::against(&at_rest, &movers),
                [(&bricks).into(), (&movers).into()],
            ),
        ];
        for (name, query, sets) in queries {
            let what = format!("{backend}, {name}");
            let pairs = checker.check(query).expect("valid bodies").into_pairs();
            let pairs = pairs.expect("asked for");
            let contacts = on_cpu.check(ContactQuery::new(sets, &pairs)).expect("valid pairs");
            assert!(pairs.len() > 20, "{what}: {} pairs", pairs.len());
            assert_eq!(
                with_contacts(&mut checker, &what, &query),
                listed(&pairs, &contacts),
                "{what}"
            );
        }
    }
}

/// With a margin, pairs that are apart are visited without a manifold.
#[test]
fn visitors_get_pairs_within_a_margin_without_manifolds() {
    let boxes = Scene::Uniform.generate(1500, 3);
    let config = Config {
        margin: 0.2,
        ..Config::default()
    };
    let mut checker = cpu(config);
    let expected = checker.check(&boxes).expect("valid boxes");
    let found = with_contacts(&mut checker, "a margin", &Query::from(&boxes));
    let apart = found.iter().filter(|(_, penetration, _)| penetration.is_none()).count();
    assert_eq!(Some(apart as u64), expected.near_pairs);
    let found: Vec<Pair> = found.into_iter().map(|(pair, ..)| pair).collect();
    expect_pairs("a margin", expected.pairs().expect("asked for"), &found);
}

#[test]
fn visitors_get_contacts_of_images_in_space_that_repeats() {
    let mut random = SplitMix(9);
    let balls: Vec<Sphere> = (0..200)
        .map(|_| Sphere::new(Vec3::from([(); 3].map(|()| (10.0 * random.unit()) as f32)), 0.7))
        .collect();
    let period = Period::new([Some(10.0), Some(10.0), None]);
    let mut checker = cpu(Config::default());
    let query = Query::from(&balls).periodic(period);
    let pairs = checker
        .check(query)
        .expect("valid balls")
        .into_pairs()
        .expect("asked for");
    let contacts = checker
        .check(ContactQuery::within(&balls, &pairs).periodic(period))
        .expect("valid pairs");
    assert!(
        contacts.images.iter().any(|image| *image != [0; 3]),
        "none across the border"
    );
    let found = with_contacts(&mut checker, "images", &query);
    assert_eq!(found, listed(&pairs, &contacts.found));
}

#[test]
fn contacts_of_shapes_without_them_are_refused() {
    let boxes = Scene::Uniform.generate(10, 1);
    let bounds: Vec<_> = boxes.iter().map(Obb::bounds).collect();
    let unvisited = |_: &[Pair], _: &Contacts| panic!("there are no contacts");
    let found = cpu(Config::default()).check(Query::from(&bounds).visit_contacts(&unvisited));
    assert!(matches!(found, Err(Error::Unavailable { .. })), "{found:?}");
}

/// Rules exclude pairs before they are visited.
#[test]
fn visitors_get_the_pairs_that_rules_allow() {
    let boxes = Scene::Crowd.generate(600, 2);
    let worlds: Vec<u32> = (0..600).map(|k| k % 3).collect();
    let rules = Rules {
        worlds: Some(&worlds),
        ..Rules::default()
    };
    let set = Set::from(&boxes).with(rules);
    let mut expected = colliding_pairs(&boxes);
    expected.retain(|pair| pair.a % 3 == pair.b % 3);
    assert!(expected.len() > 50, "{} pairs", expected.len());
    for (backend, mut checker) in backends(&Config::default()) {
        expect_pairs(backend, &expected, &visited(&mut checker, backend, &set.into()));
    }
}
