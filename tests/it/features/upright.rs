//! Rows U1 to U5.

use obbligato::glam::DVec2;
use obbligato::shape::Upright;
use obbligato_verify::reference::{colliding_pairs, distance};
use obbligato_verify::scenes::Scene;

use super::assert_found;

/// Unit squares in plan in a row, at increasing distances, at increasing angles, of different
/// heights.
fn uprights() -> Vec<Upright> {
    let cuboid = |k: u32| {
        let (x, turn) = (1.3 * f64::from(k) + 0.01 * f64::from(k * k), 0.2 * f64::from(k));
        let z = [f64::from(k % 3), f64::from(k % 3) + 0.5 + f64::from(k % 2)];
        Upright::new(DVec2::new(x, 0.0), DVec2::new(0.8, 0.5), DVec2::from_angle(turn), z)
    };
    (0..40).map(|k| cuboid(k).expect("a cuboid")).collect()
}

#[test]
fn u1_upright_cuboids_from_ten_numbers_in_any_order() {
    for cuboid in uprights() {
        let [a, b, c, d] = cuboid.corners();
        for [a, b, c, d] in [[a, b, c, d], [a, c, b, d], [d, b, a, c], [c, d, a, b]] {
            let row = [
                a[0],
                a[1],
                b[0],
                b[1],
                c[0],
                c[1],
                d[0],
                d[1],
                cuboid.z_min(),
                cuboid.z_max(),
            ];
            let made = Upright::from_rows(&[row]).expect("a cuboid")[0];
            assert!(made.center().distance(cuboid.center()) < 1e-13);
            let mut wrong = [row; 3];
            wrong[1][1] += 0.5;
            (wrong[2][8], wrong[2][9]) = (1.0, 0.0);
            let error = Upright::from_rows(&wrong).expect_err("two are none").to_string();
            assert!(
                error.starts_with("cuboid 1 has corners that do not form a rectangle"),
                "{error}"
            );
            assert!(error.contains("2 invalid cuboids"), "{error}");
        }
    }
}

/// Calls `test` for all pairs of them, and asserts that both answers occur.
fn for_pairs(test: impl Fn(&Upright, &Upright) -> bool) {
    let cuboids = uprights();
    let mut answers = [0; 2];
    for a in &cuboids {
        for b in &cuboids {
            answers[usize::from(test(a, b))] += 1;
            assert_eq!(test(a, b), test(b, a));
        }
    }
    assert!(answers[0] > 10 && answers[1] > 10, "{answers:?}");
}

#[test]
fn u2_z_intervals_either_way_round() {
    for_pairs(|a, b| {
        let apart = a.z_max() < b.z_min() || b.z_max() < a.z_min();
        assert_eq!(a.z_overlaps(b), !apart);
        !apart
    });
}

#[test]
fn u3_circles_miss_no_pair_within_a_safe_distance() {
    for_pairs(|a, b| {
        let near = a.circles_within(b, 0.7);
        assert!(near || a.plan_distance(b) > 0.7);
        near
    });
}

#[test]
fn u4_edges_and_axes_agree() {
    for_pairs(|a, b| {
        let overlap = a.plan_overlaps(b);
        assert_eq!(a.plan_overlaps_by_edges(b), overlap);
        assert_eq!(a.overlaps(b), overlap && a.z_overlaps(b));
        overlap
    });
    // Scenes of upright boxes are checked over five axes.
    let boxes = Scene::Crowd.generate(3_000, 7);
    assert_found("upright", &boxes, &colliding_pairs(&boxes));
}

#[test]
fn u5_separation_includes_the_gap_in_z() {
    for_pairs(|a, b| {
        let closest = a.closest_points(b);
        assert!((closest.distance - distance(&(*a).into(), &(*b).into())).abs() < 1e-5);
        assert!((closest.on_a.distance(closest.on_b) - closest.distance).abs() < 1e-13);
        let [on_a, on_b] = a.plan_closest_points(b);
        assert!((on_a.distance(on_b) - a.plan_distance(b)).abs() < 1e-13);
        a.plan_distance(b) < closest.distance
    });
}
