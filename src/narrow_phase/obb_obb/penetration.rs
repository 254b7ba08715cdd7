//! The axis along which two boxes overlap least.
//!
//! The separating-axis test with lengths: of the six face normals and the nine `a_i × b_j`, finds
//! the one along which B has the shortest way out of A (Gottschalk, Lin and Manocha, "OBBTree",
//! SIGGRAPH 1996, section 5, for the axes; Ericson, *Real-Time Collision Detection*, section 5.5,
//! for the depth). All is computed in f64, in the frame of A; see
//! [`distance_error`](super::distance_error) for the errors.
//!
//! # Stability against noise
//!
//! Boxes at rest overlap equally along several axes, and noise must not choose among them. There is
//! therefore an order of preference: the faces of A, those of B, edges. An axis replaces a
//! preferred one only if its overlap is less by the *slop*, a 10,000th of the smaller box
//! ([`SLOP`]), and replaces a face's only if less by another hundredth ([`PREFERENCE`]). The depth
//! is thus the least overlap or exceeds it by no more than that. The same slop decides signs,
//! supporting features and what lies within a face: it is the only tolerance, and it scales with
//! the boxes.
//!
//! A is the box with the larger half extents, compared one after the other, which noise does not
//! affect. Of boxes of equal size it is the one with the smaller coordinate along the world axis on
//! which the centers are furthest apart. Swapping the boxes therefore gives the same result,
//! mirrored.
//!
//! # Parallel edges
//!
//! `a_i × b_j` vanishes with the sine of their angle. Up to a sine of [`PARALLEL`], such an axis is
//! ignored: its overlap is less than that of the best face by at most about the sine times the
//! boxes' size: see [`KAPPA`](super::separating_axes::KAPPA). Above it, an overlap errs by the
//! error of lengths over the sine. Both are less than `frame.error * 4 / PARALLEL`, about 1e-6 of
//! the boxes' size. Boxes that overlap by more certainly do so. For the others, all overlaps, not
//! divided by the sine and thus with the error of lengths, show which axes are unclear. Only those
//! are decided without rounding.
//!
//! # In lanes
//!
//! Face axes are computed three at a time, and so are those of each edge of A. Squares show which
//! axes of edges may be the best: few pairs need a root or a division. The best face axis is chosen
//! without branches because it is unpredictable.

use std::hint::select_unpredictable;

use glam::DVec3;
use wide::f64x4;

use crate::geometry::rotation::others;
use crate::narrow_phase::obb_obb::frame::Frame;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes;
use crate::shapes::obb::record::Obb;

/// The fraction by which the overlap of an axis must be less to replace a face. If it were smaller,
/// noise would choose among nearly equal axes; if larger, depths would be too large by more.
pub(crate) const PREFERENCE: f64 = 0.01;

/// The slop of a pair, in units of the largest half extent of the smaller box: an allowance for
/// noise between frames.
pub(crate) const SLOP: f64 = 1e-4;

/// Edges at an angle of this sine or less have no axis.
const PARALLEL: f64 = 1e-7;

/// The feature that an axis belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Axis {
    FaceOfA(usize),
    FaceOfB(usize),
    /// Along axis i of A and axis j of B.
    Edges(usize, usize),
}

/// The axis along which two boxes overlap least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeastOverlap {
    pub axis: Axis,
    /// `true` if B lies on the + side of A along the axis, or is level with it.
    pub positive: bool,
    /// The distance to move B along the axis, 0 or more.
    pub depth: f64,
}

/// Returns the tolerance of a pair, in the caller's unit.
pub(crate) fn slop(frame: &Frame) -> f64 {
    SLOP * frame.h_a.max_element().min(frame.h_b.max_element()) + frame.error
}

/// Returns the axis of least overlap, or `None` if the boxes do not collide. If `f64` leaves that
/// open, `collide` decides, given the axes along which they may be apart.
pub(crate) fn least_overlap(frame: &Frame, slop: f64, collide: impl FnOnce(Axes) -> bool) -> Option<LeastOverlap> {
    let sides = Sides::new(frame);
    let (mut found, at_faces) = sides.faces(slop);
    let edges_of = |i: usize| sides.edges_of(i, found.to_beat);
    let edges = [edges_of(0), edges_of(1), edges_of(2)];
    if edges[0].promising | edges[1].promising | edges[2].promising != 0 {
        sides.search(&edges, slop, &mut found);
    }
    // The overlaps decide whether they collide, not the depths: a depth counts what is level,
    // within the slop, as on the + side, and the slop of thin boxes exceeds their thickness.
    let overlaps = Overlaps {
        at_faces,
        edges: &edges,
    };
    let unclear = overlaps.below(frame.error);
    if unclear != Axes::default() {
        // Along the axes of nearly parallel edges there is almost no overlap, even if the boxes
        // overlap deeply.
        let deep = overlaps.at_faces_exceed(frame.error * (4.0 / PARALLEL));
        let asked = if deep { overlaps.with_an_angle() } else { Axes::ALL };
        let unclear = Axes(unclear.0 & asked.0);
        if overlaps.below(-frame.error).0 & asked.0 != 0 {
            return None;
        }
        if unclear != Axes::default() && !collide(unclear) {
            return None;
        }
    }
    Some(LeastOverlap {
        axis: found.axis,
        positive: found.positive,
        depth: found.depth.max(0.0),
    })
}

/// The overlaps along all axes, those of edges scaled by the sine of their angle: they err by less
/// than the error of lengths.
struct Overlaps<'a> {
    at_faces: [f64x4; 2],
    edges: &'a [EdgeAxes; 3],
}

impl Overlaps<'_> {
    /// Returns the axes with less overlap than this.
    fn below(&self, bound: f64) -> Axes {
        let [of_a, of_b] = self.at_faces;
        let all = [
            of_a,
            of_b,
            self.edges[0].overlap,
            self.edges[1].overlap,
            self.edges[2].overlap,
        ];
        let bits = |k: usize| (all[k].simd_lt(f64x4::splat(bound)).to_bitmask() as u16) << (3 * k);
        Axes(bits(0) | bits(1) | bits(2) | bits(3) | bits(4))
    }
}

impl Overlaps<'_> {
    /// Returns `true` if the overlaps along all face axes exceed this.
    fn at_faces_exceed(&self, bound: f64) -> bool {
        self.at_faces
            .iter()
            .all(|overlap| overlap.simd_gt(f64x4::splat(bound)).to_bitmask() & 7 == 7)
    }

    /// Returns the face axes, and the axes of edges that are not nearly parallel.
    fn with_an_angle(&self) -> Axes {
        let bits = |i: usize| (self.edges[i].has_angle as u16 & 7) << (6 + 3 * i);
        Axes(0b11_1111 | bits(0) | bits(1) | bits(2))
    }
}

/// Computes `a_i × b_j`.
pub(crate) fn across(frame: &Frame, i: usize, j: usize) -> DVec3 {
    let ([k, l], direction) = (others(i), frame.c.col(j));
    let mut axis = DVec3::ZERO;
    (axis[k], axis[l]) = (-direction[l], direction[k]);
    axis
}

/// The best axis so far.
#[derive(Clone, Copy)]
struct Found {
    axis: Axis,
    positive: bool,
    depth: f64,
    /// The overlap below which another axis replaces it.
    to_beat: f64,
}

/// The frame in lanes: three of the four hold an axis each, the last is unused.
struct Sides {
    t: [f64; 3],
    h_a: [f64; 3],
    h_b: [f64; 3],
    c: [[f64; 3]; 3],
    /// For each axis of A, its products with the three axes of B; and their absolute values.
    rows: [f64x4; 3],
    sizes: [f64x4; 3],
}

impl Sides {
    #[inline(always)]
    fn new(frame: &Frame) -> Self {
        let c = frame.c.to_cols_array_2d();
        let row = |i: usize| lanes([c[0][i], c[1][i], c[2][i]]);
        let rows = [row(0), row(1), row(2)];
        Self {
            t: frame.t.to_array(),
            h_a: frame.h_a.to_array(),
            h_b: frame.h_b.to_array(),
            c,
            rows,
            sizes: [rows[0].abs(), rows[1].abs(), rows[2].abs()],
        }
    }

    /// Returns the best of the face axes, and the overlaps along those of A and of B.
    #[inline(always)]
    fn faces(&self, slop: f64) -> (Found, [f64x4; 2]) {
        let Self {
            t,
            h_a,
            h_b,
            c,
            rows,
            sizes,
        } = self;
        let column = |j: usize| lanes(c[j]).abs() * h_b[j];
        let radius_a = endless(*h_a) + column(0) + column(1) + column(2);
        let radius_b = endless(*h_b) + sizes[0] * h_a[0] + sizes[1] * h_a[1] + sizes[2] * h_a[2];
        let offset_b = rows[0] * t[0] + rows[1] * t[1] + rows[2] * t[2];
        let of_a = FaceAxes::new(lanes(*t), radius_a, slop);
        let of_b = FaceAxes::new(offset_b, radius_b, slop);
        let mut best = 0;
        let mut to_beat = of_a.to_beat[0];
        for axis in 1..6 {
            let of = if axis < 3 { &of_a } else { &of_b };
            // The axis is unpredictable; chosen as bits, the numbers need no branch.
            let better = of.depth[axis % 3] < to_beat;
            best = select_unpredictable(better, axis, best);
            to_beat = f64::from_bits(select_unpredictable(
                better,
                of.to_beat[axis % 3].to_bits(),
                to_beat.to_bits(),
            ));
        }
        let of = if best < 3 { &of_a } else { &of_b };
        let found = Found {
            axis: if best < 3 {
                Axis::FaceOfA(best)
            } else {
                Axis::FaceOfB(best - 3)
            },
            positive: of.negative >> (best % 3) & 1 == 0,
            depth: of.depth[best % 3],
            to_beat,
        };
        (found, [of_a.overlap, of_b.overlap])
    }

    /// Computes the axes of an edge of A and each of B.
    #[inline(always)]
    fn edges_of(&self, i: usize, to_beat: f64) -> EdgeAxes {
        let Self {
            t,
            h_a,
            h_b,
            c,
            rows,
            sizes,
        } = self;
        let [k, l] = others(i);
        let squared_sine = rows[k] * rows[k] + rows[l] * rows[l];
        let offset = rows[k] * t[l] - rows[l] * t[k];
        // The two other axes of B.
        let next = lanes([c[1][i], c[2][i], c[0][i]]).abs() * lanes([h_b[2], h_b[0], h_b[1]]);
        let last = endless([c[2][i], c[0][i], c[1][i]]).abs() * f64x4::new([h_b[1], h_b[2], h_b[0], 1.0]);
        let radius = sizes[l] * h_a[k] + sizes[k] * h_a[l] + next + last;
        let overlap = radius - offset.abs();
        // Signed squares instead of roots: few axes pass.
        let less = (overlap * overlap.abs()).simd_lt(squared_sine * (to_beat * to_beat.abs()));
        EdgeAxes {
            overlap,
            promising: less.to_bitmask(),
            has_angle: squared_sine.simd_gt(f64x4::splat(PARALLEL * PARALLEL)).to_bitmask(),
        }
    }

    /// Examines the promising axes of edges.
    fn search(&self, edges: &[EdgeAxes; 3], slop: f64, found: &mut Found) {
        let Self { t, h_a, h_b, c, .. } = self;
        for j in 0..3 {
            let [m, n] = others(j);
            for (i, of) in edges.iter().enumerate() {
                if of.promising >> j & 1 == 0 {
                    continue;
                }
                let [k, l] = others(i);
                let squared_sine = c[j][k] * c[j][k] + c[j][l] * c[j][l];
                if squared_sine <= PARALLEL * PARALLEL {
                    continue;
                }
                let sine = squared_sine.sqrt();
                let offset = t[l] * c[j][k] - t[k] * c[j][l];
                let radius =
                    h_a[k] * c[j][l].abs() + h_a[l] * c[j][k].abs() + h_b[m] * c[n][i].abs() + h_b[n] * c[m][i].abs();
                let positive = offset >= -slop * sine;
                let depth = (radius - if positive { offset } else { -offset }) / sine;
                if depth < found.to_beat {
                    *found = Found {
                        axis: Axis::Edges(i, j),
                        positive,
                        depth,
                        to_beat: depth - slop,
                    };
                }
            }
        }
    }
}

/// The face axes of a box.
struct FaceAxes {
    overlap: f64x4,
    /// The distance that B must move to be clear of A.
    depth: [f64; 4],
    /// The overlap below which another axis replaces them.
    to_beat: [f64; 4],
    /// Bits of the axes along which B is on the - side of A.
    negative: u32,
}

impl FaceAxes {
    /// Computes the axes from the distances of the centers and the sums of the radii.
    #[inline(always)]
    fn new(offset: f64x4, radius: f64x4, slop: f64) -> Self {
        let flip = offset.simd_lt(f64x4::splat(-slop)) & f64x4::splat(-0.0);
        let depth = radius - (offset ^ flip);
        Self {
            overlap: radius - offset.abs(),
            depth: depth.to_array(),
            to_beat: (depth * (1.0 - PREFERENCE) - slop).to_array(),
            negative: flip.to_bitmask(),
        }
    }
}

#[inline(always)]
fn lanes([x, y, z]: [f64; 3]) -> f64x4 {
    f64x4::new([x, y, z, 0.0])
}

/// Returns lanes of which the last is never the smallest.
#[inline(always)]
fn endless([x, y, z]: [f64; 3]) -> f64x4 {
    f64x4::new([x, y, z, f64::INFINITY])
}

/// The axes of an edge of A and each of B, times the sines of their angles.
struct EdgeAxes {
    overlap: f64x4,
    /// Bits of the axes that may be better than the best face.
    promising: u32,
    /// Bits of those whose edges are not nearly parallel.
    has_angle: u32,
}

/// Returns `true` if the boxes must be swapped, so that preferences do not depend on which comes
/// first; see the [module](self). `d` is the vector from `a` to `b`.
pub(crate) fn comes_after(a: &Obb, b: &Obb, d: DVec3) -> bool {
    let extents = |obb: &Obb| obb.half_extents.to_array().map(f32::to_bits);
    if extents(a) != extents(b) {
        return extents(a) < extents(b);
    }
    let further = |i: usize, j: usize| if d[j].abs() > d[i].abs() { j } else { i };
    let along = d[further(further(0, 1), 2)];
    match along == 0.0 {
        true => a.rotation.to_array().map(f32::to_bits) > b.rotation.to_array().map(f32::to_bits),
        false => along < 0.0,
    }
}
