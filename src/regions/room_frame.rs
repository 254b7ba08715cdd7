//! Declares the common part of the shaders that test bodies in a room,
//! `shaders/regions/room_frame.wgsl`.

use bytemuck::{Pod, Zeroable};

use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, File, Kernel, Size, Source, files};
use crate::narrow_phase::obb_obb::separating_axes::FLUSH_ERROR_F32;
use crate::regions::frame::Frame;

/// The room in the form in which the shaders compute, and the range of bodies to test.
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
    /// The position of the first body among all.
    pub first: u32,
    /// The number of bodies.
    pub count: u32,
    /// 0, as in [`Params`](crate::frame::params::Params).
    pub zero: u32,
    /// The number of records before the first body in the binding.
    pub skipped: u32,
}

impl RoomFrame {
    /// Creates the frame for `count` bodies, the first of which is at position `first`, after
    /// `skipped` records in the binding.
    pub fn new(frame: &Frame, first: u32, count: u32, skipped: u32) -> Self {
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
            skipped,
        }
    }
}

/// The [`RoomFrame`].
pub(super) static ROOM: Slot = Slot::of::<RoomFrame>("params", "room");

/// Bodies in units of 16 bytes, unless they are in the caller's buffer. A dispatch sees bodies of
/// one kind, as many as can be bound.
pub(super) static BODIES_IN_ROOM: Slot = Slot::of::<[u32; 4]>("bodies", "bodies in a room");

/// A `u32` for each body.
pub(super) static ENCLOSURES: Slot = Slot::of::<u32>("enclosures", "enclosures");

/// Returns a kernel of these files after the common ones, which binds the room, bodies and
/// enclosures.
pub(super) const fn in_room(
    entry: &'static str,
    files: &'static [File],
    bindings: &'static [At; 3],
) -> Kernel<RoomFrame> {
    Kernel {
        code: Code {
            entry,
            workgroup: 256,
            source: Source::of(files![
                "shared/obb.wgsl",
                "shared/pair.wgsl",
                "shared/common.wgsl",
                "shared/validity.wgsl",
                "regions/room_frame.wgsl",
                "shared/rotation.wgsl"
            ])
            .and(files),
            slots: [bindings, &[]],
            overrides: &[],
        },
        size: Size::Each(|room| room.count as u64),
    }
}
