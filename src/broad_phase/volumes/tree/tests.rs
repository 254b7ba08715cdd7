//! Trees of volumes: their invariants, and that they never miss a pair.

use std::collections::BTreeSet;

use glam::{DMat3, DQuat, Mat3, Quat};

use super::*;
use crate::base::split_mix::SplitMix;
use crate::broad_phase::volumes::volume::Between;
use crate::geometry::aabb::Aabb;
use crate::geometry::pair::Pair;
use crate::shapes::obb::record::Obb;
use crate::shapes::triangle::record::Triangle;

fn vec(random: &mut SplitMix) -> Vec3 {
    Vec3::from_array(std::array::from_fn(|_| (2.0 * random.unit() - 1.0) as f32))
}

fn quat(random: &mut SplitMix) -> Quat {
    loop {
        let [x, y, z, w] = std::array::from_fn(|_| (2.0 * random.unit() - 1.0) as f32);
        let q = Quat::from_xyzw(x, y, z, w);
        if q.length_squared() > 0.01 {
            return q.normalize();
        }
    }
}

fn pose(random: &mut SplitMix, reach: f32) -> Pose {
    Pose::new(reach * vec(random), quat(random))
}

fn boxes(random: &mut SplitMix, count: usize, size: f32) -> Vec<Aabb> {
    (0..count)
        .map(|_| {
            let (low, extent) = (vec(random), 0.5 * size * (vec(random) + 1.0));
            Aabb::new(low, low + extent)
        })
        .collect()
}

/// Checks that every node is reached once, from a node with a smaller number; that parents have the
/// parts of their children; that leaves have each part once; and that every volume contains all
/// corners of its parts.
fn check<V: Volume, P: Part>(tree: &VolumeTree<V>, parts: &[P], what: &str) {
    assert_eq!(tree.len(), parts.len());
    let mut reached = vec![false; tree.nodes() as usize];
    let (mut leaves, mut next) = (BTreeSet::new(), Vec::new());
    next.extend((!tree.is_empty()).then_some(0));
    while let Some(node) = next.pop() {
        assert!(
            !std::mem::replace(&mut reached[node as usize], true),
            "{what}: {node} twice"
        );
        let (volume, own) = tree.node(node).expect("a node");
        for &part in own {
            for corner in parts[part as usize].corners().points() {
                assert!(volume.holds(*corner), "{what}: node {node} does not hold {corner}");
            }
        }
        match tree.children(node) {
            None => {
                assert_eq!(own.len(), 1);
                assert!(leaves.insert(own[0]), "{what}: part {} twice", own[0]);
            }
            Some(children) => {
                assert!(children.iter().all(|&child| child > node));
                let below = children.map(|child| tree.node(child).expect("a child").1).concat();
                assert_eq!(below, own, "{what}");
                next.extend(children);
            }
        }
    }
    assert!(reached.iter().all(|&reached| reached), "{what}: a node is not reached");
    assert_eq!(leaves.len(), parts.len(), "{what}");
    assert!(tree.node(tree.nodes()).is_none() && tree.children(tree.nodes()).is_none());
}

fn check_all<P: Part>(parts: &[P], what: &str) {
    check(&BallTree::new(parts).expect(what), parts, what);
    check(&ObbTree::new(parts).expect(what), parts, what);
    check(&AabbTree::new(parts).expect(what), parts, what);
}

#[test]
fn trees_contain_their_parts() {
    let mut random = SplitMix(5);
    for count in [0, 1, 2, 3, 16, 17, 1000, 5000] {
        check_all(&boxes(&mut random, count, 0.2), "boxes");
    }
    let triangles: Vec<Triangle> = (0..600)
        .map(|_| {
            let first = vec(&mut random);
            Triangle::new(first, first + 0.1 * vec(&mut random), first + 0.1 * vec(&mut random))
        })
        .collect();
    check_all(&triangles, "triangles");
    let moved = |by: f32, scale: f32| -> Vec<Triangle> {
        let corner = |corner: Vec3| corner * scale + by;
        triangles
            .iter()
            .map(|triangle| Triangle {
                corners: triangle.corners.map(corner),
            })
            .collect()
    };
    check_all(&moved(1e6, 1.0), "far triangles");
    check_all(&moved(0.0, 1e18), "huge triangles");
    check_all(&moved(0.0, 1e-39), "subnormal triangles");
    let flat: Vec<Vec3> = (0..500).map(|_| vec(&mut random) * Vec3::new(1.0, 1e-6, 0.0)).collect();
    check_all(&flat, "flat points");
    check_all(&vec![Vec3::ONE; 100], "one point again and again");
    let turned: Vec<Obb> = (0..500)
        .map(|_| {
            Obb::new(
                10.0 * vec(&mut random),
                (vec(&mut random) + 1.0) * 0.3,
                quat(&mut random),
            )
        })
        .collect();
    check_all(&turned, "oriented boxes");
}

#[test]
fn refitted_trees_contain_their_parts() {
    let mut random = SplitMix(6);
    let mut parts = boxes(&mut random, 700, 0.1);
    let (mut balls, mut turned) = (
        BallTree::new(&parts).expect("valid"),
        ObbTree::new(&parts).expect("valid"),
    );
    for part in &mut parts {
        let way = 0.3 * vec(&mut random);
        (part.min, part.max) = (part.min + way, part.max + way);
    }
    let order = balls.parts.clone();
    balls.refit(&parts).expect("valid");
    turned.refit(&parts).expect("valid");
    check(&balls, &parts, "balls");
    check(&turned, &parts, "oriented boxes");
    assert_eq!(balls.parts, order);
    parts.truncate(100);
    balls.refit(&parts).expect("valid");
    check(&balls, &parts, "fewer");
}

#[test]
fn invalid_parts_are_named() {
    let mut parts = vec![Vec3::ZERO; 9];
    parts[4].x = f32::NAN;
    parts[7].y = 1e30;
    let error = BallTree::new(&parts).map(drop).expect_err("not a number").to_string();
    assert!(error.starts_with("point 4 ") && error.contains('2'), "{error}");
    let error = ObbTree::new(&[Aabb::new(Vec3::ONE, Vec3::ZERO)])
        .map(drop)
        .expect_err("inverted");
    assert!(error.to_string().starts_with("box 0 "), "{error}");
}

/// Returns the parts in the world: a corner of each and its three edges, in `f64`.
fn placed(parts: &[Aabb], pose: &Pose) -> Vec<(DVec3, DMat3)> {
    let q = pose.rotation.as_dquat();
    let rotation = DMat3::from_quat(DQuat::from_vec4(q.to_array().into()).normalize());
    let place = |part: &Aabb| {
        let [low, high] = [part.min, part.max].map(|corner| corner.as_dvec3());
        let center = rotation * (0.5 * (low + high)) + pose.translation.as_dvec3();
        (center, rotation * DMat3::from_diagonal(0.5 * (high - low)))
    };
    parts.iter().map(place).collect()
}

/// Returns the gap between two parts in the world along the best of the fifteen axes. It is below 0
/// if they overlap.
fn gap(a: &(DVec3, DMat3), b: &(DVec3, DMat3)) -> f64 {
    let axes_of = |m: &DMat3| [0, 1, 2].map(|k| m.col(k).normalize_or_zero());
    let (of_a, of_b) = (axes_of(&a.1), axes_of(&b.1));
    let products = of_a.iter().flat_map(|u| of_b.iter().map(|v| u.cross(*v)));
    let axes = of_a.into_iter().chain(of_b).chain(products);
    let along = |axis: DVec3| {
        let reach = |m: &DMat3| (m.transpose() * axis).abs().element_sum();
        (b.0 - a.0).dot(axis).abs() - reach(&a.1) - reach(&b.1)
    };
    axes.filter(|axis| axis.length() > 1e-6)
        .map(|axis| along(axis.normalize()))
        .fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the pairs of parts that certainly overlap in these poses, and those that are not far
/// apart.
fn plain_pairs(sets: [&[Aabb]; 2], poses: [&Pose; 2]) -> [BTreeSet<Pair>; 2] {
    let [a, b] = [0, 1].map(|side| placed(sets[side], poses[side]));
    let (mut certain, mut near) = (BTreeSet::new(), BTreeSet::new());
    for (i, part) in a.iter().enumerate() {
        for (j, other) in b.iter().enumerate() {
            let pair = Pair {
                a: i as u32,
                b: j as u32,
            };
            let gap = gap(part, other);
            certain.extend((gap < 1e-12).then_some(pair));
            near.extend((gap < 1e-3).then_some(pair));
        }
    }
    [certain, near]
}

fn find<V: Volume>(sets: [&[Aabb]; 2], poses: [&Pose; 2], what: &str) -> usize {
    let trees = sets.map(|parts| VolumeTree::<V>::new(parts).expect("valid parts"));
    let [a, b] = [0, 1].map(|side| trees[side].at(*poses[side]));
    let pairs = a.pairs(&b).expect("enough memory");
    assert!(pairs.is_sorted_by(|a, b| a < b), "{what}: twice, or not sorted");
    let [certain, near] = plain_pairs(sets, poses);
    let found: BTreeSet<Pair> = pairs.iter().copied().collect();
    assert!(
        certain.is_subset(&found),
        "{what}: {} pairs missed",
        certain.difference(&found).count()
    );
    // Box volumes separate parts that are boxes as well as the parts themselves would.
    if what != "balls" {
        assert!(
            found.is_subset(&near),
            "{what}: {} pairs too many",
            found.difference(&near).count()
        );
    }
    let complete = a.pairs_within(&b, u64::MAX).expect("enough memory");
    assert!(complete.is_complete() && complete.pairs == pairs, "{what}");
    // Almost every budget.
    for budget in (0..complete.tests.min(60)).chain((60..=complete.tests + 1).step_by(1 + complete.tests as usize / 40))
    {
        let answer = a.pairs_within(&b, budget).expect("enough memory");
        assert!(answer.tests <= budget, "{what}: {} tests of {budget}", answer.tests);
        let expanded = a.expanded(&b, &answer).expect("enough memory");
        assert!(expanded.is_sorted_by(|a, b| a < b), "{what}: twice");
        let all: BTreeSet<Pair> = expanded.into_iter().collect();
        assert!(found.is_subset(&all), "{what}: a budget of {budget} misses a pair");
        assert_eq!(
            answer.is_complete(),
            budget >= complete.tests,
            "{what}: {budget} of {}",
            complete.tests
        );
        assert!(!answer.is_complete() || answer == complete, "{what}");
    }
    pairs.len()
}

#[test]
fn bodies_in_any_pose_and_budget() {
    let mut random = SplitMix(8);
    let mut all = 0;
    for round in 0..24 {
        let (count, other) = ([1, 2, 30, 150][round % 4], [60, 1, 150, 40][round % 4]);
        let sets = [boxes(&mut random, count, 0.4), boxes(&mut random, other, 0.4)];
        let sets = [&sets[0][..], &sets[1][..]];
        let poses = [pose(&mut random, 0.7), pose(&mut random, 0.7)];
        let poses = [&poses[0], &poses[1]];
        all += find::<Ball>(sets, poses, "balls");
        all += find::<OrientedBox>(sets, poses, "oriented boxes");
        all += find::<AlignedBox>(sets, poses, "aligned boxes");
    }
    assert!(all > 1000, "{all}");
    let none = find::<Ball>(
        [&[], &[Aabb::new(Vec3::ZERO, Vec3::ONE)]],
        [&Pose::IDENTITY; 2],
        "balls",
    );
    assert_eq!(none, 0);
}

/// Checks that each touching pair is found among cubes of a lattice that touch each other, moved
/// and rotated without rounding.
#[test]
fn touching_parts_are_found() {
    let cubes: Vec<Aabb> = (0..64)
        .map(|k| {
            let low = Vec3::new((k % 4) as f32, (k / 4 % 4) as f32, (k / 16) as f32);
            Aabb::new(low, low + 1.0)
        })
        .collect();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turns = [
        Quat::IDENTITY,
        Quat::from_xyzw(0.0, 0.0, half, half),
        Quat::from_xyzw(half, 0.0, 0.0, half),
        Quat::from_xyzw(0.5, 0.5, 0.5, 0.5),
    ];
    let mut met = 0;
    for (k, turn) in turns.into_iter().enumerate() {
        for shift in [
            Vec3::ZERO,
            Vec3::new(4.0, 1.0, -2.0),
            Vec3::splat(-4.0),
            Vec3::new(1048576.0, 0.0, 0.0),
        ] {
            let poses = [
                Pose::new(shift, turn),
                Pose::new(shift + Vec3::new(1.0, k as f32, 2.0), Quat::IDENTITY),
            ];
            let exact = placed(&cubes, &poses[0]);
            let others = placed(&cubes, &poses[1]);
            let mut touching = BTreeSet::new();
            for (i, a) in exact.iter().enumerate() {
                for (j, b) in others.iter().enumerate() {
                    // Cubes with integer corners, for any of the rotations.
                    let apart = (a.0 - b.0).abs().max_element() > 1.0 + 1e-6;
                    touching.extend((!apart).then_some(Pair {
                        a: i as u32,
                        b: j as u32,
                    }));
                }
            }
            met += touching.len();
            let all = |pairs: Vec<Pair>| touching.is_subset(&pairs.into_iter().collect());
            let (balls, turned, aligned) = (
                BallTree::new(&cubes).expect("valid"),
                ObbTree::new(&cubes).expect("valid"),
                AabbTree::new(&cubes).expect("valid"),
            );
            assert!(all(balls.at(poses[0]).pairs(&balls.at(poses[1])).expect("memory")));
            assert!(all(turned.at(poses[0]).pairs(&turned.at(poses[1])).expect("memory")));
            assert!(all(aligned.at(poses[0]).pairs(&aligned.at(poses[1])).expect("memory")));
        }
    }
    assert!(met > 1000, "{met}");
}

fn own_pairs<V: Volume>(parts: &[Aabb]) {
    let tree = VolumeTree::<V>::new(parts).expect("valid parts");
    let found = tree.self_pairs().expect("enough memory");
    let mut expected = BTreeSet::new();
    for (i, a) in parts.iter().enumerate() {
        let others = parts.iter().enumerate().skip(i + 1).filter(|(_, b)| a.overlaps(b));
        expected.extend(others.map(|(j, _)| Pair::new(i as u32, j as u32)));
    }
    let all: BTreeSet<Pair> = found.iter().copied().collect();
    assert_eq!(all.len(), found.len());
    assert!(expected.is_subset(&all) && found.iter().all(|pair| pair.a < pair.b));
    let complete = tree.self_pairs_within(u64::MAX).expect("enough memory");
    assert!(complete.is_complete() && complete.pairs == found);
    for budget in 0..complete.tests.min(300) {
        let answer = tree.self_pairs_within(budget).expect("enough memory");
        let expanded: Vec<Pair> = tree.self_expanded(&answer).expect("enough memory");
        assert!(expanded.is_sorted_by(|a, b| a < b), "twice");
        assert!(
            all.is_subset(&expanded.into_iter().collect()),
            "a budget of {budget} misses a pair"
        );
        assert!(answer.tests <= budget && !answer.is_complete());
    }
}

#[test]
fn a_tree_against_itself() {
    let mut random = SplitMix(9);
    for count in [1, 2, 5, 100, 400] {
        let parts = boxes(&mut random, count, 0.3);
        own_pairs::<Ball>(&parts);
        own_pairs::<OrientedBox>(&parts);
        own_pairs::<AlignedBox>(&parts);
    }
}

/// Checks two volumes with a common point, each on one side of it, in bodies of any size and place.
fn share_a_point<V: Volume>(random: &mut SplitMix) {
    let scale = (2.0f32).powi((random.next() % 60) as i32 - 20);
    let far = [0.0, 1.0, 100.0, 1e6][random.next() as usize % 4];
    let poses = [0, 1].map(|_| Pose::new(scale * far * vec(random), quat(random)));
    let world = |side: usize, point: DVec3| {
        let q = poses[side].rotation.as_dquat();
        DMat3::from_quat(q.normalize()) * point + poses[side].translation.as_dvec3()
    };
    let back = |side: usize, point: DVec3| {
        let q = poses[side].rotation.as_dquat();
        DMat3::from_quat(q.normalize()).transpose() * (point - poses[side].translation.as_dvec3())
    };
    // The common point in the frame of the first, and the direction that has all other points on
    // one side.
    let common = (scale * vec(random)).as_dvec3();
    let aside = vec(random).as_dvec3().normalize();
    let size = f64::from(scale) * [1.0, 1e-3][random.next() as usize % 2];
    let mut cloud = |side: f64| -> Vec<DVec3> {
        let shape = DVec3::new(1.0, [1.0, 0.01, 0.0][random.next() as usize % 3], 1.0);
        let mut points = vec![common];
        points.extend((0..7).map(|_| {
            let way = vec(random).as_dvec3() * shape;
            common + size * (way + (side * way.dot(aside).abs() - way.dot(aside)) * aside)
        }));
        points
    };
    let (own, others) = (cloud(-1.0), cloud(1.0));
    let others: Vec<DVec3> = others.iter().map(|point| back(1, world(0, *point))).collect();
    let volumes = [V::around(&own), V::around(&others)];
    // The rounding errors of `f64` exceed the enlargement of volumes only if bodies are far away.
    let between = [
        Between::new([&poses[0], &poses[1]]),
        Between::new([&poses[1], &poses[0]]),
    ];
    assert!(
        !volumes[0].is_apart(&volumes[1], &between[0]),
        "{own:?} {others:?} {poses:?}"
    );
    assert!(
        !volumes[1].is_apart(&volumes[0], &between[1]),
        "{own:?} {others:?} {poses:?}"
    );
}

#[test]
fn volumes_with_a_common_point_are_not_apart() {
    let mut random = SplitMix(10);
    for _ in 0..20_000 {
        share_a_point::<Ball>(&mut random);
        share_a_point::<OrientedBox>(&mut random);
        share_a_point::<AlignedBox>(&mut random);
    }
}

/// Checks that volumes slightly further apart than rounding are separated, and that volumes with
/// NaN are not.
#[test]
fn volumes_that_are_apart() {
    fn apart<V: Volume>(gap: f32, turn: Quat) -> bool {
        // Spheres and boxes both extend from -1 to 1 along x.
        let cross = [DVec3::X, DVec3::NEG_X, 1e-3 * DVec3::Y, 1e-3 * DVec3::Z];
        let volume = V::around(&cross);
        let poses = [Pose::IDENTITY, Pose::new(Vec3::X * (2.0 + gap), turn)];
        volume.is_apart(&volume, &Between::new([&poses[0], &poses[1]]))
    }
    for turn in [Quat::IDENTITY, Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)] {
        assert!(apart::<Ball>(1e-3, turn) && apart::<OrientedBox>(1e-2, turn) && apart::<AlignedBox>(1e-3, turn));
        assert!(!apart::<Ball>(0.0, turn) && !apart::<OrientedBox>(0.0, turn) && !apart::<AlignedBox>(0.0, turn));
    }
    assert!(!apart::<Ball>(f32::NAN, Quat::IDENTITY) && !apart::<AlignedBox>(1.0, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)));
    let unit = OrientedBox {
        center: Vec3::ZERO,
        half_extents: Vec3::ONE,
        axes: Mat3::IDENTITY,
    };
    // Only a cross product of edges separates these.
    let turned =
        Quat::from_rotation_x(std::f32::consts::FRAC_PI_4) * Quat::from_rotation_y(std::f32::consts::FRAC_PI_4);
    let mut told = [0; 2];
    for k in 0..400 {
        let way = Vec3::new(0.3, 1.0, 0.8).normalize() * (1.0 + 0.01 * k as f32);
        let poses = [Pose::IDENTITY, Pose::new(way, turned)];
        let is_apart = unit.is_apart(&unit, &Between::new([&poses[0], &poses[1]]));
        let parts = [Aabb::new(-Vec3::ONE, Vec3::ONE)];
        let gap = gap(&placed(&parts, &poses[0])[0], &placed(&parts, &poses[1])[0]);
        assert!(gap.abs() < 1e-3 || is_apart == (gap > 0.0), "{way} {gap}");
        told[usize::from(is_apart)] += 1;
    }
    assert!(told.iter().all(|&count| count > 50), "{told:?}");
}
