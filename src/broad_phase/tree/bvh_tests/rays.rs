//! Queries by rays, compared with exact integers.

use glam::Vec3;

use crate::base::split_mix::SplitMix;
use crate::broad_phase::tree::bvh::RayHit;
use crate::broad_phase::tree::bvh_tests::{random_boxes, trees, vector};
use crate::broad_phase::tree::ray::Ray;
use crate::geometry::aabb::Aabb;

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
