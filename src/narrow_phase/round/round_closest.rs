//! Declares `shaders/narrow_phase/round/round_closest.wgsl`: distances and closest points of pairs on the GPU of which one body at least is
//! round; and what its kernel shares with that of contacts, `core_pair.wgsl`.
//!
//! # One pair of cores
//!
//! A capsule is all within its radius of a box that has no width, and a ball of one without size. So a pair is a box, which may be so, and
//! a segment, which may be a point, in the frame of the box; and where these are closest is found as for a box and a segment
//! ([`filter`](super::filter)): by the zero of a slope that grows along the segment, and is straight between six planes.
//!
//! # The error
//!
//! `d`, `p`, `z`, `x`, `w` and their errors are those of [`filter`](super::filter), u is 2^-23, and S + R all lengths together. Rounding
//! moves the segment and the point that is found on it: so the distance of the two points is off by `BOX_ERROR u (S + R)` at most, from which
//! it follows whether the bodies are apart, and whether they collide. It has yet to be shown that no other points are closer:
//!
//! - The slope is computed from a `w` that is fenced, so it is off by 4 u |w|, beside the moves of the segment. Where it is taken for zero it is
//!   below that, and the squared distance there exceeds the least by less than twice that times the way to the least, which is 2 hB at
//!   most. Divided by twice the distance, the points are too far apart by 8 u hB.
//! - That the zero is found to 2 u of the segment, from where the slope is straight, and that planes are crossed elsewhere than is
//!   computed, moves the point along the segment, and is part of `x`: 3 u hB.
//!
//! This holds however small the angle between two segments is, so parallel ones need no case of their own. On hB it is 41 + 8.5 + 11, on d
//! 53 + 8.5, on R 3, all below `BOX_ERROR`. Points are turned into the world by axes that err by 23 u of a length: 90 u in all.

use crate::device::kernel::{Code, File, Kernel, Size, Source, files};
use crate::narrow_phase::obb_obb::found_pairs::{PairParams, SLOTS};
use crate::narrow_phase::obb_obb::obb_closest::LIST;

/// What both kernels have in common.
pub(super) const SHARED: &[File] = files![
    "shared/pair.wgsl",
    "shared/common.wgsl",
    "shared/outcome.wgsl",
    "shared/found_pairs.wgsl",
    "shared/bodies.wgsl",
    "shared/rotation.wgsl",
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
        overrides: &[],
    },
    size: Size::Looping(|params| params.pair_capacity.into()),
};
