//! [Plans that are kept](crate::broad_phase::grid::kept_plan) on the CPU: they must find the same
//! pairs as new ones, regardless of the changes between checks.

use std::collections::BTreeSet;

use crate::broad_phase::grid::grid_bodies::SortedBodies;
use crate::broad_phase::grid::phase::GridPhase;
use crate::broad_phase::grid::tests::changes::{CHANGES, COUNT, uniform};
use crate::broad_phase::phase::PairSearch;
use crate::geometry::aabb::Aabb;
use crate::geometry::pair::Pair;
use crate::rules::filter::SetRules;
use crate::rules::model::Rules;
use crate::shapes::obb::obb_bounds_cpu::obb_statistics;
use crate::shapes::obb::record::Obb;

/// A grid of boxes that is sorted again and again.
#[derive(Default)]
struct Sorted {
    phase: GridPhase,
    boxes: SortedBodies<Obb>,
    /// The number of attempts to keep a plan.
    attempts: usize,
}

impl Sorted {
    /// Sorts boxes, by the plan before if possible. Returns `true` if it is.
    fn sort(&mut self, boxes: &[Obb], rules: &SetRules) -> bool {
        let begun = self.phase.try_kept_plan(&mut self.boxes, boxes, |_| 0.0, rules);
        if let Some((stats, true)) = begun.expect("memory") {
            self.attempts += 1;
            let kept = self
                .phase
                .sort_by_kept_plan(&mut self.boxes, boxes, |_| 0.0, &stats, rules);
            if kept.expect("memory") {
                return true;
            }
        }
        let stats = obb_statistics(boxes, |_| 0.0).expect("valid boxes");
        let sorted = self.phase.sort_bodies(&mut self.boxes, boxes, |_| 0.0, &stats, rules);
        sorted.expect("memory");
        false
    }

    /// Returns the pairs of boxes in the same world.
    fn pairs(&self, rules: &SetRules) -> BTreeSet<u64> {
        let ids = &self.phase.grid.columns.ids;
        let mut pairs = BTreeSet::new();
        self.phase.pairs::<false>(rules, 0..ids.len(), &mut |found, _| {
            for pair in found {
                let [a, b] = [pair.a, pair.b].map(|position| ids[position as usize]);
                let is_new = rules.world(a) != rules.world(b) || pairs.insert(Pair::new(a, b).key());
                assert!(is_new, "{a} and {b} are found twice");
            }
        });
        pairs
    }
}

fn boxes_in(bounds: &[Aabb]) -> Vec<Obb> {
    bounds
        .iter()
        .map(|b| Obb::axis_aligned(0.5 * (b.min + b.max), 0.5 * (b.max - b.min)))
        .collect()
}

#[test]
fn pairs_stay_correct_as_a_scene_changes() {
    let worlds: Vec<u32> = (0..COUNT as u32).map(|k| k * 7 % 3).collect();
    for worlds in [None, Some(&worlds[..])] {
        let rules = Rules {
            worlds,
            ..Rules::default()
        };
        let rules = SetRules::new(&rules, COUNT).expect("as many worlds as boxes");
        let mut sorted = Sorted::default();
        let mut bounds = uniform(COUNT);
        assert!(!sorted.sort(&boxes_in(&bounds), &rules), "there is no plan");
        let mut kept = 0;
        for (what, keeps, change) in CHANGES {
            change(&mut bounds);
            let boxes = boxes_in(&bounds);
            // A failed attempt is followed by checks without one.
            for again in 0..70 {
                let is_kept = sorted.sort(&boxes, &rules);
                kept += usize::from(is_kept);
                assert!(!is_kept || *keeps || again > 0, "{what}");
                if again < 3 || is_kept {
                    let mut new = Sorted::default();
                    assert!(!new.sort(&boxes, &rules));
                    let (found, expected) = (sorted.pairs(&rules), new.pairs(&rules));
                    assert!(
                        found == expected,
                        "{what}: {} pairs, not {}",
                        found.len(),
                        expected.len()
                    );
                }
                if is_kept && again > 1 {
                    break;
                }
            }
        }
        assert!(kept > CHANGES.len(), "{kept}");
    }
}

#[test]
fn attempts_become_rare_while_they_fail() {
    let rules = SetRules::default();
    let mut sorted = Sorted::default();
    let [small, large] = [1.0, 3.0].map(|size| {
        let all = uniform(COUNT).into_iter();
        boxes_in(&all.map(|b| Aabb::new(b.min * size, b.max * size)).collect::<Vec<_>>())
    });
    for k in 0..1000 {
        assert!(!sorted.sort(if k % 2 > 0 { &small } else { &large }, &rules), "{k}");
    }
    assert!((6..30).contains(&sorted.attempts), "{}", sorted.attempts);
}

#[test]
fn a_plan_is_kept_only_for_as_many_boxes_and_not_forever() {
    let rules = SetRules::default();
    let mut sorted = Sorted::default();
    let boxes = boxes_in(&uniform(COUNT));
    assert!(!sorted.sort(&boxes, &rules));
    assert!(sorted.sort(&boxes, &rules));
    assert!(!sorted.sort(&boxes[1..], &rules));
    assert!(!sorted.sort(&boxes, &rules));
    let kept = (0..640).filter(|_| sorted.sort(&boxes, &rules)).count();
    assert_eq!(kept, 630);
}
