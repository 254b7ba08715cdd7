//! Vectors in parry's type.

use obbligato::glam::Vec3;
use parry3d::math::Vector;

/// Converts a vector.
pub fn vector(v: Vec3) -> Vector {
    Vector::from_array(v.to_array())
}
