//! Triangles: pairs and their intersections, against linear programs and rational arithmetic.

mod hard_pairs;
mod neighbours;

use obbligato::glam::{DVec3, Vec3};
use obbligato::{Backend, Checker, Config, Error, Output, Pair, Query, shape::Triangle};
use obbligato_verify::adversarial::{TRIANGLE_FAMILIES, TriangleFamily};
use obbligato_verify::reference::{triangles_intersection, triangles_meet, triangles_meet_in_mesh};
use obbligato_verify::scenes::rings;

use crate::support::gpu::gpu;

fn checker() -> Checker {
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    Checker::new(config).expect("the CPU is always there")
}

fn pairs<'a>(checker: &mut Checker, query: impl Into<Query<'a>>) -> Vec<Pair> {
    let report = checker.check(query).expect("valid triangles");
    report.pairs().expect("there are pairs").to_vec()
}

const fn at(x: i32, y: i32, z: i32) -> Vec3 {
    Vec3::new(x as f32, y as f32, z as f32)
}

/// Every pair of a triangle of the first list and one of the second that meets, by the reference.
fn met(a: &[Triangle], b: &[Triangle]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (i, own) in a.iter().enumerate() {
        let those = (0..b.len()).filter(|&j| triangles_meet(own, &b[j]));
        pairs.extend(those.map(|j| Pair {
            a: i as u32,
            b: j as u32,
        }));
    }
    pairs
}

#[test]
fn s3_pairs_of_all_families_match_the_reference() {
    let mut checkers = [checker(), gpu(Config::default())];
    for family in TRIANGLE_FAMILIES {
        let (mut count, mut total) = (0, 0);
        // Few, which are compared by brute force, and more, which a grid sorts.
        for (seed, size) in [(1, 30), (2, 40), (3, 80)] {
            let [a, b] = [0, 1].map(|side| family.triangles(size, 2 * seed + side));
            let expected = met(&a, &b);
            for (i, own) in a.iter().enumerate() {
                for (j, other) in b.iter().enumerate() {
                    let meet = expected
                        .binary_search_by_key(&(i, j), |pair| (pair.a as usize, pair.b as usize))
                        .is_ok();
                    assert_eq!(own.meets(other), meet, "{family:?}: {own:?} {other:?}");
                    assert_eq!(own.intersection(other).is_some(), meet, "{family:?}: {own:?} {other:?}");
                }
            }
            for checker in &mut checkers {
                assert_eq!(pairs(checker, Query::between(&a, &b)), expected, "{family:?}");
            }
            count += expected.len();
            total += size * size;
        }
        assert!(count > 30 && count < total, "{family:?}: {count} of {total}");
    }
}

#[test]
fn large_sets_match_all_pairs() {
    let mut checker = checker();
    for family in TRIANGLE_FAMILIES {
        let list = family.triangles(600, 9);
        let mut all = Vec::new();
        for (j, other) in list.iter().enumerate() {
            let those = (0..j).filter(|&i| list[i].meets(other));
            all.extend(those.map(|i| Pair::new(i as u32, j as u32)));
        }
        all.sort_unstable_by_key(|pair| (pair.a, pair.b));
        assert_eq!(pairs(&mut checker, Query::from(&list)), all, "{family:?}");
        let of = |pair: &Pair| [pair.a, pair.b].map(|id| &list[id as usize]);
        let mut in_mesh = all.clone();
        in_mesh.retain(|pair| {
            let [a, b] = of(pair);
            a.meets_in_mesh(b)
        });
        assert_eq!(pairs(&mut checker, Query::mesh(&list)), in_mesh, "{family:?}");
        all.retain(|pair| {
            let [a, b] = of(pair);
            !a.have_common_corner(b)
        });
        assert_eq!(
            pairs(&mut checker, Query::mesh_without_neighbours(&list)),
            all,
            "{family:?}"
        );
    }
}

/// Neighbours of all families, by rational arithmetic: pairs with some corners made equal.
#[test]
fn neighbours_collide_if_they_share_more_than_their_corners() {
    let mut checker = checker();
    for family in TRIANGLE_FAMILIES {
        let size = if family == TriangleFamily::Extreme { 60 } else { 200 };
        let mut list = Vec::new();
        let mut counts = [[0; 2]; 4];
        for (k, &a) in family.triangles(size, 50).iter().enumerate() {
            let mut b = family.triangles(1, 1000 + k as u64)[0];
            let (first, common) = (k / 4 % 3, [1, 1, 2, 2, 3][k % 5]);
            for corner in first..first + common {
                b.corners[corner % 3] = a.corners[(corner + k / 12) % 3];
            }
            if k % 7 == 0 {
                // Folded flat: the last corner moves into the plane.
                b.corners[(first + 2) % 3] = (a.corners[0] + a.corners[1] + a.corners[2]) / 4.0;
            }
            let expected = triangles_meet_in_mesh(&a, &b);
            for turn in 0..3 {
                let mut turned = b;
                turned.corners.rotate_left(turn);
                assert_eq!(a.meets_in_mesh(&turned), expected, "{family:?}: {a:?} {b:?}");
                assert_eq!(turned.meets_in_mesh(&a), expected, "{family:?}: {a:?} {b:?}");
                list.push([a, turned]);
            }
            let found = a.corners.iter().filter(|corner| b.corners.contains(corner)).count();
            counts[found][usize::from(expected)] += 1;
        }
        // In the list each pair is far from the others, so that lanes contain pairs of all kinds.
        for pair in &list {
            let expected = pair[0].meets_in_mesh(&pair[1]);
            let found = pairs(&mut checker, Query::mesh(pair));
            assert_eq!(found.len(), usize::from(expected), "{family:?}: {pair:?}");
        }
        assert!(counts[3][1] > 5, "{family:?}: {counts:?}");
    }
}

/// Flat sheets, whose neighbours all lie in one plane, and closed meshes: no neighbours are left to
/// the exact stage, so ordinary meshes are decided in the vector lanes alone.
#[test]
fn neighbours_of_ordinary_meshes_are_decided_in_f32() {
    let mut checker = checker();
    for (name, oblique) in [("level", Vec3::ZERO), ("oblique", Vec3::new(0.3, -0.7, 0.0))] {
        let corner = |x: usize, y: usize| {
            let [x, y] = [x as f32 * 0.37, y as f32 * 0.21];
            Vec3::new(x, y, x * oblique.x + y * oblique.y)
        };
        let square = |k: usize| {
            let (x, y) = (k % 60, k / 60);
            let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x, y + 1), corner(x + 1, y + 1)];
            [Triangle::new(a, b, c), Triangle::new(d, c, b)]
        };
        let sheet: Vec<Triangle> = (0..3600).flat_map(square).collect();
        let report = checker.check(Query::mesh(&sheet)).expect("valid triangles");
        assert_eq!((report.colliding_pairs, report.undecided_pairs), (0, 0), "{name}");
    }
}

#[test]
fn s4_a_mesh_meets_itself_where_its_triangles_do() {
    let mesh = rings(30_000, 3);
    let mut checker = checker();
    let report = checker.check(Query::mesh(&mesh)).expect("valid triangles");
    // Most candidates have a common corner, and almost none is left to the exact stage.
    assert!(
        report.candidate_pairs > 6 * report.colliding_pairs && report.undecided_pairs < 200,
        "{report:?}"
    );
    assert_eq!(report.touching_pairs, None);
    let found = report.pairs().expect("there are pairs").to_vec();
    assert!(found.len() > 700, "{}", found.len());
    let mut by_bounds = pairs(
        &mut checker,
        Query::from(&mesh.iter().map(Triangle::bounds).collect::<Vec<_>>()),
    );
    by_bounds.retain(|pair| {
        let [a, b] = [pair.a, pair.b].map(|id| &mesh[id as usize]);
        let meet = !a.have_common_corner(b) && triangles_meet(a, b);
        assert_eq!(a.meets_in_mesh(b), meet, "{a:?} {b:?}");
        meet
    });
    assert!(found == by_bounds, "{} and {}", found.len(), by_bounds.len());
    // Including neighbours.
    let all = pairs(&mut checker, Query::from(&mesh));
    assert!(
        all.len() > found.len() + 5 * mesh.len() && all.len() < 20 * mesh.len(),
        "{}",
        all.len()
    );
}

#[test]
fn intersections_match_exact_fractions() {
    let mut counts = [0; 7];
    for family in TRIANGLE_FAMILIES {
        let size = if family == TriangleFamily::Extreme { 3 } else { 6 };
        let [a, b] = [0, 1].map(|side| family.triangles(size, 30 + side));
        for own in &a {
            for other in &b {
                let exact = triangles_intersection(own, other);
                let shared = own.intersection(other);
                let points = shared.as_ref().map_or(&[][..], |shared| shared.points());
                counts[points.len()] += 1;
                assert_eq!(points.len(), exact.len(), "{family:?}: {own:?} {other:?}");
                let (low, high) = [own, other]
                    .into_iter()
                    .map(Triangle::bounds)
                    .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), bounds| {
                        (low.min(bounds.min.as_dvec3()), high.max(bounds.max.as_dvec3()))
                    });
                // Half a unit in the last place, and 2^-34 of the extent.
                let near = |point: &Vec3, exact: &DVec3| {
                    let error =
                        exact.abs() * 2f64.powi(-24) + (high - low) * 2f64.powi(-34) + DVec3::splat(2f64.powi(-150));
                    (point.as_dvec3() - *exact).abs().cmple(error).all()
                };
                for point in points {
                    assert!(
                        exact.iter().any(|exact| near(point, exact)),
                        "{family:?}: {own:?} {other:?} {exact:?} {points:?}"
                    );
                }
                for exact in &exact {
                    assert!(
                        points.iter().any(|point| near(point, exact)),
                        "{family:?}: {own:?} {other:?} {exact:?} {points:?}"
                    );
                }
            }
        }
    }
    assert!(counts[..3].iter().all(|&count| count > 20), "{counts:?}");
}

#[test]
fn unsupported_input_is_an_error() {
    let mut checker = checker();
    let good = Triangle::new(at(0, 0, 0), at(1, 0, 0), at(0, 1, 0));
    let mut list = vec![good; 300];
    list[7].corners[2].y = f32::NAN;
    list[9].corners[1].x = 2e18;
    assert!(matches!(
        checker.check(Query::mesh(&list)),
        Err(Error::InvalidTriangle { index: 7, count: 2, .. })
    ));
    let config = Config {
        backend: Backend::Cpu,
        margin: 0.5,
        ..Config::default()
    };
    let with_margin = Checker::new(config)
        .expect("the CPU is always there")
        .check(Query::mesh(&[good]))
        .err();
    assert!(
        matches!(with_margin, Some(Error::Unavailable { .. })),
        "{with_margin:?}"
    );
    let config = Config {
        backend: Backend::Cpu,
        output: Output::Degrees,
        ..Config::default()
    };
    let report = Checker::new(config)
        .expect("the CPU is always there")
        .check(Query::from(&[good; 300]));
    assert_eq!(
        report.expect("valid triangles").degrees().expect("there are degrees"),
        [299; 300]
    );
}
