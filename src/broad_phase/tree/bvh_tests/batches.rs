//! Batches of queries, compared with the single ones.

use glam::Vec3;

use crate::base::error::Error;
use crate::base::split_mix::SplitMix;
use crate::broad_phase::tree::bvh::Bvh;
use crate::broad_phase::tree::bvh_tests::{random_boxes, trees, vector};
use crate::broad_phase::tree::lists::Lists;
use crate::broad_phase::tree::ray::Ray;
use crate::geometry::aabb::Aabb;

/// Checks that the lists are those of each question.
fn hold<T: PartialEq + std::fmt::Debug>(lists: &Lists<T>, each: impl ExactSizeIterator<Item = Vec<T>>, what: &str) {
    assert_eq!((lists.len(), lists.is_empty()), (each.len(), each.len() == 0), "{what}");
    assert_eq!(lists.starts().len(), lists.len() + 1, "{what}");
    let mut items = 0;
    for (question, expected) in each.enumerate() {
        assert_eq!(lists[question], expected[..], "{what}: {question}");
        assert_eq!(lists.starts()[question], items, "{what}: {question}");
        items += expected.len();
    }
    assert_eq!(lists.items().len(), items, "{what}");
    assert!(lists.iter().map(<[T]>::len).sum::<usize>() == items, "{what}");
}

/// Checks batches of queries by distance.
fn compare_near(tree: &Bvh, points: &[Vec3], count: usize) {
    for few in [0, 1, 10, 5000] {
        let points = if few > 10 { &points[..20] } else { points };
        let near = tree.nearest_few_each(points, few).expect("boxes");
        let each = points.iter().map(|point| tree.nearest_few(*point, few).expect("boxes"));
        hold(&near, each, &format!("{few} of {count}"));
    }
    for most in [0.0, 0.25, 1e18] {
        let points = if most > 1.0 { &points[..20] } else { points };
        let within = tree.within_each(points, most).expect("boxes");
        let each = points.iter().map(|point| tree.within(*point, most).expect("boxes"));
        hold(&within, each, &format!("within {most} of {count}"));
    }
}

/// Checks that batches with an invalid question are refused.
fn refuse_batches() {
    let tree = Bvh::new(&[Aabb::new(Vec3::ZERO, Vec3::ONE)]).expect("a tree");
    let bad = [Vec3::ZERO, Vec3::NAN];
    for refused in [tree.within_each(&bad, 1.0), tree.containing_each(&bad)] {
        assert!(
            matches!(refused, Err(Error::InvalidPoint { index: 1, .. })),
            "{refused:?}"
        );
    }
    assert!(matches!(
        tree.nearest_few_each(&bad, 1),
        Err(Error::InvalidPoint { index: 1, .. })
    ));
    assert!(matches!(
        tree.within_each(&bad[..1], -1.0),
        Err(Error::InvalidMargin { .. })
    ));
}

/// Checks that batches of questions get the same answers as each question alone, in their order:
/// near each other and far, repeated, with ties, and none.
#[test]
fn batched_queries_match_single_ones() {
    let mut random = SplitMix(14);
    for (count, size) in [(0, 0.1), (1, 0.1), (7, 0.0), (3000, 0.0), (3000, 0.2)] {
        let mut boxes = random_boxes(count, size, &mut random);
        let copies: Vec<Aabb> = boxes.iter().step_by(5).copied().collect();
        boxes.extend(copies);
        let mut points: Vec<Vec3> = (0..1500).map(|_| vector(&mut random) * 1.5).collect();
        points.extend(
            boxes
                .iter()
                .take(50)
                .flat_map(|solid| [solid.min, solid.min, solid.max]),
        );
        points.extend([Vec3::splat(1e18), Vec3::splat(-1e18), Vec3::splat(1e-40), Vec3::ZERO]);
        let rays: Vec<Ray> = points
            .iter()
            .map(|point| Ray::new(*point, Vec3::new(-0.3, 1.0, 0.2)))
            .collect();
        let around: Vec<Aabb> = points.iter().map(|point| Aabb::new(*point, *point + 0.1)).collect();
        for tree in trees(&boxes) {
            compare_near(&tree, &points, count);
            let containing = tree.containing_each(&points).expect("boxes");
            hold(
                &containing,
                points.iter().map(|point| tree.containing(*point).expect("boxes")),
                "containing",
            );
            let met = tree.overlapping_each(&around).expect("boxes");
            hold(
                &met,
                around.iter().map(|solid| tree.overlapping(solid).expect("boxes")),
                "overlapping",
            );
            let hits = tree.all_hits_each(&rays).expect("hits");
            hold(&hits, rays.iter().map(|ray| tree.all_hits(ray).expect("hits")), "hits");
            assert!(tree.nearest_few_each(&[], 3).expect("nothing").is_empty());
        }
    }
    refuse_batches();
}
