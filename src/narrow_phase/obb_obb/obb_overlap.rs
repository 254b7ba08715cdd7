//! Declares `shaders/narrow_phase/obb_obb/obb_overlap.wgsl`: overlap volumes of pairs of two boxes
//! on the GPU.
//!
//! # Method
//!
//! A is the box with the smaller surface. As in [`clip`](super::overlap), the volume is the sum,
//! over the faces of B in the frame of A, of the integral of `clamp(z, -hz, hz) dx dy` over the
//! part with `|x| <= hx` and `|y| <= hy`. The sides of a face are cut at `|x| = hx`. The ends that
//! remain, in order, are the corners of its part, and its sides are cut at `|y| = hy` in the same
//! way as soon as they are known. A fan of triangles adds up the rest: the mean of the clamped z
//! over a triangle is a formula of the heights of its corners. So a face needs no list of corners.
//!
//! # Error
//!
//! Let `Z = |t|_1 + |hA|_1 + |hB|_1`, u = 2^-23, and S the surface of A,
//! `8 (hx hy + hy hz + hz hx)`. A compiler may rewrite what is between two fences, as
//! [`rewriting`](crate::base::rewriting) describes. All points (x, y) lie at most twice below or
//! above each other on the faces of B, and so do those along the other axes. So all parts together
//! have at most the area 8 hx hy in plan, of which at most `40 u Z hy` is within `10 u Z` of each
//! line `|x| = hx`.
//!
//! - B is off by at most `50 u |t| + 37 u |hB|_1`
//!   ([`distance_error`](super::distance_error)), all faces together: `50 u Z S`.
//! - Moving the corners of a part on their own by at most e changes its integral by at most e times
//!   the sides in plan times hz, and e times the areas seen along all three axes: together
//!   `4 e S`. A corner of a face has four terms, 4 u Z. A point on a side has three of at most Z
//!   each: 9 u Z, and so has one on a side that is cut already: `88 u Z S` for these 22 u Z.
//! - A quotient that is off cuts a side where it meets a plane that is off: by 4 u for the
//!   reciprocal, and two products, 6 u (hx + |x|), with `|x| + hx <= Z`. Sides that are nearly
//!   parallel to the plane, and faces that are certainly beside A, add less than 4 u Z. These parts
//!   within 10 u Z of four lines have the volume `80 u Z hz (hx + hy)`, at most `10 u Z S`.
//! - Twice the area of a triangle has eight terms of hx hy each, and there are at most 96
//!   triangles: 384 u of the volume of A, which is at most Z S / 9. So `43 u Z S`. The sum of 96
//!   terms is off by 96 u of the volume: `11 u Z S`.
//! - Each of the two means of an excess is off by 16 u Z, that of z by 3 u Z, their sum by 9 u Z.
//!   With all areas: `44 u Z S`.
//!
//! The total is `246 u Z S`. [`VOLUME_ERROR_FACTOR`] is larger, also by what rounding Z, S and the
//! bound itself takes. Lengths are in a unit that is the largest power of two in A, or 2^-38 of Z
//! if A is smaller than that. Then products are at most 2^120. Those that are flushed to zero, and
//! lengths below 2^-40 that count as zero, add less than 2^-60 in this unit. Numbers that are
//! flushed before they are in this unit move B by less than 2^-109.

use bytemuck::{Pod, Zeroable};

use crate::base::shader::shader;
use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::narrow_phase::obb_obb::found_pairs::{PairParams, SLOTS};

/// The error of a volume in units of u Z S, with u = 2^-23. The proof needs at least 246. See the
/// [module](self).
#[cfg_attr(not(test), expect(dead_code, reason = "a test holds it against the shader"))]
pub(crate) const VOLUME_ERROR_FACTOR: f64 = 384.0;

/// The overlap of a pair of boxes, as computed on a GPU: 16 bytes.
///
/// In WGSL, [`OverlapRecord::WGSL`]:
///
#[doc = concat!("```wgsl\n", shader!("narrow_phase/obb_obb/overlap_record.wgsl"), "```")]
///
/// A volume is off by at most `384 · 2^-23 · Z S`, Z being the sum of the centers' distance along
/// the axes of A and all six half extents, and S the surface of A, the box with the smaller one:
/// for two equal cubes by a thousandth of their volume, typically by a millionth. To this comes
/// 2^-60 of the cube of the largest half extent of A or, if that is larger, of 2^-37 Z. If the
/// volume is 0 because `f32` cannot decide, it may be off by twice as much.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct OverlapRecord {
    /// The volume of the intersection, in the cube of the caller's unit: at most that of the
    /// smaller box, and 0 if the boxes are apart, touch or have no volume.
    ///
    /// A volume below 2^-126 may be 0. One beyond 2^126 is that number.
    pub volume: f32,
    /// A bound on the error of the volume.
    pub error: f32,
    /// The volume of the intersection over that of the union: from 0 to 1, and 0 if the boxes are
    /// apart, touch or have no volume, or `f32` cannot decide.
    ///
    /// If `f32` can, it is off by at most 2^-20 and twice the error of the volume over the volume
    /// of the union, also where these volumes are too large or too small for `f32`.
    pub iou: f32,
    /// [`OverlapRecord::UNDECIDED`], [`OverlapRecord::TOO_LARGE`] or 0.
    pub bits: u32,
}

impl OverlapRecord {
    /// The record in WGSL, to be prepended to a shader that reads overlaps; see
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("narrow_phase/obb_obb/overlap_record.wgsl");

    /// Set in `bits` if the volume is 0 because `f32` cannot tell whether the boxes have one in
    /// common. It is at most the error. [`Obb::overlap`](crate::Obb::overlap) can tell.
    pub const UNDECIDED: u32 = 1;

    /// Set in `bits` if the volume is beyond 2^126. Volume and error are then 2^126.
    pub const TOO_LARGE: u32 = 2;

    /// Returns `true` if `f32` cannot tell whether the boxes have a volume in common.
    pub const fn is_undecided(&self) -> bool {
        self.bits & Self::UNDECIDED != 0
    }

    /// Returns `true` if the volume is beyond 2^126.
    pub const fn is_too_large(&self) -> bool {
        self.bits & Self::TOO_LARGE != 0
    }
}

/// An [`OverlapRecord`] for each pair.
pub(crate) static OVERLAPS: Slot = Slot::of::<OverlapRecord>("overlaps", "overlaps");

pub(crate) static OBB_OVERLAP: Kernel<PairParams> = Kernel {
    code: Code {
        entry: "obb_overlaps",
        workgroup: 128,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/outcome.wgsl",
            "shared/images.wgsl",
            "shared/found_pairs.wgsl",
            "shared/obb.wgsl",
            "shared/boxes.wgsl",
            "shared/rotation.wgsl",
            "narrow_phase/obb_obb/frame.wgsl",
            "narrow_phase/obb_obb/overlap_record.wgsl",
            "narrow_phase/obb_obb/obb_overlap.wgsl"
        ]),
        slots: [SLOTS, &[At::new(6, &OVERLAPS)]],
        overrides: &["imaged"],
    },
    size: Size::Looping(|params| params.pair_capacity.into()),
};
