//! Dispatcher of `shaders/narrow_phase/obb_obb/obb_closest.wgsl`: distances and closest points of pairs on the GPU.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};

use crate::base::error::Result;
use crate::device::context::Context;
use crate::device::kernel::{Kernel, Source, source};
use crate::engine::gpu::pair_forms::FoundPairs;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::shapes::obb::record::Obb;

pub(crate) const SOURCE: Source = source!(
    "shared/common.wgsl",
    "shared/outcome.wgsl",
    "shared/found_pairs.wgsl",
    "shared/boxes.wgsl",
    "shared/rotation.wgsl",
    "narrow_phase/obb_obb/frame.wgsl",
    "narrow_phase/obb_obb/closest.wgsl",
    "narrow_phase/obb_obb/obb_closest.wgsl"
);

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 128;

/// The distance and closest points of a pair, as computed on a GPU: 32 bytes.
///
/// In WGSL:
///
/// ```wgsl
/// struct ClosestRecord {
///     on_a: vec3<f32>,
///     distance: f32,
///     on_b: vec3<f32>,
///     bits: u32,
/// }
/// ```
///
/// All lengths err by at most 128 · 2^-23 of Z, the sum of the centers' distance along A's axes and all half extents;
/// typically by a hundredth of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ClosestRecord {
    /// A point of box `a` of the pair, relative to that box's center, along the axes of the world.
    pub on_a: Vec3,
    /// The distance, in the caller's unit; 0 if the boxes collide, or might.
    pub distance: f32,
    /// A point of box `b` of the pair, also relative to the center of **a**.
    pub on_b: Vec3,
    /// [`ClosestRecord::UNDECIDED`], or 0.
    pub bits: u32,
}

impl ClosestRecord {
    /// Set in `bits` if the distance is 0 because `f32` cannot tell whether the boxes collide. [`Obb::distance`] can.
    pub const UNDECIDED: u32 = 1;

    /// Whether `f32` cannot tell whether the boxes collide.
    pub const fn is_undecided(&self) -> bool {
        self.bits & Self::UNDECIDED != 0
    }

    /// The same with points in the world, given box `a` of the pair.
    pub fn closest_points(&self, a: &Obb) -> ClosestPoints {
        let center = a.center.as_dvec3();
        let in_world = |point: Vec3| -> DVec3 { center + point.as_dvec3() };
        ClosestPoints {
            distance: f64::from(self.distance),
            on_a: in_world(self.on_a),
            on_b: in_world(self.on_b),
        }
    }
}

/// Finds closest points.
pub(crate) struct ObbClosest(Kernel);

impl ObbClosest {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self(
            Kernel::new(context, SOURCE, "obb_closest_points", WORKGROUP, &[]).await?,
        ))
    }

    pub fn bind(
        &self,
        context: &Context,
        found: &FoundPairs,
        params: &wgpu::Buffer,
        records: &wgpu::Buffer,
    ) -> wgpu::BindGroup {
        let lists = [(0, params), (4, &found.outcome), (5, &found.pairs), (6, records)];
        self.0.bind_boxes(context, &found.boxes.bindings(), &lists)
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup, most_pairs: u64) {
        self.0.dispatch_looping(pass, bindings, most_pairs);
    }
}
