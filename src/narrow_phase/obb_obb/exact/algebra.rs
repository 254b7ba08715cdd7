//! Vectors and matrices of integers.

use crate::narrow_phase::obb_obb::exact::wide::Wide;

pub(crate) fn column<T: Copy>(m: &[[T; 3]; 3], k: usize) -> [T; 3] {
    [m[0][k], m[1][k], m[2][k]]
}

pub(crate) fn dot<const N: usize>(u: [Wide<N>; 3], v: [Wide<N>; 3]) -> Wide<N> {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

pub(crate) fn subtract<const N: usize>(u: [Wide<N>; 3], v: [Wide<N>; 3]) -> [Wide<N>; 3] {
    [u[0] - v[0], u[1] - v[1], u[2] - v[2]]
}
