//! The reference's sweep against the plain loop over all pairs.

use std::f32::consts::SQRT_2;

use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Obb, Pair,
    contact::Contact,
    shape::{Aabb, COORDINATE_LIMIT},
};
use obbligato_verify::reference::{contact, contacts, distance, overlapping_bounds, pairs_within};
use obbligato_verify::scenes::Scene;
use proptest::prelude::*;

use crate::support::random::{cases, scene};

/// Every pair by brute force.
fn plain<T>(boxes: &[Obb], test: impl Fn(&Obb, &Obb) -> Option<T>) -> Vec<(Pair, T)> {
    let mut found = Vec::new();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            let meet = a.groups_meet(b).then(|| test(a, b)).flatten();
            found.extend(meet.map(|result| (Pair::new(i as u32, j as u32), result)));
        }
    }
    found
}

/// Compares the sweep with the plain loop, and returns the number of pairs.
#[track_caller]
fn held(name: &str, boxes: &[Obb]) -> usize {
    let expected = plain(boxes, |a, b| Some(contact(a, b)).filter(|contact| contact.collides()));
    let found = contacts(boxes);
    assert_eq!(found.len(), expected.len(), "{name}");
    assert!(found == expected, "{name}");
    found.len()
}

fn cube(center: [f32; 3], half: f32) -> Obb {
    Obb::axis_aligned(Vec3::from(center), Vec3::splat(half))
}

/// The boxes of a lattice of `n` x `n` x `n` places.
fn lattice(n: u16, place: impl Fn(Vec3) -> Obb) -> Vec<Obb> {
    let line = || (0..n).map(f32::from);
    line()
        .flat_map(|x| line().flat_map(move |y| line().map(move |z| Vec3::new(x, y, z))))
        .map(place)
        .collect()
}

#[test]
fn named_scenes() {
    for scene in Scene::ALL {
        let pairs = held(scene.name(), &scene.generate(2_000, 3));
        assert!(pairs > 100, "{}: {pairs} pairs show nothing", scene.name());
    }
}

#[test]
fn boxes_that_only_touch() {
    // Steps of 0.1 and of 1/3 are rounded: some neighbours touch, some are an ulp apart or overlap
    // by one.
    for (name, step) in [("exact", 1.0), ("tenths", 0.1f32), ("thirds", 1.0 / 3.0)] {
        let pairs = held(
            name,
            &lattice(7, |at| Obb::axis_aligned(at * step, Vec3::splat(step / 2.0))),
        );
        assert!(pairs > 100, "{name}: {pairs}");
    }
    let tiles = |at: Vec3| Obb::axis_aligned(at * Vec3::new(2.0, 2.0, 0.0), Vec3::new(1.0, 1.0, 0.0));
    assert!(held("tiles in one plane", &lattice(6, tiles)) > 100);
}

/// A box rotated so that its axes have rational entries, such as 5/13 and 12/13, has a corner at a
/// coordinate that `f32` can represent and `f64` arithmetic misses by an ulp. Another box begins or
/// ends there.
#[test]
fn corners_that_touch_a_face() {
    let mut touching = 0;
    for (m, n) in [(2, 1), (3, 2), (4, 1), (5, 2), (4, 3), (6, 1), (5, 4), (7, 2)]
        .map(|(m, n): (u8, u8)| (f32::from(m), f32::from(n)))
    {
        // Of length 1 within the accepted tolerance, and exactly in the proportion of m to n.
        let unit = (4096.0 / m.hypot(n)).round() / 4096.0;
        let turn = Quat::from_xyzw(0.0, 0.0, n * unit, m * unit);
        for k in 1..50u8 {
            let size = f32::from(k) / 8.0;
            // Its diagonal is along the axis.
            let (along, across) = (m * m - n * n, 2.0 * m * n);
            let center = Vec3::new(f32::from(k % 16) - 7.0, f32::from(k), 0.5);
            let turned = Obb::new(center, Vec3::new(along, across, 1.0) * size, turn);
            let reach = (m * m + n * n) * size;
            for side in [-1.0, 1.0] {
                let face = center + Vec3::X * side * (reach + 2.0);
                let solid = Obb::axis_aligned(face, Vec3::new(2.0, 1e3, 1e3));
                touching += usize::from(contact(&turned, &solid) == Contact::Touching);
                assert_eq!(held("a corner", &[turned, solid]), 1, "{m} {n} {k}");
            }
        }
    }
    assert_eq!(touching, 8 * 2 * 49);
}

#[test]
fn sizes_of_all_kinds() {
    let mut boxes = Scene::Mixed.generate(800, 5);
    boxes.extend((0..40).map(|k| cube([0.5, k as f32, 0.0], 2f32.powi(k))));
    boxes.extend((-140..60).map(|k| cube([2f32.powi(k), 0.0, -2f32.powi(k)], 2f32.powi(k))));
    boxes.push(cube([0.0; 3], COORDINATE_LIMIT));
    boxes.push(cube([COORDINATE_LIMIT, -COORDINATE_LIMIT, COORDINATE_LIMIT], 1.0));
    // More points than are swept at once, at one place and along a line.
    boxes.extend((0..100).map(|_| cube([0.0; 3], 0.0)));
    boxes.extend((0..100).map(|k| cube([k as f32 / SQRT_2, 0.0, 0.0], 0.0)));
    held("sizes", &boxes);
}

/// Beams across the whole world in all directions, which no plane separates.
#[test]
fn beams_across_the_world() {
    let mut boxes = Vec::new();
    for axis in 0..3 {
        for at in lattice(16, |at| Obb::axis_aligned(at, Vec3::splat(0.1)))
            .iter()
            .step_by(16)
        {
            let mut half_extents = at.half_extents;
            half_extents[axis] = 20.0;
            let [x, y, _] = [at.center.x, at.center.y, 0.0];
            let mut center = [x, y, x];
            center.rotate_right(axis);
            boxes.push(Obb::axis_aligned(Vec3::from(center), half_extents));
        }
    }
    assert!(held("beams", &boxes) > 1_000);
}

#[test]
fn groups_are_respected() {
    let mut boxes = Scene::Dense.generate(500, 1);
    for (k, solid) in boxes.iter_mut().enumerate() {
        *solid = solid.with_groups(1 << (k % 3), !(1 << (k % 2)));
    }
    let all = held("groups", &Scene::Dense.generate(500, 1));
    let some = held("groups", &boxes);
    assert!(some > 0 && some < all, "{some} of {all}");
}

#[test]
fn few_boxes() {
    for count in [0, 1, 2, 63, 64, 65, 66] {
        held("few", &Scene::Coincident.generate(count, 1));
    }
}

#[test]
fn pairs_within_a_margin() {
    for scene in [Scene::Uniform, Scene::Mixed, Scene::Bricks] {
        let boxes = scene.generate(600, 2);
        let distances = plain(&boxes, |a, b| Some(distance(a, b)));
        for margin in [0.0, 0.05, 1.0] {
            let mut expected = distances.clone();
            expected.retain(|(_, distance)| *distance <= margin);
            assert!(pairs_within(&boxes, margin) == expected, "{} {margin}", scene.name());
        }
    }
}

#[test]
fn bounds_that_overlap() {
    for scene in Scene::ALL {
        let bounds: Vec<Aabb> = scene.generate(1_000, 4).iter().map(Obb::bounds).collect();
        let mut expected = Vec::new();
        for (i, a) in bounds.iter().enumerate() {
            for (j, b) in bounds.iter().enumerate().skip(i + 1) {
                if a.min.cmple(b.max).all() && b.min.cmple(a.max).all() {
                    expected.push(Pair::new(i as u32, j as u32));
                }
            }
        }
        assert!(overlapping_bounds(&bounds) == expected, "{}", scene.name());
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn random_boxes(boxes in scene(300)) {
        held("random", &boxes);
    }
}
