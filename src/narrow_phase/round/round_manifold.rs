//! Declares `shaders/narrow_phase/round/round_manifold.wgsl`: contact manifolds on the GPU of pairs
//! of which at least one body is round. The method is that of [`manifold`](super::manifold), with
//! the cores of [`round_closest`](super::round_closest).
//!
//! The normal is taken where rounding cannot turn it, as in `f64`. If a core passes an edge, of a
//! box or that of a capsule, at an angle with the sine θ, the normal is perpendicular to both. It
//! is computed without cancellation, and the vector between the closest points is off from it by an
//! angle of 4 u / θ. Below 2^-8 that is too much, and the vector is taken: there it is
//! perpendicular to the core up to `u hB θ²` divided by its length, which is at least the error of
//! lengths, so the depth is off by less than 2^-22 of hB.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
use crate::narrow_phase::obb_obb::found_pairs::{PairParams, SLOTS};
use crate::narrow_phase::obb_obb::obb_manifold::LISTS;
use crate::narrow_phase::round::round_closest::SHARED;

pub(crate) static ROUND_MANIFOLD: Kernel<PairParams> = Kernel {
    code: Code {
        entry: "round_manifolds",
        workgroup: 128,
        source: Source::appending(SHARED).and(files![
            "narrow_phase/obb_obb/features.wgsl",
            "narrow_phase/obb_obb/manifold_record.wgsl",
            "narrow_phase/obb_obb/point_record.wgsl",
            "narrow_phase/obb_obb/manifold_lists.wgsl",
            "narrow_phase/round/round_manifold.wgsl"
        ]),
        slots: [SLOTS, LISTS],
        overrides: &["imaged"],
    },
    size: Size::Looping(|params| params.pair_capacity.into()),
};
