//! Declares `shaders/shapes/moving/moving_records.wgsl`, which makes the records of bodies in
//! motion from bodies and motions on the device.
//!
//! Without rotation, a record has the values of the host's, with `v dt` rounded once and
//! `a dt² / 2` twice. A box that turns by the angle Θ about the unit vector n is stored at a
//! rotation about halfway: by `α = 2 atan(Θ / 4)`, which needs neither a sine nor a root (the
//! quaternion of that rotation is `(n Θ / 4, 1)`, before normalisation). Because
//! `Θ / 2 - Θ³ / 96 <= α <= Θ / 2`, the box never turns from there by more than
//! `β = Θ / 2 + Θ³ / 96`. A point P of it, `|P_i| <= h_i`, is then at
//! `P + sin φ (n × P) + (1 - cos φ) (n (n·P) - P)`. With `b = β |n|` by components, cyclic, the
//! maximum of its component i is:
//!
//! ```text
//! h'_i = h_i + (b_k h_j + b_j h_k) + b_i (b_j h_j + b_k h_k) / 2
//! ```
//!
//! The factor of component i of P itself is `1 - (1 - cos φ) (1 - n_i²)`, between -1 and 1. A box
//! that turns by more than about two radians is stored as the cube around its bounding sphere.
//! `TURN_ERROR`, 2^-16 = 128 u with u = 2^-23, covers the rounding of the rotation halfway (three
//! products and four sums for a component, a root of two more, and the length: below 16 u, so below
//! 32 u of an angle, which turns a point of the box by that part of `|h|_1`), of b (below 30 u with
//! its matrix) and of the sum (of nine products of four numbers: below 20 u). `EXTENT_ERROR` covers
//! the same sum as in `src/geometry/bounds.rs`.
//!
//! A capsule is all points within its radius of a rod, and a sphere of a point. The region that
//! these sweep grows by the radius on every side, and the record states that its edges are rounded
//! off by the same amount.

use bytemuck::{Pod, Zeroable};

use crate::base::shader::shader;
use crate::device::buffers::{Owned, Slot};
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::frame::room::Room;
use crate::frame::slots::BOXES;
use crate::shapes::moving::motion::Motion;

/// The parameters of the kernel: `struct StepParams` of the shader.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct StepParams {
    pub dt: f32,
    /// The number of bodies in a segment of the records.
    pub count: u32,
    /// 0, as in [`Params`](crate::frame::params::Params).
    pub zero: u32,
    /// The end of the boxes, and the end of the capsules, which follow them; the spheres come last.
    pub box_end: u32,
    pub capsule_end: u32,
    /// The first body of the segment.
    pub first: u32,
    /// The first bound unit of [`GIVEN`], and the first of [`MOTIONS`].
    pub first_given: u32,
    pub first_motion: u32,
}

impl StepParams {
    /// Returns the number of units of [`GIVEN`] before body `k`: boxes and capsules take three
    /// each, spheres one.
    pub fn unit_of(&self, k: u32) -> u32 {
        3 * k.min(self.capsule_end) + k.saturating_sub(self.capsule_end)
    }
}

/// The earliest possible impact of a body during a step: an entry of
/// [`RecordedSweep::earliest`](crate::gpu::RecordedSweep::earliest).
///
/// In WGSL, [`EarliestImpact::WGSL`]:
///
#[doc = concat!("```wgsl\n", shader!("shapes/moving/earliest.wgsl"), "```")]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct EarliestImpact {
    /// The time as a fraction of the step, from 0 to 1, never later than the true first contact;
    /// [`EarliestImpact::NEVER`] if there is none.
    pub time: f32,
    /// The position of the other body, the smallest of several at the same time; `u32::MAX` if
    /// there is none.
    pub partner: u32,
}

impl EarliestImpact {
    /// The record in WGSL; see [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("shapes/moving/earliest.wgsl");
    /// The time of a body without an impact, greater than all others.
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

/// The buffers that a pipeline needs for the kernel.
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
