//! Upright cuboids: their ten numbers, their tests against one another, against oriented boxes
//! without rounding, and against the naive methods, which fail.

use obbligato::glam::{DVec2, DVec3, Quat, Vec3};
use obbligato::{
    Config, Error, Obb, Rules, Set,
    error::UprightProblem,
    shape::{Aabb, PLAN_TOLERANCE, Upright},
};
use proptest::prelude::*;

use crate::support::gpu::{backends, expect_same};
use crate::support::random::cases;

/// The error that distances promise here, per unit of the pair's size, together with that of
/// `Obb::distance`.
const PROMISED: f64 = 4e-14;

/// All permutations of four corners.
fn orders() -> Vec<[usize; 4]> {
    let mut orders = Vec::new();
    for code in 0..256 {
        let order = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6];
        if (0..4).all(|corner| order.contains(&corner)) {
            orders.push(order);
        }
    }
    assert_eq!(orders.len(), 24);
    orders
}

/// An upright box of small integers, or of any numbers: half of them touch others, some are flat.
fn obb() -> impl Strategy<Value = Obb> {
    let whole = || prop::array::uniform3(-3i8..=3).prop_map(|v| Vec3::from(v.map(f32::from)));
    let any = || prop::array::uniform3(-3f32..3.0).prop_map(Vec3::from);
    let extents = prop_oneof![
        prop::array::uniform3(0u8..=2).prop_map(|v| Vec3::from(v.map(f32::from))),
        prop::array::uniform3(0f32..2.0).prop_map(Vec3::from),
    ];
    let turn = prop_oneof![
        Just(Quat::IDENTITY),
        Just(Quat::from_xyzw(0.0, 0.0, 0.5, 0.5) * std::f32::consts::SQRT_2),
        Just(Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)),
        (0f32..7.0).prop_map(Quat::from_rotation_z),
        (-8f32..-3.0).prop_map(|exponent| Quat::from_rotation_z(10f32.powf(exponent))),
    ];
    (prop_oneof![whole(), any()], extents, turn).prop_map(|(center, half, turn)| Obb::new(center, half, turn))
}

fn upright(obb: &Obb) -> Upright {
    Upright::try_from(*obb).expect("it is rotated about z")
}

/// The size that errors are relative to.
fn size(a: &Upright, b: &Upright) -> f64 {
    let plan = (a.center() - b.center()).abs() + a.half_extents() + b.half_extents();
    plan.element_sum() + (a.z_max() - b.z_min()).abs().max((b.z_max() - a.z_min()).abs())
}

/// The distance of a point from the cuboid, 0 if it is inside.
fn outside(cuboid: &Upright, point: DVec3) -> f64 {
    let apart = point.truncate() - cuboid.center();
    let along = DVec2::new(apart.dot(cuboid.direction()), apart.dot(cuboid.direction().perp()));
    let plan = (along.abs() - cuboid.half_extents()).max(DVec2::ZERO);
    let z = (cuboid.z_min() - point.z).max(point.z - cuboid.z_max()).max(0.0);
    plan.extend(z).length()
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn u2_u3_u4_tests_agree_with_each_other_and_with_oriented_boxes((a, b) in (obb(), obb())) {
        let (upright_a, upright_b) = (upright(&a), upright(&b));
        let collide = a.contact(&b).collides();
        let z = upright_a.z_overlaps(&upright_b);
        let size = size(&upright_a, &upright_b);
        let by_edges = z && upright_a.plan_overlaps_by_edges(&upright_b);
        let by_axes = upright_a.overlaps(&upright_b);
        prop_assert_eq!(z, upright_b.z_overlaps(&upright_a));
        prop_assert_eq!(z, upright_a.z_min() <= upright_b.z_max() && upright_b.z_min() <= upright_a.z_max());
        prop_assert_eq!(by_axes, z && upright_a.plan_overlaps(&upright_b));
        prop_assert_eq!(by_axes, upright_b.overlaps(&upright_a));
        // Every collision is found; no boxes apart by more than the tolerance are.
        let distance = a.distance(&b);
        if collide {
            prop_assert!(by_axes && by_edges, "{:?} {:?}", by_axes, by_edges);
        } else if distance > 4.0 * PLAN_TOLERANCE * size {
            prop_assert!(!by_axes && !by_edges, "{:?} {:?}", by_axes, by_edges);
        }
        let plan = upright_a.plan_distance(&upright_b);
        prop_assert!(upright_a.circles_within(&upright_b, plan + 1e-14 * size));
        prop_assert!(upright_a.circles_within(&upright_b, 0.0) || !upright_a.plan_overlaps(&upright_b));
    }

    #[test]
    fn u5_distances_match_oriented_boxes((a, b) in (obb(), obb())) {
        let (upright_a, upright_b) = (upright(&a), upright(&b));
        let tolerance = PROMISED * size(&upright_a, &upright_b);
        let closest = upright_a.closest_points(&upright_b);
        let expected = a.distance(&b);
        prop_assert!((closest.distance - expected).abs() <= tolerance, "{:?} {}", closest, expected);
        prop_assert_eq!(closest.distance, upright_a.distance(&upright_b));
        prop_assert!(outside(&upright_a, closest.on_a) <= tolerance, "{:?}", closest);
        prop_assert!(outside(&upright_b, closest.on_b) <= tolerance, "{:?}", closest);
        prop_assert!((closest.on_a.distance(closest.on_b) - closest.distance).abs() <= tolerance, "{:?}", closest);
        prop_assert!((upright_b.distance(&upright_a) - closest.distance).abs() <= tolerance);
        // For boxes of the same height at the same z, the distance equals that of the plan.
        let flat = |solid: &Obb| Obb { center: solid.center.with_z(0.0), ..*solid };
        let plan = flat(&a).distance(&flat(&b));
        prop_assert!((upright_a.plan_distance(&upright_b) - plan).abs() <= tolerance);
        let [on_a, on_b] = upright_a.plan_closest_points(&upright_b);
        prop_assert!((on_a.distance(on_b) - plan).abs() <= tolerance);
    }

    #[test]
    fn u1_corners_make_the_same_cuboid_in_any_order(solid in obb(), order in 0usize..24, far in 0usize..3) {
        let mut cuboid = upright(&solid);
        let shift = [0.0, 1e3, 1e6][far];
        let corners = cuboid.corners().map(|[x, y]| [x + shift, y - shift]);
        let given = orders()[order].map(|corner| corners[corner]);
        let made = Upright::from_corners(given, cuboid.z_min(), cuboid.z_max()).expect("a rectangle");
        let [a, b, c, d] = given;
        let row = [a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1], cuboid.z_min(), cuboid.z_max()];
        prop_assert_eq!(Upright::from_rows(&[row]).expect("a rectangle"), [made]);
        cuboid = Upright::new(
            cuboid.center() + DVec2::new(shift, -shift),
            cuboid.half_extents(),
            cuboid.direction(),
            [cuboid.z_min(), cuboid.z_max()],
        ).expect("it was one");
        let tolerance = 1e-15 * (shift + 10.0);
        for [x, y] in corners {
            prop_assert!(outside(&made, DVec3::new(x, y, made.z_min())) <= tolerance, "{:?}", made);
        }
        for [x, y] in made.corners() {
            prop_assert!(outside(&cuboid, DVec3::new(x, y, made.z_max())) <= tolerance, "{:?}", made);
        }
        prop_assert!(counter_clockwise(&made) >= -1e-6);
    }

    #[test]
    fn boxes_and_cuboids_convert_to_each_other(solid in obb()) {
        let cuboid = upright(&solid);
        let back = Obb::from(cuboid);
        let [corners, corners_back] = [cuboid, upright(&back)].map(|cuboid| cuboid.corners());
        for (corner, back) in corners.iter().zip(corners_back) {
            prop_assert!(DVec2::from(*corner).distance(back.into()) < 2e-6, "{:?} {:?}", corners, corners_back);
        }
        prop_assert!((back.center.z - solid.center.z).abs() < 1e-6 && (back.half_extents.z - solid.half_extents.z).abs() < 1e-6);
        prop_assert_eq!([back.rotation.x, back.rotation.y], [0.0; 2]);
        prop_assert!(back.problem().is_none());
    }
}

/// Twice the signed area of the corners, positive if they are counter-clockwise.
fn counter_clockwise(cuboid: &Upright) -> f64 {
    let [a, b, c, d] = cuboid.corners().map(DVec2::from);
    (c - a).perp_dot(d - b)
}

#[test]
fn boxes_on_their_sides_are_upright_too() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    for q in [
        [0.0, half, 0.0, half],
        [half, 0.0, 0.0, half],
        [0.5; 4],
        [0.6, 0.8, 0.0, 0.0],
    ] {
        let solid = Obb::new(Vec3::ZERO, Vec3::new(1.0, 2.0, 4.0), Quat::from_array(q));
        let cuboid = upright(&solid);
        let sizes = cuboid.half_extents().extend(cuboid.z_max());
        let mut sorted = sizes.to_array();
        sorted.sort_by(f64::total_cmp);
        assert_eq!(sorted, [1.0, 2.0, 4.0]);
        let back = Obb::from(cuboid);
        for direction in [
            Vec3::X,
            Vec3::Y,
            Vec3::Z,
            Vec3::new(1.0, 2.0, 0.0),
            Vec3::new(-2.0, 1.0, 0.0),
        ] {
            let point = Obb::axis_aligned(direction * 3.0, Vec3::ZERO);
            assert!(
                (point.distance(&solid) - point.distance(&back)).abs() < 1e-5,
                "{q:?} {direction}"
            );
        }
    }
    let tilted = Obb::new(Vec3::ZERO, Vec3::ONE, Quat::from_xyzw(1e-8, 0.0, 0.0, 1.0));
    assert_eq!(Upright::try_from(tilted), Err(UprightProblem::Tilted));
}

#[test]
fn thin_rectangles_with_noise_keep_their_order() {
    // The long side and the diagonal differ by 5e-6, the noise is 1e-4.
    for order in orders() {
        let corners = [[0.0, 0.0], [10.0001, 0.0], [9.9999, 0.01], [0.0, 0.01]];
        let cuboid = Upright::from_corners(order.map(|corner| corners[corner]), 0.0, 1.0).expect("a rectangle");
        let half = cuboid.half_extents();
        let short = half.min_element();
        assert!(
            (short - 0.005).abs() < 1e-6 && (half.max_element() - 5.0).abs() < 1e-3,
            "{order:?} {half}"
        );
        assert!(counter_clockwise(&cuboid) > 0.0);
    }
}

#[test]
fn u1_bad_cuboids_are_named() {
    let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let refused = |corners, z: [f64; 2]| Upright::from_corners(corners, z[0], z[1]).expect_err("it is none");
    assert_eq!(refused(square, [1.0, 0.5]), UprightProblem::Inverted);
    assert_eq!(refused(square, [f64::NAN, 0.5]), UprightProblem::NotFinite);
    assert_eq!(refused([[f64::INFINITY; 2]; 4], [0.0, 1.0]), UprightProblem::NotFinite);
    assert_eq!(refused([[2e18, 0.0]; 4], [0.0, 1.0]), UprightProblem::TooLarge);
    let not_rectangles = [
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.01]],
        [[0.0, 0.0], [1.0, 0.0], [1.5, 1.0], [0.5, 1.0]],
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]],
        [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]],
        [[1.0, 0.0], [0.0, 2.0], [-1.0, 0.0], [0.0, -2.0]],
        [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0]],
    ];
    for corners in not_rectangles {
        for order in orders() {
            let problem = refused(order.map(|corner| corners[corner]), [0.0, 1.0]);
            assert!(
                matches!(problem, UprightProblem::NoRectangle { .. }),
                "{corners:?}: {problem}"
            );
        }
    }
    // A line, a point, millimetres, and f32 far away.
    for corners in [
        [[0.0, 0.0], [3.0, 4.0], [0.0, 0.0], [3.0, 4.0]],
        [[7.0, 7.0]; 4],
        [[-0.167, -0.319], [0.359, -0.032], [0.167, 0.319], [-0.359, 0.032]],
        [[1e5, 0.0], [100000.6, 0.0], [100000.6, 0.6], [1e5, 0.6]].map(|corner| corner.map(|x| f64::from(x as f32))),
    ] {
        assert!(Upright::from_corners(corners, 0.0, 0.0).is_ok(), "{corners:?}");
    }

    let row = [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 2.0];
    let mut rows = vec![row; 5];
    assert_eq!(Upright::from_rows(&rows).expect("five cuboids").len(), 5);
    (rows[2][9], rows[4][0]) = (-1.0, 0.5);
    let error = Upright::from_rows(&rows).expect_err("two are none");
    assert!(matches!(
        error,
        Error::InvalidUpright {
            index: 2,
            problem: UprightProblem::Inverted,
            count: 2
        }
    ));
    assert_eq!(
        error.to_string(),
        "cuboid 2 has a z_min above its z_max (2 invalid cuboids in all): fix or remove them"
    );

    let new = |half, direction| Upright::new(DVec2::ZERO, half, direction, [0.0, 1.0]);
    assert_eq!(new(-DVec2::ONE, DVec2::X), Err(UprightProblem::NegativeExtent));
    assert_eq!(new(DVec2::ONE, DVec2::ONE), Err(UprightProblem::Direction));
}

fn cuboid(center: [f64; 2], half: [f64; 2], yaw: f64, z: [f64; 2]) -> Upright {
    Upright::new(center.into(), half.into(), DVec2::from_angle(yaw), z).expect("a cuboid")
}

/// The flaw: an interval that contains the other has no end in it.
#[test]
fn u2_an_interval_that_contains_the_other_is_found() {
    let naive = |a: &Upright, b: &Upright| {
        let within = |z: f64| b.z_min() <= z && z <= b.z_max();
        within(a.z_min()) || within(a.z_max())
    };
    let tall = cuboid([0.0; 2], [1.0; 2], 0.0, [-3.0, 5.0]);
    let short = cuboid([0.0; 2], [1.0; 2], 0.3, [1.0, 2.0]);
    assert!(!naive(&tall, &short) && naive(&short, &tall));
    assert!(tall.z_overlaps(&short) && short.z_overlaps(&tall));
    assert!(tall.overlaps(&short) && short.overlaps(&tall));
    let above = cuboid([0.0; 2], [1.0; 2], 0.0, [5.0, 6.0]);
    assert!(tall.z_overlaps(&above) && above.z_overlaps(&tall) && !above.z_overlaps(&short));
}

/// The flaw: boxes that overlap along one axis, or along two, need not overlap.
#[test]
fn all_axes_must_overlap() {
    let naive = |a: &Aabb, b: &Aabb| {
        let along = |k: usize| a.min[k] <= b.max[k] && b.min[k] <= a.max[k];
        along(0) || along(1) || along(2)
    };
    for axis in 0..3 {
        let mut center = Vec3::ZERO;
        center[axis] = 2.5;
        let [a, b] = [Vec3::ZERO, center].map(|center| Obb::axis_aligned(center, Vec3::ONE));
        let bounds = [a, b].map(|solid| Aabb::new(solid.center - Vec3::ONE, solid.center + Vec3::ONE));
        assert!(naive(&bounds[0], &bounds[1]));
        assert!(!bounds[0].overlaps(&bounds[1]));
        assert!(!upright(&a).overlaps(&upright(&b)));
    }
}

/// The flaw: the distance in plan of cuboids that are one above the other is zero.
#[test]
fn u5_the_distance_includes_the_gap_in_z() {
    let floor = cuboid([0.0; 2], [5.0, 4.0], 0.2, [0.0, 0.25]);
    let lamp = cuboid([1.0, 1.0], [0.2, 0.2], 1.0, [2.25, 2.5]);
    assert_eq!(floor.plan_distance(&lamp), 0.0);
    assert_eq!(floor.distance(&lamp), 2.0);
    assert!(floor.plan_overlaps(&lamp) && !floor.overlaps(&lamp));
    let aside = cuboid([9.0, 0.0], [1.0, 1.0], 0.0, [4.3, 5.0]);
    let straight = cuboid([0.0; 2], [5.0, 4.0], 0.0, [0.0, 0.3]);
    assert_eq!((straight.plan_distance(&aside), straight.distance(&aside)), (3.0, 5.0));
    let closest = straight.closest_points(&aside);
    assert_eq!(closest.on_b - closest.on_a, DVec3::new(3.0, 0.0, 4.0));
}

/// The flaw: using the distance of a corner from the line through an edge even if its projection is
/// beyond the edge.
#[test]
fn corners_beside_an_edge_are_further_than_its_line() {
    let naive = |a: &Upright, b: &Upright| {
        let mut least = f64::INFINITY;
        for (from, to) in [(a, b), (b, a)] {
            let corners = to.corners().map(DVec2::from);
            for corner in from.corners().map(DVec2::from) {
                for k in 0..4 {
                    let edge = (corners[(k + 1) % 4] - corners[k]).normalize();
                    least = least.min(edge.perp_dot(corner - corners[k]).abs());
                }
            }
        }
        least
    };
    let a = cuboid([0.0; 2], [1.0; 2], 0.0, [0.0, 1.0]);
    let b = cuboid([5.0, 6.0], [1.0; 2], 0.0, [0.0, 1.0]);
    assert_eq!(naive(&a, &b), 3.0);
    assert_eq!(a.plan_distance(&b), 5.0);
    let inline = cuboid([8.0, 1.5], [2.0, 0.5], 0.0, [0.0, 1.0]);
    assert_eq!(naive(&a, &inline), 0.0);
    assert_eq!(a.plan_distance(&inline), 5.0);
    assert!(!a.plan_overlaps(&inline) && !a.plan_overlaps_by_edges(&inline));
}

#[test]
fn u4_plan_tests_handle_special_cases() {
    let square = |x: f64, y: f64, half: f64, yaw: f64| cuboid([x, y], [half, half], yaw, [0.0, 1.0]);
    let eighth = std::f64::consts::FRAC_PI_4;
    let root = 2f64.sqrt();
    let a = square(0.0, 0.0, 1.0, 0.0);
    let cases = [
        ("contained", square(0.1, 0.1, 0.3, 0.4), true),
        ("the same", a, true),
        ("a shared edge", square(2.0, 0.0, 1.0, 0.0), true),
        ("part of an edge", square(2.0, 1.5, 1.0, 0.0), true),
        ("a shared corner", square(2.0, 2.0, 1.0, 0.0), true),
        ("beside on the same lines", square(2.5, 0.0, 1.0, 0.0), false),
        ("a cross", cuboid([0.0; 2], [5.0, 0.1], eighth, [0.0, 1.0]), true),
        ("a corner on an edge", square(1.0 + root, 0.0, 1.0, eighth), true),
        (
            "a corner off an edge",
            square(1.0 + root + 1e-9, 0.0, 1.0, eighth),
            false,
        ),
        ("the diagonal gap", square(1.9, 1.9, 1.0, eighth), false),
        (
            "a wall on an edge",
            cuboid([1.0, 0.0], [0.0, 0.5], 0.0, [0.0, 1.0]),
            true,
        ),
        ("a point inside", cuboid([0.5, 0.5], [0.0; 2], 0.3, [0.0, 1.0]), true),
        ("a point outside", cuboid([1.5, 0.5], [0.0; 2], 0.3, [0.0, 1.0]), false),
    ];
    for (name, b, expected) in cases {
        assert_eq!([a.plan_overlaps(&b), b.plan_overlaps(&a)], [expected; 2], "{name}");
        assert_eq!(
            [a.plan_overlaps_by_edges(&b), b.plan_overlaps_by_edges(&a)],
            [expected; 2],
            "{name}"
        );
        assert_eq!(a.plan_distance(&b) > 1e-14, !expected, "{name}");
    }
}

#[test]
fn u3_circles_respect_the_safe_distance() {
    let a = cuboid([0.0; 2], [3.0, 4.0], 0.7, [0.0, 1.0]);
    let b = cuboid([12.0, 0.0], [1.5, 2.0], 2.0, [5.0, 6.0]);
    // The radii are 5 and 2.5.
    assert!(a.circles_within(&b, 4.5) && b.circles_within(&a, 4.5));
    assert!(!a.circles_within(&b, 4.499) && !a.circles_within(&b, 0.0));
}

#[test]
fn the_smallest_cuboids_have_circles_and_distances() {
    for exponent in [
        -1074, -1073, -1000, -900, -700, -538, -537, -500, -301, -300, -299, 0, 50,
    ] {
        let unit = f64::from(exponent).exp2();
        let small = |x: f64| cuboid([x * unit, 0.0], [unit, unit], 0.0, [0.0, 0.0]);
        let (a, overlapping, apart) = (small(0.0), small(1.0), small(6.0));
        assert!(
            a.circles_within(&overlapping, 0.0) && a.overlaps(&overlapping),
            "2^{exponent}"
        );
        assert!(
            !a.circles_within(&apart, 0.0) && a.circles_within(&apart, 4.0 * unit),
            "2^{exponent}"
        );
        assert!(a.circles_within(&apart, f64::MAX) && a.circles_within(&apart, f64::INFINITY));
        assert_eq!(a.plan_distance(&apart), 4.0 * unit, "2^{exponent}");
        // Legs of 4 and 3.
        let above = cuboid([6.0 * unit, 5.0 * unit], [unit, unit], 0.0, [0.0, 0.0]);
        assert_eq!(a.plan_distance(&above), 5.0 * unit, "2^{exponent}");
    }
    let rectangle = cuboid([0.0; 2], [1.2e-162; 2], 0.0, [0.0, 1.0]);
    assert!(rectangle.circles_within(&rectangle, 0.0));
}

#[test]
fn cuboids_are_checked_like_their_boxes() {
    let agent = |k: u32| {
        let (x, y) = (f64::from(k % 20) * 0.4, f64::from(k / 20) * 0.4);
        Upright::from_yaw(DVec2::new(x, y), DVec2::new(0.3, 0.2), f64::from(k), [0.0, 1.8]).expect("an agent")
    };
    let agents: Vec<Upright> = (0..400).map(agent).collect();
    let boxes = Upright::to_boxes(&agents).expect("boxes");
    assert!(boxes.iter().copied().eq(agents.iter().map(|&agent| Obb::from(agent))));
    let owners: Vec<u32> = (0..400).map(|k| k % 7).collect();
    let rules = Rules {
        owners: Some(&owners),
        ..Rules::default()
    };
    for (what, mut checker) in backends(&Config::default()) {
        let expected = checker.check(&boxes).expect("pairs");
        expect_same(what, &expected, &checker.check(&agents).expect("pairs"));
        assert!(expected.colliding_pairs > 400, "{what}: {}", expected.colliding_pairs);
        let expected = checker.check(Set::from(&boxes).with(rules)).expect("pairs");
        let found = checker.check(Set::from(&agents).with(rules)).expect("pairs");
        expect_same(what, &expected, &found);
        let some: &[Upright; 2] = &[agents[0], agents[0]];
        assert_eq!(checker.check(some).expect("a pair").colliding_pairs, 1, "{what}");
        let none = checker.check(Set::from(&agents[1..]).with(rules)).err();
        assert!(
            matches!(none, Some(Error::InvalidRule { rule: "owners", .. })),
            "{what}: {none:?}"
        );
    }
}

#[test]
fn a_yaw_is_counter_clockwise_and_finite() {
    let half = DVec2::new(2.0, 0.5);
    let made = |yaw: f64| Upright::from_yaw(DVec2::ONE, half, yaw, [0.0, 1.0]);
    let quarter = made(std::f64::consts::FRAC_PI_2).expect("a cuboid");
    assert!(quarter.direction().distance(DVec2::Y) < 1e-15);
    let eighth = made(std::f64::consts::FRAC_PI_4).expect("a cuboid");
    assert!(eighth.direction().distance(DVec2::splat(0.5f64.sqrt())) < 1e-15);
    assert_eq!(
        made(0.3),
        Upright::new(DVec2::ONE, half, DVec2::from_angle(0.3), [0.0, 1.0])
    );
    for yaw in [f64::NAN, f64::INFINITY] {
        assert_eq!(made(yaw), Err(UprightProblem::NotFinite));
    }
    let error = Error::from(made(f64::NAN).expect_err("no yaw"));
    assert_eq!(
        error.to_string(),
        "the upright cuboid has a number that is NaN or infinite: fix it"
    );
}
