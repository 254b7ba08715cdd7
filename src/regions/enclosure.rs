//! Declares `shaders/regions/enclosure.wgsl`, and runs it: rooms on the GPU.

use std::num::NonZeroU64;

use bytemuck::{Pod, Zeroable};

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::device::buffers::{Arena, Resources, Slot, Staging, Uniforms};
use crate::device::context::Context;
use crate::device::kernel::{At, Code, Kernel, Kernels, Run, Size, Source, files};
use crate::narrow_phase::obb_obb::separating_axes::FLUSH_ERROR_F32;
use crate::regions::enclosure_cpu;
use crate::regions::frame::Frame;
use crate::regions::room::{Enclosure, Room};
use crate::shapes::obb::obb_bounds_cpu;
use crate::shapes::obb::record::Obb;

/// Boxes uploaded at a time, 48 MiB: more would take memory and save nothing.
const MOST_AT_ONCE: u64 = 1 << 20;

/// Bytes of a box.
const BOX_BYTES: u64 = size_of::<Obb>() as u64;

/// A binding may begin at any multiple of this many boxes, on every device: at multiples of 256 bytes.
const BINDING_STEP: u32 = 16;

/// The room in the form the shader computes with: `struct RoomFrame` there.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RoomFrame {
    /// The room's unit axes in the world, each with the half extent along it.
    pub axis_x: [f32; 3],
    pub half_x: f32,
    pub axis_y: [f32; 3],
    pub half_y: f32,
    pub axis_z: [f32; 3],
    pub half_z: f32,
    pub center: [f32; 3],
    /// Added to every error bound, in the caller's unit.
    pub slack: f32,
    /// Position of the first box to test; the shader sees the boxes from there on.
    pub first: u32,
    /// Number of boxes to test.
    pub count: u32,
    /// 0, as in [`Params`](crate::frame::params::Params).
    pub zero: u32,
    pub unused: u32,
}

impl RoomFrame {
    fn new(frame: &Frame, first: u32, count: u32) -> Self {
        let [axis_x, axis_y, axis_z] = frame.axes.to_cols_array_2d().map(|axis| axis.map(|x| x as f32));
        let [half_x, half_y, half_z] = frame.half_extents.to_array().map(|half| half as f32);
        let center = frame.center.as_vec3();
        let center_error = (frame.center - center.as_dvec3()).abs().element_sum();
        Self {
            axis_x,
            half_x,
            axis_y,
            half_y,
            axis_z,
            half_z,
            center: center.to_array(),
            slack: (4.0 * center_error) as f32 + FLUSH_ERROR_F32,
            first,
            count,
            zero: 0,
            unused: 0,
        }
    }
}

/// [`RoomFrame`].
static ROOM: Slot = Slot::of::<RoomFrame>("room", "room");

/// [`Obb`]s, unless they are in a buffer of the caller's; a dispatch sees as many of them as can be bound.
static BOXES_IN_ROOM: Slot = Slot::of::<Obb>("boxes", "boxes in a room");

/// A `u32` for each.
static ENCLOSURES: Slot = Slot::of::<u32>("enclosures", "enclosures");

pub(crate) static ENCLOSURE: Kernel<RoomFrame> = Kernel {
    code: Code {
        entry: "enclosures_of_boxes",
        workgroup: 256,
        source: Source::of(files![
            "shared/obb.wgsl",
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/validity.wgsl",
            "regions/enclosure.wgsl"
        ]),
        slots: [
            &[At::new(0, &ROOM), At::new(1, &BOXES_IN_ROOM), At::new(2, &ENCLOSURES)],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Each(|room| room.count.into()),
};

/// The kernel and its working memory.
pub(crate) struct Enclosures {
    kernels: Kernels,
    arena: Arena,
    uniforms: Uniforms,
    staging: Staging,
}

impl Enclosures {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            kernels: Kernels::default(),
            arena: Arena::new(context, [&BOXES_IN_ROOM, &ENCLOSURES])?,
            uniforms: Uniforms::default(),
            staging: Staging::new(context)?,
        })
    }

    /// The true answer for every box: the GPU's, and the CPU's where `f32` cannot decide.
    pub async fn run(&mut self, context: &Context, room: &Room, boxes: &[Obb]) -> Result<Vec<Enclosure>> {
        let frame = Frame::new(room);
        let most = (context.max_buffer_bytes / BOX_BYTES).clamp(1, MOST_AT_ONCE);
        let mut all = memory::filled(boxes.len(), Enclosure::default(), "a finding for each box")?;
        for (chunk, found) in boxes.chunks(most as usize).zip(all.chunks_mut(most as usize)) {
            let bits = self.look_at(context, &frame, chunk).await?;
            if bits.iter().any(|bits| bits & Enclosure::INVALID != 0) {
                obb_bounds_cpu::validate(boxes)?;
            }
            parallel::fill(found, |i| match bits[i] & (Enclosure::UNDECIDED | Enclosure::INVALID) {
                0 => Enclosure::from_bits(bits[i]),
                _ => enclosure_cpu::enclosure(room, &frame, &chunk[i]),
            });
        }
        Ok(all)
    }

    /// What the GPU can tell about some boxes.
    async fn look_at(&mut self, context: &Context, frame: &Frame, boxes: &[Obb]) -> Result<Vec<u32>> {
        if self.arena.reserve(context, &BOXES_IN_ROOM, boxes.len() as u64)? {
            self.kernels.forget_bindings();
        }
        let own = self.arena.buffer(&BOXES_IN_ROOM)?.clone();
        context.scoped("the upload", size_of_val(boxes) as u64, || {
            context.queue.write_buffer(&own, 0, bytemuck::cast_slice(boxes));
        })?;
        let mut encoder = context.device.create_command_encoder(&Default::default());
        let found = self.record(context, &mut encoder, frame, &own, boxes.len() as u32)?;
        self.staging.read(context, encoder, &found, boxes.len()).await
    }

    /// Records the kernel for boxes in a buffer, as many at a time as can be bound, and returns the buffer that receives a
    /// `u32` for each.
    pub fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame,
        boxes: &wgpu::Buffer,
        count: u32,
    ) -> Result<wgpu::Buffer> {
        if self.arena.reserve(context, &ENCLOSURES, count.into())? {
            self.kernels.forget_bindings();
        }
        let most = (context.max_buffer_bytes / BOX_BYTES) as u32 / BINDING_STEP * BINDING_STEP;
        for first in (0..count).step_by(most.max(BINDING_STEP) as usize) {
            let own = (count - first).min(most.max(BINDING_STEP));
            let room = RoomFrame::new(frame, first, own);
            let uniform = self.uniforms.with(context, "room", &room)?;
            let boxes = wgpu::BufferBinding {
                buffer: boxes,
                offset: BOX_BYTES * u64::from(first),
                size: NonZeroU64::new(BOX_BYTES * u64::from(own)),
            };
            let resources = Resources::new(&self.arena)
                .with_buffer(&ROOM, &uniform)
                .with(&BOXES_IN_ROOM, vec![boxes]);
            let run = Run {
                context,
                resources: &resources,
                constants: &[],
                work: &room,
            };
            let mut pass = encoder.begin_compute_pass(&Default::default());
            self.kernels.run(&mut pass, &ENCLOSURE, &run)?;
        }
        Ok(self.arena.buffer(&ENCLOSURES)?.clone())
    }
}
