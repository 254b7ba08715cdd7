//! Declares `shaders/engine/deactivate.wgsl`, which gives bodies that are not active bounds that
//! meet nothing.

use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::slots::{BOUNDS, PARAMS, STATS};

/// The caller's flags of active bodies.
pub(crate) static ACTIVE: Slot = Slot::of::<u32>("active_bodies", "active bodies");

pub(crate) static DEACTIVATE: Kernel<Params> = Kernel {
    code: Code {
        entry: "deactivate",
        workgroup: 256,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/scene_stats.wgsl",
            "shared/new_bounds.wgsl",
            "engine/deactivate.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &ACTIVE),
                At::new(3, &STATS),
                At::new(4, &BOUNDS),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Each(|params| params.box_count.into()),
};
