//! Walks of [blocks](crate::broad_phase::grid::block), compared with walks record by record: those
//! that count operations.

use std::collections::BTreeSet;
use std::ops::Range;

use bytemuck::Zeroable;
use glam::{Quat, Vec3};

use crate::broad_phase::grid::phase::GridPhase;
use crate::broad_phase::phase::PairSearch;
use crate::geometry::bounds::Bounds;
use crate::geometry::scene_stats::Gathered;
use crate::made_up::{self, Scene};
use crate::rules::filter::SetRules;
use crate::shapes::obb::obb_bounds_cpu::obb_bounds;
use crate::shapes::obb::record::Obb;

/// Returns the pairs of positions that the records in these ranges find, of which none may be found
/// twice.
fn pairs<const COUNT: bool>(phase: &GridPhase, ranges: impl Iterator<Item = Range<usize>>) -> BTreeSet<u64> {
    let mut pairs = BTreeSet::new();
    for range in ranges {
        phase.pairs::<COUNT>(&SetRules::default(), range.clone(), &mut |found, _| {
            for pair in found {
                assert!(
                    range.contains(&(pair.a as usize)),
                    "{pair:?} is found by another record"
                );
                assert!(pairs.insert(pair.key()), "{pair:?} is found twice");
            }
        });
    }
    pairs
}

fn expect_the_same(name: &str, boxes: &[Obb]) -> usize {
    let mut bounds = vec![Bounds::zeroed(); boxes.len()];
    let stats: Gathered = obb_bounds(boxes, |_| 0.0, &mut bounds).expect("valid boxes");
    let mut phase = GridPhase::default();
    phase.sort(&mut bounds, &stats, &SetRules::default()).expect("memory");
    let expected = pairs::<true>(&phase, std::iter::once(0..boxes.len()));
    // Ranges end in the middle of rows.
    for step in [boxes.len(), 1009, 7] {
        let ranges = (0..boxes.len())
            .step_by(step)
            .map(|first| first..boxes.len().min(first + step));
        assert_eq!(pairs::<false>(&phase, ranges), expected, "{name}, {step} at a time");
    }
    expected.len()
}

#[test]
fn blocks_find_what_their_records_find() {
    for scene in Scene::ALL {
        for count in [1, 7, 1_000, 20_011] {
            expect_the_same(scene.name(), &made_up::boxes(scene, count, 1));
        }
    }
}

fn cube(center: [f32; 3], half: f32) -> Obb {
    Obb::new(Vec3::from_array(center), Vec3::splat(half), Quat::IDENTITY)
}

/// A row of a few boxes far apart, below a layer with many in each cell: what they reach together
/// has far more records than what each reaches.
#[test]
fn records_far_apart_below_a_crowded_layer() {
    let layer = (0..40_000).map(|k| {
        [
            (k % 400) as f32 * 0.5,
            (k / 400 % 10) as f32 * 0.5,
            1.4 + (k / 4000) as f32 * 0.01,
        ]
    });
    let few = (0..20).map(|k| [k as f32 * 10.0, 2.0, 0.3]);
    let boxes: Vec<Obb> = few.chain(layer).map(|center| cube(center, 0.5)).collect();
    assert!(expect_the_same("layer", &boxes) > 1_000_000);
}

/// Levels of few records, which blocks scan, and of many, whose cells they look up.
#[test]
fn levels_of_all_sizes() {
    for giants in [1, 30, 200, 3_000] {
        let small = (0..20_000).map(|k| cube([(k % 100) as f32, (k / 100 % 100) as f32, (k / 10_000) as f32], 0.3));
        let large = (0..giants).map(|k| cube([(k * 37 % 100) as f32, (k * 61 % 97) as f32, (k % 7) as f32], 6.0));
        let boxes: Vec<Obb> = small.chain(large).collect();
        assert!(expect_the_same(&format!("{giants} giants"), &boxes) > 50);
    }
}
