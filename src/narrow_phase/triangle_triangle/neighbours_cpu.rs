//! Twin of `shaders/narrow_phase/triangle_triangle/neighbours.wgsl`: tests whether two triangles
//! share more than their common corners, in `f32` with three answers, one pair per lane. The
//! formulas are in [`filter`](super::filter).

use fearless_simd::prelude::*;

use crate::base::lanes::{Simd, axes};
use crate::narrow_phase::triangle_triangle::filter::{CONE_ERROR, FLUSH, VOLUME_ERROR};
use crate::narrow_phase::triangle_triangle::vectors::{
    Masks, Plan, UNIT, Vectors, cross, difference, dot, scale_of, size,
};
use crate::shapes::triangle::lanes::TriangleLanes;

/// The corners of each triangle that are also corners of the other.
pub(super) struct Common<S: Simd> {
    of_a: [S::mask32s; 3],
    of_b: [S::mask32s; 3],
}

impl<S: Simd> Common<S> {
    #[inline(always)]
    pub fn of(a: &TriangleLanes<S>, b: &TriangleLanes<S>) -> Self {
        let same = axes!(|i| axes!(|j| {
            let same = axes!(|k| a.corners[i][k].simd_eq(b.corners[j][k]));
            same[0] & same[1] & same[2]
        }));
        Self {
            of_a: axes!(|i| same[i][0] | same[i][1] | same[i][2]),
            of_b: axes!(|j| same[0][j] | same[1][j] | same[2][j]),
        }
    }

    /// Returns the pairs that have a common corner.
    #[inline(always)]
    pub fn any(&self) -> S::mask32s {
        let [first, second, third] = self.of_a;
        first | second | third
    }
}

/// Returns the lanes with at least two of three set, and those with all set.
#[inline(always)]
fn two_and_all<S: Simd>([a, b, c]: [S::mask32s; 3]) -> [S::mask32s; 2] {
    [(a & b) | (b & c) | (c & a), a & b & c]
}

/// Returns the corners in cyclic order, from the common one that follows one which is not common.
#[inline(always)]
fn from_common<S: Simd>(corners: &[Vectors<S>; 3], common: [S::mask32s; 3]) -> [Vectors<S>; 3] {
    let is_first = common[0] & !common[2];
    let is_second = common[1] & !common[0];
    let corner = |first: Vectors<S>, second: Vectors<S>, third: Vectors<S>| {
        axes!(|k| is_first.select(first[k], is_second.select(second[k], third[k])))
    };
    let [a, b, c] = *corners;
    [corner(a, b, c), corner(b, c, a), corner(c, a, b)]
}

/// The sign of a number, if it is certain.
#[derive(Clone, Copy)]
struct Sign<S: Simd> {
    above: S::mask32s,
    below: S::mask32s,
}

impl<S: Simd> Sign<S> {
    #[inline(always)]
    fn of(value: S::f32s, error: S::f32s) -> Self {
        Self {
            above: value.simd_gt(error),
            below: value.simd_lt(-error),
        }
    }

    /// Returns the lanes in which both are certain and equal.
    #[inline(always)]
    fn is_that_of(self, other: Self) -> S::mask32s {
        (self.above & other.above) | (self.below & other.below)
    }

    /// Returns the lanes in which both are certain and different.
    #[inline(always)]
    fn is_not_that_of(self, other: Self) -> S::mask32s {
        (self.above & other.below) | (self.below & other.above)
    }
}

/// Tests pairs with a common corner. For others the answer does not matter.
#[inline(always)]
pub(super) fn test_neighbours<S: Simd>(
    simd: S,
    a: &TriangleLanes<S>,
    b: &TriangleLanes<S>,
    common: &Common<S>,
) -> Masks<S> {
    let [two_of_a, all_of_a] = two_and_all::<S>(common.of_a);
    let [two_of_b, all_of_b] = two_and_all::<S>(common.of_b);
    let at_corner = !two_of_a & !two_of_b;
    let at_edge = two_of_a & two_of_b & !(all_of_a | all_of_b);
    let [c, p, q] = from_common::<S>(&a.corners, common.of_a);
    let [_, r, t] = from_common::<S>(&b.corners, common.of_b);
    let [u, v] = [difference(p, c), difference(q, c)];
    let [w, z] = [difference(r, c), difference(t, c)];
    let scale = scale_of(simd, size(u).max(size(v)).max(size(w)).max(size(z)));
    let times = |vector: Vectors<S>| axes!(|k| vector[k] * scale);
    let vectors = Vectors4 {
        from_a: [times(u), times(v)],
        from_b: [times(w), times(z)],
    };
    let normal = cross(vectors.from_a[0], vectors.from_a[1]);
    let [h_w, h_z] = heights::<S>(vectors.from_a, normal, vectors.from_b);
    let other = cross(vectors.from_b[0], vectors.from_b[1]);
    let [g_u, g_v] = heights::<S>(vectors.from_b, other, vectors.from_a);
    let crossing = h_w.is_not_that_of(h_z) & g_u.is_not_that_of(g_v);
    let apart = h_w.is_that_of(h_z) | g_u.is_that_of(g_v) | (crossing & h_w.is_that_of(g_u));
    let meeting = at_corner & crossing & h_w.is_not_that_of(g_u);
    let mut separated = (at_corner & apart) | (at_edge & (h_z.above | h_z.below));
    let open = (at_corner | at_edge) & !(separated | meeting);
    if open.any_true() {
        let [corner, edge] = separated_in_plan::<S>(&vectors, normal);
        separated |= open & ((at_corner & corner) | (at_edge & edge));
    }
    Masks { separated, meeting }
}

/// The scaled vectors from a common corner to the two others of either triangle.
struct Vectors4<S: Simd> {
    from_a: [Vectors<S>; 2],
    from_b: [Vectors<S>; 2],
}

/// Returns the sides of the plane of two vectors on which two others are.
#[inline(always)]
fn heights<S: Simd>(plane: [Vectors<S>; 2], normal: Vectors<S>, others: [Vectors<S>; 2]) -> [Sign<S>; 2] {
    let farthest = size(others[0]).max(size(others[1]));
    let error = size(plane[0]) * size(plane[1]) * farthest * (VOLUME_ERROR * UNIT) + FLUSH;
    others.map(|other| Sign::of(dot(normal, other), error))
}

/// Returns the lanes in which cones with a common tip share no ray, and those in which triangles
/// with a common edge are on two sides of it, seen along the axis of the largest component of the
/// normal of one.
#[inline(always)]
fn separated_in_plan<S: Simd>(vectors: &Vectors4<S>, normal: Vectors<S>) -> [S::mask32s; 2] {
    let plan = Plan::<S>::along(normal);
    let turn = |x: Vectors<S>, y: Vectors<S>| {
        let error = size(x) * size(y) * (CONE_ERROR * UNIT) + FLUSH;
        let (x, y) = (plan.seen(x), plan.seen(y));
        Sign::<S>::of(x[0] * y[1] - x[1] * y[0], error)
    };
    let ([u, v], [w, z]) = (vectors.from_a, vectors.from_b);
    let [uv, wz] = [turn(u, v), turn(w, z)];
    let [uw, uz, vw, vz] = [turn(u, w), turn(u, z), turn(v, w), turn(v, z)];
    // Tests whether a vector is beyond the first or the second vector of a cone. `own` is the turn
    // from the first to the second; `first` and `second` are the turns from these to the vector.
    let beyond = |own: Sign<S>, first: Sign<S>, second: Sign<S>| own.is_not_that_of(first) | own.is_that_of(second);
    let turned = |sign: Sign<S>| Sign {
        above: sign.below,
        below: sign.above,
    };
    let outside_a = beyond(uv, uw, vw) & beyond(uv, uz, vz);
    let outside_b = beyond(wz, turned(uw), turned(uz)) & beyond(wz, turned(vw), turned(vz));
    [outside_a & outside_b, uv.is_not_that_of(uz)]
}
