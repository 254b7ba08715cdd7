//! Declares `shaders/narrow_phase/in_plane/plane_manifold.wgsl`, with `figures.wgsl`: contact
//! manifolds in the plane on the GPU. The method is that of [`manifold`](super::manifold), with the
//! bodies of `body.wgsl`.
//!
//! # The error
//!
//! u is 2^-23, and S the sum of the distance of the centers, along x and y, and all half extents. A
//! component of an axis of a figure is off by 10 u: 3 u for its numerator, whose
//! products are at most half of the square of the quaternion, 4 u for this square and 3 u for the
//! division. So an axis is off by 15 u, a product of two axes by 33 u, a length along an axis by
//! 19 u of itself, and a gap along one by 41 u S. A corner of a core is off by 19 u of its half
//! extents, and the point of the other core that is nearest to it by that and by the error of its
//! place along two axes: 45 u S in all. The distance of both is off by less than 94 u S, which
//! `LENGTH_ERROR` exceeds. The radii are added without other errors than those of the sums.
//!
//! Gaps that differ by up to four errors count as equal. The vector between two points a few errors
//! apart has no direction: there the normal of the axis is taken, so the depth may exceed the
//! minimum by 32 errors, and a point may be that far beside the side of an axis.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
use crate::narrow_phase::obb_obb::found_pairs::{PairParams, SLOTS};
use crate::narrow_phase::obb_obb::obb_manifold::LISTS;

/// The error of a length, in units of 2^-23 of the size of the cores.
#[cfg(test)]
pub(crate) const LENGTH_ERROR: f64 = 128.0;

pub(crate) static PLANE_MANIFOLD: Kernel<PairParams> = Kernel {
    code: Code {
        entry: "plane_manifolds",
        workgroup: 128,
        source: Source::appending(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/outcome.wgsl",
            "shared/images.wgsl",
            "shared/found_pairs.wgsl",
            "shared/bodies.wgsl",
            "narrow_phase/round/body.wgsl",
            "narrow_phase/obb_obb/features.wgsl",
            "narrow_phase/in_plane/figures.wgsl",
            "narrow_phase/obb_obb/manifold_record.wgsl",
            "narrow_phase/obb_obb/point_record.wgsl",
            "narrow_phase/obb_obb/manifold_lists.wgsl",
            "narrow_phase/in_plane/plane_manifold.wgsl"
        ]),
        slots: [SLOTS, LISTS],
        overrides: &["imaged"],
    },
    size: Size::Looping(|params| params.pair_capacity.into()),
};
