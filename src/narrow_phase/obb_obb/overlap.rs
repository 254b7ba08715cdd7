//! The overlap of two boxes: its volume, and the share of both that it is.
//!
//! # Stages
//!
//! - Boxes of equal rotation, or of which one is the other rotated about one of its axes, such as
//!   two upright boxes, overlap in an area times a length ([`aligned`]).
//! - Others are computed as many at a time as the machine has lanes ([`edges`]), and one by one
//!   where they are too nearly aligned for that ([`clip`]).
//! - Each stage has a proved bound on its error. If it exceeds [`TOLERANCE`], as for thin plates
//!   and boxes of very different size, the pair is computed again with twice the digits of `f64`,
//!   and then with 320 bits.
//!
//! # Exactness
//!
//! Boxes with equal volume that overlap in all of it are equal, and those that overlap in all of
//! the smaller contain it. A result within its error bound of the smaller volume is that volume;
//! this covers all boxes that are equal or contained. A result within its error bound of 0 is 0 if
//! the exact test of the pair finds that their interiors do not meet; if they meet, more digits
//! decide the volume.

mod aligned;
mod clip;
mod edges;
mod float;
mod long;
mod polygon;
pub(crate) mod two;

use fearless_simd::prelude::*;

use crate::base::lanes::{self, Simd, dispatch};
use crate::geometry::double::Double;
use crate::narrow_phase::obb_obb::exact::apart::Apart;
use crate::narrow_phase::obb_obb::overlap::edges::Pairs;
use crate::narrow_phase::obb_obb::overlap::float::Float;
use crate::narrow_phase::obb_obb::overlap::long::Long;
use crate::narrow_phase::obb_obb::overlap::two::{Common, Measure, Two};
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;

/// The largest error of a volume, in units of the smaller box's volume: 2^-30, which is below 1e-9.
const TOLERANCE: f64 = 1.0 / (1u64 << 30) as f64;

/// The most lanes of `f64`, with room.
const MOST_LANES: usize = 16;

/// The numbers of a pair.
const NUMBERS: usize = 17;

/// The overlap of two boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Overlap {
    /// The volume of the intersection, in the cube of the caller's unit; in the plane its area.
    ///
    /// It is off by at most 1e-9 of the smaller box's volume, exactly 0 for boxes that only touch
    /// or are apart, and for a box without volume, and the smaller box's volume for a box in
    /// another.
    pub volume: f64,
    /// The volume of the intersection over that of the union: from 0 to 1, exactly 1 for equal
    /// boxes, and 0 where the volume is.
    pub iou: f64,
}

impl Obb {
    /// Returns the overlap of this box and `other`: the volume of the intersection, and its share
    /// of the union (intersection over union, the Jaccard index).
    ///
    /// The boxes are those that the stored numbers define; see [`Obb::rotation`]. The result is the
    /// same, to the bit, in either order and on every machine. Groups are ignored. If a box has a
    /// [`problem`](Obb::problem), the result is arbitrary. For many pairs,
    /// [`overlaps()`](crate::contact::overlaps) is several times faster.
    ///
    /// ```
    /// use obbligato::{Obb, glam::{Quat, Vec3}};
    /// let cube = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    /// let moved = Obb::axis_aligned(Vec3::X, Vec3::ONE);
    /// let overlap = cube.overlap(&moved);
    /// assert_eq!((overlap.volume, overlap.iou), (4.0, 1.0 / 3.0));
    ///
    /// // A cube of this size, rotated by an eighth of a turn, shares a regular octagon in plan.
    /// let eighth = Quat::from_rotation_z(std::f32::consts::FRAC_PI_4);
    /// let turned = Obb::new(Vec3::ZERO, Vec3::ONE, eighth);
    /// let octagon = 8.0 * (2f64.sqrt() - 1.0);
    /// assert!((cube.overlap(&turned).volume - 2.0 * octagon).abs() < 1e-6);
    /// assert_eq!(turned.overlap(&turned).iou, 1.0);
    /// ```
    pub fn overlap(&self, other: &Self) -> Overlap {
        let apart = Apart::between(self.center.as_dvec3(), other.center.as_dvec3());
        overlap_of(&Two::new([self, other], apart, Measure::Volume))
    }
}

impl Obb64 {
    /// Returns the overlap of this box and `other`; see [`Obb::overlap`].
    ///
    /// ```
    /// use obbligato::{Obb64, glam::{DVec3, Vec3}};
    /// let brick = |x: f64| Obb64::axis_aligned(DVec3::new(4e6 + x, 5.5e6, 120.0), Vec3::ONE);
    /// assert_eq!(brick(0.0).overlap(&brick(1.5)).volume, 2.0);
    /// assert_eq!(brick(0.0).overlap(&brick(2.0)).iou, 0.0);
    /// ```
    pub fn overlap(&self, other: &Self) -> Overlap {
        let boxes = [self, other].map(|obb| obb.centered_at(glam::Vec3::ZERO));
        let apart = Apart::between(self.center, other.center);
        overlap_of(&Two::new(boxes.each_ref(), apart, Measure::Volume))
    }
}

/// Returns the overlap of one pair.
pub(crate) fn overlap_of(two: &Two) -> Overlap {
    let mut found = [Overlap::default()];
    measure(std::slice::from_ref(two), &mut found);
    found[0]
}

/// Computes the overlaps of pairs, in order. That of a pair does not depend on the others.
pub(crate) fn measure(pairs: &[Two], found: &mut [Overlap]) {
    dispatch!(lanes::level(), simd => in_lanes(simd, pairs, found));
}

#[inline(always)]
fn in_lanes<S: Simd>(simd: S, pairs: &[Two], found: &mut [Overlap]) {
    let mut waiting = [0; MOST_LANES];
    let mut count = 0;
    for (k, two) in pairs.iter().enumerate() {
        if two.sizes[0] == 0.0 {
            found[k] = Overlap::default();
        } else if two.measure == Measure::Area || two.common() != Common::Few {
            found[k] = one_by_one(two);
        } else {
            waiting[count] = k;
            count += 1;
        }
        if count == S::f64s::LEN || (count > 0 && k + 1 == pairs.len()) {
            in_general(simd, pairs, &waiting[..count], found);
            count = 0;
        }
    }
}

/// Computes the overlaps of at most as many pairs as there are lanes. Unused lanes repeat the last.
#[inline(always)]
fn in_general<S: Simd>(simd: S, pairs: &[Two], waiting: &[usize], found: &mut [Overlap]) {
    let last = waiting.len() - 1;
    let mut rows = [[0.0; NUMBERS]; MOST_LANES];
    for (lane, row) in rows[..S::f64s::LEN].iter_mut().enumerate() {
        let ([[ax, ay, az, aw], [bx, by, bz, bw]], [dx, dy, dz], [[hx, hy, hz], [kx, ky, kz]]) =
            pairs[waiting[lane.min(last)]].numbers();
        *row = [ax, ay, az, aw, bx, by, bz, bw, dx, dy, dz, hx, hy, hz, kx, ky, kz];
    }
    let mut fields = [S::f64s::splat(simd, 0.0); NUMBERS];
    for (k, field) in fields.iter_mut().enumerate() {
        for (place, row) in field.as_mut_slice().iter_mut().zip(&rows) {
            *place = row[k];
        }
    }
    let [ax, ay, az, aw, bx, by, bz, bw, dx, dy, dz, hx, hy, hz, kx, ky, kz] = fields;
    let lanes = Pairs {
        turns: [[ax, ay, az, aw], [bx, by, bz, bw]],
        apart: [dx, dy, dz],
        half: [[hx, hy, hz], [kx, ky, kz]],
    };
    let [volumes, errors] = edges::volumes(simd, &lanes);
    for (lane, &k) in waiting.iter().enumerate() {
        let result = [volumes.as_slice()[lane], errors.as_slice()[lane]];
        found[k] = settled(&pairs[k], result).unwrap_or_else(|| one_by_one(&pairs[k]));
    }
}

/// Computes the overlap of a pair with as many digits as it takes.
#[inline(never)]
fn one_by_one(two: &Two) -> Overlap {
    settled(two, size_of::<f64>(two)).unwrap_or_else(|| with_more_digits(two))
}

#[cold]
fn with_more_digits(two: &Two) -> Overlap {
    settled(two, size_of::<Double>(two)).unwrap_or_else(|| {
        let result = size_of::<Long>(two);
        // Boxes whose overlap is even less than the error have that left as the best answer.
        settled(two, result).unwrap_or_else(|| shared(two, result[0].max(0.0)))
    })
}

/// Returns the volume or area of the overlap, and a bound on its error.
fn size_of<T: Float>(two: &Two) -> [f64; 2] {
    let placed = two.placed::<T>();
    let size = match (two.measure, two.common()) {
        (Measure::Area, Common::All) => aligned::length(&placed, 0) * aligned::length(&placed, 1),
        (Measure::Area, _) => aligned::area(&placed, 2),
        (_, Common::All) => aligned::length(&placed, 0) * aligned::length(&placed, 1) * aligned::length(&placed, 2),
        (_, Common::One(axis)) => aligned::area(&placed, axis) * aligned::length(&placed, axis),
        (_, Common::Few) => clip::volume(&placed),
    };
    let [spread, inverses] = placed.spread(two.measure.axes());
    let error = clip::FACTOR * T::UNIT * spread * inverses * two.sizes[0];
    let size = size.rounded();
    [size, error + f64::EPSILON * size.abs()]
}

/// Returns the overlap, given its size and a bound on the error, or `None` if more digits are
/// needed.
fn settled(two: &Two, [size, error]: [f64; 2]) -> Option<Overlap> {
    let is_precise = error <= TOLERANCE * two.sizes[0];
    if !is_precise {
        return None;
    }
    if size <= error {
        return (!two.overlap()).then(Overlap::default);
    }
    let is_whole = size >= two.sizes[0] - error;
    Some(shared(two, if is_whole { two.sizes[0] } else { size }))
}

/// Returns an overlap of this size.
fn shared(two: &Two, size: f64) -> Overlap {
    let [small, large] = two.sizes;
    let size = size.min(small);
    Overlap {
        volume: size,
        // The union, as a sum that is the larger box if it contains the other.
        iou: (size / (large + (small - size))).min(1.0),
    }
}
