//! Properties of boxes by other formulas than the library's, for tests of contacts.

use obbligato::Obb;
use obbligato::glam::{DMat3, DQuat, DVec3};

/// The matrix from the box's frame to the world, with the box's center as origin.
pub fn frame(solid: &Obb) -> DMat3 {
    let [x, y, z, w] = solid.rotation.to_array().map(f64::from);
    DMat3::from_quat(DQuat::from_xyzw(x, y, z, w).normalize())
}

/// The distance of a point from the box, 0 if it is inside.
pub fn outside(solid: &Obb, point: DVec3) -> f64 {
    let local = frame(solid).transpose() * (point - solid.center.as_dvec3());
    (local.abs() - solid.half_extents.as_dvec3()).max(DVec3::ZERO).length()
}

/// The reach of the box from its center along a direction.
pub fn reach(solid: &Obb, along: DVec3) -> f64 {
    ((frame(solid).transpose() * along).abs() * solid.half_extents.as_dvec3()).element_sum()
}

/// The distance that B must move along an axis to be clear of A.
pub fn overlap(a: &Obb, b: &Obb, axis: DVec3) -> f64 {
    reach(a, axis) + reach(b, axis) - (b.center.as_dvec3() - a.center.as_dvec3()).dot(axis)
}

/// The overlap along each of the fifteen axes, in both directions, with the axes.
pub fn overlaps(a: &Obb, b: &Obb) -> Vec<(f64, DVec3)> {
    let (axes_a, axes_b) = (frame(a), frame(b));
    let faces = (0..3).flat_map(|i| [axes_a.col(i), axes_b.col(i)]);
    let edges = (0..9).map(|k| axes_a.col(k / 3).cross(axes_b.col(k % 3)));
    let edges = edges.filter(|axis| axis.length() > 1e-6).map(DVec3::normalize);
    faces
        .chain(edges)
        .flat_map(|axis| [axis, -axis])
        .map(|axis| (overlap(a, b, axis), axis))
        .collect()
}

/// The distance of the centers plus all half extents: the unit of errors.
pub fn size(a: &Obb, b: &Obb) -> f64 {
    let extents = (a.half_extents.as_dvec3() + b.half_extents.as_dvec3()).element_sum();
    a.center.as_dvec3().distance(b.center.as_dvec3()) + extents
}
