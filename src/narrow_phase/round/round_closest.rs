//! Declares `shaders/narrow_phase/round/round_closest.wgsl`: distances and closest points on the
//! GPU of pairs of which at least one body is round. Also declares the files that its kernel shares
//! with that of contacts, such as `core_pair.wgsl`.
//!
//! # One pair of cores
//!
//! A capsule consists of the points within its radius of a box that has no width, and a sphere of
//! those within its radius of a box without size. So a pair is a box, which may be one of these,
//! and a segment, which may be a point, in the frame of the box. Their closest points are found as
//! for a box and a segment ([`filter`](super::filter)): by the zero of a slope that increases along
//! the segment, and is linear between six planes.
//!
//! # The error
//!
//! `d`, `p`, `z`, `x`, `w` and their errors are those of [`filter`](super::filter), u is 2^-23, and
//! S + R is the sum of all lengths. Rounding moves the segment and the point that is found on it,
//! so the distance of the two points is off by at most `BOX_ERROR u (S + R)`. This decides whether
//! the bodies are apart, and whether they collide. It remains to show that no other points are
//! closer:
//!
//! - The slope is computed from a `w` that is fenced, so it is off by 4 u |w|, in addition to the
//!   moves of the segment. If it is taken for zero, it is below that, and the squared distance
//!   there exceeds the minimum by less than twice that times the distance to the minimum, which is
//!   at most 2 hB. Divided by twice the distance, the points are too far apart by 8 u hB.
//! - The zero is found to 2 u of the segment, because the slope is linear there, and planes are
//!   crossed elsewhere than is computed. Both move the point along the segment, and are part of
//!   `x`: 3 u hB.
//!
//! This holds however small the angle between two segments is, so parallel ones need no special
//! case. The total is 41 + 8.5 + 11 on hB, 53 + 8.5 on d and 3 on R, all below `BOX_ERROR`. Points
//! are rotated into the world by axes that err by 23 u of a length: 90 u in total.

use crate::device::kernel::{Code, File, Kernel, Size, Source, files};
use crate::narrow_phase::obb_obb::found_pairs::{PairParams, SLOTS};
use crate::narrow_phase::obb_obb::obb_closest::LIST;

/// The files common to both kernels.
pub(super) const SHARED: &[File] = files![
    "shared/pair.wgsl",
    "shared/common.wgsl",
    "shared/outcome.wgsl",
    "shared/images.wgsl",
    "shared/found_pairs.wgsl",
    "shared/bodies.wgsl",
    "shared/rotation.wgsl",
    "narrow_phase/round/body.wgsl",
    "narrow_phase/round/segments.wgsl",
    "narrow_phase/round/core_pair.wgsl"
];

pub(crate) static ROUND_CLOSEST: Kernel<PairParams> = Kernel {
    code: Code {
        entry: "round_closest_points",
        workgroup: 128,
        source: Source::of(SHARED).and(files![
            "narrow_phase/obb_obb/closest_record.wgsl",
            "narrow_phase/obb_obb/closest_list.wgsl",
            "narrow_phase/round/round_closest.wgsl"
        ]),
        slots: [SLOTS, LIST],
        overrides: &["imaged"],
    },
    size: Size::Looping(|params| params.pair_capacity.into()),
};
