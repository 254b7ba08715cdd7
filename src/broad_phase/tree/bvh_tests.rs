//! Queries of a tree by applications, compared with answers computed in other ways.

mod batches;
mod rays;

use glam::Vec3;

use crate::base::error::Error;
use crate::base::split_mix::SplitMix;
use crate::broad_phase::tree::bvh::{Bvh, BvhBuild};
use crate::broad_phase::tree::near::NearBox;
use crate::broad_phase::tree::ray::Ray;
use crate::geometry::aabb::Aabb;
use crate::geometry::pair::Pair;

const BUILDS: [BvhBuild; 3] = [BvhBuild::Surface, BvhBuild::Morton, BvhBuild::Octree];

fn trees(boxes: &[Aabb]) -> [Bvh; 3] {
    BUILDS.map(|build| Bvh::built(boxes, build).expect("a tree"))
}

fn unit(random: &mut SplitMix) -> f32 {
    random.unit() as f32
}

fn vector(random: &mut SplitMix) -> Vec3 {
    Vec3::from_array([0; 3].map(|_| 2.0 * unit(random) - 1.0))
}

fn random_boxes(count: usize, size: f32, random: &mut SplitMix) -> Vec<Aabb> {
    let mut one = || {
        let (center, half) = (vector(random), vector(random).abs() * size);
        Aabb::new(center - half, center + half)
    };
    (0..count).map(|_| one()).collect()
}

/// Returns the squared distance of a point from a box, in `f64`.
fn square_of_distance(solid: &Aabb, point: Vec3) -> f64 {
    let point = point.as_dvec3();
    (point - point.clamp(solid.min.as_dvec3(), solid.max.as_dvec3())).length_squared()
}

#[test]
fn points_find_nearby_boxes() {
    let mut random = SplitMix(4);
    for (count, size) in [(1, 0.1), (50, 0.0), (2000, 0.05), (2000, 0.5)] {
        let mut boxes = random_boxes(count, size, &mut random);
        let copies: Vec<Aabb> = boxes.iter().step_by(5).copied().collect();
        boxes.extend(copies);
        let mut points: Vec<Vec3> = (0..100).map(|_| vector(&mut random) * 1.5).collect();
        points.extend([boxes[0].min, boxes[0].max, Vec3::splat(1e18), Vec3::splat(1e-40)]);
        for tree in trees(&boxes) {
            let near = tree.nearest_each(&points).expect("boxes");
            for (point, near) in points.iter().zip(near) {
                let mut all: Vec<(f64, u32)> = boxes
                    .iter()
                    .map(|solid| square_of_distance(solid, *point))
                    .zip(0..)
                    .collect();
                all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let named = |&(square, index): &(f64, u32)| NearBox {
                    index,
                    distance: square.sqrt() as f32,
                };
                assert_eq!(near, all.first().map(named));
                assert_eq!(tree.nearest(*point).expect("a box"), near);
                for few in [0, 1, 7, 3000] {
                    let expected: Vec<NearBox> = all.iter().take(few).map(named).collect();
                    assert_eq!(tree.nearest_few(*point, few).expect("boxes"), expected);
                }
                let within = |most: f64| {
                    let mut near: Vec<u32> = all
                        .iter()
                        .filter(|(square, _)| *square <= most)
                        .map(|(_, index)| *index)
                        .collect();
                    near.sort_unstable();
                    near
                };
                assert_eq!(tree.within(*point, 0.25).expect("boxes"), within(0.0625));
                assert_eq!(tree.containing(*point).expect("boxes"), within(0.0));
            }
        }
    }
}

fn pairs_of(boxes: &[Aabb], others: &[Aabb]) -> Vec<Pair> {
    let with = |a: u32| {
        (0u32..)
            .zip(others)
            .filter(move |(_, other)| boxes[a as usize].overlaps(other))
            .map(move |(b, _)| Pair { a, b })
    };
    (0..boxes.len() as u32).flat_map(with).collect()
}

fn within_one(boxes: &[Aabb]) -> Vec<Pair> {
    pairs_of(boxes, boxes)
        .into_iter()
        .filter(|pair| pair.a < pair.b)
        .collect()
}

#[test]
fn trees_find_pairs() {
    let mut random = SplitMix(5);
    let (boxes, others) = (
        random_boxes(3000, 0.15, &mut random),
        random_boxes(1000, 0.3, &mut random),
    );
    let (own, between) = (within_one(&boxes), pairs_of(&boxes, &others));
    assert!(own.len() > 1000 && between.len() > 1000);
    for (tree, other) in trees(&boxes).iter().zip(trees(&others)) {
        assert!(tree.pairs().expect("pairs") == own);
        assert!(tree.pairs_with(&other).expect("pairs") == between);
        for (solid, b) in others.iter().zip(0..).take(100) {
            let met = tree.overlapping(solid).expect("boxes");
            assert!(
                met.into_iter()
                    .eq(between.iter().filter(|pair| pair.b == b).map(|pair| pair.a))
            );
        }
    }
}

#[test]
fn refitted_trees_are_correct() {
    let mut random = SplitMix(6);
    let boxes = random_boxes(3000, 0.06, &mut random);
    let moved: Vec<Aabb> = boxes
        .iter()
        .map(|solid| {
            let by = vector(&mut random);
            Aabb::new(solid.min + by, solid.max + by)
        })
        .collect();
    let expected = within_one(&moved);
    for mut tree in trees(&boxes) {
        let cost = tree.cost();
        tree.refit(&boxes).expect("the same boxes");
        assert_eq!(tree.cost(), cost);
        tree.refit(&moved).expect("as many boxes");
        assert!(tree.cost() > 3.0 * cost, "{} after {cost}", tree.cost());
        assert!(tree.pairs().expect("pairs") == expected);
        let ray = Ray::new(Vec3::splat(-2.0), Vec3::new(1.0, 0.9, 1.1));
        assert_eq!(
            tree.all_hits(&ray).expect("hits"),
            Bvh::new(&moved).expect("a tree").all_hits(&ray).expect("hits")
        );
        assert!(matches!(
            tree.refit(&moved[1..]),
            Err(Error::MissingBoxes {
                boxes: 2999,
                held: 3000
            })
        ));
        tree.refit(&boxes).expect("as many boxes");
        assert_eq!(tree.cost(), cost);
    }
}

#[test]
fn better_builds_cost_less() {
    let mut random = SplitMix(7);
    let boxes = random_boxes(20_000, 0.02, &mut random);
    let [surface, morton, octree] = trees(&boxes).map(|tree| tree.cost());
    assert!(
        surface < octree && octree < 1.2 * morton && morton < 3.0 * surface,
        "{surface} {octree} {morton}"
    );
    // A tree with a single node.
    assert_eq!(Bvh::new(&boxes[..1]).expect("a tree").cost(), 2.0);
}

#[test]
fn invalid_queries_are_refused() {
    let tree = Bvh::new(&[Aabb::new(Vec3::ZERO, Vec3::ONE)]).expect("a tree");
    let refused = |ray: Ray| {
        tree.first_hits(&[Ray::new(Vec3::ZERO, Vec3::X), ray])
            .expect_err("an invalid ray")
            .to_string()
    };
    assert_eq!(
        refused(Ray::new(Vec3::NAN, Vec3::X)),
        "ray 1 has a number that is NaN or infinite: fix or remove it"
    );
    assert_eq!(
        refused(Ray::new(Vec3::splat(1e19), Vec3::X)),
        "ray 1 has an origin beyond 1.1529215e18: fix or remove it"
    );
    assert_eq!(
        refused(Ray::new(Vec3::ZERO, Vec3::ZERO)),
        "ray 1 has no direction: fix or remove it"
    );
    assert_eq!(
        refused(Ray::new(Vec3::ZERO, Vec3::X).up_to(-1.0)),
        "ray 1 has the limit -1, which must be 0 or more: fix or remove it"
    );
    assert!(matches!(
        tree.nearest(Vec3::INFINITY),
        Err(Error::InvalidPoint { index: 0, .. })
    ));
    assert!(matches!(
        tree.within(Vec3::ZERO, f32::NAN),
        Err(Error::InvalidMargin { .. })
    ));
    let inverted = Aabb::new(Vec3::ONE, Vec3::ZERO);
    assert!(matches!(
        Bvh::new(&[inverted; 3]),
        Err(Error::InvalidBox { index: 0, count: 3, .. })
    ));
    assert!(matches!(tree.overlapping(&inverted), Err(Error::InvalidBox { .. })));
    let nothing = Bvh::new(&[]).expect("a tree of nothing");
    assert!(nothing.is_empty() && nothing.bounds().is_none() && nothing.cost() == 0.0);
    assert_eq!(nothing.pairs().expect("pairs"), []);
    assert_eq!(nothing.nearest(Vec3::ZERO).expect("nothing"), None);
    assert_eq!(
        nothing.first_hit(&Ray::new(Vec3::ZERO, Vec3::X)).expect("nothing"),
        None
    );
    assert_eq!(tree.pairs_with(&nothing).expect("pairs"), []);
    assert_eq!(nothing.pairs_with(&tree).expect("pairs"), []);
    assert_eq!(tree.bounds(), Some(Aabb::new(Vec3::ZERO, Vec3::ONE)));
}
