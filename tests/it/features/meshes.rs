//! Triangles and meshes.

use obbligato::glam::{Quat, Vec3};
use obbligato::query::MeshQuery;
use obbligato::{
    Checker, Error, Obb, Pair, Query,
    region::{BspTree, ClosedMesh, PlaneSide, PointState},
    shape::Triangle,
};
use obbligato_verify::reference::triangles_meet;
use obbligato_verify::scenes::rings;

use super::{on_cpu, on_gpu};
use crate::support::meshes::cuboid;

/// Crossing, touching, coplanar, degenerate; against linear programs, on both backends.
#[test]
fn s3_triangles_that_share_a_point() {
    let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
    let mut triangles = vec![
        Triangle::new(Vec3::ZERO, at(4.0, 0.0, 0.0), at(0.0, 4.0, 0.0)),
        Triangle::new(at(1.0, 1.0, -1.0), at(1.0, 1.0, 1.0), at(2.0, 1.0, 1.0)),
        Triangle::new(at(2.0, 2.0, 0.0), at(2.0, 2.0, 4.0), at(4.0, 4.0, 4.0)),
        Triangle::new(at(0.5, 0.5, 0.0), at(1.0, 0.5, 0.0), at(0.5, 1.0, 0.0)),
        Triangle::new(at(3.0, 3.0, 0.0), at(4.0, 3.0, 0.0), at(3.0, 4.0, 0.0)),
        Triangle::new(at(1.0, 2.0, 0.0), at(1.0, 2.0, 0.0), at(1.0, 2.0, 0.0)),
        Triangle::new(at(0.0, 0.0, 1.0), at(1.0, 1.0, 1.0), at(4.0, 4.0, 1.0)),
    ];
    triangles.extend(rings(300, 3));
    let mut expected = Vec::new();
    for (b, second) in (0..).zip(&triangles) {
        let earlier = (0..).zip(&triangles[..b as usize]);
        let met = earlier.filter(|(_, first)| triangles_meet(first, second));
        expected.extend(met.map(|(a, _)| Pair { a, b }));
    }
    expected.sort();
    let own = expected.iter().filter(|pair| pair.b < 7).count();
    assert_eq!(own, 6);
    for config in [on_gpu(), on_cpu()] {
        let backend = config.backend;
        let mut checker = Checker::new(config).expect("the backend is there");
        let report = checker.check(Query::from(&triangles)).expect("valid triangles");
        assert_eq!(report.pairs().expect("asked for"), expected, "{backend:?}");
    }
}

/// Two meshes, one mesh with itself, and the points inside.
#[test]
fn s4_meshes_collide_and_contain_points() {
    let outer = cuboid(Vec3::ZERO, Vec3::splat(4.0));
    let beside = cuboid(Vec3::new(3.0, 1.0, 1.0), Vec3::new(6.0, 3.0, 3.0));
    let mut expected = Vec::new();
    for (a, first) in (0..).zip(&outer) {
        let met = (0..).zip(&beside).filter(|(_, second)| triangles_meet(first, second));
        expected.extend(met.map(|(b, _)| Pair { a, b }));
    }
    let mut both = outer.clone();
    both.extend_from_slice(&beside);
    let joined: Vec<Pair> = expected
        .iter()
        .map(|pair| Pair {
            b: pair.b + 12,
            ..*pair
        })
        .collect();
    assert!(expected.len() > 7);
    for config in [on_gpu(), on_cpu()] {
        let backend = config.backend;
        let mut checker = Checker::new(config).expect("the backend is there");
        let report = checker.check(Query::between(&outer, &beside)).expect("valid triangles");
        assert_eq!(report.pairs().expect("asked for"), expected, "{backend:?}");
        // The pairs of a mesh that meets itself: neighbours do not count.
        let report = checker.check(Query::mesh(&both)).expect("valid triangles");
        assert_eq!(report.pairs().expect("asked for"), joined, "{backend:?}");
        let boxes = [1.0, 4.5, 9.0].map(|x| Obb::axis_aligned(Vec3::new(x, 2.0, 2.0), Vec3::splat(0.75)));
        let report = checker.check(MeshQuery::new(&outer, &boxes)).expect("valid boxes");
        assert!(!report.pairs().expect("asked for").is_empty());
        assert!(
            report.pairs().expect("asked for").iter().all(|pair| pair.b == 1),
            "{backend:?}"
        );
    }
}

#[test]
fn p5_bsp_tree_distinguishes_front_behind_and_across() {
    let tree = BspTree::of_solid(&cuboid(Vec3::ZERO, Vec3::splat(4.0))).expect("a closed mesh");
    let at = Vec3::splat;
    for (points, side) in [
        (vec![at(1.0)], PlaneSide::Behind),
        (vec![at(4.0)], PlaneSide::On),
        (vec![at(1.0), at(3.0), Vec3::X + Vec3::ONE], PlaneSide::Behind),
        (vec![at(1.0), at(5.0)], PlaneSide::Across),
        (vec![at(5.0), at(6.0), at(7.0) + Vec3::X], PlaneSide::Front),
    ] {
        assert_eq!(tree.side_of(&points).expect("a solid"), side, "{points:?}");
    }
    for (center, side) in [
        (2.0, PlaneSide::Behind),
        (3.5, PlaneSide::Across),
        (6.0, PlaneSide::Front),
    ] {
        let obb = Obb::new(at(center), Vec3::ONE, Quat::from_rotation_x(0.3));
        assert_eq!(tree.side_of_box(&obb).expect("a solid"), side, "{center}");
        assert_eq!(tree.meets_box(&obb), side == PlaneSide::Across, "{center}");
    }
}

#[test]
fn s4_points_in_a_mesh_with_a_hole() {
    let mut mesh = cuboid(Vec3::ZERO, Vec3::splat(4.0));
    mesh.extend(cuboid(Vec3::ONE, Vec3::splat(3.0)));
    let closed = ClosedMesh::new(&mesh).expect("a closed mesh");
    let points = [0.0, 0.5, 1.0, 2.0, 5.0].map(Vec3::splat);
    let states = closed.locate_all(&points).expect("valid points");
    let (surface, outside) = (PointState::Surface, PointState::Outside);
    assert_eq!(states, [surface, PointState::Inside, surface, outside, outside]);
    mesh.pop();
    assert!(matches!(ClosedMesh::new(&mesh), Err(Error::OpenMesh { edges: 3 })));
}
