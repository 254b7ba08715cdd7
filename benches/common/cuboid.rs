//! Boxes in parry's types.

use obbligato::Obb;
use parry3d::math::{Pose, Rotation};
use parry3d::shape::Cuboid;

use super::parry::vector;

/// Converts a box.
pub fn cuboid(obb: &Obb) -> (Pose, Cuboid) {
    let rotation = Rotation::from_array(obb.rotation.normalize().to_array());
    let pose = Pose::from_parts(vector(obb.center), rotation);
    (pose, Cuboid::new(vector(obb.half_extents)))
}
