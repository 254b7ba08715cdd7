//! Declares `shaders/narrow_phase/moving_moving/sweep_times.wgsl` and `sweep_partners.wgsl`: they
//! compute when the pairs of a recorded sweep may first meet, and for each body its first time and
//! partner.
//!
//! Along an axis `L` the boxes are apart until a gap of `|d·L| - r_A - r_B` is closed. At the
//! fraction s of the step the distance has changed by `p·L s + g·L s²`, and `s² <= s`: so the gap
//! is not closed before s = gap / (∓p·L + |g·L|). The latest of these times over fifteen axes is
//! when the boxes may meet.
//!
//! For straight motion that is the true time less a margin for rounding: gaps are reduced, and the
//! rates that close them increased, by the E of [`moving_sat_cpu`](super::moving_sat_cpu), whose
//! terms are those of these sums. The sign of `d·L` is correct wherever there is a gap. A box that
//! turns is replaced by one that contains it during the whole step, so the time is early. For round
//! bodies this is the time of the boxes around them, and [`rounded`](super::rounded) continues from
//! there.

use bytemuck::{Pod, Zeroable};

use crate::base::shader::shader;
use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::outcome::OUTCOME;
use crate::frame::params::{CANDIDATES_PER_BOX, Params};
use crate::frame::room::Room;
use crate::frame::slots::{PAIRS, PARAMS, TESTED};
use crate::narrow_phase::moving_moving::rounded::ROUNDED;
use crate::shapes::moving::moving_records::EARLIEST;

/// Two bodies that may meet during a step, and their time: an entry of
/// [`RecordedSweep::impacts`](crate::gpu::RecordedSweep::impacts).
///
/// In WGSL, [`ImpactRecord::WGSL`]:
///
#[doc = concat!("```wgsl\n", shader!("narrow_phase/moving_moving/impact_record.wgsl"), "```")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ImpactRecord {
    /// The first body, with a < b.
    pub a: u32,
    /// The second body.
    pub b: u32,
    /// The time as a fraction of the step, from 0 to 1; never later than the true first contact.
    pub time: f32,
    /// [`ImpactRecord::CURVED`] or 0.
    pub flags: u32,
}

impl ImpactRecord {
    /// The record in WGSL; see [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("narrow_phase/moving_moving/impact_record.wgsl");
    /// Flag of a pair in which one body turns, accelerates or is uncertain: the time may be far too
    /// early, and the pair may never meet. Without it the time is within about 2^-13 of the ratio
    /// of sizes and displacements.
    pub const CURVED: u32 = 1;
}

/// The [`ImpactRecord`] of each pair.
pub(crate) static IMPACTS: Slot = Slot::of::<ImpactRecord>("impacts", "impacts");

/// The buffers that a pipeline allocates for the records.
pub(crate) const BUFFERS: &[Owned<Room>] = &[Owned::of(&IMPACTS, |room| if room.sweeps { room.pairs } else { 0 })];

pub(crate) static SWEEP_TIMES: Kernel<Params> = Kernel {
    code: Code {
        entry: "sweep_times",
        workgroup: 256,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/outcome.wgsl",
            "shared/rotation.wgsl",
            "shapes/moving/moving.wgsl",
            "shapes/moving/moving_boxes.wgsl",
            "narrow_phase/moving_moving/impact_record.wgsl",
            "narrow_phase/moving_moving/sweep_times.wgsl"
        ])
        .and(ROUNDED),
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &TESTED),
                At::new(4, &OUTCOME),
                At::new(5, &PAIRS),
                At::new(6, &IMPACTS),
                At::new(7, &EARLIEST),
            ],
            &[],
        ],
        overrides: &["rounded"],
    },
    size: Size::Looping(|params| params.mostly(params.pair_capacity, CANDIDATES_PER_BOX)),
};

pub(crate) static SWEEP_PARTNERS: Kernel<Params> = Kernel {
    code: Code {
        entry: "sweep_partners",
        workgroup: 256,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/outcome.wgsl",
            "narrow_phase/moving_moving/impact_record.wgsl",
            "narrow_phase/moving_moving/sweep_partners.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(4, &OUTCOME),
                At::new(6, &IMPACTS),
                At::new(7, &EARLIEST),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Looping(|params| params.mostly(params.pair_capacity, CANDIDATES_PER_BOX)),
};
