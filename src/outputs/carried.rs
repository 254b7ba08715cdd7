//! Declares `shaders/outputs/carried.wgsl`, which finds the places of contact points in the
//! previous frame.

use wgpu::BufferUsages as Usages;

use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::outcome::OUTCOME;
use crate::narrow_phase::obb_obb::obb_manifold::{MANIFOLDS, ManifoldRecord, POINTS, PointRecord};
use crate::outputs::events::PREVIOUS_PAIRS;

/// The manifolds and the points of the last frame.
pub(crate) static MANIFOLDS_BEFORE: Slot =
    Slot::of::<ManifoldRecord>("manifolds_before", "manifolds of the last frame");
pub(crate) static POINTS_BEFORE: Slot = Slot::of::<PointRecord>("points_before", "contact points of the last frame");

const RESULT: Usages = Usages::STORAGE.union(Usages::COPY_DST).union(Usages::COPY_SRC);

/// The place of each contact point in the last frame, or [`NEW`](crate::tracking::NEW).
pub(crate) static PREVIOUS_POINTS: Slot =
    Slot::of::<u32>("previous_points", "places of contact points in the last frame").used(RESULT);

/// The work of the kernel.
pub(crate) struct CarriedWork {
    pub most_pairs: u64,
}

pub(crate) static FIND_CARRIED: Kernel<CarriedWork> = Kernel {
    code: Code {
        entry: "find_carried",
        workgroup: 256,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/outcome.wgsl",
            "narrow_phase/obb_obb/manifold_record.wgsl",
            "narrow_phase/obb_obb/point_record.wgsl",
            "outputs/carried.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &OUTCOME),
                At::new(1, &PREVIOUS_PAIRS),
                At::new(2, &MANIFOLDS),
                At::new(3, &POINTS),
                At::new(4, &MANIFOLDS_BEFORE),
                At::new(5, &POINTS_BEFORE),
                At::new(6, &PREVIOUS_POINTS),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Looping(|work| work.most_pairs),
};
