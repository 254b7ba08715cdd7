//! Rules that forbid nearly all pairs where bodies crowd one place: pairs that cannot be reported
//! are not compared.

use obbligato::glam::Vec3;
use obbligato::{
    Bodies, BroadPhase, Capsule, Checker, Config, Obb, Pair, Query, Rules, Set, Sphere,
    contact::Contact,
    query::NO_OWNER,
    shape::{Aabb, Triangle},
};
use obbligato_verify::scenes::Scene;

use crate::support::gpu::{cpu, expect_pairs, gpu};

/// The number of bodies at one place.
const CROWD: usize = 3000;
/// The number of bodies elsewhere, and of bodies that some of the crowd meet.
const FEW: usize = 60;
/// The number of comparisons allowed for each body and candidate pair: cells contain others, trees
/// have nodes, and the work of walks is estimated from samples.
const EACH: u64 = 64;

/// A checker for each available broad phase that counts operations.
fn checkers() -> Vec<(String, Checker)> {
    let config = |broad_phase| Config {
        broad_phase,
        count_operations: true,
        ..Config::default()
    };
    // Brute force compares all.
    let sorting = |phase: &&BroadPhase| ![BroadPhase::Auto, BroadPhase::AllPairs].contains(phase);
    let on_cpu = BroadPhase::ALL.iter().filter(sorting);
    let on_gpu = on_cpu.clone().filter(|phase| phase.is_on_gpu());
    let cpus = on_cpu.map(|phase| (format!("{phase:?} on the CPU"), cpu(config(*phase))));
    let gpus = on_gpu.map(|phase| (format!("{phase:?} on the GPU"), gpu(config(*phase))));
    cpus.chain(gpus).collect()
}

/// Boxes at one place, no two of which are equal.
fn crowd(count: usize, center: Vec3) -> Vec<Obb> {
    let box_at = |k| Obb::axis_aligned(center, Vec3::splat(1.0 + k as f32 / count as f32 / 4.0));
    (0..count).map(box_at).collect()
}

/// Boxes in a row, of which the first few reach into a crowd at the origin.
fn row(count: usize) -> Vec<Obb> {
    let box_at = |k| Obb::axis_aligned(Vec3::new(0.7 + 0.4 * k as f32, 0.0, 0.0), Vec3::splat(0.15));
    (0..count).map(box_at).collect()
}

/// Compares the pairs found by each broad phase with the expected ones, and its operations with a
/// limit.
fn expect<'a>(
    what: &str,
    checkers: &mut [(String, Checker)],
    bodies: usize,
    expected: &[Pair],
    query: impl Fn() -> Query<'a>,
) {
    for (name, checker) in checkers {
        let what = format!("{what}, {name}");
        let report = checker.check(query()).unwrap_or_else(|error| panic!("{what}: {error}"));
        expect_pairs(&what, expected, report.pairs().expect("asked for"));
        let compared = report.operations.expect("asked for").comparisons;
        let most = EACH * (bodies as u64 + report.candidate_pairs);
        assert!(compared <= most, "{what}: {compared} comparisons, and {most} would do");
    }
}

fn collide(a: &Obb, b: &Obb) -> bool {
    a.contact(b) != Contact::Separated
}

/// The pairs of boxes of one list that meet and may be reported.
fn pairs_of(boxes: &[Obb], may: impl Fn(usize, usize) -> bool) -> Vec<Pair> {
    let meet = |a: usize, b: usize| may(a, b) && collide(&boxes[a], &boxes[b]);
    let of = |a: usize| {
        (a + 1..boxes.len())
            .filter(move |&b| meet(a, b))
            .map(move |b| Pair::new(a as u32, b as u32))
    };
    (0..boxes.len()).flat_map(of).collect()
}

/// Pairs of boxes of two lists.
fn pairs_between(first: &[Obb], second: &[Obb]) -> Vec<Pair> {
    let pair = |a: usize, b: usize| Pair {
        a: a as u32,
        b: b as u32,
    };
    let of = |a: usize| {
        (0..second.len())
            .filter(move |&b| collide(&first[a], &second[b]))
            .map(move |b| pair(a, b))
    };
    (0..first.len()).flat_map(of).collect()
}

#[test]
fn crowded_sets_match_two_sets_of_boxes() {
    let mut checkers = checkers();
    let far = crowd(FEW, Vec3::splat(1000.0));
    for (what, first, second) in [
        ("a crowd and a few far away", crowd(CROWD, Vec3::ZERO), far),
        ("a crowd and a row through it", crowd(CROWD, Vec3::ZERO), row(FEW)),
        ("a row and a crowd around it", row(FEW), crowd(CROWD, Vec3::ZERO)),
        (
            "two crowds apart",
            crowd(CROWD, Vec3::ZERO),
            crowd(CROWD, Vec3::splat(9.0)),
        ),
        (
            "crowds of two",
            Scene::Clusters.generate(CROWD, 1),
            Scene::Clusters.generate(CROWD, 2),
        ),
        (
            "of all sizes",
            Scene::Mixed.generate(CROWD, 1),
            Scene::Giants.generate(FEW, 2),
        ),
    ] {
        let expected = pairs_between(&first, &second);
        expect(what, &mut checkers, first.len() + second.len(), &expected, || {
            Query::between(&first, &second)
        });
    }
}

#[test]
fn crowded_sets_match_two_sets_of_other_shapes() {
    let mut checkers = checkers();
    let (first, second) = (crowd(CROWD, Vec3::ZERO), row(FEW));
    let of_boxes = pairs_between(&first, &second);
    let balls: Vec<Sphere> = first
        .iter()
        .map(|obb| Sphere::new(obb.center, obb.half_extents.x))
        .collect();
    let capsules: Vec<Capsule> = second
        .iter()
        .map(|obb| Capsule::new(obb.center, 0.0, obb.rotation, obb.half_extents.x))
        .collect();
    let round = Bodies {
        boxes: &second[..FEW / 2],
        capsules: &capsules[FEW / 2..],
        ..Bodies::default()
    };
    let of_round: Vec<Pair> = pairs_between_bodies(Bodies::from(&balls[..]), round);
    expect("a crowd of balls", &mut checkers, CROWD + FEW, &of_round, || {
        Query::between(&balls, Set::from(round))
    });
    let triangles = |boxes: &[Obb]| -> Vec<Triangle> {
        let of = |obb: &Obb| {
            let (c, h) = (obb.center, obb.half_extents);
            Triangle::new(c - h, c + Vec3::X * h, c + h)
        };
        boxes.iter().map(of).collect()
    };
    let (meshes, others) = (triangles(&first), triangles(&second));
    let meet = |a: &Triangle, b: &Triangle| a.meets(b);
    let of_triangles: Vec<Pair> = (0..CROWD)
        .flat_map(|a| {
            (0..FEW).map(move |b| Pair {
                a: a as u32,
                b: b as u32,
            })
        })
        .filter(|pair| meet(&meshes[pair.a as usize], &others[pair.b as usize]))
        .collect();
    expect("two meshes", &mut checkers, CROWD + FEW, &of_triangles, || {
        Query::between(&meshes, &others)
    });
    // Bounds are checked as one set, with an owner each.
    let bounds: Vec<Aabb> = first.iter().chain(&second).map(Obb::bounds).collect();
    let owners: Vec<u32> = (0..CROWD + FEW).map(|k| u32::from(k >= CROWD)).collect();
    let rules = Rules {
        owners: Some(&owners),
        ..Rules::default()
    };
    let as_one: Vec<Pair> = of_boxes
        .iter()
        .map(|pair| Pair::new(pair.a, pair.b + CROWD as u32))
        .collect();
    expect("bounds", &mut checkers, CROWD + FEW, &as_one, || {
        Query::from(Set::from(&bounds).with(rules))
    });
}

fn pairs_between_bodies(first: Bodies<'_>, second: Bodies<'_>) -> Vec<Pair> {
    let pairs = (0..first.len() as u32).flat_map(|a| (0..second.len() as u32).map(move |b| Pair { a, b }));
    pairs
        .filter(|pair| first.at(pair.a).contact(second.at(pair.b)) != Contact::Separated)
        .collect()
}

#[test]
fn forbidden_pairs_are_not_compared() {
    let mut checkers = checkers();
    // The crowd comes between the others.
    let mut boxes = row(FEW);
    boxes.splice(FEW / 2..FEW / 2, crowd(CROWD, Vec3::ZERO));
    let crowded = |k: usize| (FEW / 2..FEW / 2 + CROWD).contains(&k);
    let expected = pairs_of(&boxes, |a, b| !(crowded(a) && crowded(b)));
    assert!(expected.len() > CROWD, "{}", expected.len());
    let count = boxes.len();
    let statics: Vec<bool> = (0..count).map(crowded).collect();
    let active: Vec<bool> = (0..count).map(|k| !crowded(k)).collect();
    let owners: Vec<u32> = (0..count).map(|k| if crowded(k) { 7 } else { NO_OWNER }).collect();
    let groups: Vec<[u32; 2]> = (0..count).map(|k| if crowded(k) { [2, 1] } else { [1, 3] }).collect();
    let none = Rules::default();
    let (mut fixed, mut inactive, mut owned, mut in_one) = (none, none, none, none);
    fixed.statics = Some(&statics);
    inactive.active = Some(&active);
    owned.owners = Some(&owners);
    in_one.groups = Some(&groups);
    for (what, rules) in [
        ("static", fixed),
        ("inactive", inactive),
        ("of one owner", owned),
        ("in one group", in_one),
    ] {
        expect(what, &mut checkers, count, &expected, || {
            Set::from(&boxes).with(rules).into()
        });
    }
    let in_groups: Vec<Obb> = boxes
        .iter()
        .zip(&groups)
        .map(|(obb, [of, meets])| obb.with_groups(*of, *meets))
        .collect();
    expect("in one group by their records", &mut checkers, count, &expected, || {
        Set::from(&in_groups).into()
    });
    let all = vec![true; count];
    expect("all static", &mut checkers, count, &[], || {
        Set::from(&boxes)
            .with(Rules {
                statics: Some(&all),
                ..none
            })
            .into()
    });
}

#[test]
fn rules_of_two_sets_make_more_layers() {
    let mut checkers = checkers();
    // Half of each set is static, and the static halves crowd one place.
    let half = CROWD / 2;
    let set = |seed| [crowd(half, Vec3::ZERO), Scene::Uniform.generate(half, seed)].concat();
    let (first, second) = (set(1), set(2));
    let statics: Vec<bool> = (0..first.len()).map(|k| k < half).collect();
    let rules = Rules {
        statics: Some(&statics),
        ..Rules::default()
    };
    let mut expected = pairs_between(&first, &second);
    expected.retain(|pair| !(statics[pair.a as usize] && statics[pair.b as usize]));
    expect("static halves", &mut checkers, 2 * first.len(), &expected, || {
        Query::between(Set::from(&first).with(rules), Set::from(&second).with(rules))
    });
}

#[test]
fn each_world_has_its_own_layers() {
    let mut checkers = checkers();
    // Each world has a crowd at rest and a row.
    let world = [crowd(300, Vec3::ZERO), row(12)].concat();
    let worlds = 20;
    let boxes = world.repeat(worlds);
    let world_of: Vec<u32> = (0..boxes.len())
        .map(|k| (k / world.len()) as u32 * 1_999_999_973)
        .collect();
    let statics: Vec<bool> = (0..boxes.len()).map(|k| k % world.len() < 300).collect();
    let rules = Rules {
        worlds: Some(&world_of),
        statics: Some(&statics),
        ..Rules::default()
    };
    let in_one = pairs_of(&world, |a, b| !(statics[a] && statics[b]));
    let in_all = (0..worlds as u32 * world.len() as u32).step_by(world.len());
    let expected: Vec<Pair> = in_all
        .flat_map(|first| in_one.iter().map(move |pair| Pair::new(pair.a + first, pair.b + first)))
        .collect();
    expect("worlds", &mut checkers, boxes.len(), &expected, || {
        Set::from(&boxes).with(rules).into()
    });
}

/// The comparisons of two sets, and those of one of them prepared and the other one moving.
fn comparisons(checker: &mut Checker, first: &[Obb], second: &[Obb]) -> [u64; 2] {
    let between = checker.check(Query::between(first, second)).expect("valid boxes");
    let scene = checker.prepare(first).expect("valid boxes");
    let against = checker.check(Query::against(&scene, second)).expect("valid boxes");
    expect_pairs(
        "two sets",
        against.pairs().expect("asked for"),
        between.pairs().expect("asked for"),
    );
    [between, against].map(|report| report.operations.expect("asked for").comparisons)
}

#[test]
fn two_sets_cost_what_a_prepared_one_and_movers_do() {
    let many = 10_000;
    let spot = crowd(many, Vec3::ZERO);
    let few = Scene::Uniform.generate(FEW, 1);
    let uniform = Scene::Uniform.generate(many, 1);
    let cases: Vec<(&str, Vec<[Vec<Obb>; 2]>)> = vec![
        ("a crowd and a few about it", vec![[spot.clone(), few.clone()]]),
        ("a few about a crowd", vec![[few.clone(), spot.clone()]]),
        (
            "a crowd far away",
            vec![[crowd(many, Vec3::splat(1000.0)), few.clone()]],
        ),
        ("many and a few in a part of them", vec![[uniform.clone(), few]]),
        ("a few on one spot among many", vec![[uniform, crowd(FEW, Vec3::ZERO)]]),
        // The contents of a slot differ by chance from one pair of scenes to the next.
        (
            "clusters",
            (1..7)
                .map(|seed| [seed, seed + 100].map(|seed| Scene::Clusters.generate(many, seed)))
                .collect(),
        ),
        (
            "a dense scene twice",
            vec![[1, 2].map(|seed| Scene::Dense.generate(many, seed))],
        ),
    ];
    let config = Config {
        count_operations: true,
        ..Config::default()
    };
    for (backend, mut checker) in [("CPU", cpu(config.clone())), ("GPU", gpu(config))] {
        for (what, scenes) in &cases {
            let counted = scenes
                .iter()
                .map(|[first, second]| comparisons(&mut checker, first, second));
            let [between, against] = counted.fold([0; 2], |[a, b], [c, d]| [a + c, b + d]);
            println!("{what}, {backend}: {between} comparisons, and {against} of movers");
            // If there is hardly anything to compare, a few more do not matter compared with the
            // bodies.
            let bodies: usize = scenes.iter().flatten().map(Vec::len).sum();
            assert!(
                between as f64 <= 1.3 * against as f64 + 0.02 * bodies as f64,
                "{what}, {backend}: {between} comparisons, and {against} of movers"
            );
        }
    }
}
