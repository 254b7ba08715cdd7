//! Larger scenes, against an open scene with a copy of each body in every neighbouring cell.

use obbligato::glam::Vec3;
use obbligato::{BroadPhase, Obb, Pair, Query};
use obbligato_support::split_mix::SplitMix;

use super::{Random, check, config};
use crate::support::gpu::cpu;

/// The pairs of boxes in a cube of this edge, by copies whose centers are exact.
fn with_ghosts(boxes: &[Obb], edge: f32) -> Vec<Pair> {
    let mut ghosts = Vec::new();
    for image in 0..27 {
        let way = Vec3::new((image % 3) as f32, (image / 3 % 3) as f32, (image / 9) as f32) - 1.0;
        ghosts.extend(boxes.iter().map(|obb| Obb {
            center: obb.center + edge * way,
            ..*obb
        }));
    }
    let report = cpu(config(BroadPhase::Auto, 0.0))
        .check(Query::between(boxes, &ghosts))
        .expect("valid boxes");
    let count = boxes.len() as u32;
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

#[test]
fn c1_large_scenes_agree_with_copies_of_all_bodies() {
    let mut random = Random(SplitMix(36));
    let edge = 32.0;
    for (count, longest) in [(3_000, 1.0), (900, 9.0)] {
        let boxes: Vec<Obb> = (0..count)
            .map(|k| {
                // Multiples of 2^-12, so that copies are not rounded.
                let center = [0; 3].map(|_| (random.below(f64::from(edge) * 4096.0).floor() / 4096.0) as f32);
                let half = [0; 3].map(|_| 0.2 + random.below(if k % 50 == 0 { longest } else { 0.7 }) as f32);
                Obb::new(center.into(), half.into(), random.rotation(super::Place::Cell))
            })
            .collect();
        let expected = with_ghosts(&boxes, edge);
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
                Obb {
                    center: obb.center + edge * way,
                    ..*obb
                }
            })
            .collect();
        for &phase in BroadPhase::ALL {
            let report = check(config(phase, 0.0), "moved", &moved, [length; 3]);
            assert_eq!(report.pairs().expect("asked for"), expected, "moved {count} {phase}");
        }
    }
}
