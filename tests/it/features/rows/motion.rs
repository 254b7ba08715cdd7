//! The rows about motion.

use obbligato::glam::{Quat, Vec3};
use obbligato::query::Sweep;
use obbligato::{
    Checker, Obb,
    contact::Contact,
    motion::{Impacts, Motion, MovingSet, Step, safe_time},
};
use obbligato_verify::scenes::Scene;

use crate::features::{on_cpu, on_gpu};

/// The pairs of a sweep with their times, on each backend.
fn swept(boxes: &[Obb], motions: &[Motion], dt: f64) -> Impacts {
    let sweep = |config| {
        let mut checker = Checker::new(config).expect("the backend is there");
        let set = MovingSet::new(boxes, motions);
        checker
            .check(Sweep::new(set, &Step::new(dt)))
            .expect("the boxes are valid")
    };
    let (on_gpu, on_cpu) = (sweep(on_gpu()), sweep(on_cpu()));
    assert_eq!(on_gpu.impacts, on_cpu.impacts);
    on_cpu
}

#[test]
fn m2_swept_bounds_contain_the_whole_path_tightly() {
    let unit = |center| Obb::axis_aligned(center, Vec3::splat(0.5));
    // Thrown up at 10 m/s, a box turns back at 5 m: it reaches 5.5 m, and is back after 2 s.
    let thrown = Motion::linear(Vec3::Z * 10.0).accelerated(Vec3::Z * -10.0);
    let rest = Motion::REST;
    let candidates = |center, motion, dt| {
        let found = swept(&[unit(Vec3::ZERO), unit(center)], &[motion, rest], dt);
        (found.candidate_pairs, found.impacts.len())
    };
    assert_eq!(candidates(Vec3::Z * 5.75, thrown, 2.0), (1, 1));
    assert_eq!(candidates(Vec3::Z * 6.001, thrown, 2.0), (0, 0));
    let straight = Motion::linear(Vec3::X * 3.0);
    assert_eq!(candidates(Vec3::X * 3.9, straight, 1.0), (1, 1));
    assert_eq!(candidates(Vec3::X * 4.001, straight, 1.0), (0, 0));
    // A rotating box stays within its diagonal, and reaches it.
    let spinning = rest.turning(Vec3::Z);
    assert_eq!(candidates(Vec3::X * 1.2, spinning, 1.0), (1, 1));
    assert_eq!(candidates(Vec3::X * 1.37, spinning, 1.0).1, 0);
    // Known only to within an acceleration of 4: after a second, 2 m around.
    let uncertain = straight.uncertain(4.0);
    assert_eq!(candidates(Vec3::X * 5.9, uncertain, 1.0).0, 1);
    assert_eq!(candidates(Vec3::X * 6.01, uncertain, 1.0), (0, 0));
}

#[test]
fn m3_impacts_come_earliest_first() {
    let boxes: Vec<Obb> = (0..6)
        .map(|k| Obb::axis_aligned(Vec3::X * (3.0 * k as f32), Vec3::splat(0.5)))
        .collect();
    let mut motions = vec![Motion::REST; 6];
    motions[5] = Motion::linear(Vec3::X * -4.0);
    let found = swept(&boxes, &motions, 10.0);
    let times: Vec<f64> = found.impacts.iter().map(|impact| impact.first.time).collect();
    // 2 m to the first, 3 more to each of the others.
    assert_eq!(times.len(), 5);
    for (time, distance) in times.iter().zip([2.0, 5.0, 8.0, 11.0, 14.0]) {
        assert!(*time <= distance / 4.0 && *time > distance / 4.0 - 1e-5, "{times:?}");
    }
    let partners: Vec<u32> = found.impacts.iter().map(|impact| impact.pair.a).collect();
    assert_eq!(partners, [4, 3, 2, 1, 0]);
    assert_eq!(found.earliest(), [Some(4), Some(3), Some(2), Some(1), Some(0), Some(0)]);

    // A rod turns by an eighth until its end reaches the other box.
    let rod = Obb::axis_aligned(Vec3::ZERO, Vec3::new(2.0, 0.0, 0.1));
    let wall = Obb::axis_aligned(Vec3::new(0.0, 2f32.sqrt() + 1.0, 0.0), Vec3::ONE * 5.0 - Vec3::Y * 4.0);
    let turning = [Motion::REST.turning(Vec3::Z), Motion::REST];
    let found = swept(&[rod, wall], &turning, 2.0);
    let first = &found.impacts[0].first;
    let eighth = std::f64::consts::FRAC_PI_4;
    assert!(first.time <= eighth + 1e-6 && first.time > eighth - 1e-3, "{first:?}");
    assert!(
        first.normal.y > 0.99 && (first.point.y - 2f64.sqrt()).abs() < 1e-3,
        "{first:?}"
    );
}

#[test]
fn m5_a_box_along_a_curve_contains_it() {
    let obb = Obb::axis_aligned(Vec3::ZERO, Vec3::splat(0.1));
    let curve = Motion::linear(Vec3::new(10.0, 10.0, 0.0)).accelerated(Vec3::new(2.0, -2.0, 0.0));
    let swept = curve.swept_box(&obb, 1.0);
    for k in 0..=100 {
        let t = k as f32 / 100.0;
        let at = Obb {
            center: curve.velocity * t + 0.5 * curve.acceleration * t * t,
            ..obb
        };
        assert!(swept.contact(&at) == Contact::Overlapping);
        let planes = swept.face_planes();
        let farthest = |corner| {
            planes
                .iter()
                .map(|plane| plane.signed_distance(corner))
                .fold(f64::MIN, f64::max)
        };
        assert!(at.corners().into_iter().all(|corner| farthest(corner) < 1e-5));
    }
    let volume = |half: Vec3| half.element_product();
    let bounds = curve.swept_bounds(&obb, 1.0);
    assert!(volume(swept.half_extents) < 0.1 * volume(0.5 * (bounds.max - bounds.min)));
}

/// The position of a box after a time.
fn placed(obb: &Obb, motion: &Motion, time: f32) -> Obb {
    let turn = Quat::from_scaled_axis(motion.angular_velocity * time);
    Obb {
        center: obb.center + motion.velocity * time,
        rotation: (turn * obb.rotation).normalize(),
        ..*obb
    }
}

/// The motion of a box, by its index.
fn motion(k: usize) -> Motion {
    let way = |part: usize| (k * part % 19) as f32 / 19.0 - 0.5;
    Motion::linear(Vec3::new(way(7), way(11), way(13))).turning(Vec3::new(way(3), way(5), way(17)))
}

#[test]
fn m6_nothing_collides_before_its_safe_time() {
    let boxes = Scene::Dense.generate(600, 4);
    let mut some = 0;
    for a in 0..boxes.len() {
        for b in a + 1..boxes.len() {
            let time = safe_time(&boxes[a], &motion(a), &boxes[b], &motion(b));
            assert_eq!(time > 0.0, boxes[a].contact(&boxes[b]) == Contact::Separated, "{a} {b}");
            if time > 0.0 && time < 2.0 {
                some += 1;
                for part in [0.5, 0.9, 0.999] {
                    let [a, b] = [a, b].map(|k| placed(&boxes[k], &motion(k), part * time as f32));
                    assert_eq!(a.contact(&b), Contact::Separated, "{a:?} {b:?} {time}");
                }
            }
        }
    }
    assert!(some > 500, "{some}");
}
