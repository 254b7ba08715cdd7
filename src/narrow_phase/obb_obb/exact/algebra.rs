//! Vectors, matrices and quaternions of whole numbers.

use std::ops::{Add, Mul, Sub};

use crate::narrow_phase::obb_obb::exact::wide::Wide;

/// The operands of products and sums: whole numbers of some width.
pub(crate) trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Number for T {}

/// `M(q)` by rows, and `|q|²`.
pub(crate) fn matrix<T: Number>([x, y, z, w]: [T; 4]) -> ([[T; 3]; 3], T) {
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let (xy, yz, zx) = (x * y, y * z, z * x);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    let twice = |number: T| number + number;
    let rows = [
        [ww + xx - yy - zz, twice(xy - wz), twice(zx + wy)],
        [twice(xy + wz), ww + yy - xx - zz, twice(yz - wx)],
        [twice(zx - wy), twice(yz + wx), ww + zz - xx - yy],
    ];
    (rows, ww + xx + yy + zz)
}

/// `conj(a) b`.
pub(crate) fn relative<T: Number>([ax, ay, az, aw]: [T; 4], [bx, by, bz, bw]: [T; 4]) -> [T; 4] {
    let [cx, cy, cz] = cross([ax, ay, az], [bx, by, bz]);
    [
        aw * bx - bw * ax - cx,
        aw * by - bw * ay - cy,
        aw * bz - bw * az - cz,
        aw * bw + ax * bx + ay * by + az * bz,
    ]
}

pub(crate) fn column<T: Copy>(m: &[[T; 3]; 3], k: usize) -> [T; 3] {
    [m[0][k], m[1][k], m[2][k]]
}

pub(crate) fn dot<const N: usize>(u: [Wide<N>; 3], v: [Wide<N>; 3]) -> Wide<N> {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

pub(crate) fn cross<T: Number>(u: [T; 3], v: [T; 3]) -> [T; 3] {
    [
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ]
}

pub(crate) fn subtract<const N: usize>(u: [Wide<N>; 3], v: [Wide<N>; 3]) -> [Wide<N>; 3] {
    [u[0] - v[0], u[1] - v[1], u[2] - v[2]]
}
