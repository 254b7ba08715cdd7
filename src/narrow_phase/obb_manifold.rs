//! Dispatcher of `shaders/obb_manifold.wgsl`, which `clip.wgsl` is a part of: contact manifolds of pairs on the GPU.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use super::manifold::{ContactPoint, Penetration, Side};
use crate::gpu::context::Context;
use crate::gpu::kernel::{AppendingSource, Kernel, appending_source};
use crate::gpu::pair_forms::FoundPairs;
use crate::{Feature, Obb, Result};

pub(crate) const SOURCE: AppendingSource = appending_source!(
    "outcome.wgsl",
    "found_pairs.wgsl",
    "boxes.wgsl",
    "rotation.wgsl",
    "frame.wgsl",
    "closest.wgsl",
    "clip.wgsl",
    "obb_manifold.wgsl"
);

/// Invocations of a workgroup.
pub(crate) const WORKGROUP: u32 = 128;

/// The way apart of a pair, and where its points are, as a GPU computes it: 24 bytes.
///
/// In WGSL:
///
/// ```wgsl
/// struct ManifoldRecord {
///     normal_x: f32,
///     normal_y: f32,
///     normal_z: f32,
///     depth: f32,
///     first: u32,
///     bits: u32,
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ManifoldRecord {
    /// [`Penetration::normal`]: from the box `a` names to that which `b` does.
    pub normal: Vec3,
    /// [`Penetration::depth`].
    pub depth: f32,
    /// Where its points begin in the list of points.
    pub first: u32,
    /// The features of a in bits 0 to 7, those of b in 8 to 15, as [`Feature::from_bits`] has them; whose face it is in bits 16 and 17
    /// (0: of a, 1: of b, 2: of neither); the number of points that are stored, 0 to 8, in bits 20 to 23; and
    /// [`ManifoldRecord::UNDECIDED`].
    pub bits: u32,
}

impl ManifoldRecord {
    /// In `bits`: `f32` cannot tell whether the boxes collide, or where: they only touch, or nearly.
    /// [`Obb::manifold`] can; the record is as good as `f32` allows.
    pub const UNDECIDED: u32 = 1 << 31;
    /// Where in `bits` it says whose face it is.
    pub(crate) const REFERENCE_SHIFT: u32 = 16;
    /// Where in `bits` the number of points is.
    pub(crate) const COUNT_SHIFT: u32 = 20;

    /// Whether `f32` cannot tell whether the boxes collide, or where.
    pub const fn is_undecided(&self) -> bool {
        self.bits & Self::UNDECIDED != 0
    }

    /// The number of its points that are stored: 1 to 8, or 0 if there was no room for all of them.
    pub const fn len(&self) -> usize {
        (self.bits >> Self::COUNT_SHIFT & 15) as usize
    }

    /// Whether there was no room for its points.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same in `f64`.
    pub fn penetration(&self) -> Penetration {
        Penetration {
            normal: self.normal.as_dvec3(),
            depth: f64::from(self.depth),
            feature_a: Feature::from_bits(self.bits),
            feature_b: Feature::from_bits(self.bits >> 8),
            reference: match self.bits >> Self::REFERENCE_SHIFT & 3 {
                0 => Some(Side::A),
                1 => Some(Side::B),
                _ => None,
            },
        }
    }
}

/// A point of contact, as a GPU computes it: 20 bytes, without padding.
///
/// In WGSL:
///
/// ```wgsl
/// struct PointRecord {
///     x: f32,
///     y: f32,
///     z: f32,
///     depth: f32,
///     bits: u32,
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PointRecord {
    /// The point on the box `a` names, from that box's center, along the axes of the world. The point on the other box is `depth`
    /// away against the normal.
    pub on_a: Vec3,
    /// [`ContactPoint::depth`].
    pub depth: f32,
    /// The features of a in bits 0 to 7 and those of b in 8 to 15, as [`Feature::from_bits`] has them.
    pub bits: u32,
}

impl PointRecord {
    /// The same in the world, for the box that `a` names and the manifold that the point belongs to.
    pub fn contact_point(&self, a: &Obb, manifold: &ManifoldRecord) -> ContactPoint {
        let on_a = a.center.as_dvec3() + self.on_a.as_dvec3();
        let depth = f64::from(self.depth);
        ContactPoint {
            on_a,
            on_b: on_a - depth * manifold.normal.as_dvec3(),
            depth,
            feature_a: Feature::from_bits(self.bits),
            feature_b: Feature::from_bits(self.bits >> 8),
        }
    }
}

/// Where the manifolds go.
pub(crate) struct ManifoldLists<'a> {
    pub manifolds: &'a wgpu::Buffer,
    pub points: &'a wgpu::Buffer,
    /// [`Counters`](crate::gpu::buffers::Counters) of its own, of which the first counts the points.
    pub counters: &'a wgpu::Buffer,
}

/// Finds contact manifolds.
pub(crate) struct ObbManifold(Kernel);

impl ObbManifold {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self(
            Kernel::new(context, SOURCE.on(context), "obb_manifolds", WORKGROUP, &[]).await?,
        ))
    }

    pub fn bind(
        &self,
        context: &Context,
        found: &FoundPairs,
        params: &wgpu::Buffer,
        lists: &ManifoldLists,
    ) -> wgpu::BindGroup {
        let buffers = [
            (0, params),
            (4, &found.outcome),
            (5, &found.pairs),
            (6, lists.manifolds),
            (7, lists.points),
            (8, lists.counters),
        ];
        self.0.bind_boxes(context, &found.boxes.bindings(), &buffers)
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass, bindings: &wgpu::BindGroup, most_pairs: u64) {
        self.0.dispatch_looping(pass, bindings, most_pairs);
    }
}
