//! An independent check: poses by matrices, and shapes of Parry.

use obbligato_robot::obbligato::glam::{DMat4, DVec3, Quat, Vec3};
use obbligato_robot::obbligato::shape::{BodyRef, OwnedBodies};
use obbligato_robot::obbligato::{Backend, Capsule, Config, Obb, Sphere};
use obbligato_robot::{LinkPose, Robot};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query;
use parry3d::shape::{Ball, Cuboid, Shape};

pub const ARM: &str = include_str!("../arm.urdf");

/// The hand and each finger.
pub const FINGERS: [[usize; 2]; 2] = [[6, 8], [6, 9]];

pub fn config() -> Config {
    Config {
        backend: Backend::Cpu,
        ..Config::default()
    }
}

/// The robot of the file, whose fingers always overlap the hand.
pub fn arm_with_all_pairs() -> Robot {
    Robot::from_urdf_text(ARM, "", config()).expect("a robot")
}

/// The robot without these pairs.
pub fn arm() -> Robot {
    arm_with_all_pairs().with_allowed(FINGERS).expect("links")
}

/// Boxes, a ball and a rod around the arm.
pub fn cell() -> OwnedBodies {
    let turned = Quat::from_euler(obbligato_robot::obbligato::glam::EulerRot::XYZ, 0.3, 0.2, 0.9);
    OwnedBodies {
        boxes: vec![
            Obb::axis_aligned(Vec3::new(0.0, 0.0, -0.12), Vec3::new(2.0, 2.0, 0.05)),
            Obb::new(Vec3::new(0.6, 0.1, 0.5), Vec3::new(0.1, 0.3, 0.2), turned),
            Obb::new(Vec3::new(-0.5, -0.4, 0.6), Vec3::new(0.2, 0.05, 0.4), turned),
        ],
        capsules: vec![Capsule::new(Vec3::new(0.1, 0.7, 0.8), 0.4, turned, 0.06)],
        spheres: vec![Sphere::new(Vec3::new(0.2, -0.6, 0.9), 0.15)],
    }
}

/// Poses of the links by products of matrices, straight from the file.
pub fn poses(robot: &Robot, configuration: &[f64]) -> Vec<DMat4> {
    let file = urdf_rs::read_from_string(ARM).expect("URDF");
    let value = |name: &str| {
        let column = robot.joints().iter().position(|joint| joint.name == name);
        configuration[column.expect("a joint that moves")]
    };
    let matrix_of = |joint: &urdf_rs::Joint| {
        let [roll, pitch, yaw] = joint.origin.rpy.0;
        let origin = DMat4::from_translation(DVec3::from(joint.origin.xyz.0))
            * DMat4::from_rotation_z(yaw)
            * DMat4::from_rotation_y(pitch)
            * DMat4::from_rotation_x(roll);
        let axis = DVec3::from(joint.axis.xyz.0).normalize_or(DVec3::X);
        let value = match &joint.mimic {
            Some(mimic) => mimic.multiplier.unwrap_or(1.0) * value(&mimic.joint) + mimic.offset.unwrap_or(0.0),
            None if joint.joint_type == urdf_rs::JointType::Fixed => 0.0,
            None => value(&joint.name),
        };
        match joint.joint_type {
            urdf_rs::JointType::Prismatic => origin * DMat4::from_translation(axis * value),
            _ => origin * DMat4::from_axis_angle(axis, value),
        }
    };
    let of_link = |name: &str| {
        let (mut name, mut matrix) = (name.to_owned(), DMat4::IDENTITY);
        while let Some(joint) = file.joints.iter().find(|joint| joint.child.link == name) {
            matrix = matrix_of(joint) * matrix;
            name.clone_from(&joint.parent.link);
        }
        matrix
    };
    file.links.iter().map(|link| of_link(&link.name)).collect()
}

pub fn matrix(pose: &LinkPose) -> DMat4 {
    DMat4::from_rotation_translation(pose.rotation, pose.translation)
}

/// Returns the signed distance of two bodies by Parry, if it is below 0.01; 0 where the two tests
/// that Parry has, in `f32`, contradict each other.
pub fn gap(a: BodyRef<'_>, b: BodyRef<'_>) -> Option<f32> {
    let [(pose_a, a), (pose_b, b)] = [a, b].map(shape);
    let contact = query::contact(&pose_a, &*a, &pose_b, &*b, 0.01).expect("a supported pair");
    let intersection = query::intersection_test(&pose_a, &*a, &pose_b, &*b).expect("a supported pair");
    match (intersection.intersecting, contact.map(|contact| contact.dist)) {
        // No contact is found of bodies that overlap deeply.
        (true, None) => Some(-1.0),
        (intersects, Some(gap)) if intersects != (gap <= 0.0) => Some(0.0),
        (_, gap) => gap,
    }
}

fn shape(body: BodyRef<'_>) -> (Pose, Box<dyn Shape>) {
    match body {
        BodyRef::Box(one) => (
            pose(one.center, one.rotation),
            Box::new(Cuboid::new(Vector::from_array(one.half_extents.to_array()))),
        ),
        BodyRef::Capsule(one) => (
            pose(one.center, one.rotation),
            Box::new(parry3d::shape::Capsule::new_z(one.half_length, one.radius)),
        ),
        BodyRef::Sphere(one) => (pose(one.center, Quat::IDENTITY), Box::new(Ball::new(one.radius))),
    }
}

fn pose(center: Vec3, rotation: Quat) -> Pose {
    Pose::from_parts(
        Vector::from_array(center.to_array()),
        Rotation::from_array(rotation.to_array()),
    )
}
