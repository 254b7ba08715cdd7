//! Scenes of rigid meshes, compared with all pairs of their triangles.

use glam::{DMat3, Quat, Vec3};
use obbligato::mesh::{MeshBody, MeshInstance, MeshPair, MeshRelation, MeshScene};
use obbligato::shape::{Pose, Triangle};
use obbligato::{Config, Error, Pair, Rules};
use obbligato_support::split_mix::SplitMix;

use crate::support::gpu::{backends, cpu};
use crate::support::meshes::{cuboid, torus};

fn body(triangles: &[Triangle]) -> MeshBody {
    MeshBody::new(triangles).expect("a valid mesh")
}

fn cube() -> MeshBody {
    body(&cuboid(Vec3::ZERO, Vec3::ONE))
}

fn at(mesh: &MeshBody, x: f32, y: f32, z: f32) -> MeshInstance<'_> {
    mesh.at(Pose::new(Vec3::new(x, y, z), Quat::IDENTITY))
}

/// Checks a scene on the CPU.
fn check(margin: f64, scene: &[MeshInstance<'_>]) -> Vec<MeshPair> {
    let mut checker = cpu(Config {
        margin,
        ..Config::default()
    });
    checker.check(MeshScene::new(scene)).expect("a valid scene")
}

fn relation(a: MeshInstance<'_>, b: MeshInstance<'_>) -> Option<MeshRelation> {
    let found = check(0.0, &[a, b]);
    assert!(found.len() <= 1);
    found.first().map(|found| found.relation)
}

/// The triangles of `b` in the frame of `a`, by formulas of their own.
fn placed(a: Pose, b: &MeshInstance<'_>) -> Vec<Triangle> {
    let turn = |pose: Pose| DMat3::from_quat(pose.rotation.as_dquat().normalize());
    let way = b.pose.translation.as_dvec3() - a.translation.as_dvec3();
    let place = |corner: Vec3| {
        let back = turn(a).transpose();
        (back * (turn(b.pose) * corner.as_dvec3() + way)).as_vec3()
    };
    let triangles = b.mesh.triangles().iter();
    triangles
        .map(|triangle| Triangle {
            corners: triangle.corners.map(place),
        })
        .collect()
}

#[test]
fn surfaces_match_all_pairs_of_triangles() {
    let bent = |point: Vec3| point + Vec3::Z * (0.3 * point.x);
    let meshes = [
        cube(),
        body(&torus(8, 12, bent)),
        body(&cuboid(Vec3::new(-2.0, -0.1, -0.1), Vec3::new(2.0, 0.1, 0.1))),
    ];
    let mut random = SplitMix(9);
    let mut number = |most: f32| ((random.next() % 2001) as f32 / 1000.0 - 1.0) * most;
    let mut counts = [0, 0];
    let mut checkers = backends(&Config::default());
    for round in 0..12 {
        // The second half is far from the origin, where numbers of the world have few digits.
        let origin = if round % 2 == 0 {
            Vec3::ZERO
        } else {
            Vec3::new(65536.0, -32768.0, 4096.0)
        };
        let scene: Vec<MeshInstance<'_>> = (0..14)
            .map(|k| {
                let turn = Quat::from_xyzw(number(1.0), number(1.0), number(1.0), number(1.0) + 1.5).normalize();
                let place = Vec3::new(number(4.0), number(4.0), number(2.0));
                meshes[k % 3].at(Pose::new(origin + place, turn))
            })
            .collect();
        let found = check(0.0, &scene);
        for (name, checker) in &mut checkers {
            assert_eq!(
                checker.check(MeshScene::new(&scene)).expect("a valid scene"),
                found,
                "{name}"
            );
        }
        for a in 0..scene.len() {
            for b in a + 1..scene.len() {
                let pair = Pair::new(a as u32, b as u32);
                let others = placed(scene[a].pose, &scene[b]);
                let own = scene[a].mesh.triangles();
                let meet = own.iter().any(|one| others.iter().any(|other| one.meets(other)));
                let answer = found.iter().find(|found| found.pair == pair);
                let triangles = answer.and_then(|answer| answer.triangles);
                assert_eq!(triangles.is_some(), meet, "{round} {pair:?} {answer:?}");
                if let Some(Pair { a, b }) = triangles {
                    assert!(own[a as usize].meets(&others[b as usize]), "{round} {pair:?}");
                }
                counts[usize::from(meet)] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

#[test]
fn lattices_touch_exactly() {
    let cube = cube();
    let quarter = Quat::from_xyzw(
        0.0,
        0.0,
        std::f32::consts::FRAC_1_SQRT_2,
        std::f32::consts::FRAC_1_SQRT_2,
    );
    let next = |x: f32| f32::from_bits(x.to_bits() + 1);
    for base in [0.0, 1024.0] {
        let first = at(&cube, base, base, base);
        for (way, expected) in [
            // A face, an edge, and a corner in common.
            ([1.0, 0.0, 0.0], Some(MeshRelation::Touch)),
            ([0.0, -1.0, 0.0], Some(MeshRelation::Touch)),
            ([1.0, 1.0, 0.0], Some(MeshRelation::Touch)),
            ([1.0, -1.0, 1.0], Some(MeshRelation::Touch)),
            // A part of a face, and the corner of one on the face of the other.
            ([1.0, 0.25, 0.5], Some(MeshRelation::Touch)),
            ([2.0, 0.0, 0.0], None),
            ([1.25, 0.0, 0.0], None),
            // The same cube, flush with it, and with a corner in it.
            ([0.0, 0.0, 0.0], Some(MeshRelation::Overlap)),
            ([0.5, 0.0, 0.0], Some(MeshRelation::Overlap)),
            ([0.5, 0.25, 0.75], Some(MeshRelation::Overlap)),
        ] {
            let [x, y, z] = way.map(|part: f32| base + part);
            assert_eq!(relation(first, at(&cube, x, y, z)), expected, "{way:?}");
            assert_eq!(relation(at(&cube, x, y, z), first), expected, "{way:?}");
            // A quarter turn about the corner: the cube is then at -1 in x.
            let turned = cube.at(Pose::new(Vec3::new(x + 1.0, y, z), quarter));
            assert_eq!(relation(first, turned), expected, "turned, {way:?}");
        }
    }
    assert_eq!(relation(at(&cube, 0.0, 0.0, 0.0), at(&cube, next(1.0), 0.0, 0.0)), None);
    // Bars that cross far from their ends and from the middles of their triangles, or lie upon
    // each other.
    let bar = body(&cuboid(Vec3::new(-10.0, -0.125, -0.125), Vec3::new(10.0, 0.125, 0.125)));
    let across = |z: f32| bar.at(Pose::new(Vec3::new(6.0, -6.0, z), quarter));
    for (z, expected) in [(0.0625, MeshRelation::Overlap), (0.25, MeshRelation::Touch)] {
        assert_eq!(relation(at(&bar, 0.0, 0.0, 0.0), across(z)), Some(expected), "{z}");
        assert_eq!(relation(across(z), at(&bar, 0.0, 0.0, 0.0)), Some(expected), "{z}");
    }
    // A triangle with its corners on faces of the cube and the rest inside, and one outside.
    let corners = [[0.5, 0.0, 0.5], [0.0, 0.5, 0.5], [0.5, 1.0, 0.5]].map(Vec3::from);
    let sheet = body(&[Triangle { corners }]);
    let [whole, within, beside] = [
        at(&cube, 0.0, 0.0, 0.0),
        at(&sheet, 0.0, 0.0, 0.0),
        at(&sheet, 1.0, 0.0, 0.0),
    ];
    for (sheet, expected) in [(within, MeshRelation::Overlap), (beside, MeshRelation::Touch)] {
        assert_eq!(relation(whole, sheet), Some(expected));
        assert_eq!(relation(sheet, whole), Some(expected));
    }
    // Half a cube, flush with its faces: no triangle passes through another.
    let half = body(&cuboid(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.5)));
    let [whole, part] = [&cube, &half].map(|mesh| at(mesh, 0.0, 0.0, 0.0));
    assert_eq!(relation(whole, part), Some(MeshRelation::Overlap));
    assert_eq!(relation(part, whole), Some(MeshRelation::Overlap));
}

#[test]
fn meshes_contain_others_but_not_what_is_in_their_holes() {
    let cube = |low: f32, high: f32| cuboid(Vec3::splat(low), Vec3::splat(high));
    let [large, small, shells] = [
        cube(-4.0, 4.0),
        cube(-1.0, 1.0),
        [cube(-4.0, 4.0), cube(-2.0, 2.0)].concat(),
    ]
    .map(|mesh| body(&mesh));
    let turn = Quat::from_xyzw(0.1, 0.2, 0.3, 0.9).normalize();
    for pose in [Pose::IDENTITY, Pose::new(Vec3::new(4096.0, 3.0, -7.0), turn)] {
        let of = |mesh| MeshInstance { mesh, pose };
        assert_eq!(relation(of(&large), of(&small)), Some(MeshRelation::AContainsB));
        assert_eq!(relation(of(&small), of(&large)), Some(MeshRelation::BContainsA));
        // In the hole.
        assert_eq!(relation(of(&shells), of(&small)), None);
        assert_eq!(relation(of(&small), of(&shells)), None);
        // In the wall.
        let inner = body(&cube(2.5, 3.5));
        assert_eq!(relation(of(&shells), of(&inner)), Some(MeshRelation::AContainsB));
        // One of two shells is in the other mesh.
        let both = body(&[cube(-1.0, 1.0), cube(9.0, 11.0)].concat());
        assert_eq!(relation(of(&large), of(&both)), Some(MeshRelation::Overlap));
        assert_eq!(relation(of(&both), of(&large)), Some(MeshRelation::Overlap));
    }
    // An open mesh has no inside, but may be in another one.
    let open = body(&large.triangles()[1..]);
    assert!(!open.is_closed() && large.is_closed());
    assert_eq!(relation(at(&open, 0.0, 0.0, 0.0), at(&small, 0.0, 0.0, 0.0)), None);
    let lid = body(&small.triangles()[1..]);
    assert_eq!(
        relation(at(&large, 0.0, 0.0, 0.0), at(&lid, 0.0, 0.0, 0.0)),
        Some(MeshRelation::AContainsB)
    );
    let none = body(&[]);
    assert_eq!(relation(at(&large, 0.0, 0.0, 0.0), at(&none, 0.0, 0.0, 0.0)), None);
    assert_eq!(check(0.0, &[]), []);
}

#[test]
fn near_meshes_have_the_distance_of_their_surfaces() {
    let cube = cube();
    let near = |margin: f64, x: f32, y: f32, z: f32| {
        let found = check(margin, &[at(&cube, 0.0, 0.0, 0.0), at(&cube, x, y, z)]);
        found.first().map(|found| (found.relation, found.distance))
    };
    let is_near = |distance| Some((MeshRelation::Near, distance));
    assert_eq!(near(0.25, 1.25, 0.5, 0.0), is_near(0.25));
    assert_eq!(near(0.2499999, 1.25, 0.5, 0.0), None);
    assert_eq!(near(1.0, 1.0, 1.0, 1.0), Some((MeshRelation::Touch, 0.0)));
    // Edge to edge, and corner to corner.
    assert_eq!(near(5.0, 4.0, 5.0, 0.5), is_near(5.0));
    assert_eq!(near(3.0, 2.0, 3.0, 3.0), is_near(3.0));
    // Against all pairs of triangles, by the distances of their hulls.
    let mut random = SplitMix(4);
    let mut number = |most: f32| ((random.next() % 2001) as f32 / 1000.0 - 1.0) * most;
    let ring = body(&torus(6, 9, |point| point));
    let mut compared = 0;
    for _ in 0..40 {
        let turn = Quat::from_xyzw(number(1.0), number(1.0), number(1.0), number(1.0) + 1.5).normalize();
        let place = Vec3::new(number(5.0), number(5.0), number(5.0));
        let [a, b] = [ring.at(Pose::IDENTITY), ring.at(Pose::new(place, turn))];
        let others = placed(a.pose, &b);
        let solid = |triangle: &Triangle| obbligato::shape::Solid::from_points(&triangle.corners).expect("a hull");
        let others: Vec<_> = others.iter().map(solid).collect();
        let own: Vec<_> = ring.triangles().iter().map(solid).collect();
        let all = own
            .iter()
            .flat_map(|one| others.iter().map(|other| one.distance(other)));
        let expected = all.fold(f64::INFINITY, f64::min);
        for found in check(3.0, &[a, b]) {
            if found.relation == MeshRelation::Near {
                assert!((found.distance - expected).abs() < 1e-5, "{found:?} {expected}");
                compared += 1;
            } else {
                assert!(expected < 1e-5, "{found:?} {expected}");
            }
        }
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn given_pairs_are_those_of_the_scene_that_rules_allow() {
    let meshes = [
        cube(),
        body(&torus(8, 12, |point| point)),
        body(&[Triangle {
            corners: [Vec3::ZERO; 3],
        }]),
    ];
    let mut random = SplitMix(12);
    let mut number = |most: f32| ((random.next() % 2001) as f32 / 1000.0 - 1.0) * most;
    let scene: Vec<MeshInstance<'_>> = (0..30)
        .map(|k| {
            let turn = Quat::from_xyzw(number(1.0), number(1.0), number(1.0), number(1.0) + 1.5).normalize();
            meshes[k % 3].at(Pose::new(Vec3::new(number(4.0), number(4.0), number(2.0)), turn))
        })
        .collect();
    let worlds: Vec<u32> = (0..30).map(|k| k / 15).collect();
    let margins: Vec<f32> = (0..30).map(|k| [0.0, 0.25, 0.75][k % 3]).collect();
    let rules = Rules {
        worlds: Some(&worlds),
        margins: Some(&margins),
        ..Rules::default()
    };
    let every: Vec<Pair> = (0..30)
        .flat_map(|a| (a + 1..30).map(move |b| Pair::new(a, b)))
        .collect();
    for margin in [0.0, 0.5] {
        // With the largest margin of a pair, whose distance decides.
        let expected: Vec<MeshPair> = check(margin + 1.5, &scene)
            .into_iter()
            .filter(|found| {
                let [a, b] = [found.pair.a as usize, found.pair.b as usize];
                worlds[a] == worlds[b] && found.distance <= margin + f64::from(margins[a] + margins[b])
            })
            .collect();
        assert!(expected.iter().any(|found| found.relation == MeshRelation::Near) && expected.len() < every.len() / 2);
        let mut checker = cpu(Config {
            margin,
            ..Config::default()
        });
        let mut ask = |question: MeshScene<'_>| checker.check(question.with(rules)).expect("a valid scene");
        assert_eq!(ask(MeshScene::new(&scene)), expected);
        assert_eq!(ask(MeshScene::pairs(&scene, &every)), expected);
        let backwards: Vec<Pair> = every.iter().rev().copied().collect();
        let found = ask(MeshScene::pairs(&scene, &backwards));
        assert!(found.iter().rev().eq(&expected));
    }
}

#[test]
fn invalid_scenes_are_refused() {
    let cube = cube();
    let mut checker = cpu(Config::default());
    for (pose, words) in [
        (Pose::new(Vec3::NAN, Quat::IDENTITY), "NaN"),
        (Pose::new(Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 2.0)), "rotation"),
        (Pose::new(Vec3::X * 1e18, Quat::IDENTITY), "beyond"),
    ] {
        let error = checker.check(MeshScene::new(&[at(&cube, 0.0, 0.0, 0.0), cube.at(pose)]));
        let error = error.expect_err(words).to_string();
        assert!(error.contains(words) && error.contains('1'), "{error}");
    }
    assert!(matches!(
        MeshBody::new(&[Triangle::new(Vec3::NAN, Vec3::X, Vec3::Y)]),
        Err(Error::InvalidTriangle { index: 0, .. })
    ));
    let mut checker = cpu(Config {
        max_pairs: Some(1),
        ..Config::default()
    });
    let alone = [at(&cube, 0.0, 0.0, 0.0)];
    let refused = checker.check(MeshScene::new(&alone));
    assert!(matches!(refused, Err(Error::Unavailable { .. })));
    let mut checker = cpu(Config::default());
    let missing = checker.check(MeshScene::pairs(&alone, &[Pair::new(0, 1)]));
    assert!(matches!(missing, Err(Error::InvalidPair { named: 1, .. })));
    let rules = Rules {
        margins: Some(&[0.0; 2]),
        ..Rules::default()
    };
    let refused = checker.check(MeshScene::pairs(&alone, &[]).with(rules));
    assert!(matches!(refused, Err(Error::InvalidRule { .. })));
}
