//! The overlap of two boxes that have an axis in common: an area times a length.
//!
//! Boxes of equal rotation overlap in a box: three lengths. If B is A rotated about one of its axes
//! (as all upright boxes are), the rectangle of B across it is clipped by that of A. The error is
//! at most that of [`clip`](super::clip), of which this is a part, and of an area it is the same
//! without the terms of the third axis.

use crate::narrow_phase::obb_obb::overlap::float::Float;
use crate::narrow_phase::obb_obb::overlap::polygon::Polygon;
use crate::narrow_phase::obb_obb::overlap::two::Placed;

/// Returns the length that both boxes have in common along an axis of A to which an axis of B is
/// parallel.
pub(super) fn length<T: Float>(placed: &Placed<T>, axis: usize) -> T {
    let [a, b] = [placed.half[0][axis], placed.half[1][axis]];
    let [small, large] = if b < a { [b, a] } else { [a, b] };
    let apart = placed.t[axis].size();
    if apart <= large - small {
        return small + small;
    }
    let shared = small + (large - apart);
    if shared < T::from(0.0) { T::from(0.0) } else { shared }
}

/// Returns the area that both boxes have in common across an axis about which B is rotated.
pub(super) fn area<T: Float>(placed: &Placed<T>, axis: usize) -> T {
    let [x, y] = [(axis + 1) % 3, (axis + 2) % 3];
    let Placed { t, c, half } = placed;
    let edge = |along: usize| [c[x][along] * half[1][along], c[y][along] * half[1][along]];
    let [u, v] = [edge(x), edge(y)];
    let corner = |a: bool, b: bool| {
        let along = |k: usize, middle: T| {
            let side = if a { middle + u[k] } else { middle - u[k] };
            if b { side + v[k] } else { side - v[k] }
        };
        [along(0, t[x]), along(1, t[y])]
    };
    let [mut polygon, mut between] = [Polygon::empty(), Polygon::empty()];
    polygon.set([
        corner(false, false),
        corner(true, false),
        corner(true, true),
        corner(false, true),
    ]);
    polygon.clip_both(0, half[0][x], &mut between);
    polygon.clip_both(1, half[0][y], &mut between);
    polygon.doubled_area() / T::from(2.0)
}
