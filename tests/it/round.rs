//! Spheres and capsules, at rest and in motion, against rational arithmetic.

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{Obb, Sphere, contact::Contact, motion::ImpactState, shape::SweptSphere};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::{spheres_meet, swept_sphere_box_contact, swept_sphere_contact};

/// A generator of numbers of several kinds in turn: small integers, which often lead to touching
/// bodies, arbitrary ones, tiny next to huge ones, and subnormal ones.
struct Numbers {
    random: SplitMix,
    kind: u64,
}

impl Numbers {
    fn new(case: u64) -> Self {
        Self {
            random: SplitMix(case),
            kind: case % 8,
        }
    }

    fn number(&mut self) -> f32 {
        let unit = 2.0 * self.random.unit() - 1.0;
        match self.kind {
            0..4 => (unit * 7.0).round() as f32,
            4 | 5 => (unit * 10.0) as f32,
            6 => (unit * (self.random.unit() * 200.0 - 160.0).exp2()) as f32,
            _ => f32::from_bits((self.random.next() % 5) as u32) * unit.signum() as f32,
        }
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::from([0; 3].map(|_| self.number()))
    }

    fn sphere(&mut self) -> Sphere {
        Sphere::new(self.vector(), self.number().abs())
    }

    fn capsule(&mut self) -> SweptSphere {
        let ends = [self.vector(), self.vector()];
        let ends = match self.random.next() % 8 {
            0 => [ends[0]; 2],
            1 => [ends[0], Vec3::new(ends[1].x, ends[0].y, ends[0].z)],
            _ => ends,
        };
        SweptSphere::new(ends, self.number().abs())
    }

    fn obb(&mut self) -> Obb {
        let half = self.vector().abs();
        let turn = match self.random.next() % 4 {
            0 => Quat::IDENTITY,
            // A rotation whose matrix has entries of 3/5 and 4/5, up to rounding.
            1 => Quat::from_xyzw(0.0, 0.0, 0.447_213_6, 0.894_427_2),
            2 => Quat::from_xyzw(0.5, -0.5, 0.5, 0.5),
            _ => {
                let [x, y, z, w] = [0; 4].map(|_| self.random.unit() as f32 - 0.4);
                Quat::from_xyzw(x, y, z, w).normalize()
            }
        };
        Obb::new(self.vector(), half, turn)
    }
}

/// The number of times that each answer occurs.
fn tally(contacts: &[Contact]) -> [usize; 3] {
    [Contact::Separated, Contact::Touching, Contact::Overlapping]
        .map(|kind| contacts.iter().filter(|&&contact| contact == kind).count())
}

#[test]
fn capsules_are_decided_without_error() {
    let mut found = Vec::new();
    for case in 0..20_000 {
        let mut numbers = Numbers::new(case);
        let (a, b) = (numbers.capsule(), numbers.capsule());
        let contact = a.contact(&b);
        assert_eq!(contact, swept_sphere_contact(&a, &b), "{case}: {a:?} {b:?}");
        assert_eq!(contact, b.contact(&a), "{case}: {a:?} {b:?}");
        found.push(contact);
    }
    assert!(tally(&found).iter().all(|&count| count > 30), "{:?}", tally(&found));
}

#[test]
fn capsules_and_boxes_are_decided_without_error() {
    let (mut found, mut balls) = (Vec::new(), Vec::new());
    for case in 0..4_000 {
        let mut numbers = Numbers::new(case);
        let (mut capsule, obb) = (numbers.capsule(), numbers.obb());
        // Otherwise most of them reach the box.
        capsule.radius *= 0.25;
        let contact = capsule.contact_box(&obb);
        assert_eq!(
            contact,
            swept_sphere_box_contact(&capsule, &obb),
            "{case}: {capsule:?} {obb:?}"
        );
        found.push(contact);
        let ball = Sphere::new(capsule.ends[0], capsule.radius);
        let contact = ball.contact_box(&obb);
        assert_eq!(
            contact,
            swept_sphere_box_contact(&ball.into(), &obb),
            "{case}: {ball:?} {obb:?}"
        );
        balls.push(contact);
    }
    for found in [found, balls] {
        assert!(tally(&found).iter().all(|&count| count > 10), "{:?}", tally(&found));
    }
}

#[test]
fn m4_exact_contacts_of_whole_numbers() {
    // Pythagorean triples: their distance is exactly the sum of the radii.
    for (x, y, reach) in [
        (3.0, 4.0, 5.0),
        (5.0, 12.0, 13.0),
        (20.0, 21.0, 29.0),
        (9.0, 40.0, 41.0),
    ] {
        for scale in [1.0, 2f32.powi(-60), 2f32.powi(40)] {
            let at = |x: f32, y: f32| Vec3::new(x, y, 0.0) * scale;
            let radii = [0.25 * reach * scale, 0.75 * reach * scale];
            for (grown, expected) in [
                (radii[1], Contact::Touching),
                (radii[1].next_up(), Contact::Overlapping),
                (radii[1].next_down(), Contact::Separated),
            ] {
                let ball = Sphere::new(Vec3::ZERO, radii[0]);
                assert_eq!(ball.contact(&Sphere::new(at(x, y), grown)), expected);
                // The end of one at the middle of the other, and two that cross above each other.
                let post = SweptSphere::new([at(x, y), at(2.0 * x, 2.0 * y)], grown);
                assert_eq!(post.contact_sphere(&ball), expected);
                let along = SweptSphere::new([at(-y, x), at(y, -x)], radii[0]);
                assert_eq!(post.contact(&along), expected);
                let above = Vec3::Z * reach * scale;
                let across = SweptSphere::new([at(-y, x) + above, at(y, -x) + above], radii[0]);
                let crossing = SweptSphere::new([at(-x, -y), at(x, y)], grown);
                assert_eq!(crossing.contact(&across), expected);
                let corner = Obb::axis_aligned(-Vec3::splat(scale), Vec3::splat(scale));
                let near = Sphere::new(at(x, y), reach * scale);
                assert_eq!(near.contact_box(&corner), Contact::Touching);
            }
        }
    }
    let nothing = SweptSphere::new([-Vec3::X, Vec3::X], 0.0);
    assert_eq!(
        nothing.contact_box(&Obb::axis_aligned(Vec3::ZERO, Vec3::splat(0.5))),
        Contact::Touching
    );
    assert_eq!(
        nothing.contact(&SweptSphere::new([-Vec3::Y, Vec3::Y], 0.0)),
        Contact::Touching
    );
}

/// Compares the time of impact of two spheres with the reference, on either side of it.
fn expect_impact(case: u64, balls: [Sphere; 2], velocities: [Vec3; 2], dt: f64) -> Option<ImpactState> {
    let meet = |times: [f64; 2]| spheres_meet(balls.each_ref(), velocities, times);
    let found = balls[0].impact(&balls[1], velocities, dt);
    assert_eq!(
        found.is_some(),
        meet([0.0, dt]),
        "{case}: {balls:?} {velocities:?} {dt}"
    );
    let first = found?;
    let is_start = first.state == ImpactState::Start;
    assert_eq!(is_start, meet([0.0, 0.0]), "{case}: {balls:?}");
    assert!(
        (0.0..=dt).contains(&first.time) && (!is_start || first.time == 0.0),
        "{case}: {first:?}"
    );
    if !is_start {
        // Never late, and hardly early: they do not meet before, but soon after.
        let late = f64::min(first.time + dt * 2f64.powi(-20), dt);
        assert!(
            first.time == 0.0 || !meet([0.0, first.time.next_down()]),
            "{case}: {balls:?} {velocities:?} {first:?}"
        );
        assert!(
            meet([first.time, late]),
            "{case}: {balls:?} {velocities:?} {dt} {first:?}"
        );
    }
    assert!((first.normal.length() - 1.0).abs() < 1e-12, "{case}: {first:?}");
    let velocities = velocities.map(|velocity| velocity.as_dvec3());
    let path = (velocities[1] - velocities[0]).length() * dt;
    for (ball, velocity) in balls.iter().zip(velocities) {
        let center = ball.center.as_dvec3() + velocity * first.time;
        let rounding = 1e-13 * (balls.map(|ball| ball.center.as_dvec3().length()).iter().sum::<f64>() + path);
        let beyond = (first.point - center).length() - f64::from(ball.radius);
        assert!(
            beyond <= path * 2f64.powi(-20) + rounding,
            "{case}: {balls:?} {first:?}"
        );
    }
    Some(first.state)
}

#[test]
fn impacts_of_balls_match_exact_fractions() {
    let mut found = [0; 3];
    for case in 0..40_000 {
        let mut numbers = Numbers::new(case);
        let balls = [numbers.sphere(), numbers.sphere()];
        let velocities = [numbers.vector(), numbers.vector()];
        let dt = match case / 8 % 4 {
            0 => 1.0,
            1 => 1.0 / 60.0,
            2 => 4.0,
            _ => numbers.random.unit(),
        };
        let state = expect_impact(case, balls, velocities, dt);
        found[state.map_or(0, |state| 1 + usize::from(state == ImpactState::Impact))] += 1;
    }
    assert!(found.iter().all(|&count| count > 1000), "{found:?}");
}

/// Balls of any size, during steps of any length: apart, within each other, without a radius, at
/// rest, and in contact at the start, at the end or as they pass each other, exactly or but for a
/// rounding of `f32` or of `f64`.
#[test]
fn impacts_of_balls_of_any_size_match_exact_fractions() {
    let mut found = [0; 3];
    for case in 0..24_000 {
        let mut random = SplitMix(case + 1_000_000);
        let mut unit = || 2.0 * random.unit() - 1.0;
        let [size, dt] = [40.0, 20.0].map(|most: f64| (most * unit()).round().exp2());
        let mut vector = || DVec3::from_array([0; 3].map(|_| unit()));
        let (at, towards, across) = (vector(), vector(), vector());
        let across = across.cross(towards).normalize();
        let mut radii = [vector().x.abs(), if case % 5 == 0 { 0.0 } else { vector().y.abs() }];
        let reach = radii[0] + radii[1];
        // Squares of the third coordinate vanish beside the others.
        let touching = DVec3::new(3.0, 4.0, [0.0, 1e-6, 1e-9][(case / 10 % 3) as usize]);
        let steps = (towards * 8.0).round();
        if case % 10 < 3 {
            radii = [2.0, 3.0];
        }
        let (apart, way) = match case % 10 {
            0 => (touching, steps),
            1 => (
                touching - DVec3::new(4.0, -3.0, 0.0) * 2.0,
                DVec3::new(4.0, -3.0, 0.0) * 4.0,
            ),
            2 => (touching - steps, steps),
            3 => (towards.normalize() * reach, vector()),
            4 => (across * reach - towards * 2.0, towards * 4.0),
            5 => (across * reach + towards * 0.1, towards),
            6 => (towards * reach, DVec3::ZERO),
            7 => (towards * 4.0, towards * -4.0),
            _ => (towards * 2.0, vector() * 3.0),
        };
        let ball = |center: DVec3, radius: f64| Sphere::new((center * size).as_vec3(), (radius * size) as f32);
        let (at, own) = if case % 10 < 3 {
            (DVec3::ZERO, DVec3::ZERO)
        } else {
            (at, vector())
        };
        let balls = [ball(at, radii[0]), ball(at + apart, radii[1])];
        let velocities = [own, own + way].map(|way| (way * (size / dt)).as_vec3());
        let state = expect_impact(case, balls, velocities, dt);
        found[state.map_or(0, |state| 1 + usize::from(state == ImpactState::Impact))] += 1;
    }
    assert!(found.iter().all(|&count| count > 1000), "{found:?}");
}

#[test]
fn m4_grazing_balls_are_decided_exactly() {
    for case in 0..2_000 {
        let mut numbers = Numbers::new(8 * case);
        // They pass each other at exactly the sum of their radii, or one unit in the last place
        // more or less.
        let (along, size) = (1.0 + numbers.number().abs(), 1.0 + numbers.number().abs());
        let triple = [3.0, 4.0, 5.0].map(|x| x * size);
        let across = Vec3::new(4.0, -3.0, 0.0) * along;
        let start = Vec3::new(triple[0], triple[1], 0.0) - across;
        let offset = numbers.vector();
        for (radius, meets) in [
            (triple[2], true),
            (triple[2].next_down(), false),
            (triple[2].next_up(), true),
        ] {
            let balls = [Sphere::new(offset, 0.0), Sphere::new(offset + start, radius)];
            let velocities = [Vec3::ZERO, across];
            for dt in [1.0, 2.0, 1.5] {
                let state = expect_impact(case, balls, velocities, dt);
                assert!(
                    state.is_some() == meets || triple[2].is_nan(),
                    "{case}: {balls:?} {across:?}"
                );
            }
            // If the step ends just too early.
            let (early, exact) = (1f64.next_down(), balls[1].radius == triple[2]);
            assert!(
                !exact || expect_impact(case, balls, velocities, early).is_none(),
                "{case}"
            );
        }
    }
}

#[test]
fn swept_balls_are_in_their_capsules() {
    for case in 0..4_000 {
        let mut numbers = Numbers::new(case);
        let (ball, velocity) = (numbers.sphere(), numbers.vector());
        let dt = [0.1, 1.0, 1.0 / 3.0, 1e-3][case as usize % 4];
        let swept = ball.swept(velocity, dt);
        assert!(swept.radius >= ball.radius, "{case}");
        // A point meets the moving sphere only if it is in the capsule.
        for _ in 0..4 {
            let toward = ball.center + velocity * (numbers.random.unit() * dt) as f32;
            let point = Sphere::new(toward + numbers.vector().normalize_or_zero() * ball.radius, 0.0);
            let meets = spheres_meet([&ball, &point], [velocity, Vec3::ZERO], [0.0, dt]);
            assert!(
                !meets || swept.contact_sphere(&point).collides(),
                "{case}: {ball:?} {velocity:?} {dt} {point:?}"
            );
        }
    }
}

/// A 3-4-5 triangle: they touch when 3 is left of the 9.
#[test]
fn m4_balls_meet_in_closed_form() {
    let balls = [Sphere::new(Vec3::ZERO, 2.0), Sphere::new(Vec3::new(9.0, 4.0, 0.0), 3.0)];
    let towards = [Vec3::X * 2.0, Vec3::X * -4.0];
    let first = balls[0].impact(&balls[1], towards, 2.0).expect("they meet");
    assert!(first.time <= 1.0 && first.time > 1.0 - 2e-6, "{first:?}");
    assert!((first.normal - DVec3::new(0.6, 0.8, 0.0)).length() < 1e-5, "{first:?}");
    let swept = balls[0].swept(Vec3::X * 2.0, 3.0);
    assert_eq!(swept, SweptSphere::new([Vec3::ZERO, Vec3::X * 6.0], 2.0));
}
