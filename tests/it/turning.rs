//! Boxes that rotate, accelerate, or are known only within bounds, while they move.

use std::f64::consts::TAU;

use obbligato::glam::{DQuat, DVec3, Quat, Vec3};
use obbligato::{
    Obb,
    motion::{ImpactState, Motion, Step, TimeOfImpact, time_of_impact},
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::adversarial::{MOVING_FAMILIES, MovingFamily, MovingPair};
use obbligato_verify::reference::substeps;

/// Compares answers with sub-steps; `cargo bench --bench motion_turning -- --audit 10M` does so
/// with more pairs.
#[test]
fn m1_every_answer_is_correct() {
    let mut found = [0; MOVING_FAMILIES.len()];
    for index in 0..26_000 {
        let pair = MovingPair::new(index, 1);
        let impact = pair.impact();
        let audit = pair
            .audit(impact, 40)
            .unwrap_or_else(|what| panic!("{index} {:?}: {what}\n{pair:?}", MovingPair::family(index)));
        assert!(impact.is_none_or(|impact| impact.is_resolved), "{index}: {impact:?}");
        found[(index % MOVING_FAMILIES.len() as u64) as usize] += usize::from(audit.found.is_some());
    }
    for (family, found) in MOVING_FAMILIES.iter().zip(found) {
        // Sub-steps meet a bullet in its plate only by chance.
        assert!(found > 100, "{family:?}: {found}");
    }
}

#[test]
fn the_order_of_the_boxes_matters_little() {
    for index in 0..6_500 {
        let pair = MovingPair::new(index, 2);
        let ([a, b], [m, n]) = (&pair.boxes, &pair.motions);
        let swapped = time_of_impact([b, a], [n, m], &Step::new(pair.dt));
        let swapped = swapped.map(|impact| TimeOfImpact {
            normal: -impact.normal,
            ..impact
        });
        if let Err(what) = pair.audit(swapped, 10) {
            panic!("{index} {:?}: {what}\n{pair:?}", MovingPair::family(index));
        }
    }
}

/// Bullets of a centimetre at 1,000 m/s, aimed at a point of a plate of a millimetre, at 60 steps a
/// second: each is caught.
#[test]
fn m1_bullets_are_caught_from_any_angle() {
    let mut random = SplitMix(5);
    let dt = 1.0 / 60.0;
    for k in 0..20_000 {
        let mut part = || 2.0 * random.unit() - 1.0;
        let direction = DVec3::new(part(), part(), part()).try_normalize().unwrap_or(DVec3::X);
        let aim = DVec3::new(0.0, part(), part()) * 0.99;
        let tilt = DQuat::from_xyzw(part(), part(), part(), 1.1).normalize();
        let time = 0.5 * (1.0 + part()) * dt;
        let spin = Vec3::new(part() as f32, part() as f32, part() as f32) * [0.0, 100.0, 10_000.0][k % 3];
        let plate = Obb::new(Vec3::new(5.0, -3.0, 1.0), Vec3::new(0.0005, 1.0, 1.0), tilt.as_quat());
        let place = plate.center.as_dvec3() + tilt * aim - direction * (1000.0 * time);
        let bullet = Obb::new(place.as_vec3(), Vec3::splat(0.005), Quat::from_xyzw(0.6, 0.0, 0.8, 0.0));
        let motion = Motion::linear((direction * 1000.0).as_vec3()).turning(spin);
        let impact = time_of_impact([&bullet, &plate], [&motion, &Motion::REST], &Step::new(dt));
        let impact = impact.unwrap_or_else(|| panic!("{k}: lost"));
        assert!(
            impact.time <= time + 1e-7 && impact.is_resolved,
            "{k}: {impact:?}, at {time}"
        );
        let twirling = Motion::REST.turning(Vec3::new(0.0, 0.0, 1e-3));
        assert!(
            time_of_impact([&plate, &bullet], [&twirling, &motion], &Step::new(dt)).is_some(),
            "{k}"
        );
    }
}

/// A lever that rotates about the z axis meets a wall at an angle known in closed form.
#[test]
fn a_lever_meets_a_wall() {
    let lever = Obb::axis_aligned(Vec3::ZERO, Vec3::new(1.0, 0.25, 0.1));
    let wall = Obb::axis_aligned(Vec3::new(0.0, 1.5, 0.0), Vec3::new(3.0, 0.75, 1.0));
    // The corner (1, 0.25) is at height sin(angle) + 0.25 cos(angle).
    let reach = 1.0625f64.sqrt();
    let expected = (0.75 / reach).asin() - 0.25f64.atan();
    for speed in [0.1f32, 1.0, 300.0] {
        let motion = Motion::REST.turning(Vec3::new(0.0, 0.0, speed));
        let step = Step::new(2.0 / f64::from(speed)).with_tolerance(1e-9);
        let impact = time_of_impact([&lever, &wall], [&motion, &Motion::REST], &step).expect("they meet");
        let late = impact.time * f64::from(speed) - expected;
        assert!((-2e-9..=1e-15).contains(&late), "{speed}: {late:e}");
        assert_eq!(impact.state, ImpactState::Impact);
        assert!(impact.normal.distance(DVec3::Y) < 1e-9, "{impact:?}");
        let short = Step::new((expected - 1e-5) / f64::from(speed)).with_tolerance(1e-9);
        assert_eq!(time_of_impact([&lever, &wall], [&motion, &Motion::REST], &short), None);
    }
}

/// A stone thrown upwards that stops just below, at, or above a ceiling.
#[test]
fn a_parabola_grazes() {
    let ceiling = Obb::axis_aligned(Vec3::new(0.0, 0.0, 3.0), Vec3::new(5.0, 5.0, 0.5));
    let motion = Motion::linear(Vec3::new(0.5, 0.0, 4.0)).accelerated(Vec3::new(0.0, 0.0, -8.0));
    // It rises by 1, at time 0.5.
    let at = |below: f32| {
        let stone = Obb::axis_aligned(Vec3::new(0.0, 0.0, 1.25 - below), Vec3::splat(0.25));
        time_of_impact([&stone, &ceiling], [&motion, &Motion::REST], &Step::new(1.0))
    };
    let exact = at(0.0).expect("they touch");
    assert!((0.49..=0.5).contains(&exact.time), "{exact:?}");
    let crossing = at(-0.0625).expect("they overlap");
    // 4 t - 4 t² = 0.9375.
    assert!(
        (crossing.time - 0.375).abs() < 1e-4 && crossing.time <= 0.375,
        "{crossing:?}"
    );
    assert_eq!(at(2.0f32.powi(-14)), None);
}

/// A body at rest on another, or sliding along it, at twice the tolerance, does not meet it, and
/// the answer comes immediately.
#[test]
fn resting_and_sliding() {
    let floor = Obb::axis_aligned(Vec3::ZERO, Vec3::new(10.0, 10.0, 1.0));
    let parcel = Obb::axis_aligned(Vec3::new(1.0, 2.0, 1.5001), Vec3::new(0.5, 0.5, 0.5));
    let spin = Motion::REST.turning(Vec3::new(0.0, 0.0, 20_000.0));
    let slide = Motion::linear(Vec3::new(2.0, -1.0, 0.0));
    for (motions, name) in [
        (
            [Motion::REST, slide.turning(spin.angular_velocity)],
            "sliding and spinning",
        ),
        ([spin, slide], "on a turntable"),
        ([spin, spin], "turning alike"),
        (
            [Motion::REST, slide.accelerated(Vec3::new(-30.0, 7.0, 0.0))],
            "thrown along",
        ),
        ([Motion::REST, slide.accelerated(Vec3::new(0.0, 0.0, 1e-3))], "lifted"),
    ] {
        let answer = time_of_impact([&floor, &parcel], [&motions[0], &motions[1]], &Step::new(1.0));
        assert_eq!(answer, None, "{name}");
    }
    // Within the tolerance and not clear of it.
    let near = Obb::axis_aligned(Vec3::new(1.0, 2.0, 1.500_01), Vec3::splat(0.5));
    let pressed = slide.accelerated(Vec3::new(0.0, 0.0, -1.0));
    let answer = time_of_impact([&floor, &near], [&Motion::REST, &pressed], &Step::new(1.0)).expect("they meet");
    assert_eq!(
        (answer.time, answer.state, answer.normal),
        (0.0, ImpactState::Impact, DVec3::Z)
    );
}

/// Two points have no size that a tolerance could be relative to.
#[test]
fn points() {
    let point = |at: Vec3| Obb::axis_aligned(at, Vec3::ZERO);
    let target = point(Vec3::new(3.0, 0.0, 1.0));
    let thrown = Motion::linear(Vec3::new(3.0, 0.0, 4.0)).accelerated(Vec3::new(0.0, 0.0, -6.0));
    let at = |from: Vec3| time_of_impact([&point(from), &target], [&thrown, &Motion::REST], &Step::new(2.0));
    let impact = at(Vec3::ZERO).expect("it hits");
    assert!((impact.time - 1.0).abs() < 1e-10 && impact.time <= 1.0, "{impact:?}");
    assert!(impact.point.distance(target.center.as_dvec3()) < 1e-10, "{impact:?}");
    assert_eq!(at(Vec3::new(0.0, 1e-6, 0.0)), None);
    assert_eq!(at(Vec3::new(0.0, 0.0, -1e-6)), None);
}

/// A motion known only within bounds meets everything that it might.
#[test]
fn uncertain_motion() {
    let a = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    let b = Obb::axis_aligned(Vec3::new(4.0, 0.0, 0.0), Vec3::ONE);
    let unsure = |e: f32| Motion::REST.uncertain(e);
    let at = |e: [f32; 2], dt: f64| time_of_impact([&a, &b], [&unsure(e[0]), &unsure(e[1])], &Step::new(dt));
    // (3 + 1) t² / 2 = 2.
    let impact = at([3.0, 1.0], 2.0).expect("they may meet");
    assert!((impact.time - 1.0).abs() < 1e-4 && impact.time <= 1.0, "{impact:?}");
    // Each moves its part of the distance.
    assert!((impact.point.x - 2.5).abs() < 1e-3, "{impact:?}");
    assert_eq!(at([3.0, 1.0], 0.999), None);
    // Along a diagonal the deviation counts as a length.
    let corner = Obb::axis_aligned(Vec3::splat(4.0), Vec3::ONE);
    let meets = |dt| time_of_impact([&a, &corner], [&unsure(4.0), &Motion::REST], &Step::new(dt));
    let impact = meets(2.0).expect("they may meet");
    let expected = 3f64.sqrt().sqrt();
    assert!(
        (impact.time - expected).abs() < 1e-4 && impact.time <= expected,
        "{impact:?}"
    );
    assert_eq!(meets(expected - 1e-3), None);
}

#[test]
fn initial_contacts_are_reported() {
    let a = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    let spin = Motion::REST.turning(Vec3::new(0.1, 0.2, 0.3)).uncertain(1.0);
    for (x, expected) in [(1.75f32, true), (2.0, true), (2.0f32.next_up(), false)] {
        let b = Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE);
        let away = Motion::linear(Vec3::X * 9.0).turning(Vec3::X);
        let impact = time_of_impact([&a, &b], [&spin, &away], &Step::new(1.0));
        let start = impact.filter(|impact| impact.state == ImpactState::Start);
        assert_eq!(start.is_some(), expected, "{x}");
        if let Some(start) = start {
            assert_eq!((start.time, start.normal), (0.0, DVec3::X));
        }
    }
}

/// More turns within reach than the maximum number of steps: the answer errs on the safe side, and
/// is marked as such.
#[test]
fn the_number_of_steps_is_bounded() {
    let tilted = Quat::from_xyzw(0.0, 0.6, 0.0, 0.8);
    let rod = |z: f32| Obb::new(Vec3::new(0.0, 0.0, z), Vec3::new(1.0, 0.01, 0.01), tilted);
    let (boxes, motion) = ([rod(0.0), rod(0.5)], Motion::REST.turning(Vec3::new(0.0, 0.0, 9e5)));
    let [few, many] = [1e-4, 1.0].map(|dt| time_of_impact(boxes.each_ref(), [&motion; 2], &Step::new(dt)));
    assert_eq!(few, None);
    let impact = many.expect("not known otherwise");
    assert!(!impact.is_resolved && impact.time > 1e-3, "{impact:?}");
    assert_eq!(
        substeps::first_contact(boxes.each_ref(), [&motion; 2], 1.0, 1_000),
        None
    );
}

/// The answers have the same bits on every machine, because no platform function is called.
#[test]
fn answers_are_the_same_everywhere() {
    let mut sum = 0u64;
    for k in 0..2_000u16 {
        let [x, y, z] = [k % 7, k % 11, k % 13].map(|part| f32::from(part) / 8.0);
        let a = Obb::new(
            Vec3::ZERO,
            Vec3::new(0.5 + x, 0.25, 1.0),
            Quat::from_xyzw(0.6, 0.0, 0.0, 0.8),
        );
        let b = Obb::new(
            Vec3::new(9.0, y, -z),
            Vec3::new(0.25, 1.0 + y, 0.5),
            Quat::from_xyzw(0.0, 0.8, 0.6, 0.0),
        );
        let motions = [
            Motion::linear(Vec3::new(4.0, z - 1.0, 0.0)).turning(Vec3::new(x, 17.0 * y, 3.0)),
            Motion::linear(Vec3::new(-3.0, 0.0, y))
                .turning(Vec3::new(z, 2.0, -x))
                .accelerated(Vec3::new(-1.0, 0.0, z)),
        ];
        if let Some(impact) = time_of_impact([&a, &b], [&motions[0], &motions[1]], &Step::new(2.0)) {
            let bits = [impact.time, impact.normal.x, impact.point.y].map(f64::to_bits);
            sum = bits.into_iter().fold(sum, |sum, bits| sum.rotate_left(7) ^ bits);
        }
    }
    assert_eq!(sum, 0x324b_9a81_5d92_6dd9, "{sum:#x}");
}

/// Fifty turns beside another body do not exceed the limit.
#[test]
fn rods_of_fifty_turns() {
    let mut met = 0;
    let index = MOVING_FAMILIES.iter().position(|&family| family == MovingFamily::Rods);
    for k in 0..300 {
        let pair = MovingPair::new(index.unwrap_or(0) as u64 + k * MOVING_FAMILIES.len() as u64, 9);
        let turns = pair.motions[0].angular_velocity.length() as f64 * pair.dt / TAU;
        let impact = pair.impact();
        met += usize::from(impact.is_some() && turns > 10.0);
        assert!(impact.is_none_or(|impact| impact.is_resolved), "{k}: {impact:?}");
        if let Err(what) = pair.audit(impact, 2_000) {
            panic!("{k}: {what}\n{pair:?}");
        }
    }
    assert!(met > 50, "{met}");
}
