//! Seeded pairs of boxes that move straight and are hard to decide.

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};

use crate::adversarial::{FAMILIES, Random, pair};
use obbligato::{Obb, shape::COORDINATE_LIMIT};
use obbligato_support::split_mix::{SplitMix, mix};

/// Two boxes, their velocities, and the length of the step.
#[derive(Clone, Copy, Debug)]
pub struct StraightPair {
    /// The boxes at time 0.
    pub boxes: [Obb; 2],
    /// The velocities of their centers.
    pub velocities: [Vec3; 2],
    /// The length of the step.
    pub dt: f64,
}

/// The kinds of motion, in the order in which [`straight_pair`] cycles through them; each takes the
/// pairs of all [`FAMILIES`] in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// In any direction, from the position of the pair.
    Any,
    /// To the position of the pair, at the end of the step, up to rounding; half of the steps end a
    /// little earlier or later.
    ToThePlace,
    /// Through the position of the pair, along an edge of a box or a face's diagonal: they may
    /// slide past each other in contact.
    Along,
    /// Both at the same velocity, or nearly the same.
    Together,
    /// Very fast or very slow, with a step that is as short or as long.
    Extreme,
    /// Towards each other from afar.
    FromAfar,
}

/// All kinds of motion.
pub const COURSES: [Course; 6] = [
    Course::Any,
    Course::ToThePlace,
    Course::Along,
    Course::Together,
    Course::Extreme,
    Course::FromAfar,
];

/// Returns the kind of motion of pair `index`.
pub const fn course(index: u64) -> Course {
    COURSES[(index / FAMILIES.len() as u64 % COURSES.len() as u64) as usize]
}

/// Returns pair `index` of the endless sequence for `seed`: valid boxes and motions, always the
/// same.
pub fn straight_pair(index: u64, seed: u64) -> StraightPair {
    let mut random = Random(SplitMix(seed ^ mix(index ^ 1 << 63)));
    let (a, b) = pair(index, seed);
    let made = make(course(index), [a, b], &mut random);
    let is_valid = |k: usize| {
        let (obb, v) = (made.boxes[k], made.velocities[k]);
        let reach = obb.center.abs().max_element().max(obb.half_extents.max_element());
        let path = v.as_dvec3().abs().max_element() * made.dt;
        obb.problem().is_none() && v.is_finite() && f64::from(reach) + path <= f64::from(COORDINATE_LIMIT)
    };
    match is_valid(0) && is_valid(1) {
        true => made,
        false => StraightPair {
            boxes: [a, b],
            velocities: [Vec3::ZERO; 2],
            dt: 1.0,
        },
    }
}

fn make(course: Course, boxes: [Obb; 2], random: &mut Random) -> StraightPair {
    let size = boxes
        .iter()
        .map(|obb| obb.half_extents.max_element())
        .fold(0.0, f32::max);
    let size = if size == 0.0 { 1.0 } else { f64::from(size) };
    let dt = random.pick([1.0, 0.5, 0.25, 1.0 / 60.0, 0.1, 3.0]);
    let any = (random.vector(2.0) * size / dt).as_vec3();
    let made = |velocity: Vec3| StraightPair {
        boxes,
        velocities: [Vec3::ZERO, velocity],
        dt,
    };
    match course {
        Course::Any => shared(made(any), random),
        Course::ToThePlace => {
            let along = along(boxes, any, random);
            let velocity = random.pick([any, short(any), along]);
            let mut pair = shared(made(velocity), random).back_by(dt);
            pair.dt = random.pick([dt, dt, dt, dt.next_down(), dt.next_up(), 0.5 * dt, 1.5 * dt]);
            pair
        }
        Course::Along => {
            let velocity = along(boxes, any, random);
            let before = dt * random.pick([0.5, 1.0, 0.25, 0.75]);
            shared(made(velocity), random).back_by(before)
        }
        Course::Together => {
            let mut pair = made(any);
            let other = random.pick([any, any, any.with_x(any.x.next_up()), any + any * 1e-6]);
            pair.velocities = [any, other];
            pair
        }
        Course::Extreme => {
            let factor = random.power_of_two(-90.0, 60.0);
            let mut pair = made((any.as_dvec3() * factor).as_vec3());
            pair.dt = dt / factor * random.pick([1.0, 1.0, 1e3]);
            random.pick([pair, pair.back_by(pair.dt)])
        }
        Course::FromAfar => {
            let far = random.power_of_two(2.0, 30.0);
            let along = along(boxes, any, random);
            let towards = random.pick([any, along]);
            let aside = random.vector(0.5) * size;
            let mut pair = shared(made((towards.as_dvec3() * far).as_vec3()), random).back_by(0.5 * dt);
            pair.boxes[1].center = (pair.boxes[1].center.as_dvec3() + aside).as_vec3();
            pair
        }
    }
}

/// Returns a velocity with few digits, so that positions are exact in `f32`.
fn short(velocity: Vec3) -> Vec3 {
    (velocity * 8.0).round() / 8.0
}

/// Returns a velocity along an axis of a box, the sum of two, or an axis of the world, with as few
/// digits as the rotation.
fn along(boxes: [Obb; 2], like: Vec3, random: &mut Random) -> Vec3 {
    let q: Quat = boxes[random.below(2) as usize].rotation;
    let axes = matrix(q.as_dquat());
    let signs = [-1.0, 0.0, 0.0, 1.0];
    let parts = DVec3::from_array([0; 3].map(|_| random.pick(signs)));
    let edge = axes.col(random.below(3) as usize);
    let direction = random.pick([axes * parts, edge, parts]);
    let speed = f64::from(like.abs().max_element()).log2().round().exp2();
    (direction * speed).as_vec3()
}

/// The rotation of a quaternion times its squared length, without division.
fn matrix(q: DQuat) -> DMat3 {
    let [x, y, z, w] = q.to_array();
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    DMat3::from_cols_array_2d(&[
        [ww + xx - yy - zz, 2.0 * (x * y + w * z), 2.0 * (z * x - w * y)],
        [2.0 * (x * y - w * z), ww - xx + yy - zz, 2.0 * (y * z + w * x)],
        [2.0 * (z * x + w * y), 2.0 * (y * z - w * x), ww - xx - yy + zz],
    ])
}

/// Returns a pair with the same motion of B relative to A, up to rounding, with both moving or the
/// boxes swapped.
fn shared(mut pair: StraightPair, random: &mut Random) -> StraightPair {
    let common = random.pick([
        Vec3::ZERO,
        Vec3::ZERO,
        short(pair.velocities[1]),
        pair.velocities[1] * 0.3,
    ]);
    pair.velocities = pair.velocities.map(|velocity| velocity - common);
    if random.chance(2) {
        pair.boxes.swap(0, 1);
        pair.velocities.swap(0, 1);
    }
    pair
}

impl StraightPair {
    /// Returns the pair at an earlier time, up to rounding.
    fn back_by(mut self, time: f64) -> Self {
        for (obb, velocity) in self.boxes.iter_mut().zip(self.velocities) {
            obb.center = (obb.center.as_dvec3() - velocity.as_dvec3() * time).as_vec3();
        }
        self
    }
}
