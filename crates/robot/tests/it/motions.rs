//! Motions compared with dense samples.

use obbligato_robot::obbligato::Obb;
use obbligato_robot::obbligato::glam::Vec3;
use obbligato_robot::{MotionState, Robot};

use crate::support::{arm, cell, config};

fn between(ends: &[Vec<f64>; 2], t: f64) -> Vec<f64> {
    ends[0]
        .iter()
        .zip(&ends[1])
        .map(|(a, b)| (1.0 - t) * a + t * b)
        .collect()
}

/// Certified motions are free at 1,000 samples, what is said to collide does so where it is said,
/// and both happen often.
#[test]
fn a4_certified_motions_are_free_at_dense_samples() {
    let mut robot = arm();
    let cell = cell();
    let scene = robot.prepare(cell.all()).expect("valid bodies");
    let all = robot.random_configurations(4000, 11).expect("limits");
    let are_free = robot.free(&all, Some(&scene)).expect("valid");
    let free: Vec<Vec<f64>> = all
        .into_iter()
        .zip(are_free)
        .filter_map(|(one, free)| free.then_some(one))
        .collect();
    // Whole motions between free configurations, and the first fifth of each.
    let whole = free
        .chunks_exact(2)
        .take(60)
        .map(|ends| [ends[0].clone(), ends[1].clone()]);
    let motions: Vec<[Vec<f64>; 2]> = whole
        .flat_map(|ends| {
            let first = [ends[0].clone(), between(&ends, 0.2)];
            [ends, first]
        })
        .collect();
    let states = robot.check_motions(&motions, Some(&scene), 1e-4).expect("valid");
    let mut counts = [0; 3];
    for (motion, state) in motions.iter().zip(states) {
        let samples: Vec<Vec<f64>> = (0..=1000).map(|k| between(motion, f64::from(k) / 1000.0)).collect();
        let free = robot.free(&samples, Some(&scene)).expect("valid");
        match state {
            MotionState::Free => {
                counts[0] += 1;
                assert!(free.iter().all(|free| *free), "{motion:?}");
            }
            MotionState::Colliding { at } => {
                counts[1] += 1;
                let there = [between(motion, at)];
                assert_eq!(robot.free(&there, Some(&scene)).expect("valid"), [false]);
            }
            MotionState::Undecided { at } => {
                counts[2] += 1;
                let there = [between(motion, at)];
                assert!((0.0..=1.0).contains(&at));
                assert_eq!(robot.free(&there, Some(&scene)).expect("valid"), [true]);
            }
        }
    }
    assert!(counts[0] > 20 && counts[1] > 20 && counts[2] < 6, "{counts:?}");
}

/// A rod of length 1 that turns about z, and one that slides along x.
const ROD: &str = r#"<robot name="rod">
  <link name="base"/>
  <link name="rod"><collision>
    <origin xyz="0.5 0 0" rpy="0 1.5707963267948966 0"/><geometry><capsule length="0.9" radius="0.05"/></geometry>
  </collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/></joint>
</robot>"#;

/// A post thinner than any step of a coarse sampling is found, wherever it is, and a tip that
/// passes within little more than the tolerance is certified.
#[test]
fn a4_thin_obstacles_are_found() {
    let mut robot = Robot::from_urdf_text(ROD, "", config()).expect("a robot");
    for k in 0..40 {
        let angle = 0.1 + 0.07 * k as f32;
        let place = |radius: f32| Vec3::new(radius * angle.cos(), radius * angle.sin(), 0.0);
        let post = |radius| [Obb::axis_aligned(place(radius), Vec3::new(1e-5, 1e-5, 1.0))];
        let scene = robot.prepare(&post(0.8)).expect("valid");
        let states = robot
            .check_motions(&[[[0.0], [3.1]]], Some(&scene), 1e-4)
            .expect("valid");
        assert!(matches!(states[0], MotionState::Colliding { .. }), "{k}: {states:?}");
        // The tip is at 1.0 from the axis.
        let scene = robot.prepare(&post(1.0005)).expect("valid");
        let states = robot
            .check_motions(&[[[0.0], [3.1]]], Some(&scene), 1e-4)
            .expect("valid");
        assert_eq!(states, [MotionState::Free], "{k}");
        let scene = robot.prepare(&post(1.00001 + 1e-5)).expect("valid");
        let states = robot
            .check_motions(&[[[0.0], [3.1]]], Some(&scene), 1e-2)
            .expect("valid");
        assert!(!matches!(states[0], MotionState::Free) || k == 0, "{k}: {states:?}");
    }
}

/// The ends belong to a motion, and one that stays at a configuration is decided.
#[test]
fn a4_ends_belong_to_motions() {
    let mut robot = Robot::from_urdf_text(ROD, "", config()).expect("a robot");
    let scene = robot
        .prepare(&[Obb::axis_aligned(Vec3::new(0.8, 0.0, 0.0), Vec3::splat(0.05))])
        .expect("valid");
    let motions = [[[0.0], [2.0]], [[-2.0], [0.0]], [[0.0], [0.0]], [[1.0], [1.0]]];
    let states = robot.check_motions(&motions, Some(&scene), 1e-4).expect("valid");
    assert!(
        states[..3]
            .iter()
            .all(|state| matches!(state, MotionState::Colliding { .. })),
        "{states:?}"
    );
    assert_eq!(states[3], MotionState::Free);
    let none: [[[f64; 1]; 2]; 0] = [];
    assert_eq!(robot.check_motions(&none, Some(&scene), 1e-4).expect("valid"), []);
}
