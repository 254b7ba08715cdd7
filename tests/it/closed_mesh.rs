//! Points in closed meshes, compared with rays in other directions in integer arithmetic.

use std::collections::BTreeSet;

use obbligato::glam::Vec3;
use obbligato::{
    Error,
    error::BoxProblem,
    region::{ClosedMesh, InsideRule, PointState},
    shape::{Triangle, open_edges},
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::{point_in_mesh, winding_number};

use crate::support::meshes::{cuboid, hard_points, linked_tori, tetrahedra, torus};

use PointState::{Inside, Outside, Surface};

const STATES: [PointState; 3] = [Inside, Outside, Surface];

/// Compares the answers for these points with the reference, and with the mesh viewed along the two
/// other axes. Returns the number of points in each state.
#[track_caller]
fn check(triangles: &[Triangle], points: &[Vec3]) -> [usize; 3] {
    assert_eq!(open_edges(triangles).expect("valid triangles"), 0);
    let mesh = ClosedMesh::new(triangles).expect("a closed mesh");
    let states = mesh.locate_all(points).expect("valid points");
    for (&point, &state) in points.iter().zip(&states) {
        assert_eq!(state, point_in_mesh(point, triangles), "{point:?}");
        assert_eq!(state, mesh.locate(point), "{point:?}");
    }
    let mut turned = (triangles.to_vec(), points.to_vec());
    for _ in 0..2 {
        let turn = |p: Vec3| Vec3::new(p.y, p.z, p.x);
        turned.0.iter_mut().for_each(|t| t.corners = t.corners.map(turn));
        turned.1.iter_mut().for_each(|p| *p = turn(*p));
        let mesh = ClosedMesh::new(&turned.0).expect("a closed mesh");
        assert_eq!(mesh.locate_all(&turned.1).expect("valid points"), states);
    }
    STATES.map(|state| states.iter().filter(|&&other| other == state).count())
}

/// All points of a lattice of half steps around a grid of integers.
fn lattice(size: i32) -> Vec<Vec3> {
    let range = || -1..=2 * size + 1;
    let rows = range().flat_map(|x| range().map(move |y| (x, y)));
    rows.flat_map(|(x, y)| range().map(move |z| Vec3::new(x as f32, y as f32, z as f32) / 2.0))
        .collect()
}

#[test]
fn a_cube() {
    let cube = cuboid(Vec3::ZERO, Vec3::splat(2.0));
    assert_eq!(check(&cube, &lattice(2)), [27, 343 - 125, 125 - 27]);
}

#[test]
fn s4_shells_are_holes_in_any_orientation() {
    let shells = [0.0, 1.0, 2.0].map(|k| cuboid(Vec3::splat(k), Vec3::splat(7.0 - k)));
    let mut random = SplitMix(3);
    for _ in 0..3 {
        let mut mesh = shells.concat();
        for triangle in &mut mesh {
            triangle.corners.rotate_left((random.next() % 3) as usize);
            if random.next().is_multiple_of(2) {
                triangle.corners.swap(0, 1);
            }
        }
        check(&mesh, &lattice(7));
        let locate = |x: f32| {
            ClosedMesh::new(&mesh)
                .expect("a closed mesh")
                .locate(Vec3::new(x, 3.5, 3.5))
        };
        assert_eq!([0.5, 1.5, 2.5].map(locate), [Inside, Outside, Inside]);
    }
}

#[test]
fn solids_that_share_an_edge_a_corner_or_a_face() {
    let cube = cuboid(Vec3::ZERO, Vec3::splat(2.0));
    for to in [
        Vec3::new(2.0, 2.0, 0.0),
        Vec3::splat(2.0),
        Vec3::new(2.0, 0.0, 0.0),
        Vec3::new(1.0, 2.0, 0.0),
        Vec3::splat(1.0),
    ] {
        let mesh = [cube.clone(), cuboid(to, to + Vec3::splat(2.0))].concat();
        check(&mesh, &lattice(4));
    }
    // A face that occurs twice bounds nothing.
    let twice = [cube.clone(), cube.clone()].concat();
    assert_eq!(check(&twice, &lattice(2)), [0, 343 - 98, 98]);
    let thrice = [cube.clone(), cube.clone(), cube].concat();
    assert_eq!(check(&thrice, &lattice(2)), [27, 343 - 125, 98]);
}

/// The number of points in each state by the reference's winding number.
fn check_winding(triangles: &[Triangle], points: &[Vec3]) -> [usize; 3] {
    let mesh = ClosedMesh::with_rule(triangles, InsideRule::Winding).expect("a closed mesh");
    let states = mesh.locate_all(points).expect("valid points");
    for (&point, &state) in points.iter().zip(&states) {
        let expected = match winding_number(point, triangles) {
            None => Surface,
            Some(0) => Outside,
            Some(_) => Inside,
        };
        assert_eq!(state, expected, "{point:?}");
    }
    STATES.map(|state| states.iter().filter(|&&other| other == state).count())
}

#[test]
fn winding_numbers_decide_the_inside() {
    let cube = |low: f32, high: f32| cuboid(Vec3::splat(low), Vec3::splat(high));
    let inside_out = |mesh: Vec<Triangle>| -> Vec<Triangle> {
        let turned = |t: &Triangle| Triangle::new(t.corners[1], t.corners[0], t.corners[2]);
        mesh.iter().map(turned).collect()
    };
    // One cube; two equal cubes; two that overlap; a shell inside a shell, with equal and with
    // opposite orientation; each face twice, with both orientations.
    let cases = [
        (cube(0.0, 4.0), [1.5, 3.5], [Inside, Inside]),
        ([cube(0.0, 4.0), cube(0.0, 4.0)].concat(), [1.5, 3.5], [Inside, Inside]),
        ([cube(0.0, 4.0), cube(1.0, 5.0)].concat(), [0.5, 2.5], [Inside, Inside]),
        ([cube(0.0, 6.0), cube(1.0, 5.0)].concat(), [0.5, 2.5], [Inside, Inside]),
        (
            [cube(0.0, 6.0), inside_out(cube(1.0, 5.0))].concat(),
            [0.5, 2.5],
            [Inside, Outside],
        ),
        (
            [cube(0.0, 4.0), inside_out(cube(0.0, 4.0))].concat(),
            [1.5, 3.5],
            [Outside, Outside],
        ),
    ];
    for (mesh, places, expected) in cases {
        check_winding(&mesh, &lattice(6));
        check(&mesh, &lattice(6));
        let closed = ClosedMesh::with_rule(&mesh, InsideRule::Winding).expect("a closed mesh");
        assert_eq!(places.map(|place| closed.locate(Vec3::new(place, 1.9, 2.2))), expected);
    }
    let mut random = SplitMix(31);
    for (count, size) in [(3, 4), (12, 5), (90, 7)] {
        let mesh = tetrahedra(count, size, &mut random);
        let mut points = lattice(size as i32 - 1);
        points.truncate(200_000 / mesh.len());
        check_winding(&mesh, &points);
    }
    let tori = linked_tori();
    let points = hard_points(&tori, 500, &mut random);
    let [inside, ..] = check_winding(&tori, &points);
    assert!(inside > 20, "{inside}");
}

#[test]
fn inconsistently_oriented_triangles_wind_around_nothing() {
    let mut cube = cuboid(Vec3::ZERO, Vec3::splat(2.0));
    cube[3].corners.swap(0, 1);
    let error = ClosedMesh::with_rule(&cube, InsideRule::Winding).expect_err("one face is turned");
    assert!(matches!(error, Error::UnlikeFaces { edges: 3 }), "{error}");
    assert!(ClosedMesh::with_rule(&cube, InsideRule::Parity).is_ok());
}

#[test]
fn concave_and_rotated_meshes() {
    let mut random = SplitMix(11);
    for (rows, columns) in [(3, 3), (5, 4), (12, 17)] {
        let turn = obbligato::glam::Quat::from_rotation_x(0.7 * rows as f32);
        for moved in [Vec3::ZERO, Vec3::splat(1e4)] {
            let torus = torus(rows, columns, |p| turn * p + moved);
            let points = hard_points(&torus, 700, &mut random);
            let [inside, outside, surface] = check(&torus, &points);
            assert!(
                inside > 20 && outside > 100 && surface > 50,
                "{inside} {outside} {surface}"
            );
        }
    }
}

#[test]
fn integer_meshes_with_degenerate_rays() {
    let mut random = SplitMix(5);
    for (count, size) in [(1, 3), (2, 4), (5, 4), (12, 5), (60, 7), (200, 9)] {
        let mesh = tetrahedra(count, size, &mut random);
        let mut points = lattice(size as i32 - 1);
        points.truncate(300_000 / mesh.len());
        check(&mesh, &points);
    }
}

#[test]
fn numbers_of_any_size() {
    let mut random = SplitMix(7);
    for power in [-145, -126, -100, -40, 40, 56] {
        let times = |x: f32| (f64::from(x) * 2f64.powi(power)) as f32;
        let scaled = |p: Vec3| Vec3::from(p.to_array().map(times));
        let mesh: Vec<Triangle> = tetrahedra(8, 9, &mut random)
            .into_iter()
            .map(|t| Triangle {
                corners: t.corners.map(scaled),
            })
            .collect();
        let points: Vec<Vec3> = lattice(8).into_iter().step_by(17).map(scaled).collect();
        check(&mesh, &points);
    }
    // Each tetrahedron at a different scale, about one place.
    let mut mesh = Vec::new();
    for power in (-60..=56).step_by(4) {
        let scaled = |p: Vec3| p * 2f32.powi(power);
        mesh.extend(tetrahedra(1, 9, &mut random).into_iter().map(|t| Triangle {
            corners: t.corners.map(scaled),
        }));
    }
    let points = hard_points(&mesh, 500, &mut random);
    check(&mesh, &points);
}

#[test]
fn crowds_and_giants() {
    let mut random = SplitMix(9);
    // A large slanted shell over clusters of small ones at two places.
    let mut mesh = tetrahedra(1, 2, &mut random);
    mesh.extend(cuboid(Vec3::splat(-50.0), Vec3::new(60.0, 40.0, 70.0)));
    for _ in 0..150 {
        let at = Vec3::splat((random.next() % 2 * 30) as f32) + Vec3::from([(); 3].map(|()| random.unit() as f32));
        let small = tetrahedra(1, 9, &mut random).into_iter();
        mesh.extend(small.map(|t| Triangle {
            corners: t.corners.map(|p| p * 0.01 + at),
        }));
    }
    let points = hard_points(&mesh, 800, &mut random);
    check(&mesh, &points);
}

#[test]
fn degenerate_triangles_close_and_bound_nothing() {
    // The upper edge of one face consists of edges of two others: its middle is the corner of a
    // flat triangle.
    let [a, b, c, d] = [Vec3::ZERO, 2.0 * Vec3::X, 2.0 * Vec3::Y, 2.0 * Vec3::Z];
    let m = Vec3::X;
    let t = Triangle::new;
    let mut mesh = vec![t(a, m, c), t(m, b, c), t(a, b, d), t(a, c, d), t(b, c, d)];
    assert_eq!(open_edges(&mesh).expect("valid triangles"), 3);
    mesh.push(t(a, m, b));
    let points = lattice(2);
    let expected = check(&mesh, &points);
    // A segment and a point are surface, too.
    let away = Vec3::new(1.5, 1.5, 1.5);
    mesh.extend([t(d, away, d), t(away, away, away), t(b, b, b)]);
    let [inside, outside, surface] = check(&mesh, &points);
    assert_eq!(inside, expected[0]);
    assert!(outside < expected[1] && surface > expected[2]);
}

#[test]
fn s4_open_meshes_and_bad_numbers_are_refused() {
    let cube = cuboid(Vec3::ZERO, Vec3::ONE);
    assert!(matches!(ClosedMesh::new(&cube[1..]), Err(Error::OpenMesh { edges: 3 })));
    assert!(matches!(ClosedMesh::new(&cube[2..]), Err(Error::OpenMesh { edges: 4 })));
    // 0 equals -0, and the order of corners does not matter.
    let mut signed = cube.clone();
    signed[3].corners = signed[3]
        .corners
        .map(|p| Vec3::select(p.cmpeq(Vec3::ZERO), Vec3::splat(-0.0), p));
    signed[5].corners.swap(1, 2);
    assert_eq!(open_edges(&signed).expect("valid triangles"), 0);
    check(&signed, &lattice(1));
    let mut bad = cube.clone();
    bad[7].corners[1].y = f32::NAN;
    let expected = |error: Error| {
        matches!(
            error,
            Error::InvalidTriangle {
                index: 7,
                problem: BoxProblem::NotFinite,
                count: 1
            }
        )
    };
    assert!(ClosedMesh::new(&bad).is_err_and(expected));

    let mesh = ClosedMesh::new(&cube).expect("a closed mesh");
    let points = [Vec3::ONE, Vec3::new(0.0, f32::INFINITY, 0.0), Vec3::NAN];
    let expected = |error: Error| {
        matches!(
            error,
            Error::InvalidPoint {
                index: 1,
                group: None,
                problem: BoxProblem::NotFinite,
                count: 2
            }
        )
    };
    assert!(mesh.locate_all(&points).is_err_and(expected));
    assert_eq!(points.map(|point| mesh.locate(point)), [Surface, Outside, Outside]);
    assert_eq!(mesh.locate(Vec3::splat(f32::MAX)), Outside);
    let none = ClosedMesh::new(&[]).expect("no triangles are closed");
    assert_eq!(none.locate_all(&[Vec3::ZERO]).expect("a point"), [Outside]);
}

#[test]
fn open_edges_are_those_of_an_odd_number_of_triangles() {
    let mut random = SplitMix(13);
    for _ in 0..200 {
        let mut corner = || Vec3::from([(); 3].map(|()| (random.next() % 2) as f32 - 0.0));
        let mesh: Vec<Triangle> = (0..40).map(|_| Triangle::new(corner(), corner(), corner())).collect();
        let mut odd = BTreeSet::new();
        for t in &mesh {
            for k in 0..3 {
                let mut ends = [t.corners[k], t.corners[(k + 1) % 3]].map(|p| p.to_array().map(f32::to_bits));
                ends.sort_unstable();
                if ends[0] != ends[1] && !odd.insert(ends) {
                    odd.remove(&ends);
                }
            }
        }
        assert_eq!(open_edges(&mesh).expect("valid triangles"), odd.len() as u64);
    }
}

#[test]
fn a_million_points() {
    let mut random = SplitMix(17);
    let torus = torus(100, 300, |p| p);
    let mesh = ClosedMesh::new(&torus).expect("a closed mesh");
    let mut points = hard_points(&torus, 500_000, &mut random);
    points.extend(
        (0..500_000).map(|_| Vec3::from([4.2, 4.2, 1.2].map(|size| size * (2.0 * random.unit() as f32 - 1.0)))),
    );
    let states = mesh.locate_all(&points).expect("valid points");
    // The reference visits all triangles, so only a few points of each half are compared.
    for k in (0..points.len()).step_by(points.len() / 40) {
        assert_eq!(states[k], point_in_mesh(points[k], &torus), "{:?}", points[k]);
    }
    // The other points are compared with the ideal torus, except for those close to it.
    let sagitta = 4.0 * (1.0 - (std::f64::consts::PI / 100.0).cos()).max(1.0 - (std::f64::consts::PI / 300.0).cos());
    let mut near = 0;
    for (point, state) in points.iter().zip(&states) {
        let [x, y, z] = point.as_dvec3().to_array();
        let from_tube = (x.hypot(y) - 3.0).hypot(z);
        match (1.0 - sagitta..1.0 + sagitta).contains(&from_tube) {
            true => near += 1,
            false => assert_eq!(*state, if from_tube < 1.0 { Inside } else { Outside }, "{point:?}"),
        }
    }
    assert!(near < 600_000, "{near}");
}

#[test]
fn the_winding_number_agrees_everywhere() {
    let mesh = linked_tori();
    let closed = ClosedMesh::new(&mesh).expect("a closed mesh");
    let mut random = SplitMix(29);
    // Every place of a grid around all corners, and other places between them.
    let mut points: Vec<Vec3> = (0..60_000)
        .map(|_| Vec3::from([(); 3].map(|()| (random.next() % 101) as f32 - 50.0)))
        .collect();
    points.extend(hard_points(&mesh, 60_000, &mut random));
    let states = closed.locate_all(&points).expect("valid points");
    let agree = |(point, state): (&Vec3, &PointState)| match winding_number(*point, &mesh) {
        None => assert_eq!(*state, Surface, "{point:?}"),
        Some(turns) => assert_eq!(*state, if turns % 2 == 0 { Outside } else { Inside }, "{point:?}"),
    };
    let half = points.len() / 2;
    std::thread::scope(|scope| {
        scope.spawn(|| points[..half].iter().zip(&states).for_each(agree));
        points[half..].iter().zip(&states[half..]).for_each(agree);
    });
    let numbers: BTreeSet<_> = points[..2000]
        .iter()
        .filter_map(|&point| winding_number(point, &mesh))
        .collect();
    assert!(numbers.len() > 2, "{numbers:?}");
    let count = |wanted| states.iter().filter(|&&state| state == wanted).count();
    assert!([Inside, Outside, Surface].into_iter().all(|state| count(state) > 5_000));
}
