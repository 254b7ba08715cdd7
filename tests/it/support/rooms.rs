//! Rooms and boxes that are hard to decide, and an oracle that shares no code with the library: its
//! corners are integers of any size.

use std::sync::LazyLock;

use num_bigint::{BigInt, Sign};
use obbligato::glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use obbligato::{
    Obb,
    region::{Enclosure, EnclosureState, Room},
};

use super::cases::Numbers;

/// A room, and the data that the oracle needs about it.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub room: Room,
    /// Twice the center is the sum of these; so are twice the half extents.
    center: [Vec3; 2],
    half: [Vec3; 2],
    pub rotation: Quat,
}

impl Known {
    pub fn spanning(min: Vec3, max: Vec3, rotation: Quat) -> Self {
        let room = Room::new(min, max)
            .and_then(|room| room.turned(rotation))
            .expect("a room");
        Self {
            room,
            center: [min, max],
            half: [max, -min],
            rotation,
        }
    }

    pub fn oriented(center: Vec3, half: Vec3, rotation: Quat) -> Self {
        Self {
            room: Room::oriented(center, half, rotation).expect("a room"),
            center: [center; 2],
            half: [half; 2],
            rotation,
        }
    }

    /// Approximate center and half extents in f64.
    pub fn about(&self) -> (DVec3, DVec3) {
        let middle = |[u, v]: [Vec3; 2]| (u.as_dvec3() + v.as_dvec3()) / 2.0;
        (middle(self.center), middle(self.half))
    }
}

type Vector = [BigInt; 3];

/// The number in units of 2^-149, of which every f32 is an integer multiple.
fn whole(x: f32) -> BigInt {
    let bits = x.to_bits();
    let (exponent, fraction) = (bits >> 23 & 0xFF, bits & 0x007F_FFFF);
    let size = match exponent {
        0 => BigInt::from(fraction),
        _ => BigInt::from(fraction | 0x0080_0000) << (exponent - 1),
    };
    if x < 0.0 { -size } else { size }
}

fn vector(v: Vec3) -> Vector {
    v.to_array().map(whole)
}

fn add(u: &Vector, v: &Vector) -> Vector {
    [0, 1, 2].map(|k| &u[k] + &v[k])
}

fn times(u: &Vector, factor: &BigInt) -> Vector {
    [0, 1, 2].map(|k| &u[k] * factor)
}

fn dot(u: &Vector, v: &Vector) -> BigInt {
    &u[0] * &v[0] + &u[1] * &v[1] + &u[2] * &v[2]
}

fn cross(u: &Vector, v: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| &u[i] * &v[j] - &u[j] * &v[i])
}

/// The quaternion's axes, each of length |q|²; and |q|².
fn axes(q: Quat) -> ([Vector; 3], BigInt) {
    let [x, y, z, w] = q.to_array().map(whole);
    let two = BigInt::from(2);
    let diagonal = |a: &BigInt, b: &BigInt, c: &BigInt| &w * &w + a * a - b * b - c * c;
    let axes = [
        [
            diagonal(&x, &y, &z),
            &two * (&x * &y + &w * &z),
            &two * (&x * &z - &w * &y),
        ],
        [
            &two * (&x * &y - &w * &z),
            diagonal(&y, &x, &z),
            &two * (&y * &z + &w * &x),
        ],
        [
            &two * (&x * &z + &w * &y),
            &two * (&y * &z - &w * &x),
            diagonal(&z, &x, &y),
        ],
    ];
    (axes, &x * &x + &y * &y + &z * &z + &w * &w)
}

/// The eight signed sums of half extents along axes.
fn corners(axes: &[Vector; 3], half: &Vector) -> Vec<Vector> {
    let zero = || [0, 1, 2].map(|_| BigInt::ZERO);
    (0..8)
        .map(|corner| {
            (0..3).fold(zero(), |sum, k| {
                let along = times(&axes[k], &half[k]);
                add(
                    &sum,
                    &if corner >> k & 1 == 0 {
                        along
                    } else {
                        times(&along, &BigInt::from(-1))
                    },
                )
            })
        })
        .collect()
}

fn interval(corners: &[Vector], axis: &Vector) -> (BigInt, BigInt) {
    let along: Vec<BigInt> = corners.iter().map(|corner| dot(corner, axis)).collect();
    let (low, high) = (along.iter().min(), along.iter().max());
    (low.expect("eight").clone(), high.expect("eight").clone())
}

/// The exact answer.
pub fn oracle(known: &Known, obb: &Obb) -> Enclosure {
    let (room_axes, n_room) = axes(known.rotation);
    let (box_axes, n_box) = axes(obb.rotation);
    // Everything relative to the room's center, doubled and times both |q|².
    let two = BigInt::from(2);
    let room_center = add(&vector(known.center[0]), &vector(known.center[1]));
    let half = add(&vector(known.half[0]), &vector(known.half[1]));
    let room_corners: Vec<Vector> = corners(&room_axes, &half)
        .iter()
        .map(|corner| times(corner, &n_box))
        .collect();
    let offset = add(
        &times(&vector(obb.center), &two),
        &times(&room_center, &BigInt::from(-1)),
    );
    let offset = times(&offset, &(&n_box * &n_room));
    let box_half = times(&vector(obb.half_extents), &two);
    let box_corners: Vec<Vector> = corners(&box_axes, &box_half)
        .iter()
        .map(|corner| add(&times(corner, &n_room), &offset))
        .collect();

    let mut walls = 0;
    for (k, axis) in room_axes.iter().enumerate() {
        let (low, high) = interval(&box_corners, axis);
        let (min, max) = interval(&room_corners, axis);
        walls |= u8::from(low <= min) << (2 * k) | u8::from(high >= max) << (2 * k + 1);
    }
    let edges = (0..9).map(|k| cross(&room_axes[k / 3], &box_axes[k % 3]));
    let outside = room_axes.iter().chain(&box_axes).cloned().chain(edges).any(|axis| {
        let ((low, high), (min, max)) = (interval(&box_corners, &axis), interval(&room_corners, &axis));
        low > max || high < min
    });
    let state = match (outside, walls) {
        (true, _) => EnclosureState::Outside,
        (false, 0) => EnclosureState::Inside,
        _ => EnclosureState::Crossing,
    };
    // Otherwise the oracle itself is wrong.
    assert!(n_room.sign() == Sign::Plus && (state != EnclosureState::Outside || walls != 0));
    Enclosure { state, walls }
}

/// A rotation whose numbers have few bits, so that products of them are exact in f32; its length is
/// 1.0005.
pub const SHORT: Quat = Quat::from_xyzw(40.0 / 64.0, 40.0 / 64.0, 24.0 / 64.0, 18.0 / 64.0);

/// Rooms of all kinds.
pub static ROOMS: LazyLock<Vec<(&str, Known)>> = LazyLock::new(|| {
    let mut numbers = Numbers::new(11);
    let quarter = Quat::from_xyzw(0.0, 0.5f32.sqrt(), 0.0, 0.5f32.sqrt());
    let tilted = Quat::from_rotation_z(0.4);
    let (low, high) = (Vec3::new(-2.0, -3.0, 0.0), Vec3::new(3.0, 1.0, 2.5));
    vec![
        ("aligned", Known::spanning(low, high, Quat::IDENTITY)),
        ("with corners of many digits", {
            Known::spanning(
                Vec3::new(-0.1, 0.3, -7.7),
                Vec3::new(10.1, 2.0 / 3.0, 1.1),
                Quat::IDENTITY,
            )
        }),
        ("whose center is no f64", {
            Known::spanning(Vec3::new(1e-12, -1e9, 0.1), Vec3::new(1e9, 1e-12, 3.3), tilted)
        }),
        ("turned by a quarter", Known::spanning(low, high, quarter)),
        ("tilted", Known::spanning(low, high, tilted)),
        (
            "turned anyhow",
            Known::oriented(Vec3::ONE, Vec3::new(1.0, 2.0, 0.7), numbers.rotation()),
        ),
        ("turned anyhow, and stretched", {
            Known::oriented(-Vec3::ONE, Vec3::new(1.3, 0.2, 0.7), numbers.rotation() * 1.0009)
        }),
        (
            "with numbers of few bits",
            Known::oriented(Vec3::ZERO, Vec3::splat(2.0 * 4100.0 / 4096.0), SHORT),
        ),
        (
            "far away",
            Known::oriented(Vec3::new(1e6, -1e6, 3e5), Vec3::splat(3.0), numbers.rotation()),
        ),
        (
            "huge",
            Known::spanning(Vec3::splat(-1e17), Vec3::splat(1e17), Quat::IDENTITY),
        ),
        ("tiny", Known::oriented(Vec3::ZERO, Vec3::splat(3e-39), tilted)),
    ]
});

/// Boxes of all sizes around a room: at random places; at approximately the distance where they
/// touch along one of the fifteen axes; and with walls parallel or nearly parallel to the room's.
pub fn boxes_about(known: &Known, count: usize, seed: u64) -> Vec<Obb> {
    let mut numbers = Numbers::new(seed);
    let (center, half) = known.about();
    let unit = known.rotation.as_dquat().normalize();
    (0..count)
        .map(|i| {
            let size = half.element_sum() * [0.02, 0.2, 0.5, 1.5][i % 4];
            let mut extents = (size * (0.2 + f64::from(numbers.part()))) * DVec3::from(numbers.point().abs());
            if i % 7 == 3 {
                extents[i / 7 % 3] = 0.0;
            }
            let angle = 10f32.powf(-8.0 * numbers.part());
            let rotation = match i % 5 {
                0 => known.rotation,
                1 => (Quat::from_scaled_axis(numbers.point() * angle) * known.rotation).normalize(),
                2 => numbers.rotation() * (1.0 - 9e-4),
                _ => numbers.rotation(),
            };
            let place = numbers.point().as_dvec3() * (half + extents) * 1.1;
            let mut at = center + unit * place;
            if i % 3 != 0 {
                let turned = DMat3::from_quat(rotation.as_dquat().normalize());
                at += touch(
                    at - center,
                    (&DMat3::from_quat(unit), half),
                    (&turned, extents),
                    i / 3 % 15,
                );
            }
            Obb::new(at.as_vec3(), extents.as_vec3(), rotation)
        })
        .collect()
}

/// The shift along one of the fifteen axes that makes a room and a box at `d` touch, from outside
/// or, along the room's axes, from inside.
fn touch(d: DVec3, room: (&DMat3, DVec3), solid: (&DMat3, DVec3), axis: usize) -> DVec3 {
    let l = match axis {
        0..3 => room.0.col(axis),
        3..6 => solid.0.col(axis - 3),
        _ => room
            .0
            .col((axis - 6) / 3)
            .cross(solid.0.col((axis - 6) % 3))
            .normalize_or_zero(),
    };
    let radius = |(axes, half): (&DMat3, DVec3)| (axes.transpose() * l).abs().dot(half);
    let inside = axis < 3 && d.x > d.y;
    let reach = if inside {
        radius(room) - radius(solid)
    } else {
        radius(room) + radius(solid)
    };
    let along = d.dot(l);
    l * (reach * along.signum() - along)
}

/// Boxes with walls parallel to those of the room with numbers of few bits, each exactly at some of
/// them: inside, beyond, across.
pub fn boxes_exactly_at_walls(count: usize) -> Vec<Obb> {
    let n = 4100.0 / 4096.0;
    let axes = DMat3::from_quat(SHORT.as_dquat().normalize()) * n;
    let mut numbers = Numbers::new(5);
    let steps = [-3.0, -2.5, -2.0, -1.5, -1.0, 0.0, 1.0, 1.5, 2.0, 2.5, 3.0];
    (0..count)
        .map(|_| {
            let mut any = || steps[(numbers.part() * 11.0) as usize];
            let at = DVec3::new(any(), any(), any());
            let half = [1.0f32, 0.5][usize::from(any() < 0.0)];
            Obb::new((axes * at).as_vec3(), Vec3::splat(half * n as f32), SHORT)
        })
        .collect()
}

/// The box's rotation as a unit quaternion, for points in its own frame.
pub fn unit(obb: &Obb) -> DQuat {
    obb.rotation.as_dquat().normalize()
}
