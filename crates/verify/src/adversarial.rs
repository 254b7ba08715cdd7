//! Seeded pairs of boxes that are hard to decide, for tests and for `verify`.

mod meshes;
mod moving;
mod moving_round;
mod straight;
mod triangles;

pub use crate::adversarial::meshes::{MESH_FAMILIES, MeshFamily};
pub use crate::adversarial::moving::{MOVING_FAMILIES, MovingAudit, MovingFamily, MovingPair};
pub use crate::adversarial::moving_round::{MovingRound, OwnedBody};
pub use crate::adversarial::straight::{COURSES, Course, StraightPair, course, straight_pair};
pub use crate::adversarial::triangles::{TRIANGLE_FAMILIES, TriangleFamily};

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};

use obbligato::{Obb, shape::COORDINATE_LIMIT};
use obbligato_support::split_mix::{SplitMix, mix};

/// The kinds of pairs, in the order in which [`pair`] cycles through them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Random sizes, positions and rotations.
    Random,
    /// A few units in the last place from contact, along any of the fifteen axes.
    NearContact,
    /// Near contact, with edges at angles of 1e-1 to 1e-12.
    NearlyParallel,
    /// Near contact, with equal (or opposite) quaternions.
    EqualRotations,
    /// Contact along any axis between rotated boxes, without rounding error; some are off by an ulp
    /// or much less.
    ExactContact,
    /// Boxes aligned with the world's axes, in any of the 24 orientations; half of them in exact
    /// contact.
    Aligned,
    /// Plates, rods and points, near contact or in exact contact.
    ZeroExtents,
    /// Sizes that differ by a factor of up to 2^60, near contact.
    HugeRatio,
    /// Near contact, far from the origin.
    FarAway,
    /// Numbers from the whole valid range, including subnormal ones, also in quaternions.
    Extreme,
    /// Neighbours in a wall of bricks, which may be rotated as a whole.
    Bricks,
    /// One box twice, or two boxes with the same center.
    Coincident,
    /// One box inside the other, or nearly.
    Contained,
}

/// All families.
pub const FAMILIES: [Family; 13] = [
    Family::Random,
    Family::NearContact,
    Family::NearlyParallel,
    Family::EqualRotations,
    Family::ExactContact,
    Family::Aligned,
    Family::ZeroExtents,
    Family::HugeRatio,
    Family::FarAway,
    Family::Extreme,
    Family::Bricks,
    Family::Coincident,
    Family::Contained,
];

/// Returns the family of pair `index`.
pub const fn family(index: u64) -> Family {
    FAMILIES[(index % FAMILIES.len() as u64) as usize]
}

/// Returns pair `index` of the endless sequence for `seed`: two valid boxes, always the same.
pub fn pair(index: u64, seed: u64) -> (Obb, Obb) {
    let mut random = Random(SplitMix(seed ^ mix(index)));
    let pair = make(family(index), &mut random);
    let (a, b) = if random.chance(2) { pair } else { (pair.1, pair.0) };
    // Rarely, rounding or a nudge pushes a box over a limit.
    if a.problem().or(b.problem()).is_none() {
        (a, b)
    } else {
        random_pair(&mut random)
    }
}

fn make(family: Family, random: &mut Random) -> (Obb, Obb) {
    let (q_a, q_b) = (random.rotation(), random.rotation());
    let (h_a, h_b) = (random.extents(), random.extents());
    let equal = random.chance(4);
    match family {
        Family::Random => random_pair(random),
        Family::NearContact => near_contact(random, (q_a, h_a), (q_b, h_b), 1.0),
        Family::NearlyParallel => {
            let (q_a, q_b) = nearly_parallel(random);
            near_contact(random, (q_a, h_a), (q_b, h_b), 1.0)
        }
        Family::EqualRotations if random.chance(2) => exact_contact(random, false, true),
        Family::EqualRotations => {
            let q_b = if random.chance(4) { -q_a } else { q_a };
            near_contact(random, (q_a, h_a), (q_b, h_b), 1.0)
        }
        Family::ExactContact => exact_contact(random, false, equal),
        Family::Aligned => aligned(random),
        Family::ZeroExtents if random.chance(2) => exact_contact(random, true, equal),
        Family::ZeroExtents => {
            let (h_a, h_b) = (random.flatten(h_a), random.flatten(h_b));
            near_contact(random, (q_a, h_a), (q_b, h_b), 1.0)
        }
        Family::HugeRatio => {
            let ratio = random.power_of_two(0.0, 60.0) as f32;
            near_contact(random, (q_a, h_a), (q_b, h_b * (1.0 / ratio)), 1.0)
        }
        Family::FarAway => {
            let distance = random.power_of_two(5.0, 40.0);
            near_contact(random, (q_a, h_a), (q_b, h_b), distance)
        }
        Family::Extreme => extreme(random),
        Family::Bricks => bricks(random),
        Family::Coincident => {
            let center = random.vector(4.0).as_vec3();
            let q_b = random.pick([q_a, q_a, -q_a, q_b]);
            let h_b = random.pick([h_a, h_b]);
            (Obb::new(center, h_a, q_a), Obb::new(center, h_b, q_b))
        }
        Family::Contained => {
            let q_b = random.pick([q_a, q_b]);
            let shrink = random.pick([1.0, 0.5, 0.01, 1e-6]);
            let offset = q_a * (h_a * random.vector(1.0 - shrink).as_vec3());
            let center = random.vector(4.0).as_vec3();
            (
                Obb::new(center, h_a, q_a),
                Obb::new(center + offset, h_a * shrink as f32, q_b),
            )
        }
    }
}

fn random_pair(random: &mut Random) -> (Obb, Obb) {
    let mut one = || {
        let (rotation, extents) = (random.rotation(), random.extents());
        Obb::new(random.vector(2.0).as_vec3(), extents, rotation)
    };
    (one(), one())
}

/// Returns two boxes that touch along a random axis, up to rounding and a nudge, with A about
/// `distance` from the origin.
fn near_contact(random: &mut Random, a: (Quat, Vec3), b: (Quat, Vec3), distance: f64) -> (Obb, Obb) {
    let solid = |(q, h): (Quat, Vec3)| Solid {
        axes: DMat3::from_quat(DQuat::from_array(q.to_array().map(f64::from)).normalize()),
        half: h.as_dvec3(),
    };
    let offset = touch(random, &solid(a), &solid(b));
    // With B near the origin, its center is finer than A's, which makes the contact close even for
    // f64.
    let center = if random.chance(3) {
        -offset
    } else {
        random.vector(1.0) * distance
    }
    .as_vec3();
    let touching = (center.as_dvec3() + offset).as_vec3();
    (Obb::new(center, a.1, a.0), Obb::new(random.nudge(touching), b.1, b.0))
}

/// Returns boxes whose quaternions have few bits. The entries of their rotation matrices are then
/// fractions with denominator `|q|²`, and extents that are multiples of it make every corner exact
/// in f32.
fn exact_contact(random: &mut Random, flat: bool, equal: bool) -> (Obb, Obb) {
    let solid = |random: &mut Random| {
        let (q, norm) = random.short_rotation();
        let half = DVec3::from_array([0; 3].map(|_| f64::from(random.below(40) as u32) / 8.0));
        let half = if flat {
            random.flatten(half.as_vec3()).as_dvec3()
        } else {
            half
        };
        let axes = DMat3::from_quat(q.normalize()) * norm;
        // The entries of |q|² R are whole multiples of 1/4096.
        let axes = DMat3::from_cols_array(&axes.to_cols_array().map(|entry| (entry * 4096.0).round() / 4096.0));
        (q.as_quat(), norm, Solid { axes, half })
    };
    let (a, b) = (solid(random), solid(random));
    let b = if equal {
        (
            a.0,
            a.1,
            Solid {
                axes: a.2.axes,
                half: b.2.half,
            },
        )
    } else {
        b
    };
    let offset = touch(random, &a.2, &b.2);
    let close = random.chance(3);
    let center = if close { -offset } else { random.vector(8.0).round() };
    let obb = |center: DVec3, (q, norm, solid): &(Quat, f64, Solid)| {
        Obb::new(center.as_vec3(), (solid.half * *norm).as_vec3(), *q)
    };
    let (a, mut b) = (obb(center, &a), obb(center + offset, &b));
    if close {
        b.center = (random.vector(1.0) * random.power_of_two(-149.0, -20.0)).as_vec3();
    } else if random.chance(3) {
        b.center = random.nudge(b.center);
    }
    (a, b)
}

fn aligned(random: &mut Random) -> (Obb, Obb) {
    let turn = |random: &mut Random| {
        let [x, y, z, w] = random.pick([
            [0.0, 0.0, 0.0, 1.0],
            [1.0, 0.0, 0.0, 0.0],
            [0.70710677, 0.0, 0.0, 0.70710677],
            [0.0, 0.70710677, 0.70710677, 0.0],
            [0.5, 0.5, 0.5, 0.5],
        ]);
        let mut q = [x, y, z, w].map(|c: f32| if random.chance(2) { -c } else { c });
        for last in (1..4).rev() {
            q.swap(last, random.below(last as u64 + 1) as usize);
        }
        Quat::from_array(q)
    };
    let step = random.pick([1.0, 0.25, 0.1, 1e-30, 1e9]);
    let grid = |random: &mut Random, n: u64| Vec3::from([0; 3].map(|_| random.below(n) as f32 * step));
    let (h_a, h_b, center) = (grid(random, 5), grid(random, 5), grid(random, 9));
    let a = Obb::new(center, h_a, turn(random));
    let mut b = Obb::new(grid(random, 9), h_b, turn(random));
    if random.chance(2) {
        b.center = random.nudge(b.center);
    }
    // Sums of numbers this far apart do not fit in f64.
    if random.chance(4) {
        b.half_extents += random.power_of_two(-149.0, 0.0) as f32;
    }
    (a, b)
}

fn extreme(random: &mut Random) -> (Obb, Obb) {
    let quaternion = |random: &mut Random| {
        let mut q = random.rotation().to_array();
        for component in &mut q {
            if random.chance(2) {
                *component *= random.power_of_two(-149.0, 0.0) as f32;
            }
        }
        // Choose one component so that this is a unit quaternion.
        let largest = random.below(4) as usize;
        q[largest] = 0.0;
        let rest: f64 = q.iter().map(|&c| f64::from(c) * f64::from(c)).sum();
        q[largest] = (1.0 - rest).max(0.0).sqrt() as f32;
        Quat::from_array(q)
    };
    let (q_a, q_b) = (quaternion(random), quaternion(random));
    if random.chance(2) {
        let limit = f64::from(COORDINATE_LIMIT);
        let one = |random: &mut Random, q| {
            let lengths = [0; 6].map(|_| (random.power_of_two(-149.0, 60.0)).min(limit) as f32);
            let center = Vec3::from([0, 1, 2].map(|k| if random.chance(2) { -lengths[k] } else { lengths[k] }));
            Obb::new(center, Vec3::from_slice(&lengths[3..]), q)
        };
        return (one(random, q_a), one(random, q_b));
    }
    let size = random.power_of_two(-149.0, 57.0) as f32;
    let (h_a, h_b) = (random.extents() * size, random.extents() * size);
    near_contact(random, (q_a, h_a), (q_b, h_b), size.into())
}

fn bricks(random: &mut Random) -> (Obb, Obb) {
    let half = random.pick([Vec3::new(1.0, 0.5, 0.25), Vec3::splat(0.5), Vec3::new(0.1, 0.2, 0.3)]);
    let turn = random.rotation();
    let rotation = random.pick([
        Quat::IDENTITY,
        Quat::IDENTITY,
        turn,
        Quat::from_xyzw(0.0, 0.6, 0.0, 0.8),
    ]);
    let brick = |random: &mut Random| {
        let steps = Vec3::from([0; 3].map(|_| random.below(4) as f32));
        let shift = if steps.z % 2.0 == 1.0 { half.x } else { 0.0 };
        Obb::new(
            rotation * (steps * half * 2.0 + Vec3::new(shift, 0.0, 0.0)),
            half,
            rotation,
        )
    };
    (brick(random), brick(random))
}

/// Returns two rotations that differ by an angle of 1e-1 to 1e-12 about an axis of the first box or
/// any other.
fn nearly_parallel(random: &mut Random) -> (Quat, Quat) {
    let turn = random.rotation();
    let q_a = random.pick([turn, turn, Quat::IDENTITY]);
    let any = random.vector(1.0).normalize_or(DVec3::X);
    let axis = random.pick([DVec3::X, DVec3::Y, DVec3::Z, any]);
    let angle = 10f64.powf(-1.0 - 11.0 * random.unit());
    let quarter = DQuat::from_axis_angle(random.pick([DVec3::X, DVec3::Y, DVec3::Z]), std::f64::consts::FRAC_PI_2);
    let quarter = random.pick([DQuat::IDENTITY, quarter]);
    let q_b = DQuat::from_array(q_a.to_array().map(f64::from)) * DQuat::from_axis_angle(axis, angle) * quarter;
    (q_a, q_b.as_quat())
}

/// A box around the origin, with edges along the columns of `axes`, whose lengths are equal.
struct Solid {
    axes: DMat3,
    half: DVec3,
}

impl Solid {
    /// Returns the point with these coordinates in [-1, 1]³.
    fn point(&self, s: [f64; 3]) -> DVec3 {
        self.axes * (self.half * DVec3::from_array(s))
    }

    /// Returns a point furthest along `direction`. Coordinates along `free` axes (one for an edge,
    /// two for a face) are random, in steps of 1/4.
    fn support(&self, random: &mut Random, direction: DVec3, free: impl Fn(usize) -> bool) -> DVec3 {
        self.point([0, 1, 2].map(|k| {
            let along = self.axes.col(k).dot(direction);
            if free(k) || along == 0.0 {
                random.below(9) as f64 / 4.0 - 1.0
            } else {
                along.signum()
            }
        }))
    }
}

/// Returns the position of B's center, with A's at the origin, at which they touch along one of the
/// fifteen axes.
fn touch(random: &mut Random, a: &Solid, b: &Solid) -> DVec3 {
    let axis = random.below(15) as usize;
    let sign = if random.chance(2) { 1.0 } else { -1.0 };
    let (i, j) = if axis < 6 {
        (axis % 3, axis % 3)
    } else {
        ((axis - 6) / 3, (axis - 6) % 3)
    };
    match axis {
        0..3 => {
            let normal = a.axes.col(i) * sign;
            a.support(random, normal, |k| k != i) - b.support(random, -normal, |_| false)
        }
        3..6 => {
            let normal = b.axes.col(j) * sign;
            a.support(random, normal, |_| false) - b.support(random, -normal, |k| k != j)
        }
        _ => {
            let normal = a.axes.col(i).cross(b.axes.col(j)) * sign;
            a.support(random, normal, |k| k == i) - b.support(random, -normal, |k| k == j)
        }
    }
}

struct Random(SplitMix);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// Returns a random integer below `n` (small).
    fn below(&mut self, n: u64) -> u64 {
        self.0.next() % n
    }

    /// Returns `true` with probability 1 / `n`.
    fn chance(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy, const N: usize>(&mut self, choices: [T; N]) -> T {
        choices[self.below(N as u64) as usize]
    }

    /// Returns 2^x, with x between `low` and `high`.
    fn power_of_two(&mut self, low: f64, high: f64) -> f64 {
        (low + (high - low) * self.unit()).exp2()
    }

    /// Returns a vector with components in [-size, size).
    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::from_array([0; 3].map(|_| (2.0 * self.unit() - 1.0) * size))
    }

    /// Returns any rotation; the length of one in four is off 1 by up to 1e-3.
    fn rotation(&mut self) -> Quat {
        let q = loop {
            let q = DQuat::from_array([0; 4].map(|_| 2.0 * self.unit() - 1.0));
            if (0.01..=1.0).contains(&q.length_squared()) {
                break q.normalize();
            }
        };
        let off = if self.chance(4) {
            (2.0 * self.unit() - 1.0) * 0.99e-3
        } else {
            0.0
        };
        (q * (1.0 + off)).as_quat()
    }

    /// Returns a quaternion of multiples of 1/64 that is accepted as a unit quaternion, and its
    /// squared length.
    fn short_rotation(&mut self) -> (DQuat, f64) {
        loop {
            let [x, y, z] = [0; 3].map(|_| self.below(81) as f64 - 40.0);
            let w = (4096.0 - x * x - y * y - z * z).max(0.0).sqrt().round();
            let norm = x * x + y * y + z * z + w * w;
            if (norm - 4096.0).abs() < 8.0 {
                return (DQuat::from_xyzw(x, y, z, w) / 64.0, norm / 4096.0);
            }
        }
    }

    fn extents(&mut self) -> Vec3 {
        Vec3::from([0; 3].map(|_| self.power_of_two(-4.0, 1.0) as f32))
    }

    /// Sets one, two or three components to zero.
    fn flatten(&mut self, extents: Vec3) -> Vec3 {
        let zeros = self.pick([1, 2, 4, 3, 5, 6, 1, 2, 4, 3, 5, 6, 7]);
        Vec3::from([0, 1, 2].map(|k| if zeros >> k & 1 == 1 { 0.0 } else { extents[k] }))
    }

    /// Moves each component by up to three units in the last place, or leaves all unchanged.
    fn nudge(&mut self, v: Vec3) -> Vec3 {
        if self.chance(3) {
            return v;
        }
        Vec3::from(v.to_array().map(|component| {
            let steps = self.below(7) as i32 - 3;
            (0..steps.abs()).fold(component, |c, _| if steps > 0 { c.next_up() } else { c.next_down() })
        }))
    }
}
