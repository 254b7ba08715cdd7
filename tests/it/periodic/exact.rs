//! Contacts across the border that differ by the last bit of a length, or by less than an `f64`
//! shows.

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::{Bodies, BroadPhase, Capsule, Obb, Obb64, Sphere, contact::Contact};
use obbligato_verify::reference;

use super::{Lengths, check, compare, config, relation};

/// Compares a scene with the reference on a lattice that is a bit too short, exact, and a bit too
/// long along x.
#[track_caller]
fn expect_touching(what: &str, bodies: Bodies<'_>, length: f64) {
    let lattices = [length.next_down(), length, length.next_up()];
    let contacts = [Contact::Overlapping, Contact::Touching, Contact::Separated];
    for (length, contact) in lattices.into_iter().zip(contacts) {
        let lengths: Lengths = [Some(length), None, Some(1e6)];
        let expected = reference::periodic_pairs(bodies, lengths, 0.0);
        let found = expected
            .first()
            .map_or(Contact::Separated, |(_, images)| relation(images));
        assert_eq!(found, contact, "{what}");
        compare(
            what,
            &check(config(BroadPhase::Auto, 0.0), what, bodies, lengths),
            &expected,
        );
    }
}

#[test]
fn c1_contacts_across_the_border_are_exact() {
    let (half, low, high) = (0.1f32, 0.05f32, 9.7f32);
    let at = |x: f32| Vec3::new(x, 0.0, 0.0);
    // The sum of four f32 of like size fits in f64.
    let length = f64::from(high) - f64::from(low) + 2.0 * f64::from(half);
    let cube = |x: f32| Obb::axis_aligned(at(x), Vec3::splat(half));
    let turned = |x: f32| {
        Obb::new(
            at(x),
            Vec3::splat(half),
            Quat::from_xyzw(0.3, 0.0, 0.0, 0.95).normalize(),
        )
    };
    let ball = |x: f32| Sphere::new(at(x), half);
    let lying = Quat::from_xyzw(0.0, 0.0, 0.0, 1.0);
    let rod = |x: f32| Capsule::new(at(x), 0.3, lying, half);
    let boxes = [cube(low), cube(high)];
    expect_touching("cubes", (&boxes).into(), length);
    expect_touching("turned", (&[turned(low), turned(high)]).into(), length);
    expect_touching("turned and not", (&[turned(low), cube(high)]).into(), length);
    expect_touching("balls", (&[ball(low), ball(high)]).into(), length);
    expect_touching("rods", (&[rod(low), rod(high)]).into(), length);
    let (balls, rods) = ([ball(high)], [rod(high)]);
    let (first, turned) = ([cube(low)], [turned(low)]);
    let with = |boxes| Bodies {
        boxes,
        ..Bodies::default()
    };
    expect_touching(
        "cube and ball",
        Bodies {
            spheres: &balls,
            ..with(&first)
        },
        length,
    );
    expect_touching(
        "turned and rod",
        Bodies {
            capsules: &rods,
            ..with(&turned)
        },
        length,
    );
    let rods = [rod(low)];
    expect_touching(
        "rod and ball",
        Bodies {
            capsules: &rods,
            spheres: &balls,
            ..Bodies::default()
        },
        length,
    );
}

/// The vector between the centers takes three numbers in `f64`: rounded, the bodies would touch.
#[test]
fn c1_vectors_between_images_are_not_rounded() {
    let length = 10.1;
    for tiny in [2f32.powi(-80), 2f64.powi(-140) as f32] {
        for (move_by, contact) in [
            (0.0, Contact::Touching),
            (tiny, Contact::Overlapping),
            (-tiny, Contact::Separated),
        ] {
            let quarter = Quat::from_xyzw(0.0, 0.0, 1.0, 0.0);
            let first = Obb64::new(DVec3::new(-f64::from(move_by), 0.0, 0.0), Vec3::splat(0.05), quarter);
            let second = Obb64::new(
                DVec3::new(length - 2.0 * f64::from(0.05f32), 0.0, 0.0),
                Vec3::splat(0.05),
                quarter,
            );
            for turn in [quarter, Quat::from_xyzw(0.6, 0.0, 0.0, 0.8)] {
                let boxes = [
                    first,
                    Obb64 {
                        rotation: turn,
                        ..second
                    },
                ];
                let lengths = [Some(length), None, None];
                let expected = reference::periodic_pairs64(&boxes, lengths, 0.0);
                let found = expected
                    .first()
                    .map_or(Contact::Separated, |(_, images)| relation(images));
                assert_eq!(found, contact, "{tiny:e} {move_by:e}");
                let what = format!("{tiny:e} {move_by:e} {turn}");
                compare(
                    &what,
                    &check(config(BroadPhase::Auto, 0.0), &what, &boxes, lengths),
                    &expected,
                );
            }
        }
    }
}

/// Short and long periods, and centers up to 2^49 periods away.
#[test]
fn c1_extreme_lengths() {
    for exponent in [-85, -40, 0, 30, 56] {
        let unit = f64::exp2(f64::from(exponent));
        let length = 3.1 * unit;
        let ball = |x: f64| Sphere::new(Vec3::new(x as f32, 0.0, 0.0), (0.4 * unit) as f32);
        let balls = [ball(0.1 * unit), ball(2.5 * unit), ball(1.4 * unit), ball(5.5 * unit)];
        for lengths in [[Some(length), Some(length), None], [Some(length), Some(1e300), None]] {
            let expected = reference::periodic_pairs(&balls, lengths, 0.0);
            assert!(expected.len() >= 2, "{expected:?}");
            for phase in [BroadPhase::Auto, BroadPhase::Grid, BroadPhase::Octree] {
                let what = format!("2^{exponent} {phase}");
                compare(&what, &check(config(phase, 0.0), &what, &balls, lengths), &expected);
            }
        }
    }
    let far = f64::exp2(49.0) * 0.7;
    let boxes = [0.0, far, far + 0.25, 0.3].map(|x| Obb64::axis_aligned(DVec3::splat(x), Vec3::splat(0.1)));
    let lengths = [Some(0.7), Some(0.7), Some(0.7)];
    let expected = reference::periodic_pairs64(&boxes, lengths, 0.0);
    assert!(!expected.is_empty());
    compare(
        "far",
        &check(config(BroadPhase::Auto, 0.0), "far", &boxes, lengths),
        &expected,
    );
}
