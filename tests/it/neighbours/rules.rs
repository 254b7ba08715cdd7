//! Neighbours of bodies with rules.

use obbligato::glam::DVec3;
use obbligato::query::{ExcludedPairs, NO_OWNER, NeighbourQuery};
use obbligato::{Config, Obb, Pair, Rules, Set};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::allowed;
use obbligato_verify::scenes::Scene;

use super::{Asked, answer, assert_row, centers};
use crate::support::gpu::cpu;

const COUNT: usize = 3000;

/// Asserts that a set with rules has the right neighbours.
fn assert_with(what: &str, boxes: &[Obb], rules: Rules<'_>) {
    let mut checker = cpu(Config::default());
    let centers = centers(boxes);
    let allows = |a: usize, b: usize| {
        let pair = Pair::new(a as u32, b as u32);
        a != b
            && allowed(&rules, pair)
            && boxes[a].groups_meet(&boxes[b])
            && !rules.excluded.is_some_and(|excluded| excluded.contains(pair))
    };
    for asked in [Asked(Some(3), None), Asked(None, Some(2.0)), Asked(Some(2), Some(3.0))] {
        let found = answer(
            &mut checker,
            &asked.of(&NeighbourQuery::of(Set::from(boxes).with(rules))),
        );
        for row in (0..boxes.len()).step_by(23) {
            let others: Vec<(u32, DVec3)> = (0..boxes.len())
                .filter(|&other| allows(row, other))
                .map(|other| (other as u32, centers[other]))
                .collect();
            assert_row(what, &found, row, asked, centers[row], &others);
        }
    }
}

#[test]
fn c2_rules_forbid_neighbours() {
    let boxes = Scene::Dense.generate(COUNT, 5);
    let mut random = SplitMix(2);
    let mut list = |most: u64| -> Vec<u32> { (0..COUNT).map(|_| (random.next() % most) as u32).collect() };
    let [owners, worlds, many_worlds] = [list(40), list(3), list(500)];
    let owners: Vec<u32> = owners
        .iter()
        .map(|&owner| if owner < 9 { NO_OWNER } else { owner })
        .collect();
    let statics: Vec<bool> = list(100).iter().map(|&k| k > 0).collect();
    let active: Vec<bool> = list(50).iter().map(|&k| k == 0).collect();
    let groups: Vec<[u32; 2]> = list(4).iter().map(|&k| [1 << k, [2, 1, 12, 0][k as usize]]).collect();
    let pairs: Vec<Pair> = (0..COUNT as u32)
        .flat_map(|a| (1..9).map(move |k| Pair::new(a, (a + k * 7) % COUNT as u32)))
        .collect();
    let excluded = ExcludedPairs::new(&pairs).expect("memory");
    let none = Rules::default();
    let (mut of_owners, mut of_worlds, mut of_many, mut of_statics) = (none, none, none, none);
    let (mut of_active, mut of_groups, mut of_excluded) = (none, none, none);
    of_owners.owners = Some(&owners);
    of_worlds.worlds = Some(&worlds);
    of_many.worlds = Some(&many_worlds);
    of_statics.statics = Some(&statics);
    of_active.active = Some(&active);
    of_groups.groups = Some(&groups);
    of_excluded.excluded = Some(&excluded);
    let all = Rules {
        worlds: Some(&worlds),
        statics: Some(&statics),
        excluded: Some(&excluded),
        ..of_owners
    };
    for (what, rules) in [
        ("owners", of_owners),
        ("worlds", of_worlds),
        ("many worlds", of_many),
        ("statics", of_statics),
        ("active", of_active),
        ("groups", of_groups),
        ("excluded", of_excluded),
        ("all", all),
    ] {
        assert_with(what, &boxes, rules);
    }
    let grouped: Vec<Obb> = boxes
        .iter()
        .zip(&groups)
        .map(|(obb, groups)| obb.with_groups(groups[0], groups[1]))
        .collect();
    assert_with("groups of records", &grouped, none);
    of_groups.owners = Some(&owners);
    assert_with("both groups", &grouped, of_groups);
}

#[test]
fn c2_points_have_no_rules_but_the_set_has() {
    let mut checker = cpu(Config::default());
    let boxes = Scene::Uniform.generate(500, 5);
    let centers = centers(&boxes);
    let points: Vec<DVec3> = centers.iter().map(|center| *center + DVec3::splat(0.25)).collect();
    let worlds: Vec<u32> = (0..500).map(|k| k % 3).collect();
    let statics = [true; 500];
    let rules = Rules {
        worlds: Some(&worlds),
        statics: Some(&statics),
        ..Rules::default()
    };
    let others: Vec<(u32, DVec3)> = (0..)
        .zip(centers.iter().copied())
        .filter(|(id, _)| id % 3 == 0)
        .collect();
    let scene = checker.prepare(Set::from(&boxes).with(rules)).expect("valid boxes");
    let asked = Asked(Some(4), None);
    for query in [
        NeighbourQuery::around(&points, Set::from(&boxes).with(rules)),
        NeighbourQuery::against(&points, &scene),
    ] {
        let found = answer(&mut checker, &asked.of(&query));
        for row in (0..500).step_by(11) {
            assert_row("points", &found, row, asked, points[row], &others);
        }
    }
}

#[test]
fn c2_rules_that_forbid_most_pairs_take_no_quadratic_time() {
    let mut checker = cpu(Config::default());
    let boxes = Scene::Uniform.generate(200_000, 5);
    // Each of the static boxes has to find one of few others; each world has few bodies.
    let statics: Vec<bool> = (0..boxes.len()).map(|k| k % 10_000 > 0).collect();
    let worlds: Vec<u32> = (0..boxes.len() as u32).map(|k| k / 20).collect();
    for rules in [
        Rules {
            statics: Some(&statics),
            ..Rules::default()
        },
        Rules {
            worlds: Some(&worlds),
            ..Rules::default()
        },
    ] {
        let found = answer(
            &mut checker,
            &NeighbourQuery::of(Set::from(&boxes).with(rules)).nearest(2),
        );
        assert!(found.offsets().windows(2).all(|ends| ends[1] - ends[0] == 2));
    }
}
