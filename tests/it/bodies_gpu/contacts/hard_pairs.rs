//! Hard pairs of bodies.

use obbligato::glam::{Quat, Vec3};
use obbligato::{Capsule, GpuConfig, Obb, Sphere};

use crate::bodies_gpu::all_settings;
use crate::bodies_gpu::contacts::{hold, lists_all};
use crate::body_contacts::{Body, Random};

/// Rotations about x, y and z.
fn turn(x: f32, y: f32, z: f32) -> Quat {
    Quat::from_rotation_x(x) * Quat::from_rotation_y(y) * Quat::from_rotation_z(z)
}

/// Hard pairs: nearly parallel and crossing cores, in contact and not; cores through a box, along
/// its edges and over its corners; spheres inside boxes; capsules without length or width; and
/// bodies with a common center.
fn hard_pairs() -> Vec<[Body; 2]> {
    let capsule = |center: Vec3, half_length, rotation, radius| {
        Body::Capsule(Capsule::new(center, half_length, rotation, radius))
    };
    let ball = |center: Vec3, radius| Body::Sphere(Sphere::new(center, radius));
    let mut random = Random::new(3);
    let mut pairs = Vec::new();
    for k in 0..60 {
        let angle = [0.0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 4e-3, 0.01, 0.1, 0.5][k % 10];
        let world = random.rotation();
        let place = random.vector(2.0);
        let sideways = [0.0f32, 1e-6, 0.01, 0.5, 1.0, 1.5][k / 10];
        let other = world * turn(0.0, angle, 0.0);
        let thick = [0.0, 0.5][k % 2];
        for (along, long) in [(0.0, 1.0), (0.3, 2.0), (1.9, 0.5), (2.5, 3.0)] {
            let center = place + world * Vec3::new(0.0, sideways, along);
            // Side by side, and crossing.
            pairs.push([capsule(place, 2.0, world, 0.5), capsule(center, long, other, thick)]);
            pairs.push([
                capsule(place, 2.0, world, 0.5),
                capsule(center, long, other * turn(0.0, 1.5, 0.0), thick),
            ]);
            // Over and through faces, along edges, and past corners.
            let half = Vec3::new(2.0, 1.0, 0.5);
            let cube = Body::Box(Obb::new(place, half, world));
            for reach in [
                Vec3::new(0.5, 0.2, 0.0),
                Vec3::Z * 0.5,
                half * Vec3::new(0.0, 1.0, 1.0),
                half,
            ] {
                let center = place + world * (reach + Vec3::new(0.0, 0.3, 1.0) * sideways);
                for lies in [
                    turn(0.0, 1.570_796_4 + angle, 0.0),
                    turn(angle, 0.0, 0.0),
                    turn(0.6, angle, 0.4),
                ] {
                    pairs.push([cube, capsule(center, long, world * lies, thick)]);
                }
                pairs.push([cube, ball(center, thick)]);
            }
            pairs.push([capsule(place, 2.0, world, 0.5), ball(center, thick)]);
        }
        pairs.push([capsule(place, 0.0, world, 0.5), capsule(place, 0.0, other, thick)]);
        pairs.push([
            capsule(place, 0.0, world, 0.5),
            ball(place + world * Vec3::X * sideways, 0.25),
        ]);
        pairs.push([ball(place, 1.0), ball(place, thick)]);
        pairs.push([ball(place, 1.0), ball(place + Vec3::new(sideways, 1.0, 0.0), 0.25)]);
        pairs.push([Body::Box(Obb::new(place, Vec3::ZERO, world)), ball(place, thick)]);
        pairs.push([
            Body::Box(Obb::new(place, Vec3::new(0.0, 0.0, 2.0), world)),
            capsule(place, 1.0, other, thick),
        ]);
    }
    pairs
}

#[test]
fn hard_pairs_are_as_accurate_as_f32_allows() {
    for (name, settings) in all_settings(&GpuConfig::default()) {
        let mut checker = lists_all(settings);
        let tally = hold(name, &mut checker, 32.0, &hard_pairs());
        println!("{name}: {tally:?}");
        assert!(tally[0] > 300 && tally[1] > 50 && tally[2] > 2_000, "{tally:?}");
    }
}
