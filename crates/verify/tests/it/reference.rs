//! The f64 reference against known answers, against its own symmetries, and against two independent
//! methods: parry, and a minimisation of the distance that does not use separating axes.

use std::f32::consts::{FRAC_PI_4, SQRT_2};

use obbligato::glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use obbligato::{Obb, Pair, contact::Contact, shape::COORDINATE_LIMIT};
use obbligato_verify::reference::{collides, colliding_pairs, contact, partners, separation};
use parry3d::query::intersection_test;
use parry3d::shape::Cuboid;
use proptest::prelude::*;

use crate::random::{
    Boxes, any_pair, cases, direction, flat, general, nearly_parallel, rotation, same_rotation, samples, scene,
};
use crate::random::{far_away, stretched, uneven};

/// The length that errors are measured by: the distance of the centers plus all half extents.
fn size(a: &Obb, b: &Obb) -> f64 {
    let extents = a.half_extents.as_dvec3() + b.half_extents.as_dvec3();
    a.center.as_dvec3().distance(b.center.as_dvec3()) + extents.element_sum()
}

fn cube(x: f32, y: f32, z: f32) -> Obb {
    Obb::axis_aligned(Vec3::new(x, y, z), Vec3::ONE)
}

fn solid(x: f32, y: f32, z: f32, half_extents: [f32; 3]) -> Obb {
    Obb::axis_aligned(Vec3::new(x, y, z), Vec3::from(half_extents))
}

/// The box rotated about its center.
fn turned(solid: Obb, rotation: Quat) -> Obb {
    Obb { rotation, ..solid }
}

/// Compares the separation of each pair, in both orders, with its known value.
fn check(tolerance: f64, cases: &[(&str, Obb, Obb, f64)]) {
    for &(name, a, b, expected) in cases {
        for found in [separation(&a, &b), separation(&b, &a)] {
            assert!(
                (found - expected).abs() <= tolerance,
                "{name}: {found:e} instead of {expected:e}"
            );
        }
        if expected.abs() > tolerance || tolerance == 0.0 {
            assert_eq!(collides(&a, &b), expected <= 0.0, "{name}");
        }
        if tolerance == 0.0 {
            let touching = contact(&a, &b) == Contact::Touching;
            assert_eq!(touching, expected == 0.0, "{name}");
        }
    }
}

const TINY: f32 = f32::MIN_POSITIVE / 8.0;

/// A third of a turn about the diagonal swaps the axes and involves no rounding.
const THIRD: Quat = Quat::from_xyzw(0.5, 0.5, 0.5, 0.5);

#[test]
fn exact_cases() {
    let limit = COORDINATE_LIMIT;
    let (origin, far) = (cube(0.0, 0.0, 0.0), cube(1e6, -1e6, 1e6));
    let stretched = turned(origin, Quat::IDENTITY * 1.0009);
    check(
        0.0,
        &[
            ("faces touch", origin, cube(2.0, 0.5, 0.0), 0.0),
            ("edges touch", origin, cube(2.0, -2.0, 0.5), 0.0),
            ("corners touch", origin, cube(2.0, 2.0, -2.0), 0.0),
            ("faces apart", origin, cube(2.5, 0.0, 0.0), 0.5),
            ("corners apart, along one axis", origin, cube(3.0, 3.0, 3.0), 1.0),
            (
                "one ulp apart",
                origin,
                cube(2.0f32.next_up(), 0.0, 0.0),
                f64::from(2.0f32.next_up()) - 2.0,
            ),
            ("overlap", origin, cube(1.5, 0.0, 0.0), -0.5),
            ("the same box", origin, origin, -2.0),
            ("one inside the other", origin, solid(0.25, 0.0, 0.0, [0.25; 3]), -1.0),
            (
                "one inside the other, touching",
                origin,
                solid(0.75, 0.0, 0.0, [0.25; 3]),
                -0.5,
            ),
            ("far away, touching", far, cube(1e6 + 2.0, -1e6, 1e6), 0.0),
            ("far away, apart", far, cube(1e6, -1e6, 1e6 - 2.0625), 0.0625),
            (
                "a long quaternion does not stretch the box",
                stretched,
                cube(2.0, 0.0, 0.0),
                0.0,
            ),
            (
                "axes swapped",
                origin,
                turned(solid(0.0, 3.0, 0.0, [2.0, 0.5, 0.25]), THIRD),
                0.0,
            ),
            (
                "huge",
                solid(0.0, 0.0, 0.0, [limit / 2.0; 3]),
                solid(limit, 0.0, 0.0, [limit / 2.0; 3]),
                0.0,
            ),
            (
                "tiny",
                solid(0.0, 0.0, 0.0, [TINY; 3]),
                solid(2.0 * TINY, 0.0, 0.0, [TINY; 3]),
                0.0,
            ),
        ],
    );
    check_without_volume();
}

/// Exact cases of plates, rods and points.
fn check_without_volume() {
    let origin = cube(0.0, 0.0, 0.0);
    let (plate, point) = (solid(0.0, 0.0, 0.0, [1.0, 1.0, 0.0]), solid(0.0, 0.0, 0.0, [0.0; 3]));
    check(
        0.0,
        &[
            ("crossing plates", plate, solid(0.0, 0.0, 0.0, [0.0, 1.0, 1.0]), -1.0),
            ("plates in one plane", plate, solid(0.5, 0.5, 0.0, [1.0, 1.0, 0.0]), 0.0),
            (
                "plates hardly apart",
                plate,
                solid(0.5, 0.5, TINY, [1.0, 1.0, 0.0]),
                f64::from(TINY),
            ),
            (
                "crossing rods",
                solid(0.0, 0.0, 0.0, [1.0, 0.0, 0.0]),
                solid(0.5, 0.0, 0.0, [0.0, 1.0, 0.0]),
                0.0,
            ),
            ("point inside", origin, solid(0.5, 0.0, 0.0, [0.0; 3]), -0.5),
            ("point on a face", origin, solid(0.5, 1.0, 0.0, [0.0; 3]), 0.0),
            ("point on a corner", origin, solid(1.0, 1.0, 1.0, [0.0; 3]), 0.0),
            ("the same point", point, turned(point, THIRD), 0.0),
            ("two points", point, solid(TINY, 0.0, 0.0, [0.0; 3]), f64::from(TINY)),
        ],
    );
}

#[test]
fn rotated_cases() {
    let (origin, eighth) = (cube(0.0, 0.0, 0.0), Quat::from_rotation_z(FRAC_PI_4));
    let corner_first = Quat::from_rotation_arc(Vec3::ONE.normalize(), Vec3::X);
    // Rods rotated about themselves so that a long edge of one faces a long edge of the other,
    // crossing at 90 degrees and at 1 degree: no face separates them.
    let rod = turned(solid(0.0, 0.0, 0.0, [8.0, 0.5, 0.5]), Quat::from_rotation_x(FRAC_PI_4));
    let above = |gap: f32, angle: f32| Obb {
        center: Vec3::Z * (SQRT_2 + gap),
        ..turned(rod, Quat::from_rotation_z(angle.to_radians()) * rod.rotation)
    };
    check(
        1e-6,
        &[
            (
                "edge to face",
                origin,
                turned(cube(2.1 + SQRT_2 - 1.0, 0.0, 0.0), eighth),
                0.1,
            ),
            (
                "edge in face",
                origin,
                turned(cube(1.9 + SQRT_2 - 1.0, 0.0, 0.0), eighth),
                -0.1,
            ),
            (
                "corner to face",
                origin,
                turned(cube(1.1 + 3f32.sqrt(), 0.0, 0.0), corner_first),
                0.1,
            ),
            (
                "corner in face",
                origin,
                turned(cube(0.9 + 3f32.sqrt(), 0.0, 0.0), corner_first),
                -0.1,
            ),
            (
                "edge to edge, parallel",
                turned(origin, eighth),
                turned(cube(2.0 * SQRT_2 + 0.2, 0.0, 0.0), eighth),
                0.1 * f64::from(SQRT_2),
            ),
            ("crossed rods apart", rod, above(0.1, 90.0), 0.1),
            ("crossed rods in each other", rod, above(-0.1, 90.0), -0.1),
            ("rods crossed at 1 degree", rod, above(0.01, 1.0), 0.01),
            (
                "far away",
                cube(1e6, 1e6, 1e6),
                turned(cube(1e6 + 2.5, 1e6, 1e6), eighth),
                1.5 - f64::from(SQRT_2),
            ),
        ],
    );
}

#[test]
fn a_quaternion_of_any_length_is_a_rotation() {
    // Cosine 3/5 and sine 4/5 about z: the rotated cube reaches 7/5 in x.
    let other = turned(cube(3.0, 0.0, 0.0), Quat::from_xyzw(0.0, 0.0, 1.0, 2.0));
    check(1e-15, &[("length sqrt(5)", cube(0.0, 0.0, 0.0), other, 0.6)]);
}

#[test]
fn groups_must_meet() {
    let (a, b) = (
        cube(0.0, 0.0, 0.0).with_groups(0b01, 0b10),
        cube(1.0, 0.0, 0.0).with_groups(0b10, 0b01),
    );
    assert!(collides(&a, &b));
    assert!(!collides(&a, &b.with_groups(0b10, 0b10)));
    assert!(!collides(&a, &b.with_groups(0b01, 0b01)));
}

#[test]
fn a_missing_box_has_no_partners() {
    assert_eq!(partners(&[] as &[Obb], 0), [0u32; 0]);
    assert_eq!(partners(&[cube(0.0, 0.0, 0.0); 3], 3), [0u32; 0]);
    assert_eq!(partners(&[cube(0.0, 0.0, 0.0); 3], 1), [0, 2]);
}

/// The box moved so that `from` comes to the origin, and rotated about it.
fn moved(solid: &Obb, from: Vec3, turn: DQuat) -> Obb {
    Obb {
        center: (turn * (solid.center.as_dvec3() - from.as_dvec3())).as_vec3(),
        rotation: (turn * solid.rotation.as_dquat()).as_quat(),
        ..*solid
    }
}

/// The box with the axes of the world permuted: exact.
fn renamed(solid: &Obb) -> Obb {
    let [x, y, z, w] = solid.rotation.to_array();
    Obb {
        center: Vec3::new(solid.center.y, solid.center.z, solid.center.x),
        half_extents: Vec3::new(solid.half_extents.y, solid.half_extents.z, solid.half_extents.x),
        rotation: Quat::from_xyzw(y, z, x, w),
        ..*solid
    }
}

// The overlap changes as little as the boxes do. The separation of two boxes apart may change more:
// between nearly parallel edges it depends on the direction of their normal, so only the sign is
// compared after a rounded motion.
proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn order_signs_and_scale_do_not_matter((a, b) in any_pair()) {
        let expected = separation(&a, &b);
        let near = |found: f64| (found - expected).abs() <= 1e-14 * size(&a, &b);
        prop_assert!(near(separation(&b, &a)));
        prop_assert!(near(separation(&turned(a, -a.rotation), &b)));
        let doubled = |solid: &Obb| Obb { center: solid.center * 2.0, half_extents: solid.half_extents * 2.0, ..*solid };
        prop_assert!(near(separation(&doubled(&a), &doubled(&b)) / 2.0));
    }

    #[test]
    fn rigid_motion_does_not_matter((a, b) in any_pair(), turn in rotation()) {
        let depth = |a: &Obb, b: &Obb| separation(a, b).min(0.0);
        let near = |a_moved: &Obb, b_moved: &Obb, tolerance: f64| {
            (depth(a_moved, b_moved) - depth(&a, &b)).abs() <= tolerance * size(&a, &b)
        };
        prop_assert!(near(&renamed(&a), &renamed(&b), 1e-14));
        // The moved boxes are rounded to f32.
        let turn = turn.as_dquat().normalize();
        prop_assert!(near(&moved(&a, a.center, turn), &moved(&b, a.center, turn), 1e-6));
    }

    #[test]
    fn equal_rotations_reduce_to_three_axes((a, b) in same_rotation()) {
        let axes = Oracle::axes(&a);
        let apart = (axes.transpose() * (b.center.as_dvec3() - a.center.as_dvec3())).abs();
        let expected = (apart - a.half_extents.as_dvec3() - b.half_extents.as_dvec3()).max_element();
        prop_assert!((separation(&a, &b) - expected).abs() <= 1e-14 * size(&a, &b));
    }

    #[test]
    fn no_direction_has_a_larger_gap((a, b) in any_pair(), direction in direction()) {
        let separation = separation(&a, &b);
        let gap = Oracle::new(&a, &b).gap(direction);
        prop_assert!(separation > 0.0 || gap <= separation + 1e-14 * size(&a, &b));
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn pairs_and_partners_are_those_that_collide(boxes in scene(60)) {
        let all = (0..boxes.len()).flat_map(|a| (a + 1..boxes.len()).map(move |b| (a, b)));
        let expected: Vec<Pair> = all
            .filter(|&(a, b)| collides(&boxes[a], &boxes[b]))
            .map(|(a, b)| Pair::new(a as u32, b as u32))
            .collect();
        prop_assert_eq!(colliding_pairs(&boxes), &expected[..]);
        for index in 0..boxes.len() as u32 {
            let mut own: Vec<u32> = expected.iter().filter(|pair| pair.b == index).map(|pair| pair.a).collect();
            own.extend(expected.iter().filter(|pair| pair.a == index).map(|pair| pair.b));
            prop_assert_eq!(partners(&boxes, index as usize), own);
        }
    }
}

/// Pairs of the kinds that f32 can decide, without those that nearly touch.
fn opinions(count: usize) -> impl Iterator<Item = Boxes> {
    let clear = |(a, b): &Boxes| separation(a, b).abs() > 1e-4 * size(a, b);
    let kinds = samples(general(), count)
        .chain(samples(nearly_parallel(), count))
        .chain(samples(same_rotation(), count));
    kinds.chain(samples(flat(), count)).filter(clear)
}

/// Asserts that many were apart and many collided: agreement on one kind alone would prove little.
fn assert_both_kinds(verdicts: [usize; 2]) {
    assert!(verdicts.iter().all(|&count| count > 1000), "{verdicts:?}");
}

#[test]
fn parry_agrees_away_from_touching() {
    let mut verdicts = [0; 2];
    for (a, b) in opinions(20_000) {
        let [(pose_a, cuboid_a), (pose_b, cuboid_b)] = [&a, &b].map(|solid| {
            let rotation = parry3d::math::Rotation::from_array(solid.rotation.normalize().to_array());
            let center = parry3d::math::Vector::from_array(solid.center.to_array());
            let cuboid = Cuboid::new(parry3d::math::Vector::from_array(solid.half_extents.to_array()));
            (parry3d::math::Pose::from_parts(center, rotation), cuboid)
        });
        let found = intersection_test(&pose_a, &cuboid_a, &pose_b, &cuboid_b).expect("two cuboids are supported");
        let expected = collides(&a, &b);
        assert_eq!(
            found.intersecting,
            expected,
            "{a:?} {b:?}: separation {:e}",
            separation(&a, &b)
        );
        verdicts[usize::from(expected)] += 1;
    }
    assert_both_kinds(verdicts);
}

#[test]
fn the_minimum_distance_agrees_away_from_touching() {
    let more = samples(stretched(), 1000)
        .chain(samples(uneven(), 1000))
        .chain(samples(far_away(), 1000));
    let mut verdicts = [0; 2];
    for (a, b) in opinions(1000).chain(more.filter(|(a, b)| separation(a, b).abs() > 1e-3 * size(a, b))) {
        let (lower, upper) = Oracle::new(&a, &b).distance();
        let (separation, size) = (separation(&a, &b), size(&a, &b));
        let context = || format!("{a:?} {b:?}: separation {separation:e}, distance {lower:e} to {upper:e}");
        if separation > 0.0 {
            assert!(lower > 0.0 && separation <= upper + 1e-14 * size, "{}", context());
        } else {
            assert!(lower <= 0.0 && upper < 1e-6 * size, "{}", context());
        }
        verdicts[usize::from(separation <= 0.0)] += 1;
    }
    assert_both_kinds(verdicts);
}

/// Two boxes for the search for their closest points.
struct Oracle {
    axes: [DMat3; 2],
    half_extents: [DVec3; 2],
    /// The vector from the center of the first to that of the second.
    offset: DVec3,
    size: f64,
}

impl Oracle {
    fn new(a: &Obb, b: &Obb) -> Self {
        Self {
            axes: [a, b].map(Self::axes),
            half_extents: [a, b].map(|solid| solid.half_extents.as_dvec3()),
            offset: b.center.as_dvec3() - a.center.as_dvec3(),
            size: size(a, b),
        }
    }

    fn axes(solid: &Obb) -> DMat3 {
        DMat3::from_quat(solid.rotation.as_dquat().normalize())
    }

    /// The gap between the boxes along a unit vector: a lower bound of their distance.
    fn gap(&self, direction: DVec3) -> f64 {
        let radius = |side: usize| {
            (self.axes[side].transpose() * direction)
                .abs()
                .dot(self.half_extents[side])
        };
        self.offset.dot(direction).abs() - radius(0) - radius(1)
    }

    /// A lower and an upper bound of the distance, refined until one of them decides whether the
    /// boxes meet.
    ///
    /// Accelerated projected gradient descent (Beck and Teboulle, "A fast iterative
    /// shrinkage-thresholding algorithm", 2009) with restarts, on the squared distance of a point
    /// of each box in the boxes' own coordinates. Its steepest curvature is 2, so steps of one half
    /// never overshoot.
    fn distance(&self) -> (f64, f64) {
        let mut points = [DVec3::ZERO; 2];
        let (mut ahead, mut momentum) = (points, 1.0f64);
        let (mut lower, mut upper) = (f64::NEG_INFINITY, f64::INFINITY);
        for _ in 0..20_000 {
            let pull = self.between(&ahead) / 2.0;
            let next: [DVec3; 2] = std::array::from_fn(|side| {
                let towards = if side == 0 { pull } else { -pull };
                let free = ahead[side] + self.axes[side].transpose() * towards;
                free.clamp(-self.half_extents[side], self.half_extents[side])
            });
            let between = self.between(&next);
            let length = between.length();
            if length > upper {
                momentum = 1.0;
            }
            upper = upper.min(length);
            lower = lower.max(self.gap(between / length.max(f64::MIN_POSITIVE)));
            if lower > 0.0 || upper < 1e-7 * self.size {
                break;
            }
            let following = (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) / 2.0;
            ahead =
                std::array::from_fn(|side| next[side] + (next[side] - points[side]) * ((momentum - 1.0) / following));
            (points, momentum) = (next, following);
        }
        (lower, upper)
    }

    /// The vector from a point of the first box to one of the second.
    fn between(&self, points: &[DVec3; 2]) -> DVec3 {
        self.offset + self.axes[1] * points[1] - self.axes[0] * points[0]
    }
}
