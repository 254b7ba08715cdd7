//! Random boxes for the integration tests. Every generator gives valid boxes (`Obb::problem` is
//! `None`).

use obbligato::Obb;
use obbligato::glam::{DQuat, DVec3, Quat, Vec3};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// A pair of boxes.
pub type Boxes = (Obb, Obb);

/// Settings for `proptest!`: this many cases, and no files written next to the tests.
pub fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A direction, uniform over the sphere.
pub fn direction() -> impl Strategy<Value = DVec3> {
    (-1.0..=1.0, 0.0..std::f64::consts::TAU).prop_map(|(z, turn): (f64, f64)| {
        let radius = (1.0 - z * z).sqrt();
        DVec3::new(radius * turn.cos(), radius * turn.sin(), z)
    })
}

/// A rotation, uniform over all of them (Shoemake, "Uniform random rotations", 1992).
pub fn rotation() -> impl Strategy<Value = Quat> {
    let turn = 0.0..std::f64::consts::TAU;
    (0.0..1.0, turn.clone(), turn).prop_map(|(part, first, second): (f64, f64, f64)| {
        let (a, b) = ((1.0 - part).sqrt(), part.sqrt());
        let [x, y, z, w] = [a * first.sin(), a * first.cos(), b * second.sin(), b * second.cos()];
        DQuat::from_xyzw(x, y, z, w).as_quat()
    })
}

/// A quaternion whose length deviates from 1 by almost as much as is accepted.
pub fn stretched_rotation() -> impl Strategy<Value = Quat> {
    (rotation(), -9.9e-4f32..9.9e-4).prop_map(|(rotation, error)| rotation * (1.0 + error))
}

/// Half extents of 0.1 to 1.
pub fn half_extents() -> impl Strategy<Value = Vec3> + Clone {
    prop::array::uniform3(0.1f32..1.0).prop_map(Vec3::from)
}

/// Half extents of which some are zero: plates, rods, points.
pub fn flat_half_extents() -> impl Strategy<Value = Vec3> + Clone {
    (half_extents(), 1u32..8).prop_map(|(half_extents, zeros)| {
        let keep = |bit: u32| if zeros >> bit & 1 == 0 { 1.0 } else { 0.0 };
        half_extents * Vec3::new(keep(0), keep(1), keep(2))
    })
}

/// Half extents from 1e-3 to 1e3, each independent.
pub fn uneven_half_extents() -> impl Strategy<Value = Vec3> + Clone {
    prop::array::uniform3(-3.0f32..3.0).prop_map(|exponents| Vec3::from(exponents.map(|e| 10f32.powf(e))))
}

/// Boxes of any rotation at distances where about half of the pairs collide.
pub fn general() -> impl Strategy<Value = Boxes> {
    placed(rotations(), half_extents(), Vec3::ZERO)
}

/// Like [`general`], with quaternions whose length is not 1.
pub fn stretched() -> impl Strategy<Value = Boxes> {
    placed((stretched_rotation(), stretched_rotation()), half_extents(), Vec3::ZERO)
}

/// Rotations that differ by an angle of 1e-1 to 1e-12, about any axis: edges that are nearly
/// parallel.
pub fn nearly_parallel() -> impl Strategy<Value = Boxes> {
    let rotations = (rotation(), direction(), -12.0..-1.0).prop_map(|(rotation, axis, exponent): (_, _, f64)| {
        let other = DQuat::from_axis_angle(axis, 10f64.powf(exponent)) * rotation.as_dquat();
        (rotation, other.as_quat())
    });
    placed(rotations, half_extents(), Vec3::ZERO)
}

/// A common rotation for both boxes.
pub fn same_rotation() -> impl Strategy<Value = Boxes> {
    placed(
        rotation().prop_map(|rotation| (rotation, rotation)),
        half_extents(),
        Vec3::ZERO,
    )
}

/// Boxes without volume.
pub fn flat() -> impl Strategy<Value = Boxes> {
    placed(rotations(), flat_half_extents(), Vec3::ZERO)
}

/// Sizes that differ by up to a million.
pub fn uneven() -> impl Strategy<Value = Boxes> {
    placed(rotations(), uneven_half_extents(), Vec3::ZERO)
}

/// Boxes about 1e5 from the origin, where neighbouring f32 numbers are 1/128 apart.
pub fn far_away() -> impl Strategy<Value = Boxes> {
    placed(rotations(), half_extents(), Vec3::new(1e5, -7e4, 3e4))
}

/// A pair of any kind.
pub fn any_pair() -> impl Strategy<Value = Boxes> {
    prop_oneof![
        general(),
        stretched(),
        nearly_parallel(),
        same_rotation(),
        flat(),
        uneven(),
        far_away()
    ]
}

/// Up to `most` boxes of all kinds near the origin, in groups that keep about one pair in four
/// apart.
pub fn scene(most: usize) -> impl Strategy<Value = Vec<Obb>> {
    let extents = prop_oneof![4 => half_extents(), 1 => flat_half_extents(), 1 => uneven_half_extents()];
    let center = prop::array::uniform3(-4.0f32..4.0).prop_map(Vec3::from);
    let solid = (center, extents, prop_oneof![rotation(), stretched_rotation()], 0u32..4);
    let solid = solid.prop_map(|(center, half_extents, rotation, group)| {
        let filter = if group == 0 { 0b1110 } else { u32::MAX };
        Obb::new(center, half_extents, rotation).with_groups(1 << group, filter)
    });
    prop::collection::vec(solid, 0..=most)
}

/// `count` values of a strategy, the same ones in each run.
pub fn samples<S: Strategy>(strategy: S, count: usize) -> impl Iterator<Item = S::Value> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(move |_| {
        strategy
            .new_tree(&mut runner)
            .expect("no strategy here rejects")
            .current()
    })
}

fn rotations() -> impl Strategy<Value = (Quat, Quat)> {
    (rotation(), rotation())
}

/// Two boxes, the first at `origin`, the second in any direction at a distance of up to the reaches
/// of both.
fn placed(
    rotations: impl Strategy<Value = (Quat, Quat)>,
    half_extents: impl Strategy<Value = Vec3> + Clone,
    origin: Vec3,
) -> impl Strategy<Value = Boxes> {
    let half_extents = (half_extents.clone(), half_extents);
    (rotations, half_extents, direction(), 0.0..1.0f32).prop_map(move |(rotations, half_extents, direction, part)| {
        let reach = half_extents.0.length() + half_extents.1.length();
        let center = origin + direction.as_vec3() * (reach * part);
        let a = Obb::new(origin, half_extents.0, rotations.0);
        (a, Obb::new(center, half_extents.1, rotations.1))
    })
}
