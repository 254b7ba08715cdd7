//! Volume trees over rigid bodies, and interval lists of the caller's boxes.

use std::collections::BTreeSet;

use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Checker, Obb, Pair, Query,
    shape::{Aabb, Triangle},
    tracking::SweepAndPrune,
};
use obbligato::{
    shape::Pose,
    tree::{AlignedBox, Ball, OrientedBox, Volume, VolumeTree},
};
use obbligato_verify::reference::overlapping_bounds;
use obbligato_verify::scenes::{Scene, rings};

use super::on_cpu;

/// Three lists of interval ends, kept sorted by insertion. The reported begins and ends lead from
/// the pairs of one frame to those of the next.
#[test]
fn p1_interval_lists_along_three_axes() {
    let mut boxes: Vec<Aabb> = Scene::Crowd.generate(2000, 4).iter().map(Obb::bounds).collect();
    let (mut sweep, mut known) = (SweepAndPrune::new(), BTreeSet::new());
    for frame in 0..8 {
        let changes = sweep.update(&boxes).expect("valid boxes");
        assert_eq!((changes.sorted_anew, changes.passages > 0), (frame == 0, frame > 0));
        assert!(changes.begun.iter().all(|pair| known.insert(*pair)));
        assert!(changes.ended.iter().all(|pair| known.remove(pair)));
        assert!(known.iter().eq(&overlapping_bounds(&boxes)) && known.iter().eq(sweep.pairs()));
        for moved in boxes.iter_mut().skip(frame).step_by(3) {
            (moved.min.x, moved.max.x) = (moved.min.x + 0.2, moved.max.x + 0.2);
        }
    }
}

/// Asserts that the pairs that a tree finds, together with those left open by a budget, cover the
/// true ones at any budget.
fn covers<V: Volume>(meshes: [&[Triangle]; 2], poses: [Pose; 2], truth: &BTreeSet<Pair>) {
    let trees = meshes.map(|mesh| VolumeTree::<V>::new(mesh).expect("valid triangles"));
    let [a, b] = [trees[0].at(poses[0]), trees[1].at(poses[1])];
    let pairs = a.pairs(&b).expect("enough memory");
    assert!(truth.is_subset(&pairs.iter().copied().collect()));
    // Far fewer than all pairs, or the tree would be useless.
    assert!(pairs.len() < 100 * truth.len(), "{} for {}", pairs.len(), truth.len());
    let complete = a.pairs_within(&b, u64::MAX).expect("enough memory");
    assert!(complete.is_complete() && complete.pairs == pairs);
    for budget in [0, 1, 10, complete.tests / 2, complete.tests - 1] {
        let answer = a.pairs_within(&b, budget).expect("enough memory");
        assert!(!answer.is_complete() && answer.tests == budget, "{budget}");
        let assumed: Vec<[BTreeSet<u32>; 2]> = answer
            .assumed
            .iter()
            .map(|assumed| {
                let parts = |tree: &VolumeTree<V>, node| tree.node(node).expect("a node").1.iter().copied().collect();
                [parts(&trees[0], assumed.a), parts(&trees[1], assumed.b)]
            })
            .collect();
        for pair in truth {
            let is_found = answer.pairs.binary_search(pair).is_ok();
            let is_assumed = assumed.iter().any(|[a, b]| a.contains(&pair.a) && b.contains(&pair.b));
            assert!(is_found || is_assumed, "a budget of {budget} misses {pair:?}");
        }
    }
}

/// Trees of spheres, of oriented boxes and of axis-aligned boxes in the body's frame, built once
/// over two meshes, and compared with each other in several poses.
#[test]
fn p3_trees_of_balls_and_boxes_within_a_budget() {
    // On a lattice, so that these rotations and translations involve no rounding.
    let on_lattice = |mesh: Vec<Triangle>| -> Vec<Triangle> {
        let rounded = |corner: Vec3| (corner * 256.0).round() / 256.0;
        let corners = |triangle: &Triangle| triangle.corners.map(rounded);
        mesh.iter()
            .map(|triangle| Triangle {
                corners: corners(triangle),
            })
            .collect()
    };
    let meshes = [on_lattice(rings(8192, 1)), on_lattice(rings(6000, 2))];
    let meshes = [&meshes[0][..], &meshes[1][..]];
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let poses = [
        (Pose::IDENTITY, Pose::IDENTITY),
        (
            Pose::new(Vec3::new(8.0, -1.5, 0.25), Quat::from_xyzw(0.0, half, 0.0, half)),
            Pose::new(Vec3::new(7.5, -1.0, 0.5), Quat::from_xyzw(0.5, 0.5, 0.5, 0.5)),
        ),
    ];
    let mut checker = Checker::new(on_cpu()).expect("the CPU serves");
    for (first, second) in poses {
        let poses = [first, second];
        let world = [0, 1].map(|side: usize| {
            let place = |corner: Vec3| {
                let turned = poses[side].rotation.as_dquat().normalize() * corner.as_dvec3();
                (turned.as_vec3() * 256.0).round() / 256.0 + poses[side].translation
            };
            let corners = |triangle: &Triangle| triangle.corners.map(place);
            let moved = meshes[side].iter().map(|triangle| Triangle {
                corners: corners(triangle),
            });
            moved.collect::<Vec<Triangle>>()
        });
        let report = checker
            .check(Query::between(&world[0], &world[1]))
            .expect("valid triangles");
        let truth: BTreeSet<Pair> = report.pairs().expect("asked for").iter().copied().collect();
        assert!(truth.len() > 20, "{}", truth.len());
        covers::<Ball>(meshes, poses, &truth);
        covers::<OrientedBox>(meshes, poses, &truth);
        covers::<AlignedBox>(meshes, poses, &truth);
    }
}
