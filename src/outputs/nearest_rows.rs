//! Declares `shaders/outputs/nearest_rows.wgsl`, which finds the nearest partners of every body.

use bytemuck::{Pod, Zeroable};

use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::narrow_phase::obb_obb::obb_closest::CLOSEST;
use crate::outputs::adjacency::{NEIGHBOURS, NUMBERS, OFFSETS};

/// Rows of the same width: `struct NearestRows` of `shaders/outputs/nearest_rows.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct NearestRows {
    pub count: u32,
    pub width: u32,
    /// The distance in a place without a partner.
    pub infinity: f32,
    pub unused: u32,
}

/// [`NearestRows`].
pub(crate) static NEAREST_ROWS: Slot = Slot::of::<NearestRows>("rows", "rows of nearest partners");

/// The partners in all rows, and their distances.
pub(crate) static NEAREST: Slot = Slot::of::<u32>("nearest", "nearest partners");
pub(crate) static DISTANCES: Slot = Slot::of::<f32>("distances", "distances of the nearest partners");

/// The number of partners of each body.
pub(crate) static PARTNER_COUNTS: Slot = Slot::of::<u32>("counts", "numbers of partners");

pub(crate) static FIND_NEAREST: Kernel<NearestRows> = Kernel {
    code: Code {
        entry: "find_nearest",
        workgroup: 256,
        source: Source::of(files![
            "narrow_phase/obb_obb/closest_record.wgsl",
            "outputs/nearest_rows.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &NEAREST_ROWS),
                At::new(1, &OFFSETS),
                At::new(2, &NEIGHBOURS),
                At::new(3, &NUMBERS),
                At::new(4, &CLOSEST),
                At::new(5, &NEAREST),
                At::new(6, &DISTANCES),
                At::new(7, &PARTNER_COUNTS),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Looping(|rows| u64::from(rows.count)),
};
