//! Queries of a tree by applications, compared with answers computed in other ways.

use glam::Vec3;

use crate::base::error::Error;
use crate::base::split_mix::SplitMix;
use crate::broad_phase::tree::bvh::{Bvh, BvhBuild, RayHit};
use crate::broad_phase::tree::lists::Lists;
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

/// Returns a random integer in units of 2^-20, of 10 bits, with an exponent of up to `range`.
fn whole(random: &mut SplitMix, range: u64) -> i128 {
    let number = (random.next() % 2047) as i128 - 1023;
    number << (20 + range / 2 - random.next() % (range + 1))
}

fn number(whole: i128) -> f32 {
    let number = whole as f32 / (1u32 << 20) as f32;
    assert_eq!((f64::from(number) * f64::from(1u32 << 20)) as i128, whole);
    number
}

/// Boxes and rays with integer coordinates, many of which touch.
struct Whole {
    boxes: Vec<[[i128; 3]; 2]>,
    rays: Vec<([i128; 3], [i128; 3], Option<i128>)>,
}

impl Whole {
    fn new(boxes: usize, rays: usize, random: &mut SplitMix, coordinate: impl Fn(&mut SplitMix) -> i128) -> Self {
        let corners = |random: &mut SplitMix| {
            let [a, b] = [0; 2].map(|_| [0; 3].map(|_| coordinate(random)));
            let flat = random.next() % 8;
            let corner = |pick: fn(i128, i128) -> i128| {
                std::array::from_fn(|axis| {
                    if flat >> axis & 1 == 1 && flat < 7 {
                        a[axis]
                    } else {
                        pick(a[axis], b[axis])
                    }
                })
            };
            [corner(i128::min), corner(i128::max)]
        };
        let boxes: Vec<_> = (0..boxes).map(|_| corners(random)).collect();
        let rays = (0..rays).map(|k| {
            let corner = |random: &mut SplitMix, axis: usize| {
                boxes[(random.next() % boxes.len() as u64) as usize][(random.next() % 2) as usize][axis]
            };
            let near = random.next() % 8;
            let origin: [i128; 3] = std::array::from_fn(|axis| {
                if near >> axis & 1 == 1 {
                    corner(random, axis)
                } else {
                    coordinate(random)
                }
            });
            let mut direction = [0; 3].map(|_| coordinate(random));
            match k % 4 {
                // Towards a corner, if the coordinates fit.
                0 => {
                    let to = std::array::from_fn(|axis| corner(random, axis) - origin[axis]);
                    if to.iter().all(|&d: &i128| d.unsigned_abs() < 1 << 24) {
                        direction = to;
                    }
                }
                1 => direction[k / 4 % 3] = 0,
                2 => (direction[k / 4 % 3], direction[(k / 4 + 1) % 3]) = (0, 0),
                _ => {}
            }
            if direction == [0; 3] {
                direction[0] = 1 << 20;
            }
            let limit = (k % 3 == 0).then(|| coordinate(random).abs());
            (origin, direction, limit)
        });
        let rays = rays.collect();
        Self { boxes, rays }
    }

    fn boxes(&self) -> Vec<Aabb> {
        let corner = |corner: [i128; 3]| Vec3::from_array(corner.map(number));
        self.boxes
            .iter()
            .map(|[low, high]| Aabb::new(corner(*low), corner(*high)))
            .collect()
    }

    fn ray(&self, k: usize) -> Ray {
        let (origin, direction, limit) = self.rays[k];
        let ray = Ray::new(
            Vec3::from_array(origin.map(number)),
            Vec3::from_array(direction.map(number)),
        );
        limit.map_or(ray, |limit| ray.up_to(number(limit)))
    }

    /// Returns the `t` at which a ray enters a box, as a fraction.
    fn entry(&self, ray: usize, [low, high]: &[[i128; 3]; 2]) -> Option<(i128, i128)> {
        let (origin, direction, limit) = self.rays[ray];
        let less = |a: (i128, i128), b: (i128, i128)| {
            a.0.checked_mul(b.1).expect("no overflow") < b.0.checked_mul(a.1).expect("no overflow")
        };
        let mut enter = (0, 1);
        let mut leave = limit.map(|limit| (limit, 1 << 20));
        for axis in 0..3 {
            let sign = direction[axis].signum();
            if sign == 0 {
                if origin[axis] < low[axis] || high[axis] < origin[axis] {
                    return None;
                }
                continue;
            }
            let planes = [low[axis], high[axis]].map(|plane| (sign * (plane - origin[axis]), direction[axis].abs()));
            let [first, last] = if sign > 0 { planes } else { [planes[1], planes[0]] };
            if less(enter, first) {
                enter = first;
            }
            if leave.is_none_or(|leave| less(last, leave)) {
                leave = Some(last);
            }
        }
        leave.is_none_or(|leave| !less(leave, enter)).then_some(enter)
    }
}

fn rays_are_exact(whole: &Whole) -> usize {
    let boxes = whole.boxes();
    let trees = trees(&boxes);
    let mut met = 0;
    for k in 0..whole.rays.len() {
        let ray = whole.ray(k);
        let entries = whole.boxes.iter().zip(0u32..).filter_map(|(solid, index)| {
            let (t, along) = whole.entry(k, solid)?;
            Some((index, t as f64 / along as f64))
        });
        let expected: Vec<(u32, f64)> = entries.collect();
        met += expected.len();
        for tree in &trees {
            let hits = tree.all_hits(&ray).expect("hits");
            assert!(hits.is_sorted_by_key(|hit| hit.t), "{hits:?}");
            let mut found: Vec<u32> = hits.iter().map(|hit| hit.index).collect();
            found.sort_unstable();
            assert!(
                found.iter().eq(expected.iter().map(|(index, _)| index)),
                "{ray:?}: {found:?} instead of {expected:?}"
            );
            for hit in &hits {
                let (_, t) = expected[found.binary_search(&hit.index).expect("found")];
                assert!((f64::from(hit.t) - t).abs() <= t * 1e-7, "{hit:?} instead of {t}");
            }
            let first = tree.first_hit(&ray).expect("a hit");
            assert_eq!(first, hits.first().copied(), "{ray:?}");
            // The closure's answers are used, and it is called for all boxes that matter.
            let exact = tree.cast(&ray, |index| {
                hits.iter().find(|hit| hit.index == index).map(|hit| hit.t)
            });
            assert_eq!(exact.expect("a hit").map(|hit| hit.t), first.map(|hit| hit.t));
        }
    }
    met
}

#[test]
fn rays_hit_boxes_that_they_touch() {
    let mut random = SplitMix(1);
    let small = Whole::new(300, 400, &mut random, |random| {
        (((random.next() % 17) as i128) - 8) << 20
    });
    let met = rays_are_exact(&small);
    assert!(met > 2000, "{met}");
}

#[test]
fn rays_are_exact_at_all_magnitudes() {
    let mut random = SplitMix(2);
    for range in [0, 8, 30] {
        let wide = Whole::new(200, 300, &mut random, |random| whole(random, range));
        assert!(rays_are_exact(&wide) > 200);
    }
}

#[test]
fn rays_of_tiny_and_huge_numbers() {
    let tiny = f32::from_bits(1);
    let far = (1u64 << 60) as f32;
    let boxes = [
        Aabb::new(Vec3::splat(-far), Vec3::splat(far)),
        Aabb::new(Vec3::splat(tiny), Vec3::splat(3.0 * tiny)),
        Aabb::new(Vec3::new(far, 0.0, 0.0), Vec3::new(far, tiny, 0.0)),
        Aabb::new(Vec3::ZERO, Vec3::ZERO),
        Aabb::new(Vec3::new(-0.0, -0.0, 5.0), Vec3::new(0.0, -0.0, 5.0)),
    ];
    let hits = |origin: Vec3, direction: Vec3| {
        let ray = Ray::new(origin, direction);
        let of_trees = trees(&boxes).map(|tree| tree.all_hits(&ray).expect("hits"));
        assert!(of_trees.iter().all(|hits| *hits == of_trees[0]));
        of_trees[0].iter().map(|hit| (hit.index, hit.t)).collect::<Vec<_>>()
    };
    assert_eq!(hits(Vec3::ZERO, Vec3::X), [(0, 0.0), (3, 0.0), (2, far)]);
    assert_eq!(
        hits(Vec3::ZERO, Vec3::X * tiny),
        [(0, 0.0), (3, 0.0), (2, f32::INFINITY)]
    );
    assert_eq!(hits(Vec3::ZERO, Vec3::X * f32::MAX)[2], (2, far / f32::MAX));
    assert_eq!(hits(Vec3::ZERO, Vec3::splat(tiny)), [(0, 0.0), (3, 0.0), (1, 1.0)]);
    assert_eq!(hits(Vec3::ZERO, Vec3::Z), [(0, 0.0), (3, 0.0), (4, 5.0)]);
    // The ray misses the point by less than any `f32` can represent.
    assert_eq!(hits(Vec3::ZERO, Vec3::new(0.0, tiny, 1.0)), [(0, 0.0), (3, 0.0)]);
    assert_eq!(
        hits(Vec3::new(0.0, 0.0, 10.0), Vec3::new(0.0, 0.0, -1e-30))[1..],
        [(4, 5e30), (3, 1e31)]
    );
    assert_eq!(
        hits(Vec3::new(-far, 0.0, 0.0), Vec3::X),
        [(0, 0.0), (3, far), (2, 2.0 * far)]
    );
}

#[test]
fn a_closure_filters_the_hits() {
    let mut random = SplitMix(3);
    let boxes = random_boxes(2000, 0.1, &mut random);
    let balls: Vec<(Vec3, f32)> = boxes
        .iter()
        .map(|solid| {
            (
                0.5 * (solid.min + solid.max),
                0.5 * (solid.max - solid.min).min_element(),
            )
        })
        .collect();
    let enter = |ray: &Ray, index: u32| {
        let (center, radius) = balls[index as usize];
        let to = center - ray.origin;
        let along = ray.direction.normalize();
        let inside = radius * radius - (to - along * to.dot(along)).length_squared();
        (inside >= 0.0).then(|| (to.dot(along) - inside.sqrt()) / ray.direction.length())
    };
    let mut ray = || {
        let origin = vector(&mut random) * 2.0;
        Ray::new(origin, vector(&mut random) * 0.7 - origin).up_to(3.0)
    };
    let rays: Vec<Ray> = (0..300).map(|_| ray()).collect();
    let expected: Vec<Option<RayHit>> = rays
        .iter()
        .map(|ray| {
            let hits = (0..balls.len() as u32).filter_map(|index| enter(ray, index).map(|t| RayHit { index, t }));
            let in_time = hits.filter(|hit| (0.0..=3.0).contains(&hit.t));
            in_time.min_by(|a, b| a.t.total_cmp(&b.t).then(a.index.cmp(&b.index)))
        })
        .collect();
    assert!(expected.iter().flatten().count() > 50);
    for tree in trees(&boxes) {
        assert_eq!(
            tree.cast_each(&rays, |k, index| enter(&rays[k], index)).expect("hits"),
            expected
        );
        let first: Vec<_> = rays.iter().map(|ray| tree.first_hit(ray).expect("a hit")).collect();
        assert_eq!(tree.first_hits(&rays).expect("hits"), first);
        // The closure is not called for boxes behind.
        let (mut asked, mut all) = (0, 0);
        for ray in &rays {
            let count = |counted: &mut usize, t: Option<f32>| {
                *counted += 1;
                t
            };
            tree.cast(ray, |index| count(&mut asked, enter(ray, index)))
                .expect("a hit");
            tree.cast(ray, |_| count(&mut all, None)).expect("none");
        }
        assert!(asked * 3 < all * 2, "{asked} of {all}");
    }
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

/// Checks that batches of questions get the same answers as each question alone, in their order:
/// near each other and far, repeated, with ties, and none.
#[test]
fn batched_queries_match_single_ones() {
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
            for few in [0, 1, 10, 5000] {
                let points = if few > 10 { &points[..20] } else { &points[..] };
                let near = tree.nearest_few_each(points, few).expect("boxes");
                let each = points.iter().map(|point| tree.nearest_few(*point, few).expect("boxes"));
                hold(&near, each, &format!("{few} of {count}"));
            }
            for most in [0.0, 0.25, 1e18] {
                let points = if most > 1.0 { &points[..20] } else { &points[..] };
                let within = tree.within_each(points, most).expect("boxes");
                let each = points.iter().map(|point| tree.within(*point, most).expect("boxes"));
                hold(&within, each, &format!("within {most} of {count}"));
            }
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
        "ray 1 has the limit -1, which is not 0 or more: fix or remove it"
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
