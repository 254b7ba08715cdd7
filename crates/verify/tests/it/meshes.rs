//! Scenes of meshes against the reference of all pairs of triangles and pieces.

use obbligato::glam::{Quat, Vec3};
use obbligato::mesh::{MeshBody, MeshPair, MeshRelation, MeshScene};
use obbligato::shape::{Pose, Triangle};
use obbligato::{Backend, Checker, Config};
use obbligato_verify::adversarial::{MESH_FAMILIES, MeshFamily};
use obbligato_verify::reference::{PieceSolid, mesh_distance, mesh_relation};

/// The distance up to which the engine finds meshes that are near.
const MARGIN: f64 = 1.0;

/// The pairs of each family.
const CASES: u64 = 40;

fn body(triangles: &[Triangle]) -> MeshBody {
    MeshBody::new(triangles).expect("a valid mesh")
}

/// The answer of the engine about two meshes in poses.
fn answer(bodies: &[MeshBody; 2], poses: [Pose; 2]) -> Option<MeshPair> {
    let scene = [bodies[0].at(poses[0]), bodies[1].at(poses[1])];
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        margin: MARGIN,
        ..Config::default()
    })
    .expect("a checker");
    let found = checker.check(MeshScene::new(&scene)).expect("a valid scene");
    assert!(found.len() <= 1);
    found.first().copied()
}

/// The relation, and the distance of what is near.
fn expected([a, b]: &[PieceSolid; 2]) -> Option<(MeshRelation, f64)> {
    if let Some(relation) = mesh_relation(a, b) {
        return Some((relation, 0.0));
    }
    let distance = mesh_distance(&a.triangles, &b.triangles);
    (distance <= MARGIN).then_some((MeshRelation::Near, distance))
}

fn moved(triangles: &[Triangle], way: Vec3) -> Vec<Triangle> {
    let corners = |triangle: &Triangle| triangle.corners.map(|corner| corner - way);
    triangles
        .iter()
        .map(|triangle| Triangle {
            corners: corners(triangle),
        })
        .collect()
}

#[test]
fn scenes_of_meshes_match_the_reference() {
    let mut counts = [[0; 6]; MESH_FAMILIES.len()];
    for (family, counts) in MESH_FAMILIES.into_iter().zip(&mut counts) {
        for seed in 0..CASES {
            let pair = family.pair(seed);
            let expected = expected(&pair);
            let bodies = [body(&pair[0].triangles), body(&pair[1].triangles)];
            assert!(bodies.iter().all(MeshBody::is_closed), "{family:?} {seed}");
            let found = answer(&bodies, [Pose::IDENTITY; 2]);
            expect_same((family, seed), found, expected);
            counts[expected.map_or(5, |(relation, _)| relation as usize)] += 1;
            if matches!(family, MeshFamily::Nudged | MeshFamily::Uneven) {
                continue;
            }
            // On a grid, frames of their own round nothing.
            let ways = [Vec3::new(3.0, -2.0, 1.0), Vec3::new(-1.0, 5.0, 2.0)];
            let bodies = [0, 1].map(|k| body(&moved(&pair[k].triangles, ways[k])));
            let poses = ways.map(|way| Pose::new(way, Quat::IDENTITY));
            expect_same((family, seed), answer(&bodies, poses), expected);
        }
    }
    for (relation, name) in ["overlap", "touch", "a contains b", "b contains a", "near", "apart"]
        .iter()
        .enumerate()
    {
        let all: u32 = counts.iter().map(|of| of[relation]).sum();
        assert!(all > 0, "{name}: {counts:?}");
    }
}

fn expect_same(what: (MeshFamily, u64), found: Option<MeshPair>, expected: Option<(MeshRelation, f64)>) {
    let relation = found.map(|found| found.relation);
    assert_eq!(relation, expected.map(|(relation, _)| relation), "{what:?} {found:?}");
    if let (Some(found), Some((_, distance))) = (found, expected) {
        assert!(
            (found.distance - distance).abs() <= 1e-9,
            "{what:?} {found:?} {distance}"
        );
    }
}
