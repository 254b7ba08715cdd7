//! BSP trees, compared with the closed mesh, with all triangles one by one, and with boxes as
//! meshes.

use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Error, Obb,
    region::{BspTree, ClosedMesh, PlaneSide, PointState},
    shape::Triangle,
};
use obbligato_support::split_mix::SplitMix;

use crate::support::meshes::{cuboid, hard_points, tetrahedra, torus};

fn whole(random: &mut SplitMix, size: u64) -> Vec3 {
    Vec3::from([(); 3].map(|()| (random.next() % size) as f32))
}

#[test]
fn points_are_classified_as_by_the_closed_mesh() {
    let mut random = SplitMix(3);
    let mut meshes = vec![
        cuboid(Vec3::ZERO, Vec3::ONE),
        torus(20, 30, |p| p),
        torus(8, 9, |p| p.normalize() * (1.0 + p.z)),
    ];
    meshes.extend([(3, 3), (10, 4), (40, 9), (100, 30)].map(|(count, size)| tetrahedra(count, size, &mut random)));
    for mesh in meshes {
        let (tree, closed) = (
            BspTree::of_solid(&mesh).expect("closed"),
            ClosedMesh::new(&mesh).expect("closed"),
        );
        let mut points = hard_points(&mesh, 4_000, &mut random);
        let (low, high) = points
            .iter()
            .fold((points[0], points[0]), |(low, high), &p| (low.min(p), high.max(p)));
        points.extend((0..20_000).map(|_| low + (high - low) * Vec3::from([(); 3].map(|()| random.unit() as f32))));
        for point in points {
            assert_eq!(tree.locate(point).expect("a solid"), closed.locate(point), "{point:?}");
        }
    }
}

#[test]
fn p5_segments_and_polygons_agree_with_the_triangles() {
    let mut random = SplitMix(5);
    let mut sides = [0; 3];
    for (count, size) in [(2, 5), (30, 9), (60, 40)] {
        let mesh = tetrahedra(count, size, &mut random);
        let (tree, closed) = (
            BspTree::of_solid(&mesh).expect("closed"),
            ClosedMesh::new(&mesh).expect("closed"),
        );
        for corners in [1, 2, 3, 4, 5].repeat(300) {
            let first = whole(&mut random, size);
            let near = |random: &mut SplitMix| first + (whole(random, 5) - Vec3::splat(2.0)) / 2.0;
            let points: Vec<Vec3> = std::iter::once(first)
                .chain((1..corners).map(|_| near(&mut random)))
                .collect();
            let is_met = Triangle::fan(&points).any(|part| mesh.iter().any(|triangle| part.meets(triangle)));
            assert_eq!(tree.meets(&points), is_met, "{points:?}");
            let expected = match (is_met, closed.locate(first)) {
                (true, _) if corners == 1 => PlaneSide::On,
                (true, _) => PlaneSide::Across,
                (false, PointState::Inside) => PlaneSide::Behind,
                (false, _) => PlaneSide::Front,
            };
            assert_eq!(tree.side_of(&points).expect("a solid"), expected, "{points:?}");
            sides[if is_met {
                0
            } else {
                1 + usize::from(expected == PlaneSide::Front)
            }] += 1;
        }
    }
    assert!(sides.iter().all(|&side| side > 50), "{sides:?}");
    let tree = BspTree::of_solid(&cuboid(Vec3::ZERO, Vec3::ONE)).expect("closed");
    assert!(!tree.meets(&[]) && Triangle::fan(&[]).next().is_none());
    assert_eq!(tree.side_of(&[]).expect("a solid"), PlaneSide::Front);
}

#[test]
fn p5_boxes_agree_with_their_faces_and_insides() {
    let mut random = SplitMix(7);
    let mut counts = [0; 3];
    for (count, size) in [(3, 9), (30, 30)] {
        let mesh = tetrahedra(count, size, &mut random);
        let (tree, closed) = (
            BspTree::of_solid(&mesh).expect("closed"),
            ClosedMesh::new(&mesh).expect("closed"),
        );
        for _ in 0..1_000 {
            // Among integers nothing is close without touching.
            let min = whole(&mut random, size);
            let max = min + whole(&mut random, 3);
            let (faces, obb) = (
                cuboid(min, max),
                Obb::axis_aligned((min + max) / 2.0, (max - min) / 2.0),
            );
            let has = |p: &Vec3| min.cmple(*p).all() && p.cmple(max).all();
            let is_met = mesh
                .iter()
                .any(|triangle| triangle.corners.iter().any(has) || faces.iter().any(|face| face.meets(triangle)));
            assert_eq!(tree.meets_box(&obb), is_met, "{obb:?}");
            let expected = match (is_met, closed.locate(min)) {
                (true, _) => PlaneSide::Across,
                (false, PointState::Inside) => PlaneSide::Behind,
                (false, _) => PlaneSide::Front,
            };
            assert_eq!(tree.side_of_box(&obb).expect("a solid"), expected, "{obb:?}");
            counts[if is_met {
                0
            } else {
                1 + usize::from(expected == PlaneSide::Front)
            }] += 1;
        }
        // A rotated box about a point of a triangle.
        for _ in 0..1_000 {
            let [a, b, c] = mesh[random.next() as usize % mesh.len()].corners;
            let [u, v] = [(); 2].map(|()| random.unit() as f32);
            let center = a + (b - a) * u * v + (c - a) * u * (1.0 - v);
            let turn = Quat::from_xyzw(u, v, 0.3, 0.1).normalize();
            assert!(tree.meets_box(&Obb::new(center, Vec3::new(1e-3, 2.0, 1e-4), turn)));
            let away = center + turn * Vec3::new(0.0, 0.0, 1e3);
            assert!(!tree.meets_box(&Obb::new(away, Vec3::new(1e-3, 2.0, 1e-4), turn)));
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

#[test]
fn p5_rotated_boxes_are_behind_across_or_in_front() {
    let tree = BspTree::of_solid(&cuboid(Vec3::ZERO, Vec3::splat(4.0))).expect("closed");
    let sides = [2.0, 3.5, 6.0].map(|center| {
        let turned = Obb::new(Vec3::splat(center), Vec3::ONE, Quat::from_rotation_x(0.3));
        let side = tree.side_of_box(&turned).expect("a solid");
        assert_eq!(tree.meets_box(&turned), side == PlaneSide::Across, "{center}");
        side
    });
    assert_eq!(sides, [PlaneSide::Behind, PlaneSide::Across, PlaneSide::Front]);
}

#[test]
fn sides_of_the_plane_of_a_triangle() {
    let floor = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
    let up = Vec3::new(1e9, -1e9, f32::from_bits(1));
    let cases = [
        (vec![up], PlaneSide::Front),
        (vec![-up], PlaneSide::Behind),
        (vec![up, Vec3::X], PlaneSide::Front),
        (vec![up, -up], PlaneSide::Across),
        (vec![Vec3::X, 5.0 * Vec3::Y], PlaneSide::On),
    ];
    for (points, side) in cases {
        assert_eq!(floor.side_of(&points), side, "{points:?}");
    }
    let turned = |z: f32| {
        Obb::new(
            Vec3::new(7.0, 7.0, z),
            Vec3::ONE,
            Quat::from_rotation_x(std::f32::consts::FRAC_PI_4),
        )
    };
    let sides = [1.5, 1.4, 0.0, -1.4, -1.5].map(|z| floor.side_of_box(&turned(z)));
    let across = PlaneSide::Across;
    assert_eq!(sides, [PlaneSide::Front, across, across, across, PlaneSide::Behind]);
}

#[test]
fn slivers_and_coplanar_or_coincident_triangles() {
    let mut random = SplitMix(9);
    let mut flat = |size: u64| Triangle {
        corners: [(); 3].map(|()| whole(&mut random, size).with_z(0.0)),
    };
    let plane: Vec<Triangle> = (0..400).map(|_| flat(40)).collect();
    let slivers: Vec<Triangle> = (0..400)
        .map(|_| {
            let t = flat(40);
            Triangle::new(t.corners[0], t.corners[1], t.corners[1] + Vec3::new(0.0, 1e-6, 1e-7))
        })
        .collect();
    let one = vec![Triangle::new(Vec3::ZERO, 40.0 * Vec3::X, 40.0 * Vec3::Y); 3_000];
    let points = vec![Triangle::new(Vec3::ONE, Vec3::ONE, Vec3::ONE); 300];
    // All edges meet in one corner: the fuller side of any plane has nearly all of them.
    let cone: Vec<Triangle> = (0..3_000)
        .map(|k| [k, k + 1].map(|k| Vec3::new((k as f32 * 0.002).cos(), (k as f32 * 0.002).sin(), 1.0)))
        .map(|[a, b]| Triangle::new(Vec3::ZERO, a, b))
        .collect();
    for mesh in [plane, slivers, one, points, cone] {
        let tree = BspTree::new(&mesh).expect("valid triangles");
        for _ in 0..60 {
            let from = whole(&mut random, 40);
            let to = whole(&mut random, 40) - Vec3::splat(20.0);
            for segment in [
                [from, to],
                [from.with_z(0.0), to.with_z(0.0)],
                [from, from.with_z(-1.0)],
            ] {
                let part = Triangle::new(segment[0], segment[1], segment[1]);
                let is_met = mesh.iter().any(|triangle| part.meets(triangle));
                assert_eq!(tree.meets(&segment), is_met, "{segment:?}");
            }
        }
        assert!(matches!(tree.locate(Vec3::ZERO), Err(Error::Unavailable { .. })));
        assert!(matches!(tree.side_of(&[]), Err(Error::Unavailable { .. })));
        assert!(matches!(
            tree.side_of_box(&Obb::axis_aligned(Vec3::ZERO, Vec3::ONE)),
            Err(Error::Unavailable { .. })
        ));
    }
    assert!(matches!(
        BspTree::of_solid(&[Triangle::default(), Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y)]),
        Err(Error::OpenMesh { edges: 3 })
    ));
    let none = BspTree::of_solid(&[]).expect("no triangles are closed");
    assert_eq!(none.locate(Vec3::ZERO).expect("a solid"), PointState::Outside);
}
