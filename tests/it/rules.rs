//! Rules about pairs, alone and combined, compared with plain definitions over all pairs of the
//! reference.

mod crowded;
mod worlds;

use std::collections::HashSet;

use obbligato::glam::Vec3;
use obbligato::{
    Config, Error, Obb, Output, Pair, Query, Rules, Set,
    query::{ExcludedPairs, NO_OWNER},
    shape::Aabb,
};
use obbligato_verify::reference::{colliding_pairs, overlapping_bounds, pairs_against};
use obbligato_verify::scenes::Scene;

use crate::support::cases::Numbers;
use crate::support::gpu::{OUTPUTS, backends, cpu, expect_output, expect_pairs, gpu};

/// Owned rules, with naive definitions.
#[derive(Clone, Debug, Default)]
struct Given {
    owners: Option<Vec<u32>>,
    worlds: Option<Vec<u32>>,
    statics: Option<Vec<bool>>,
    active: Option<Vec<bool>>,
}

/// The number of kinds of rules with a bit in a mask: owners, worlds, statics, active.
const KINDS: usize = 4;

impl Given {
    /// Random rules for this many boxes, of the kinds selected by the bits of a mask.
    fn random(mask: usize, boxes: usize, seed: u64) -> Self {
        let mut numbers = Numbers::new(seed);
        let mut list = |bit: usize, choices: f32| -> Option<Vec<u32>> {
            let numbers: Vec<u32> = (0..boxes).map(|_| (numbers.part() * choices) as u32).collect();
            (mask >> bit & 1 == 1).then_some(numbers)
        };
        let owner = |choice: u32| {
            if choice < 2 {
                NO_OWNER
            } else {
                choice % 3 * 1_000_000_007
            }
        };
        let world = |choice: u32| choice * choice * 77_777;
        Self {
            owners: list(0, 5.0).map(|list| list.into_iter().map(owner).collect()),
            worlds: list(1, 3.0).map(|list| list.into_iter().map(world).collect()),
            statics: list(2, 3.0).map(|list| list.into_iter().map(|choice| choice > 0).collect()),
            active: list(3, 3.0).map(|list| list.into_iter().map(|choice| choice == 0).collect()),
        }
    }

    fn rules(&self) -> Rules<'_> {
        Rules {
            owners: self.owners.as_deref(),
            worlds: self.worlds.as_deref(),
            statics: self.statics.as_deref(),
            active: self.active.as_deref(),
            ..Rules::default()
        }
    }

    fn owner(&self, i: u32) -> u32 {
        self.owners.as_ref().map_or(NO_OWNER, |list| list[i as usize])
    }

    fn world(&self, i: u32) -> u32 {
        self.worlds.as_ref().map_or(0, |list| list[i as usize])
    }

    fn is_static(&self, i: u32) -> bool {
        self.statics.as_ref().is_some_and(|list| list[i as usize])
    }

    fn is_active(&self, i: u32) -> bool {
        self.active.as_ref().is_none_or(|list| list[i as usize])
    }

    /// Returns `true` if a pair may be reported. These rules apply to box `a`, and the others to
    /// box `b`.
    fn allow(&self, others: &Self, Pair { a, b }: &Pair) -> bool {
        let owner = self.owner(*a);
        let same_owner = owner == others.owner(*b) && owner != NO_OWNER;
        let same_world = self.world(*a) == others.world(*b);
        let both_static = self.is_static(*a) && others.is_static(*b);
        let any_active = self.is_active(*a) || others.is_active(*b);
        !same_owner && same_world && !both_static && any_active
    }

    fn filter(&self, pairs: &[Pair]) -> Vec<Pair> {
        pairs.iter().filter(|pair| self.allow(self, pair)).copied().collect()
    }
}

/// Some of the pairs, in either order, and pairs that do not collide.
fn some_of(pairs: &[Pair], boxes: u32) -> Vec<Pair> {
    let turned = |k: usize, Pair { a, b }: Pair| {
        if k.is_multiple_of(2) {
            Pair { a, b }
        } else {
            Pair { a: b, b: a }
        }
    };
    let found = pairs.iter().step_by(3).enumerate().map(|(k, pair)| turned(k, *pair));
    found.chain((1..boxes).map(|i| Pair { a: i, b: i / 2 })).collect()
}

fn without(pairs: &[Pair], excluded: &[Pair]) -> Vec<Pair> {
    let excluded: HashSet<Pair> = excluded.iter().map(|pair| Pair::new(pair.a, pair.b)).collect();
    pairs.iter().filter(|pair| !excluded.contains(pair)).copied().collect()
}

#[test]
fn e8_m9_rules_alone_and_combined() {
    let boxes = Scene::Dense.generate(1500, 4);
    let colliding = colliding_pairs(&boxes);
    let excluded = some_of(&colliding, boxes.len() as u32);
    let table = ExcludedPairs::new(&excluded).expect("memory");
    let mut backends = backends(&Config::default());
    for mask in 0..2 << KINDS {
        let given = Given::random(mask, boxes.len(), mask as u64);
        let mut expected = given.filter(&colliding);
        let mut rules = given.rules();
        if mask >> KINDS & 1 == 1 {
            expected = without(&expected, &excluded);
            rules.excluded = Some(&table);
        }
        assert_eq!(
            expected.len() < colliding.len(),
            mask > 0,
            "rules {mask:05b} do something"
        );
        assert!(expected.len() > 30, "rules {mask:05b} leave something");
        for (backend, checker) in &mut backends {
            let what = format!("rules {mask:05b}, {backend}");
            let report = checker
                .check(Set::from(&boxes).with(rules))
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            expect_pairs(&what, &expected, report.pairs().expect("asked for"));
            assert_eq!(report.colliding_pairs, expected.len() as u64, "{what}");
        }
    }
}

#[test]
fn e8_rules_and_groups_and_every_output() {
    let mut boxes = Scene::Mixed.generate(2000, 4);
    let mut expected = colliding_pairs(&boxes);
    let groups = |i: u32| (1 << (i % 3), 0b011 << (i % 2));
    for (i, solid) in (0..).zip(&mut boxes) {
        let (memberships, filter) = groups(i);
        *solid = solid.with_groups(memberships, filter);
    }
    expected.retain(|pair| {
        let (a, b) = (groups(pair.a), groups(pair.b));
        a.0 & b.1 != 0 && b.0 & a.1 != 0
    });
    let given = Given::random(0b1101, boxes.len(), 9);
    let expected = given.filter(&expected);
    assert!(expected.len() > 100, "{} pairs", expected.len());
    for output in OUTPUTS {
        let config = Config {
            output,
            ..Config::default()
        };
        for (backend, checker) in &mut backends(&config) {
            let what = format!("{output:?}, {backend}");
            let report = checker.check(Set::from(&boxes).with(given.rules())).expect(&what);
            expect_output(&what, output, &boxes, &expected, &report);
        }
    }
}

#[test]
fn rules_about_given_pairs() {
    let boxes = Scene::Dense.generate(800, 4);
    let colliding = colliding_pairs(&boxes);
    let given = Given::random(0b1111, boxes.len(), 2);
    let excluded = some_of(&colliding, boxes.len() as u32);
    let table = ExcludedPairs::new(&excluded).expect("memory");
    let rules = Rules {
        excluded: Some(&table),
        ..given.rules()
    };
    // All pairs that collide, in either order, and as many that do not.
    let turned = colliding.iter().map(|&Pair { a, b }| Pair { a: b, b: a });
    let others = (1..boxes.len() as u32).map(|i| Pair { a: 0, b: i });
    let others = others.filter(|pair| colliding.binary_search(pair).is_err());
    let asked: Vec<Pair> = turned.chain(others).collect();
    let expected = without(&given.filter(&colliding), &excluded);
    assert!(expected.len() > 20);
    for (backend, checker) in &mut backends(&Config::default()) {
        if *backend == "a GPU with small buffers" {
            continue;
        }
        let report = checker
            .check(Query::pairs(Set::from(&boxes).with(rules), &asked))
            .expect(backend);
        let mut found: Vec<Pair> = report
            .pairs()
            .expect("asked for")
            .iter()
            .map(|pair| Pair::new(pair.a, pair.b))
            .collect();
        found.sort_unstable();
        expect_pairs(backend, &expected, &found);
        assert!(
            report.candidate_pairs < asked.len() as u64,
            "{backend}: rules come before the test"
        );
    }
}

#[test]
fn rules_about_bounds() {
    let bounds: Vec<Aabb> = Scene::Dense.generate(1500, 8).iter().map(Obb::bounds).collect();
    let given = Given::random(0b1111, bounds.len(), 3);
    let expected = given.filter(&overlapping_bounds(&bounds));
    assert!(expected.len() > 100);
    for (backend, checker) in &mut backends(&Config::default()) {
        let report = checker
            .check(Query::from(Set::from(&bounds).with(given.rules())))
            .expect(backend);
        expect_pairs(backend, &expected, report.pairs().expect("asked for"));
    }
}

#[test]
fn e8_two_sets() {
    let boxes = Scene::Mixed.generate(1800, 4);
    let (none, some) = (0, 0b1111);
    let mut backends = backends(&Config::default());
    // Sets of any size, one with indices that are also valid for the other, and empty ones; rules
    // about neither, one or both.
    for (count, masks) in [
        (700, [none, none]),
        (700, [some, some]),
        (1, [some, none]),
        (0, [none, some]),
        (1800, [some, none]),
    ] {
        let (first, second) = boxes.split_at(count);
        let given = [
            Given::random(masks[0], first.len(), 5),
            Given::random(masks[1], second.len(), 6),
        ];
        let colliding = pairs_against(first, second);
        let excluded: Vec<Pair> = colliding.iter().step_by(4).copied().collect();
        let table = ExcludedPairs::new(&excluded).expect("memory");
        let expected: Vec<Pair> = colliding
            .into_iter()
            .filter(|pair| given[0].allow(&given[1], pair) && !excluded.contains(pair))
            .collect();
        assert!(
            expected.len() > 20 || count % 1800 < 2,
            "{count}: {} pairs",
            expected.len()
        );
        let rules = Rules {
            excluded: Some(&table),
            ..given[1].rules()
        };
        for (backend, checker) in &mut backends {
            let what = format!("{count} boxes, {backend}");
            let first = Set::from(first).with(given[0].rules());
            let report = checker
                .check(Query::between(first, Set::from(second).with(rules)))
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            expect_pairs(&what, &expected, report.pairs().expect("asked for"));
            assert_eq!(report.boxes, boxes.len(), "{what}");
        }
    }
}

#[test]
fn degrees_of_the_second_set_follow_the_first() {
    let boxes = Scene::Dense.generate(900, 4);
    let (first, second) = boxes.split_at(400);
    let shifted = pairs_against(first, second)
        .into_iter()
        .map(|Pair { a, b }| Pair { a, b: b + 400 });
    let expected = obbligato::report::degrees(900, &shifted.collect::<Vec<_>>());
    let config = Config {
        output: Output::Degrees,
        ..Config::default()
    };
    for (backend, checker) in &mut backends(&config) {
        let report = checker.check(Query::between(first, second)).expect(backend);
        assert!(report.degrees().expect("asked for") == expected, "{backend}");
    }
}

#[test]
fn movers_and_boxes_at_rest_have_their_own_rules() {
    let boxes = Scene::Dense.generate(1800, 4);
    let mut backends = backends(&Config::default());
    for masks in [[0b1111, 0b1111], [0b0010, 0], [0, 0b0111], [0b1100, 0b1000]] {
        let (at_rest, movers) = boxes.split_at(1000);
        let given = [Given::random(masks[0], 1000, 5), Given::random(masks[1], 800, 6)];
        let colliding = pairs_against(at_rest, movers);
        // The position among the movers may be the smaller one.
        let excluded: [Vec<Pair>; 2] = [0, 2].map(|first| colliding.iter().skip(first).step_by(5).copied().collect());
        let tables = [0, 1].map(|k| ExcludedPairs::new(&excluded[k]).expect("memory"));
        let is_excluded = |pair: &Pair| excluded.iter().any(|list| list.contains(pair));
        let allowed = |pair: &Pair| given[0].allow(&given[1], pair) && !is_excluded(pair);
        let expected: Vec<Pair> = colliding.iter().filter(|pair| allowed(pair)).copied().collect();
        assert!(expected.len() > 20, "{masks:?}");
        let rules = [0, 1].map(|k| Rules {
            excluded: Some(&tables[k]),
            ..given[k].rules()
        });
        for (backend, checker) in &mut backends {
            if *backend == "a GPU with small buffers" {
                continue;
            }
            let what = format!("{masks:?}, {backend}");
            let scene = checker.prepare(Set::from(at_rest).with(rules[0])).expect(&what);
            let report = checker
                .check(Query::against(&scene, Set::from(movers).with(rules[1])))
                .expect(&what);
            expect_pairs(&what, &expected, report.pairs().expect("asked for"));
            // A single mover may take other code paths.
            let one = checker.check(Query::against(&scene, Set::from(&movers[..1]).with(Rules::default())));
            let unruled = Given::default();
            let expected: Vec<Pair> = colliding
                .iter()
                .filter(|pair| pair.b == 0 && given[0].allow(&unruled, pair) && !excluded[0].contains(pair))
                .copied()
                .collect();
            match one {
                Ok(report) => expect_pairs(&what, &expected, report.pairs().expect("asked for")),
                // The pairs excluded with the scene refer to movers that do not exist.
                Err(error) => assert!(
                    matches!(error, Error::InvalidRule { rule: "excluded", .. }),
                    "{what}: {error}"
                ),
            }
        }
    }
}

/// Rules that do not fit three boxes, by name, with words of their errors.
fn rules_of_other_sizes(table: &ExcludedPairs) -> [(&'static str, Rules<'_>, &'static str); 5] {
    [
        (
            "owners",
            Rules {
                owners: Some(&[1, 2]),
                ..Rules::default()
            },
            "length 2 but the number of bodies is 3",
        ),
        (
            "worlds",
            Rules {
                worlds: Some(&[0; 4]),
                ..Rules::default()
            },
            "length 4 but the number of bodies is 3",
        ),
        (
            "statics",
            Rules {
                statics: Some(&[]),
                ..Rules::default()
            },
            "length 0 but the number of bodies is 3",
        ),
        (
            "active",
            Rules {
                active: Some(&[true]),
                ..Rules::default()
            },
            "length 1 but the number of bodies is 3",
        ),
        (
            "excluded",
            Rules {
                excluded: Some(table),
                ..Rules::default()
            },
            "box 3 of 3",
        ),
    ]
}

#[test]
fn rules_of_the_wrong_size_are_errors() {
    let boxes = [Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); 3];
    let table = ExcludedPairs::new(&[Pair { a: 1, b: 3 }]).expect("memory");
    let wrong = rules_of_other_sizes(&table);
    for (backend, checker) in &mut backends(&Config::default()) {
        for (name, rules, words) in wrong {
            let set = Set::from(&boxes).with(rules);
            let bounds = boxes.map(|solid| solid.bounds());
            let errors = [
                checker.check(set).expect_err(name),
                checker.check(Query::pairs(set, &[Pair::new(0, 1)])).expect_err(name),
                checker
                    .check(Query::from(Set::from(&bounds).with(rules)))
                    .expect_err(name),
                checker
                    .check(Query::between(set, &boxes[..1]))
                    .map(drop)
                    .err()
                    .unwrap_or_else(|| checker.check(set).expect_err(name)),
            ];
            for error in errors {
                match &error {
                    Error::InvalidRule { rule, .. } => assert_eq!(*rule, name, "{backend}"),
                    other => panic!("{backend}, {name}: {other}"),
                }
                assert!(
                    error.to_string().contains(words) || name == "excluded",
                    "{backend}: {error}"
                );
            }
            // The checker still works.
            assert_eq!(checker.check(&boxes).expect(backend).colliding_pairs, 3, "{backend}");
        }
    }
}

#[test]
fn points_and_aabbs_as_movers() {
    let boxes = Scene::Dense.generate(3000, 4);
    let mut numbers = Numbers::new(1);
    let size = boxes
        .iter()
        .fold(Vec3::ZERO, |most, solid| most.max(solid.center.abs()));
    let points: Vec<Obb> = (0..500)
        .map(|_| Obb::axis_aligned(numbers.point() * size, Vec3::ZERO))
        .collect();
    let regions: Vec<Obb> = points
        .iter()
        .map(|point| Obb::axis_aligned(point.center, numbers.point().abs() * 3.0))
        .collect();
    for (what, movers) in [("points", points), ("AABBs", regions)] {
        let expected = pairs_against(&boxes, &movers);
        assert!(expected.len() > 50, "{what}: {} pairs", expected.len());
        for (backend, mut checker) in [("the CPU", cpu(Config::default())), ("the GPU", gpu(Config::default()))] {
            let scene = checker.prepare(&boxes).expect(backend);
            let report = checker.check(Query::against(&scene, &movers)).expect(backend);
            expect_pairs(
                &format!("{what}, {backend}"),
                &expected,
                report.pairs().expect("asked for"),
            );
        }
    }
}

#[test]
fn a_table_contains_only_its_pairs() {
    for count in [0, 1, 2, 3, 1000] {
        let pairs: Vec<Pair> = (0..count).map(|i| Pair { a: i / 7, b: 3 * i }).collect();
        let twice = [&pairs[..], &pairs[..]].concat();
        let table = ExcludedPairs::new(&twice).expect("memory");
        assert_eq!(table.len(), pairs.len());
        assert_eq!(table.is_empty(), count == 0);
        assert!(pairs.iter().all(|pair| table.contains(*pair)));
        let others = (0..count + 5).map(|i| Pair { a: i / 7, b: 3 * i + 1 });
        assert!(others.into_iter().all(|pair| !table.contains(pair)));
    }
}
