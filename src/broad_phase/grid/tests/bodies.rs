//! The sort of bodies ([`grid_bodies`](crate::broad_phase::grid::grid_bodies)), compared with that
//! of their bounds.

use bytemuck::Zeroable;

use crate::broad_phase::grid::grid_bodies::SortedBodies;
use crate::broad_phase::grid::phase::GridPhase;
use crate::geometry::bounds::Bounds;
use crate::geometry::scene_stats::{Gathered, SceneStats};
use crate::made_up::{self, Scene};
use crate::rules::filter::SetRules;
use crate::rules::model::Rules;
use crate::shapes::obb::obb_bounds_cpu::{obb_bounds, obb_statistics};

/// Sorts the boxes of a scene in both ways, and expects the same order and the same numbers.
fn expect_the_same(scene: Scene, count: usize, worlds: Option<&[u32]>) {
    let boxes = made_up::boxes(scene, count, 1);
    let rules = Rules {
        worlds,
        ..Rules::default()
    };
    let rules = SetRules::new(&rules, count).expect("as many worlds as boxes");
    let margin = |id: u32| (id % 3) as f32 * 0.01;
    let mut bounds = vec![Bounds::zeroed(); count];
    let stats: Gathered = obb_bounds(&boxes, margin, &mut bounds).expect("valid boxes");
    let alone = obb_statistics(&boxes, margin).expect("valid boxes");
    assert_eq!(SceneStats::from(&alone), SceneStats::from(&stats));
    let (mut of_bounds, mut of_bodies) = (GridPhase::default(), GridPhase::default());
    of_bounds.sort(&mut bounds, &stats, &rules).expect("memory");
    let mut sorted = SortedBodies::default();
    let moved = of_bodies.sort_bodies(&mut sorted, &boxes, margin, &stats, &rules);
    moved.expect("memory");
    assert_eq!(of_bodies.grid.slot_starts, of_bounds.grid.slot_starts);
    let columns = [&of_bodies.grid.columns, &of_bounds.grid.columns];
    assert_eq!(columns[0].ids, columns[1].ids);
    for (position, &id) in columns[0].ids.iter().enumerate() {
        assert_eq!(of_bounds.grid.records[position].id, id);
        assert_eq!(sorted.bodies[position], boxes[id as usize]);
        for list in 0..7 {
            let number = columns.map(|columns| columns.view().number(list, position).to_bits());
            assert_eq!(number[0], number[1], "number {list} of box {id}");
        }
    }
}

#[test]
fn bodies_are_sorted_as_their_bounds() {
    for scene in Scene::ALL {
        // Fewer than a vector has lanes, and no multiple of a chunk.
        for count in [1, 7, 1_000, 20_011] {
            expect_the_same(scene, count, None);
        }
    }
}

#[test]
fn bodies_are_sorted_by_world() {
    let worlds: Vec<u32> = (0..20_011).map(|id| id * 7 % 5).collect();
    expect_the_same(Scene::ALL[0], worlds.len(), Some(&worlds));
}
