//! Shapes made from the types that applications use: arrays of any library, and end points.

use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Capsule, Obb, Obb64, Sphere,
    motion::Motion,
    shape::{Aabb, BoundingSphere, Pose, SweptSphere, Triangle},
};
use parry3d::math::{Pose3, Vector};
use proptest::prelude::*;

use crate::support::random::cases;

/// Arrays and the vectors of another library make the same shapes as those of the re-exported glam.
#[test]
fn every_shape_is_made_from_arrays() {
    let (a, b, c) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [0.5, 0.25, 0.125]);
    let [u, v, w] = [a, b, c].map(Vec3::from_array);
    let [x, y, z] = [a, b, c].map(Vector::from_array);
    let turn = Quat::from_rotation_z(0.3);
    assert_eq!(Obb::from_arrays(x, y, turn), Obb::new(u, v, turn));
    for made in [
        Capsule::from_arrays(a, 0.5, turn, 0.1),
        Capsule::from_arrays(x, 0.5, turn, 0.1),
    ] {
        assert_eq!(made, Capsule::new(u, 0.5, turn, 0.1));
    }
    for made in [Sphere::from_arrays(a, 0.5), Sphere::from_arrays(x, 0.5)] {
        assert_eq!(made, Sphere::new(u, 0.5));
    }
    for made in [Aabb::from_arrays(a, b), Aabb::from_arrays(x, y)] {
        assert_eq!(made, Aabb::new(u, v));
    }
    for made in [Triangle::from_arrays(a, b, c), Triangle::from_arrays(x, y, z)] {
        assert_eq!(made, Triangle::new(u, v, w));
    }
    for made in [Motion::from_arrays(a, b, c), Motion::from_arrays(x, y, z)] {
        assert_eq!(made, Motion::linear(u).turning(v).accelerated(w));
    }
}

/// Numbers leave every shape as they came in.
#[test]
fn every_shape_returns_its_arrays() {
    let (a, b, c, turn) = (
        [1.0, 2.0, 3.0],
        [4.0, 5.0, 6.0],
        [0.5, 0.25, 0.125],
        [0.0, 0.6, 0.0, 0.8],
    );
    assert_eq!(Obb::from_arrays(a, b, turn).to_arrays(), (a, b, turn));
    let far = [4e6, 5.5e6, 0.1];
    assert_eq!(Obb64::from_arrays(far, b, turn).to_arrays(), (far, b, turn));
    assert_eq!(Capsule::from_arrays(a, 0.5, turn, 0.1).to_arrays(), (a, 0.5, turn, 0.1));
    assert_eq!(Sphere::from_arrays(a, 0.5).to_arrays(), (a, 0.5));
    assert_eq!(Aabb::from_arrays(a, b).to_arrays(), [a, b]);
    assert_eq!(Triangle::from_arrays(a, b, c).to_arrays(), [a, b, c]);
    assert_eq!(Motion::from_arrays(a, b, c).to_arrays(), [a, b, c]);
    assert_eq!(Pose::from_arrays(a, turn).to_arrays(), (a, turn));
    assert_eq!(BoundingSphere::from_arrays(a, 0.5).to_arrays(), (a, 0.5));
    assert_eq!(SweptSphere::from_arrays([a, b], 0.5).to_arrays(), ([a, b], 0.5));
}

/// Two points, at all distances from each other and from the origin; some are equal, some on a line
/// parallel to an axis.
fn ends() -> impl Strategy<Value = [Vec3; 2]> {
    let vector = || prop::array::uniform3(-1.0f32..1.0).prop_map(Vec3::from);
    let sizes = prop::array::uniform2(-40.0f32..40.0);
    (vector(), vector(), sizes, 0usize..6).prop_map(|(at, way, sizes, kind)| {
        let [far, long] = sizes.map(f32::exp2);
        let way = match kind {
            axis @ 0..3 => Vec3::AXES[axis] * way.x,
            3 => Vec3::ZERO,
            _ => way,
        };
        [far * at, far * at + long * way]
    })
}

/// The largest coordinate.
fn size([a, b]: [Vec3; 2]) -> f32 {
    a.abs().max(b.abs()).max_element()
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn capsules_reach_from_end_to_end(ends in ends()) {
        let [a, b] = ends;
        let capsule = Capsule::from_ends(a, b, 0.25);
        prop_assert_eq!((capsule.problem(), capsule.radius), (None, 0.25));
        let half = capsule.half_length * (capsule.rotation * Vec3::Z);
        let error = (capsule.center - half).distance(a).max((capsule.center + half).distance(b));
        prop_assert!(error <= 2e-6 * size(ends), "off by {}", error);
        let [from, to] = capsule.ends();
        let error = from.distance(a).max(to.distance(b));
        prop_assert!(error <= 2e-6 * size(ends), "ends off by {}", error);
    }

    /// They are those of Parry, whose axis is y, and exactly upright unless they lean.
    #[test]
    fn capsules_along_y_have_the_ends_of_parrys(
        center in prop::array::uniform3(-9.0f32..9.0),
        axis in prop::array::uniform3(-1.0f32..1.0),
        angle in -4.0f32..4.0,
        half_length in 0.0f32..2.0,
    ) {
        let turn = Quat::from_scaled_axis(angle * Vec3::from(axis));
        let capsule = Capsule::along_y(center.into(), half_length, turn, 0.25);
        prop_assert_eq!(capsule.problem(), None);
        let pose = Pose3::from_parts(center.into(), turn);
        let segment = parry3d::shape::Capsule::new_y(half_length, 0.25).transform_by(&pose).segment;
        let [from, to] = capsule.ends();
        let error = from.distance(segment.a).max(to.distance(segment.b));
        prop_assert!(error <= 4e-6, "off by {}", error);

        let [foot, head] = Capsule::along_y(Vec3::ZERO, half_length, Quat::from_rotation_y(angle), 0.25).ends();
        prop_assert_eq!([foot, head], [-half_length, half_length].map(|y| Vec3::Y * y));
    }

    #[test]
    fn walls_stand_on_their_base_line(ends in ends(), axis in 0usize..3) {
        let [a, b] = ends;
        let length = a.distance(b);
        let up = Vec3::AXES[axis] * (1.0 + length);
        let wall = Obb::wall(a, b, up, 0.25 * length);
        prop_assert_eq!(wall.problem(), None);
        let along = (b - a).normalize_or_zero();
        let rise = up - up.dot(along) * along;
        // The ends of the foot, and those of the top.
        for (corner, expected) in [
            (Vec3::new(-1.0, 0.0, -1.0), a),
            (Vec3::new(1.0, 0.0, -1.0), b),
            (Vec3::new(-1.0, 0.0, 1.0), a + rise),
            (Vec3::new(1.0, 0.0, 1.0), b + rise),
        ] {
            let error = (wall.center + wall.rotation * (corner * wall.half_extents)).distance(expected);
            prop_assert!(error <= 4e-6 * (size(ends) + up.length()), "off by {}", error);
        }
        prop_assert_eq!(wall.half_extents.y, 0.125 * length);
    }
}

#[test]
fn any_ends_are_accepted_without_panic() {
    assert_eq!(Capsule::from_ends(Vec3::ONE, Vec3::ONE, 0.5).half_length, 0.0);
    let post = Obb::wall(Vec3::ONE, Vec3::ONE, Vec3::Y * 2.0, 0.0);
    assert_eq!((post.problem(), post.center), (None, Vec3::new(1.0, 2.0, 1.0)));
    for bad in [Vec3::NAN, Vec3::INFINITY] {
        assert!(Capsule::from_ends(Vec3::ONE, bad, 0.5).problem().is_some());
        assert!(Obb::wall(Vec3::ONE, bad, Vec3::Y, 0.1).problem().is_some());
        assert!(Obb::wall(Vec3::ONE, Vec3::ZERO, bad, 0.1).problem().is_some());
    }
    assert!(Capsule::from_ends(Vec3::ONE, Vec3::ZERO, -0.5).problem().is_some());
    assert!(Obb::wall(Vec3::ONE, Vec3::ZERO, Vec3::Y, -0.1).problem().is_some());
}
