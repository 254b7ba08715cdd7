//! Records of bodies and triangles for both renderers.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::colours::Tint;

/// The shape of a [`Solid`].
pub(super) const BOX: u32 = 0;
pub(super) const BALL: u32 = 1;
pub(super) const CAPSULE: u32 = 2;

/// The bit of [`Solid::kind`] that is set if the eye is in the solid.
const AROUND: u32 = 1 << 16;

/// A body, in units relative to the eye (`crates/render/shaders/solids.wgsl`).
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Solid {
    pub rotation: [f32; 4],
    pub center: Vec3,
    /// The [`Tint`]; above it [`BOX`], [`BALL`] or [`CAPSULE`]; and [`AROUND`].
    pub kind: u32,
    /// The half extents of the bounding box along its own axes.
    pub half_extents: Vec3,
    /// See [`lift`].
    pub lift: f32,
}

impl Solid {
    pub fn kind(tint: Tint, shape: u32, is_around_eye: bool) -> u32 {
        tint.0 | shape << 8 | if is_around_eye { AROUND } else { 0 }
    }

    pub fn tint(&self) -> u32 {
        self.kind & 0xff
    }

    pub fn shape(&self) -> u32 {
        self.kind >> 8 & 0xff
    }

    /// Returns `true` if it is seen from inside.
    pub fn is_around_eye(&self) -> bool {
        self.kind & AROUND != 0
    }
}

/// A triangle, in units relative to the eye.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Facet {
    pub a: Vec3,
    pub tint: u32,
    pub b: Vec3,
    /// 1 if its edges are drawn.
    pub edged: u32,
    pub c: Vec3,
    /// See [`lift`].
    pub lift: f32,
}

/// Returns the factor by which a body is drawn nearer than it is: a few hundred-thousandths above
/// 1, which separates faces in one plane. The body with the worse mark is then visible, or the
/// smaller one, such as a door in its wall. `size` is in units.
pub(super) fn lift(tint: Tint, size: f32) -> f32 {
    const OF_TINT: f32 = 2e-5;
    const OF_SIZE: f32 = 1.5e-5;
    // Each doubling of the size is one step. Everything that is drawn is between a thousandth of
    // the view and the whole view.
    let smallness = 0.5 - size.max(f32::MIN_POSITIVE).log2() / 24.0;
    1.0 + OF_TINT * (tint.0 % 3) as f32 + OF_SIZE * smallness.clamp(0.0, 1.0)
}
