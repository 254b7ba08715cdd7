//! Declares `shaders/broad_phase/grid/grid_probe.wgsl`, which measures the crowding of cells of
//! each size.

use crate::broad_phase::grid::grid_plan::SIZE_GROUPS;
use crate::broad_phase::grid::layout::{MAX_LEVELS, probe_size};
use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::frame::slots::{BOUNDS, PARAMS, RULES_B};

/// A table for each size group.
pub(crate) static PROBE_TABLE: Slot = Slot::of::<u32>("table", "probe table");

pub(crate) const BUFFERS: &[Owned<Room>] = &[Owned::of(&PROBE_TABLE, |room| {
    let (_, slots) = probe_size(room.boxes as usize, room.max_buffer_bytes);
    u64::from(slots) * MAX_LEVELS as u64
})];

pub(crate) static GRID_PROBE: Kernel<Params> = Kernel {
    code: Code {
        entry: "grid_probe",
        workgroup: 256,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/bounds.wgsl",
            "broad_phase/grid/grid.wgsl",
            "shared/images.wgsl",
            "rules/lists.wgsl",
            "broad_phase/grid/grid_probe.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &BOUNDS),
                At::new(3, &SIZE_GROUPS),
                At::new(4, &PROBE_TABLE),
                At::new(21, &RULES_B),
            ],
            &[],
        ],
        overrides: &["ruled", "imaged"],
    },
    size: Size::Each(|params| params.probe_samples.into()),
};
