//! The making of each kind of pair.

use std::f64::consts::TAU;

use glam::{DMat3, DQuat, DVec3, Vec3};

use crate::adversarial::moving::{MovingFamily, MovingPair, Plan, any_way, largest, meeting, motion, solid};
use crate::adversarial::{self, Random};
use obbligato::{Obb, motion::Motion};

impl MovingPair {
    /// Returns a pair of a family, which may be invalid.
    pub(super) fn make(family: MovingFamily, random: &mut Random, index: u64, seed: u64) -> Self {
        let dt = random.pick([1.0 / 60.0, 0.1, 1.0]);
        let thrown = random.chance(2);
        match family {
            MovingFamily::Passing | MovingFamily::Spinning | MovingFamily::Thrown | MovingFamily::Uncertain => {
                Self::meeting_solids(family, random, dt, thrown)
            }
            MovingFamily::Rods => Self::rods(random, dt, thrown),
            MovingFamily::Bullets => Self::bullets(random),
            MovingFamily::Planned | MovingFamily::Grazing => {
                let boxes = adversarial::pair(random.0.next() >> 1, seed ^ index);
                Self::hard_at_rest(family, random, boxes, dt, thrown)
            }
            MovingFamily::Resting => Self::resting(random, dt),
            MovingFamily::Flat => Self::flat(random, dt, thrown),
            MovingFamily::Concentric => Self::concentric(random, dt),
            MovingFamily::Far => Self::far(random, dt, thrown),
            MovingFamily::Turntable => Self::turntable(random, dt),
        }
    }

    /// Boxes of similar sizes that fly towards each other.
    fn meeting_solids(family: MovingFamily, random: &mut Random, dt: f64, thrown: bool) -> Self {
        let boxes = [solid(random, 1.0), solid(random, 1.0)];
        let (way, turn) = match family {
            MovingFamily::Spinning => (30.0, 40.0),
            _ => (5.0, 1.0),
        };
        let thrown = family == MovingFamily::Thrown || family == MovingFamily::Uncertain && thrown;
        let mut motions = [
            motion(random, dt, way, turn, thrown),
            motion(random, dt, way, turn, thrown),
        ];
        if family == MovingFamily::Uncertain {
            for motion in &mut motions {
                *motion = motion.uncertain((2.0 * random.unit() / (dt * dt)) as f32);
            }
        }
        meeting(random, boxes, 4.0, dt, motions).pair()
    }

    /// Long rods that turn many times.
    fn rods(random: &mut Random, dt: f64, thrown: bool) -> Self {
        let rod = |random: &mut Random| {
            let mut extents = Vec3::splat(0.02);
            extents[random.below(3) as usize] = 1.0;
            Obb::new(Vec3::ZERO, extents, random.rotation())
        };
        let boxes = [rod(random), rod(random)];
        let motions = [
            motion(random, dt, 2.0, 50.0 * TAU, thrown),
            motion(random, dt, 2.0, 50.0 * TAU, false),
        ];
        meeting(random, boxes, 2.0, dt, motions).pair()
    }

    /// A bullet and a plate.
    fn bullets(random: &mut Random) -> Self {
        let dt = 1.0 / 60.0;
        let bullet = Obb::new(Vec3::ZERO, Vec3::splat(0.005), random.rotation());
        let plate = Obb::new(
            random.vector(1.0).as_vec3(),
            Vec3::new(0.0005, 1.0, 1.0),
            random.rotation(),
        );
        let motions = [
            Motion::linear(any_way(random, 1000.0).as_vec3()).turning(random.vector(3000.0).as_vec3()),
            random.pick([Motion::REST, Motion::REST.turning(Vec3::new(0.1, 2.0, -3.0))]),
        ];
        let aim = plate.rotation * (random.vector(1.3).as_vec3() * Vec3::new(0.0, 1.0, 1.0));
        let bullet = Obb {
            center: plate.center + aim,
            ..bullet
        };
        Plan {
            boxes: [bullet, plate],
            motions,
            dt,
            time: dt * random.unit(),
        }
        .pair()
    }

    /// Two boxes that are hard to judge at rest, in motion.
    fn hard_at_rest(family: MovingFamily, random: &mut Random, (a, mut b): (Obb, Obb), dt: f64, thrown: bool) -> Self {
        let boxes = [a, b];
        let size = [a, b].map(|obb| f64::from(obb.half_extents.max_element()));
        let least = if size[0].min(size[1]) > 0.0 {
            size[0].min(size[1])
        } else {
            size[0].max(size[1])
        };
        let (mut way, mut turn) = (10.0 * largest(&boxes), 2.0);
        if family == MovingFamily::Grazing {
            let apart = least * random.pick([1e-6, 3e-5, 1e-4, 2e-4, 1e-3]);
            b.center += any_way(random, apart).as_vec3();
            let slow = random.pick([1e-3, 1e-2, 1.0]);
            (way, turn) = (way * slow, turn * slow);
        }
        let motions = [
            motion(random, dt, way, turn, thrown),
            motion(random, dt, way, turn, thrown),
        ];
        Plan {
            boxes: [a, b],
            motions,
            dt,
            time: dt * random.unit(),
        }
        .pair()
    }

    /// Boxes without volume.
    fn flat(random: &mut Random, dt: f64, thrown: bool) -> Self {
        let boxes = [solid(random, 1.0), solid(random, 1.0)].map(|obb| Obb {
            half_extents: random.flatten(obb.half_extents),
            ..obb
        });
        let motions = [
            motion(random, dt, 5.0, 7.0, thrown),
            motion(random, dt, 5.0, 7.0, thrown),
        ];
        let miss = random.pick([0.0, 0.1, 1.0]);
        meeting(random, boxes, miss, dt, motions).pair()
    }

    /// Boxes that turn around almost the same center.
    fn concentric(random: &mut Random, dt: f64) -> Self {
        let scale = random.pick([1.0, 0.1]);
        let boxes = [solid(random, 1.0), solid(random, scale)];
        let motions = [
            motion(random, dt, 0.0, 20.0, false),
            motion(random, dt, 0.0, 20.0, false),
        ];
        let miss = random.pick([0.0, 1.0, 2.0]);
        meeting(random, boxes, miss, dt, motions).pair()
    }

    /// Boxes far from the origin.
    fn far(random: &mut Random, dt: f64, thrown: bool) -> Self {
        let boxes = [solid(random, 1.0), solid(random, 1.0)];
        let motions = [
            motion(random, dt, 5.0, 3.0, thrown),
            motion(random, dt, 5.0, 3.0, thrown),
        ];
        let mut plan = meeting(random, boxes, 4.0, dt, motions);
        let away = random.pick([1e4, 1e6]);
        let away = any_way(random, away).as_vec3();
        plan.boxes = plan.boxes.map(|obb| Obb {
            center: obb.center + away,
            ..obb
        });
        plan.pair()
    }

    /// A large plate that turns, and a small box on it.
    fn turntable(random: &mut Random, dt: f64) -> Self {
        let plate = Obb::new(Vec3::ZERO, Vec3::new(100.0, 100.0, 0.1), random.rotation());
        let mut small = solid(random, 0.1);
        let place = DVec3::new(90.0, 90.0, 0.0) * random.vector(1.0);
        let height = 0.1 + 0.2 * random.unit();
        let axes = DMat3::from_quat(plate.rotation.as_dquat());
        small.center = (axes * (place + DVec3::Z * height)).as_vec3();
        let turn = random.pick([1e-4, 1e-2, 1.0, 20.0]);
        let turning = motion(random, dt, 0.01, turn, false);
        let mut with = turning;
        with.velocity = (axes * (place + DVec3::Z * height))
            .cross(-turning.angular_velocity.as_dvec3())
            .as_vec3();
        let motions = [turning, random.pick([Motion::REST, with])];
        Plan {
            boxes: [plate, small],
            motions,
            dt,
            time: random.pick([0.0, 0.5 * dt]),
        }
        .pair()
    }

    fn resting(random: &mut Random, dt: f64) -> Self {
        let (floor, mut parcel) = (solid(random, 3.0), solid(random, 1.0));
        let up = floor.rotation.as_dquat() * DVec3::Z;
        let yaw = DQuat::from_rotation_z(random.unit() * TAU);
        parcel.rotation = random.pick([floor.rotation, (floor.rotation.as_dquat() * yaw).normalize().as_quat()]);
        let tolerance = 1e-4 * f64::from(parcel.half_extents.max_element().min(floor.half_extents.max_element()));
        let gap = tolerance * random.pick([-1.0, 0.0, 0.3, 1.001, 1.1, 2.0, 10.0]);
        let height = f64::from(floor.half_extents.z) + f64::from(parcel.half_extents.z) + gap;
        parcel.center = (up * height).as_vec3();
        let turn = up * (random.pick([1e-3, 0.5, 5.0]) / dt);
        let along = (floor.rotation.as_dquat() * random.vector(1.0)).reject_from(up) / dt;
        let slides = Motion::linear(along.as_vec3()).turning(turn.as_vec3());
        let shared = Motion::REST.turning((any_way(random, 3.0) / dt).as_vec3());
        let motions = random.pick([
            [Motion::REST, slides],
            [Motion::REST, slides.accelerated((along * 0.5).as_vec3())],
            [
                Motion::REST.turning(turn.as_vec3()),
                Motion::REST.turning(turn.as_vec3()),
            ],
            [shared, shared],
            [Motion::REST, Motion::REST.turning(Vec3::new(1e-3, 0.0, 1e-3))],
        ]);
        Plan {
            boxes: [floor, parcel],
            motions,
            dt,
            time: 0.0,
        }
        .pair()
    }
}
