//! Larger scenes, against an open scene with a copy of each body in every neighbouring cell.

use obbligato::glam::Vec3;
use obbligato::{BroadPhase, Obb, Pair, Period, Query, Set, Sphere};
use obbligato_support::split_mix::SplitMix;

use super::{Random, check, config};
use crate::support::gpu::cpu;

/// The pairs of bodies in a cube of this edge, by copies whose centers are exact.
fn with_ghosts<B: Copy>(bodies: &[B], edge: f32, margin: f64, moved: fn(&B, Vec3) -> B) -> Vec<Pair>
where
    for<'a> &'a [B]: Into<Set<'a>>,
{
    let mut ghosts = Vec::new();
    for image in 0..27 {
        let way = Vec3::new((image % 3) as f32, (image / 3 % 3) as f32, (image / 9) as f32) - 1.0;
        ghosts.extend(bodies.iter().map(|body| moved(body, edge * way)));
    }
    let report = cpu(config(BroadPhase::Auto, margin))
        .check(Query::between(bodies, &ghosts[..]))
        .expect("valid bodies");
    let count = bodies.len() as u32;
    let pairs = report
        .pairs()
        .expect("asked for")
        .iter()
        .map(|pair| (pair.a, pair.b % count));
    let mut pairs: Vec<Pair> = pairs.filter(|(a, b)| a < b).map(|(a, b)| Pair::new(a, b)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn moved_box(obb: &Obb, way: Vec3) -> Obb {
    Obb {
        center: obb.center + way,
        ..*obb
    }
}

/// Returns a center in a cube of this edge: a multiple of 2^-12, so that copies are not rounded.
fn center(random: &mut Random, edge: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| (random.below(f64::from(edge) * 4096.0).floor() / 4096.0) as f32))
}

#[test]
fn c1_large_scenes_agree_with_copies_of_all_bodies() {
    let mut random = Random(SplitMix(36));
    let edge = 32.0;
    for (count, longest) in [(3_000, 1.0), (900, 9.0)] {
        let boxes: Vec<Obb> = (0..count)
            .map(|k| {
                let center = center(&mut random, edge);
                let half = [0; 3].map(|_| 0.2 + random.below(if k % 50 == 0 { longest } else { 0.7 }) as f32);
                Obb::new(center, half.into(), random.rotation(super::Place::Cell))
            })
            .collect();
        let expected = with_ghosts(&boxes, edge, 0.0, moved_box);
        let open = cpu(config(BroadPhase::Auto, 0.0)).check(&boxes).expect("valid boxes");
        assert!(expected.len() as u64 > open.colliding_pairs + 100);
        let length = Some(f64::from(edge));
        for &phase in BroadPhase::ALL {
            let report = check(config(phase, 0.0), "ghosts", &boxes, [length; 3]);
            assert_eq!(report.pairs().expect("asked for"), expected, "{count} {phase}");
        }
        // Moved by whole periods, which is exact here, nothing changes.
        let moved: Vec<Obb> = boxes
            .iter()
            .map(|obb| {
                let way = Vec3::from([0; 3].map(|_| random.below(9.0).floor() as f32 - 4.0));
                moved_box(obb, edge * way)
            })
            .collect();
        for &phase in BroadPhase::ALL {
            let report = check(config(phase, 0.0), "moved", &moved, [length; 3]);
            assert_eq!(report.pairs().expect("asked for"), expected, "moved {count} {phase}");
        }
    }
}

/// Frame by frame with one checker, whose grid keeps its plan; some spheres are in the grid's
/// coarser levels, and in sparse scenes slots hold the records of several cells.
#[test]
fn c1_frames_of_spheres_agree_with_copies_of_all_spheres() {
    let mut random = Random(SplitMix(37));
    for (count, edge, margin) in [(4_000, 32.0, 0.0), (4_000, 32.0, 0.25), (600, 512.0, 0.0)] {
        let mut checker = cpu(config(BroadPhase::Auto, margin));
        let radii: Vec<f32> = (0..count)
            .map(|k| 0.2 + random.below(if k % 60 == 0 { 0.12 * f64::from(edge) } else { 0.6 }) as f32)
            .collect();
        let mut centers: Vec<Vec3> = radii.iter().map(|_| center(&mut random, edge)).collect();
        for frame in 0..5 {
            // The world moves on, beyond that of the plan.
            let drift = Vec3::new(edge, 0.0, -edge) / 32.0;
            centers.iter_mut().for_each(|center| *center += drift);
            let spheres: Vec<Sphere> = radii
                .iter()
                .zip(&centers)
                .map(|(radius, center)| Sphere::new(*center, *radius))
                .collect();
            let moved = |sphere: &Sphere, way: Vec3| Sphere::new(sphere.center + way, sphere.radius);
            let expected = with_ghosts(&spheres, edge, margin, moved);
            let query = Query::from(&spheres).periodic(Period::new([Some(f64::from(edge)); 3]));
            let report = checker.check(query).expect("valid spheres");
            assert!(!expected.is_empty());
            assert_eq!(report.pairs().expect("asked for"), expected, "{count} {margin} {frame}");
        }
    }
}
