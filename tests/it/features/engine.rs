//! The engines, scenes of all sizes, and rows as files.

use std::path::Path;

use obbligato::glam::{Quat, Vec3};
use obbligato::gpu::adapters;
use obbligato::{
    Checker, Config, Obb, Pair,
    report::{Adjacency, Direction, Engine},
};
use obbligato_files::write_rows;
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::Scene;

use super::{assert_found, check, on_cpu};

/// A GPU, if there is one, and otherwise all cores.
#[test]
fn e2_the_default_is_a_gpu_or_the_cpu() {
    let checker = Checker::new(Config::default()).expect("one of the two is there");
    let has_gpu = adapters().iter().any(|adapter| adapter.kind.is_gpu());
    assert_eq!(matches!(checker.engine(), Engine::Gpu { .. }), has_gpu);
    let report = check(on_cpu(), &Scene::Uniform.generate(1_500, 2));
    assert!(matches!(report.engine, Engine::Cpu { threads: 1.. }));
}

/// Small boxes, boxes a thousand times smaller than others, a few as large as the world, and
/// everything far from the origin.
fn of_all_sizes() -> Vec<Obb> {
    let mut boxes = Scene::Mixed.generate(2_000, 3);
    boxes.extend(Scene::Giants.generate(1_000, 4));
    boxes.extend(Scene::Clusters.generate(1_000, 5));
    boxes.push(Obb::new(Vec3::ZERO, Vec3::splat(60.0), Quat::from_rotation_z(0.3)));
    boxes.push(Obb::axis_aligned(Vec3::ZERO, Vec3::new(1e4, 1e-4, 1e4)));
    for solid in &mut boxes {
        solid.center += Vec3::new(3e4, -2e4, 1e4);
    }
    boxes
}

#[test]
fn e3_sizes_giants_clusters_far_away() {
    let boxes = of_all_sizes();
    assert_found("of all sizes", &boxes, &colliding_pairs(&boxes));
}

/// The 32-bit integers of an NPY file, by the format's definition.
fn read_npy(path: &Path) -> Vec<u32> {
    let bytes = std::fs::read(path).expect("the file is there");
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"));
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let values = bytes[header..].chunks_exact(4);
    values
        .map(|value| u32::from_le_bytes(value.try_into().expect("four bytes")))
        .collect()
}

#[test]
fn e6_rows_as_files() {
    let boxes = Scene::Dense.generate(1_000, 1);
    let expected = colliding_pairs(&boxes);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("rows");
    let rows = Adjacency::new(boxes.len(), &expected, Direction::Both).expect("memory");
    write_rows(&path, &rows).expect("it can be written");
    let [offsets, neighbours] = [".offsets.npy", ".neighbours.npy"].map(|ending| {
        let mut name = path.clone().into_os_string();
        name.push(ending);
        read_npy(Path::new(&name))
    });
    let from_rows = offsets.windows(2).enumerate().flat_map(|(a, row)| {
        let own = &neighbours[row[0] as usize..row[1] as usize];
        assert!(own.is_sorted());
        own.iter().map(move |&b| (a as u32, b)).filter(|(a, b)| a < b)
    });
    assert!(from_rows.map(|(a, b)| Pair { a, b }).eq(expected.iter().copied()));
    assert_eq!(neighbours.len(), 2 * expected.len());
}
