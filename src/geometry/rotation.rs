//! Rotations without division or roots: the quaternion's matrix with homogeneous diagonal, `M(q)`,
//! is the rotation times `|q|²`.

use std::ops::{Add, Mul, Sub};

use glam::{DMat3, DQuat, DVec3, Mat3, Quat};

/// The operands of products and sums: floating-point numbers, lanes of them, integers of some
/// width.
pub(crate) trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Number for T {}

#[inline(always)]
fn twice<T: Number>(number: T) -> T {
    number + number
}

/// Returns `M(q)` by rows, and `|q|²`.
#[inline(always)]
pub(crate) fn matrix<T: Number>([x, y, z, w]: [T; 4]) -> ([[T; 3]; 3], T) {
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let (xy, yz, zx) = (x * y, y * z, z * x);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    let rows = [
        [ww + xx - yy - zz, twice(xy - wz), twice(zx + wy)],
        [twice(xy + wz), ww - xx + yy - zz, twice(yz - wx)],
        [twice(zx - wy), twice(yz + wx), ww - xx - yy + zz],
    ];
    (rows, ww + xx + yy + zz)
}

/// Computes `conj(a) b`.
#[inline(always)]
pub(crate) fn relative<T: Number>([ax, ay, az, aw]: [T; 4], [bx, by, bz, bw]: [T; 4]) -> [T; 4] {
    let [cx, cy, cz] = cross([ax, ay, az], [bx, by, bz]);
    [
        aw * bx - bw * ax - cx,
        aw * by - bw * ay - cy,
        aw * bz - bw * az - cz,
        aw * bw + ax * bx + ay * by + az * bz,
    ]
}

#[inline(always)]
pub(crate) fn cross<T: Number>(u: [T; 3], v: [T; 3]) -> [T; 3] {
    [
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ]
}

/// Returns `M(q)` and `|q|²` in f32.
#[inline(always)]
pub(crate) fn mat3(q: Quat) -> (Mat3, f32) {
    let (rows, length_squared) = matrix(q.to_array());
    (Mat3::from_cols_array_2d(&rows).transpose(), length_squared)
}

/// Returns `M(q)` and `|q|²` in f64.
#[inline(always)]
pub(crate) fn dmat3(q: DQuat) -> (DMat3, f64) {
    let (rows, length_squared) = matrix(q.to_array());
    (DMat3::from_cols_array_2d(&rows).transpose(), length_squared)
}

/// Computes `conj(a) b` in f32.
#[inline(always)]
pub(crate) fn relative_quat(a: Quat, b: Quat) -> Quat {
    let (a_v, b_v) = (a.xyz(), b.xyz());
    let v = a.w * b_v - b.w * a_v - a_v.cross(b_v);
    Quat::from_xyzw(v.x, v.y, v.z, a.w * b.w + a_v.dot(b_v))
}

/// Returns the two indices after `i`, cyclic modulo 3.
pub(crate) const fn others(i: usize) -> [usize; 2] {
    [(i + 1) % 3, (i + 2) % 3]
}

/// Returns a rotation that turns the unit vector `from` to the direction of `to`; the identity if
/// `to` is 0 or not finite.
pub(crate) fn turned_to(from: DVec3, to: DVec3) -> Quat {
    to.try_normalize()
        .map_or(DQuat::IDENTITY, |to| DQuat::from_rotation_arc(from, to))
        .as_quat()
}
