//! The elementary tests, against integer arithmetic and plain formulas.

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{
    Obb,
    region::EnclosureState,
    shape::{Aabb, BoundingSphere},
};
use obbligato_verify::scenes::Scene;

use crate::support::cases::Numbers;
use crate::support::rooms::{Known, boxes_about, oracle, unit};

/// An integer in -20..=20, and one in 0..=9.
fn grid_point(numbers: &mut Numbers) -> [i64; 3] {
    [(); 3].map(|()| (numbers.part() * 41.0) as i64 - 20)
}

fn small(numbers: &mut Numbers) -> i64 {
    (numbers.part() * 10.0) as i64
}

fn float(point: [i64; 3]) -> Vec3 {
    Vec3::from(point.map(|x| x as f32))
}

#[test]
fn spheres_and_aabbs_at_whole_numbers_are_exact() {
    let mut numbers = Numbers::new(1);
    let mut touching = [0; 3];
    for _ in 0..200_000 {
        let (p, q) = (grid_point(&mut numbers), grid_point(&mut numbers));
        let (r, s) = (small(&mut numbers), small(&mut numbers));
        let extents = [small(&mut numbers), small(&mut numbers), small(&mut numbers)];
        let ball = BoundingSphere::new(float(p), r as f32);

        let apart: i64 = (0..3).map(|k| (p[k] - q[k]).pow(2)).sum();
        let other = BoundingSphere::new(float(q), s as f32);
        assert_eq!(ball.overlaps(&other), apart <= (r + s).pow(2), "{ball:?} {other:?}");
        touching[0] += u32::from(apart == (r + s).pow(2));

        let high = [0, 1, 2].map(|k| q[k] + extents[k]);
        let bounds = Aabb::new(float(q), float(high));
        let beyond = |k: usize| (q[k] - p[k]).max(p[k] - high[k]).max(0);
        let apart: i64 = (0..3).map(|k| beyond(k).pow(2)).sum();
        assert_eq!(ball.overlaps_aabb(&bounds), apart <= r * r, "{ball:?} {bounds:?}");
        touching[1] += u32::from(apart == r * r);
        let doubled = Obb::axis_aligned(bounds.min + bounds.max, bounds.max - bounds.min);
        let ball = BoundingSphere::new(ball.center * 2.0, ball.radius * 2.0);
        assert_eq!(ball.overlaps_obb(&doubled), apart <= r * r, "{ball:?} {doubled:?}");

        let other = Aabb::new(float(p), float([0, 1, 2].map(|k| p[k] + extents[(k + 1) % 3])));
        let meet = (0..3).all(|k| p[k] <= high[k] && q[k] <= p[k] + extents[(k + 1) % 3]);
        assert_eq!(other.overlaps(&bounds), meet);
        assert_eq!(other.overlaps_early_exit(&bounds), meet, "{other:?} {bounds:?}");
        assert_eq!(bounds.overlaps_early_exit(&other), meet);
        let on_border = meet && (0..3).any(|k| p[k] == high[k] || q[k] == p[k] + extents[(k + 1) % 3]);
        touching[2] += u32::from(on_border);
    }
    assert!(touching.iter().all(|&count| count > 80), "{touching:?}");
}

#[test]
fn balls_miss_no_rotated_box() {
    let mut numbers = Numbers::new(2);
    let (mut near, mut apart) = (0, 0);
    for obb in Scene::Dense.generate(20_000, 2) {
        let at = obb.center.as_dvec3() + numbers.point().as_dvec3() * 2.5;
        let center = at.as_vec3();
        let local = unit(&obb).inverse() * (center.as_dvec3() - obb.center.as_dvec3());
        let distance = (local.abs() - obb.half_extents.as_dvec3()).max(DVec3::ZERO).length();
        // A radius that reaches the box, or one slightly smaller.
        let reaching = BoundingSphere::new(center, (distance * (1.0 + 1e-7)) as f32);
        assert!(reaching.overlaps_obb(&obb), "{reaching:?} {obb:?}");
        near += 1;
        if distance > 0.1 {
            let short = BoundingSphere::new(center, (distance * (1.0 - 1e-6)) as f32);
            assert!(!short.overlaps_obb(&obb), "{short:?} {obb:?}");
            apart += 1;
        }
    }
    assert!(near > 10_000 && apart > 5_000, "{near} {apart}");
}

#[test]
fn bounding_spheres_contain_their_boxes() {
    let mut numbers = Numbers::new(3);
    for i in 0..10_000 {
        let scale = 10f32.powi(i % 60 - 40);
        let obb = Obb::new(numbers.point(), numbers.point().abs() * scale, Quat::IDENTITY);
        let ball = obb.bounding_sphere();
        let reach = obb.half_extents.as_dvec3().length();
        let radius = f64::from(ball.radius);
        assert!(
            radius >= reach && radius <= reach * (1.0 + 2e-7) + 2e-45,
            "{obb:?} {ball:?}"
        );
        assert_eq!(ball.center, obb.center);
    }
    assert_eq!(Obb::axis_aligned(Vec3::ONE, Vec3::ZERO).bounding_sphere().radius, 0.0);
    assert_eq!(
        Obb::axis_aligned(Vec3::ONE, Vec3::new(2.0, 3.0, 6.0))
            .bounding_sphere()
            .radius,
        7f32.next_up()
    );
}

#[test]
fn an_aabb_and_a_rotated_box_are_compared_exactly() {
    let (min, max) = (Vec3::new(-0.1, 0.3, -7.7), Vec3::new(10.1, 2.0 / 3.0, 1.1));
    let known = Known::spanning(min, max, Quat::IDENTITY);
    let mut apart = 0;
    for obb in boxes_about(&known, 1_000, 9) {
        let outside = oracle(&known, &obb).state == EnclosureState::Outside;
        assert_eq!(Aabb::new(min, max).overlaps_obb(&obb), !outside, "{obb:?}");
        apart += u32::from(outside);
    }
    assert!((100..900).contains(&apart), "{apart}");
}
