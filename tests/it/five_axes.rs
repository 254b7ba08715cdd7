//! Scenes whose boxes are all rotated only about z are tested over five axes on the GPU, others
//! over fifteen. The device detects which.

mod recorded;

use obbligato::Query;
use obbligato::glam::{Quat, Vec3};
use obbligato::{Checker, Config, GpuConfig, Obb, Pair, Precision, contact::Contact, report::Stage, shape::Aabb};
use obbligato_verify::compare::difference;
use obbligato_verify::reference::{overlapping_bounds, pairs_against, separation};
use obbligato_verify::scenes::Scene;

use crate::support::cases::{Case, Numbers};
use crate::support::gpu::{check, cpu, cpu_pairs, expect_pairs, expect_reference, expect_same, gpu, gpu_with};

/// Several representations of the same few rotations about z, or nearly: exact ones, rounded ones,
/// their negatives, zeros of either sign, and lengths at the ends of the valid range.
fn turns() -> Vec<Quat> {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turns = [[0.0, 1.0], [1.0, 0.0], [half, half], [-half, half], [0.6, 0.8]];
    let mut all = Vec::new();
    for [z, w] in turns {
        for length in [1.0, 1.0 + 9e-4, 1.0 - 9e-4] {
            let turn = Quat::from_xyzw(0.0, 0.0, z, w) * length;
            all.extend([turn, -turn, Quat::from_xyzw(-0.0, 0.0, turn.z, turn.w)]);
        }
    }
    all
}

/// A block of unit cubes rotated in all these ways, with `gap` between neighbours, and some of them
/// flat.
fn block(gap: f32, flat: bool) -> Vec<Obb> {
    let turns = turns();
    let cube = |k: usize| {
        let cell = Vec3::new((k % 9) as f32, (k / 9 % 9) as f32, (k / 81) as f32);
        let mut half = Vec3::splat(0.5);
        if flat {
            half[k % 3] = 0.0;
        }
        Obb::new(cell * (1.0 + gap), half, turns[k * 7 % turns.len()])
    };
    (0..9 * 9 * 9).map(cube).collect()
}

/// Scenes of upright boxes.
fn upright() -> Vec<Case> {
    let mut numbers = Numbers::new(1);
    let mut pile = |count: usize| -> Vec<Obb> {
        let solid = |_| {
            let half = (0.3 * (numbers.point() + 1.0)).max(Vec3::splat(0.02));
            Obb::new(numbers.point() * 4.0, half, Quat::from_rotation_z(7.0 * numbers.part()))
        };
        (0..count).map(solid).collect()
    };
    let cases = [
        ("a crowd", Scene::Crowd.generate(3000, 1)),
        ("a pile", pile(2000)),
        ("touching", block(0.0, false)),
        ("a hair apart", block(2e-7, false)),
        ("a little apart", block(2e-6, false)),
        ("a hair within", block(-2e-7, false)),
        ("plates", block(0.0, true)),
        ("plates a hair within", block(-2e-7, true)),
    ];
    cases.map(|(name, boxes)| (name.to_owned(), boxes)).to_vec()
}

/// These boxes with a tilted rod through their middle, as the first box, one in the middle, or the
/// last.
fn tilted(boxes: &[Obb], place: usize) -> Vec<Obb> {
    let middle = boxes.iter().map(|solid| solid.center).sum::<Vec3>() / boxes.len() as f32;
    let rod = Obb::new(middle, Vec3::new(0.1, 0.2, 5.0), Quat::from_rotation_x(1.2));
    let mut boxes = boxes.to_vec();
    boxes.insert(place * boxes.len() / 2, rod);
    boxes
}

/// Settings that select other kernels.
fn settings() -> [(&'static str, GpuConfig); 3] {
    let plain = GpuConfig {
        subgroups: false,
        shader_f64: false,
        ..GpuConfig::default()
    };
    let checked = GpuConfig {
        shader_checks: true,
        ..GpuConfig::default()
    };
    [
        ("default", GpuConfig::default()),
        ("plain", plain),
        ("checked", checked),
    ]
}

/// Checkers with these settings.
fn checkers(precision: Precision) -> Vec<(&'static str, Checker)> {
    let config = |gpu| Config {
        precision,
        list_touching: precision == Precision::Exact,
        gpu,
        ..Config::default()
    };
    settings().map(|(name, settings)| (name, gpu(config(settings)))).into()
}

#[test]
fn u4_upright_scenes_match_the_cpu() {
    let mut checkers = checkers(Precision::Exact);
    let mut twin = cpu(Config {
        list_touching: true,
        ..Config::default()
    });
    let mut touching = 0;
    for (name, boxes) in upright() {
        let scenes = [None, Some(0), Some(1), Some(2)].map(|place| match place {
            None => (name.clone(), boxes.clone()),
            Some(place) => (format!("{name}, a rod at {place}"), tilted(&boxes, place)),
        });
        for (name, boxes) in scenes {
            let expected = check(&mut twin, &name, &boxes);
            expect_reference(&name, &boxes, expected.pairs().expect("asked for"));
            touching += expected.touching().expect("asked for").len();
            for (settings, checker) in &mut checkers {
                let what = format!("{name}, {settings}");
                expect_same(&what, &expected, &check(checker, &what, &boxes));
            }
        }
    }
    assert!(touching > 1_000, "{touching} touching pairs");
}

#[test]
fn less_precise_answers_differ_only_for_nearly_touching_boxes() {
    // f32 is undecided about boxes within about 1e-5 of touching here, and puts nearly all of them
    // on the correct side.
    for (precision, most, least_extra) in [(Precision::Fast, 1e-6, 0), (Precision::Conservative, 2e-5, 1_000)] {
        let mut extra = 0;
        let mut checkers = checkers(precision);
        for (name, boxes) in upright() {
            let exact = cpu_pairs(&boxes);
            for (settings, checker) in &mut checkers {
                let what = format!("{name}, {settings}, {precision:?}");
                let report = check(checker, &what, &boxes);
                let difference = difference(&exact, report.pairs().expect("asked for"));
                for pair in difference.missing.iter().chain(&difference.extra) {
                    let gap = separation(&boxes[pair.a as usize], &boxes[pair.b as usize]);
                    assert!(gap.abs() < most, "{what}: {pair:?}, {gap:e} apart");
                }
                assert!(precision == Precision::Fast || difference.missing.is_empty(), "{what}");
                assert_eq!(report.undecided_pairs, 0, "{what}");
                extra += difference.extra.len();
            }
        }
        assert!(extra >= least_extra, "{precision:?}: {extra} extra");
    }
}

/// Scenes at rest and movers, all of whose boxes are upright, or not.
fn sets() -> [(bool, Vec<Obb>); 2] {
    let boxes = Scene::Crowd.generate(1500, 3);
    [(false, boxes.clone()), (true, tilted(&boxes, 1))]
}

#[test]
fn movers_and_boxes_at_rest_may_be_tilted() {
    for (settings, mut checker) in checkers(Precision::Exact) {
        for (rests, at_rest) in sets() {
            let scene = checker.prepare(&at_rest).expect("valid boxes");
            for (moves, movers) in sets() {
                let what = format!("{settings}, tilted: at rest {rests}, movers {moves}");
                let report = checker.check(Query::against(&scene, &movers)).expect("a report");
                expect_pairs(
                    &what,
                    &pairs_against(&at_rest, &movers),
                    report.pairs().expect("asked for"),
                );
            }
        }
    }
}

/// Boxes in a row, about 0.6 apart, of which every other pair of neighbours meets.
fn row(direction: Vec3, half_extents: Vec3, count: usize) -> Vec<Obb> {
    let solid = |k: usize| {
        let center = (0.6 * k as f32 + [0.0, 3e-4][k % 2]) * direction;
        let zero = [0.0, -0.0][k / 2 % 2];
        Obb::new(
            center,
            half_extents,
            Quat::from_xyzw(zero, -zero, 0.0, [1.0, -1.0][k % 2]),
        )
    };
    (0..count).map(solid).collect()
}

/// A row of columns so high that only a test with an error independent of their height can decide
/// which of them meet.
fn columns(count: usize) -> Vec<Obb> {
    row(Vec3::X, Vec3::new(0.3, 0.3, 1000.0), count)
}

/// A pile of plates so wide that only a test with an error independent of their width can decide
/// which of them meet.
fn plates(count: usize) -> Vec<Obb> {
    row(Vec3::Z, Vec3::new(1000.0, 1000.0, 0.3), count)
}

/// These boxes, and a tilted one that meets none.
fn and_another(mut boxes: Vec<Obb>) -> Vec<Obb> {
    let center = Vec3::splat(-2000.0);
    boxes.push(Obb::new(center, Vec3::ONE, Quat::from_rotation_y(0.1)));
    boxes
}

/// The pairs of neighbours in a row.
fn neighbours(count: usize) -> Vec<Pair> {
    (1..count as u32).map(|b| Pair::new(b - 1, b)).collect()
}

/// The neighbours that meet: every other pair.
fn meeting(count: usize) -> Vec<Pair> {
    neighbours(count).into_iter().filter(|pair| pair.a % 2 == 1).collect()
}

/// The number of columns, or of plates.
const COLUMNS: usize = 300;
/// The number of their pairs that fifteen axes leave undecided.
const UNDECIDED: u64 = COLUMNS as u64 - 1;

#[test]
fn five_axes_are_used_if_no_box_is_tilted() {
    for (settings, mut checker) in checkers(Precision::Exact) {
        // In turn, because the state of one scene must not affect the next.
        for (boxes, undecided) in [
            (columns(COLUMNS), 0),
            (and_another(columns(COLUMNS)), UNDECIDED),
            (plates(COLUMNS), 0),
            (and_another(plates(COLUMNS)), UNDECIDED),
            (columns(COLUMNS), 0),
        ] {
            let report = check(&mut checker, settings, &boxes);
            expect_pairs(settings, &meeting(COLUMNS), report.pairs().expect("asked for"));
            assert_eq!(report.undecided_pairs, undecided, "{settings}");
            let given = checker
                .check(Query::pairs(&boxes, &neighbours(COLUMNS)))
                .expect("a report");
            expect_pairs(settings, &meeting(COLUMNS), given.pairs().expect("asked for"));
            assert_eq!(given.undecided_pairs, undecided, "{settings}: given pairs");
        }
    }
    // The CPU chooses the axes for each group of four pairs that it tests together.
    let report = check(&mut cpu(Config::default()), "the CPU", &and_another(columns(COLUMNS)));
    assert_eq!(report.undecided_pairs, 0);
}

#[test]
fn five_axes_are_used_if_neither_set_has_a_tilted_box() {
    let mut checker = gpu(Config::default());
    for (rests, at_rest) in [(false, columns(COLUMNS)), (true, and_another(columns(COLUMNS)))] {
        let scene = checker.prepare(&at_rest).expect("valid boxes");
        for (moves, movers) in [(false, columns(COLUMNS)), (true, and_another(columns(COLUMNS)))] {
            let what = format!("tilted: at rest {rests}, movers {moves}");
            let report = checker.check(Query::against(&scene, &movers)).expect("a report");
            expect_pairs(
                &what,
                &pairs_against(&at_rest, &movers),
                report.pairs().expect("asked for"),
            );
            // Each column, except at the ends, has two neighbours among the others.
            let undecided = if rests || moves { 2 * UNDECIDED } else { 0 };
            assert_eq!(report.undecided_pairs, undecided, "{what}");
        }
    }
}

#[test]
fn given_pairs_in_several_passes() {
    // Capacity for 8,192 pairs at a time.
    let mut checker = gpu_with(GpuConfig {
        max_buffer_bytes: Some(1 << 16),
        ..GpuConfig::default()
    });
    for (name, boxes) in [
        ("upright", Scene::Crowd.generate(1000, 2)),
        ("tilted", tilted(&Scene::Crowd.generate(1000, 2), 0)),
    ] {
        let bounds: Vec<Aabb> = boxes.iter().map(Obb::bounds).collect();
        let mut pairs = overlapping_bounds(&bounds);
        let others = (0..150u32).flat_map(|a| (500..650).map(move |b| Pair::new(a, b)));
        pairs.extend(others);
        pairs.sort_unstable();
        pairs.dedup();
        assert!(pairs.len() > 20_000, "{}", pairs.len());
        let report = checker.check(Query::pairs(&boxes, &pairs)).expect("a report");
        expect_pairs(name, &cpu_pairs(&boxes), report.pairs().expect("asked for"));
    }
    // The relevant pairs come last.
    let boxes = and_another(columns(COLUMNS));
    let far = (0..200u32).flat_map(|a| (a + 2..250).map(move |b| Pair::new(a, b)));
    let pairs: Vec<Pair> = far.chain(neighbours(COLUMNS)).collect();
    assert!(pairs.len() > 2 * 8192);
    let report = checker.check(Query::pairs(&boxes, &pairs)).expect("a report");
    expect_pairs("columns", &meeting(COLUMNS), report.pairs().expect("asked for"));
    assert_eq!(report.undecided_pairs, UNDECIDED);
}

#[test]
fn each_part_chooses_its_axes() {
    let mut checker = gpu_with(GpuConfig {
        max_buffer_bytes: Some(1 << 16),
        ..GpuConfig::default()
    });
    let count = 9000;
    let mut undecided = |boxes: &[Obb]| {
        let report = check(&mut checker, "parts", boxes);
        assert!(report.timings.wall.iter().any(|(step, _)| *step == Stage::Parts));
        expect_pairs("parts", &meeting(count), report.pairs().expect("asked for"));
        report.undecided_pairs
    };
    assert_eq!(undecided(&columns(count)), 0);
    // The tilted box is in one part.
    let some = undecided(&and_another(columns(count)));
    assert!(some > 500 && some < 5000, "{some}");
    let crowd = Scene::Crowd.generate(9000, 4);
    for (name, boxes) in [("upright", crowd.clone()), ("tilted", tilted(&crowd, 2))] {
        expect_pairs(
            name,
            &cpu_pairs(&boxes),
            check(&mut checker, name, &boxes).pairs().expect("asked for"),
        );
    }
}

/// Pairs of upright boxes: near one another, a tiny distance apart or inside one another, including
/// flat ones and equal rotations.
fn upright_pairs() -> Vec<[Obb; 2]> {
    let boxes = Scene::Crowd.generate(40_000, 5);
    let pairs = boxes.chunks_exact(2).enumerate();
    let pair = |(k, pair): (usize, &[Obb])| {
        let [mut a, mut b] = [pair[0], pair[1]];
        // Heights whose sums are rounded.
        a.half_extents.z += 0.03 * (k % 17) as f32;
        b.half_extents.z += 0.07 * (k % 13) as f32;
        let stretched = 1.0 + 9e-4 * (k as f32 % 3.0 - 1.0);
        if k % 4 == 0 {
            b.rotation = a.rotation;
        }
        if k % 5 == 0 {
            (a.half_extents.x, b.half_extents.z) = (0.0, 0.0);
        }
        let axis = [a, b][k % 2].rotation * Vec3::X;
        let reach = |solid: &Obb| {
            let along = solid.rotation.inverse() * axis;
            along.abs().dot(solid.half_extents)
        };
        let gap = [0.0, 1e-7, -1e-7, 1e-6, -1e-6, 1e-2, -1e-2, -0.3][k % 8];
        let aside = Vec3::new(-axis.y, axis.x, 0.0) * (0.1 * (k % 7) as f32 - 0.3);
        b.center = a.center + axis * (reach(&a) + reach(&b) + gap) + aside;
        if k % 3 == 0 {
            let reach = a.half_extents.z + b.half_extents.z;
            b.center = a.center + aside + Vec3::Z * (reach + gap);
        }
        a.rotation *= stretched;
        [a, b]
    };
    pairs.map(pair).collect()
}

#[test]
fn five_axes_decide_upright_boxes_correctly() {
    let upright = upright_pairs();
    // With a box that is not upright, the same boxes are tested over fifteen axes.
    let turned = Obb::new(Vec3::ZERO, Vec3::ONE, Quat::from_rotation_x(0.5));
    let beside = |&[a, b]: &[Obb; 2]| [[a, b], [turned; 2]];
    let tilted: Vec<[Obb; 2]> = upright.iter().flat_map(beside).collect();
    for (axes, boxes) in [(5, upright.concat()), (15, tilted.concat())] {
        let pairs: Vec<Pair> = (0..boxes.len() as u32 / 2)
            .map(|k| Pair::new(2 * k, 2 * k + 1))
            .collect();
        let contact = |pair: &Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]);
        let those = |wanted: fn(Contact) -> bool| -> Vec<Pair> {
            pairs.iter().copied().filter(|pair| wanted(contact(pair))).collect()
        };
        let colliding = those(Contact::collides);
        let touching = those(|contact| contact == Contact::Touching);
        let ask = |precision| {
            let config = Config {
                precision,
                list_touching: precision == Precision::Exact,
                ..Config::default()
            };
            let mut all = checkers(precision);
            all.push(("the CPU", cpu(config)));
            let query = || Query::pairs(&boxes, &pairs);
            all.into_iter()
                .map(move |(what, mut checker)| (what, checker.check(query()).expect("a report")))
        };
        let mut undecided = Vec::new();
        for (what, report) in ask(Precision::Exact) {
            let what = format!("{what}, {axes} axes");
            expect_pairs(&what, &colliding, report.pairs().expect("asked for"));
            assert_eq!(report.touching().expect("asked for"), touching, "{what}");
            let left = report.undecided_pairs as usize;
            assert!(left > 2_000 && left + 4_000 < pairs.len(), "{what}: {left} undecided");
            undecided.push(left);
        }
        assert!(colliding.len() > 2_000 && colliding.len() + 2_000 < pairs.len());
        for precision in [Precision::Conservative, Precision::Fast] {
            for ((what, report), undecided) in ask(precision).zip(&undecided) {
                let difference = difference(&colliding, report.pairs().expect("asked for"));
                let (missing, extra) = (difference.missing.len(), difference.extra.len());
                assert!(missing + extra <= *undecided, "{what}, {axes} axes: {missing}, {extra}");
                assert!(
                    missing == 0 || precision == Precision::Fast,
                    "{what}, {axes} axes: {missing}"
                );
            }
        }
    }
}
