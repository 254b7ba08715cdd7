//! Declares `shaders/shapes/moving/moving_records.wgsl`: the records of bodies in motion, from bodies and motions on the device.
//!
//! Without a turn a record says what the host's does, `v dt` rounded once and `a dt² / 2` twice. A box that turns by the angle Θ
//! about the unit vector n is kept at a rotation about halfway: by `α = 2 atan(Θ / 4)`, which takes neither sine nor root (the
//! quaternion of that turn is `(n Θ / 4, 1)`, not yet of length 1). As `Θ / 2 - Θ³ / 96 <= α <= Θ / 2`, the box is never turned from
//! there by more than `β = Θ / 2 + Θ³ / 96`. A point P of it, `|P_i| <= h_i`, is then at
//! `P + sin φ (n × P) + (1 - cos φ) (n (n·P) - P)`, and with `b = β |n|` by components, cyclic,
//!
//! ```text
//! h'_i = h_i + (b_k h_j + b_j h_k) + b_i (b_j h_j + b_k h_k) / 2
//! ```
//!
//! is the most of its component i: that of P itself is multiplied by `1 - (1 - cos φ) (1 - n_i²)`, between -1 and 1. A box that turns
//! by more than two radians or so is the cube around its bounding sphere. `TURN_ERROR`, 2^-16 = 128 u with u = 2^-23, is for the
//! rounding of the rotation halfway (three products and four sums for a component, a root of two more, and the length: below 16 u, so
//! below 32 u of an angle, which turns a point of the box by that part of `|h|_1`), of b (below 30 u with its matrix) and of the sum
//! (of nine products of four numbers: below 20 u). `EXTENT_ERROR` is for the same sum as in `src/geometry/bounds.rs`.
//!
//! A capsule is all within its radius of a rod and a ball of a point: what these sweep grows by the radius on every side, and the record
//! says that its edges are rounded off by as much.

use bytemuck::{Pod, Zeroable};

use crate::base::shader::shader;
use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::room::Room;
use crate::frame::slots::BOXES;
use crate::shapes::moving::motion::Motion;

/// What the kernel works on: `struct StepParams` of the shader.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct StepParams {
    pub dt: f32,
    /// Bodies of a segment of the records.
    pub count: u32,
    /// 0, as in [`Params`](crate::frame::params::Params).
    pub zero: u32,
    /// Where the boxes end, and the capsules, which follow; then come the balls.
    pub box_end: u32,
    pub capsule_end: u32,
    /// The first body of the segment.
    pub first: u32,
    /// The first unit of [`GIVEN`] that is bound, and the first of [`MOTIONS`].
    pub first_given: u32,
    pub first_motion: u32,
}

impl StepParams {
    /// Units of [`GIVEN`] before body `k`: boxes and capsules take three each, balls one.
    pub fn unit_of(&self, k: u32) -> u32 {
        3 * k.min(self.capsule_end) + k.saturating_sub(self.capsule_end)
    }
}

/// When a body may first meet another one during a step: an entry of [`RecordedSweep::earliest`](crate::gpu::RecordedSweep::earliest).
///
/// In WGSL, [`EarliestImpact::WGSL`]:
///
#[doc = concat!("```wgsl\n", shader!("shapes/moving/earliest.wgsl"), "```")]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct EarliestImpact {
    /// As a part of the step, from 0 to 1, never later than the true first contact; [`EarliestImpact::NEVER`] if it meets nothing.
    pub time: f32,
    /// The position of the other body, the least of several at the same time; `u32::MAX` if it meets nothing.
    pub partner: u32,
}

impl EarliestImpact {
    /// The record in WGSL; see [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("shapes/moving/earliest.wgsl");
    /// The time of a body that meets nothing, beyond all others.
    pub const NEVER: f32 = 2.0;
}

/// [`StepParams`].
pub(crate) static STEP: Slot = Slot::of::<StepParams>("params", "parameters of a step");
/// The caller's bodies.
pub(crate) static GIVEN: Slot = Slot::of::<[u32; 4]>("given", "the caller's bodies");
/// The caller's motions.
pub(crate) static MOTIONS: Slot = Slot::of::<Motion>("motions", "motions");
/// [`EarliestImpact`] of each body.
pub(crate) static EARLIEST: Slot = Slot::of::<EarliestImpact>("earliest", "earliest impacts");

/// The buffers that a pipeline has for it.
pub(crate) const BUFFERS: &[Owned<Room>] = &[Owned::of(&EARLIEST, |room| if room.sweeps { room.boxes } else { 0 })];

pub(crate) static MOVING_RECORDS: Kernel<StepParams> = Kernel {
    code: Code {
        entry: "moving_records",
        workgroup: 256,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/obb.wgsl",
            "shared/rotation.wgsl",
            "shared/validity.wgsl",
            "shapes/moving/motion.wgsl",
            "shapes/moving/moving.wgsl",
            "shapes/moving/earliest.wgsl",
            "shapes/moving/moving_records.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &STEP),
                At::new(1, &GIVEN),
                At::new(2, &MOTIONS),
                At::streamed(3, &BOXES),
                At::new(4, &EARLIEST),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Each(|step| step.count as u64),
};
