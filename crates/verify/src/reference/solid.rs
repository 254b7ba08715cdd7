//! The axes and corners of a box.

use glam::{DMat3, DVec3, Quat};

use obbligato::Obb;

/// Returns the box's rotation.
pub(super) fn frame(solid: &Obb) -> DMat3 {
    turn(solid.rotation)
}

/// Returns a rotation `M(q) / |q|^2`; products of the stored numbers are exact in f64.
pub(super) fn turn(rotation: Quat) -> DMat3 {
    let [x, y, z, w] = rotation.to_array().map(f64::from);
    let length_squared = x * x + y * y + z * z + w * w;
    let x_axis = DVec3::new(
        w * w + x * x - y * y - z * z,
        2.0 * (x * y + w * z),
        2.0 * (x * z - w * y),
    );
    let y_axis = DVec3::new(
        2.0 * (x * y - w * z),
        w * w - x * x + y * y - z * z,
        2.0 * (y * z + w * x),
    );
    let z_axis = DVec3::new(
        2.0 * (x * z + w * y),
        2.0 * (y * z - w * x),
        w * w - x * x - y * y + z * z,
    );
    DMat3::from_cols(
        x_axis / length_squared,
        y_axis / length_squared,
        z_axis / length_squared,
    )
}

/// Returns the box's own axes in the world, of length 1.
pub(super) fn columns(frame: &DMat3) -> [DVec3; 3] {
    [frame.x_axis, frame.y_axis, frame.z_axis]
}

/// Returns the eight corners of the box with its center moved to `center`.
pub(super) fn corners(solid: &Obb, frame: &DMat3, center: DVec3) -> [DVec3; 8] {
    let half_extents = solid.half_extents.as_dvec3();
    std::array::from_fn(|corner| {
        let sign = |bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
        center + *frame * (half_extents * DVec3::new(sign(0), sign(1), sign(2)))
    })
}

/// Returns the unit vector orthogonal to two unit vectors, NaN if they are parallel, and the sine
/// of their angle.
pub(super) fn normal(a: DVec3, b: DVec3) -> (DVec3, f64) {
    let normal = DVec3::new(
        determinant(a.y, a.z, b.y, b.z),
        determinant(a.z, a.x, b.z, b.x),
        determinant(a.x, a.y, b.x, b.y),
    );
    let sine = normal.length();
    (normal / sine, sine)
}

/// Returns `a d - b c`, accurate to about an ulp of the result despite cancellation (Kahan's
/// formula; Jeannerod, Louvet and Muller, "Further analysis of Kahan's algorithm for the accurate
/// computation of 2 x 2 determinants", 2013).
///
/// With the plain formula, the normal of two nearly parallel edges would have a random direction.
fn determinant(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let product = b * c;
    let error = (-b).mul_add(c, product);
    a.mul_add(d, -product) + error
}
