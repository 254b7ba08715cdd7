//! Declares `shaders/narrow_phase/obb_obb/obb_manifold.wgsl`, with `clip.wgsl`: contact manifolds
//! of pairs of two boxes on the GPU. Also defines the records of the manifolds of bodies of any
//! kind.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::base::shader::shader;
use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::geometry::feature::Feature;
use crate::narrow_phase::obb_obb::found_pairs::{PairParams, SLOTS};
use crate::narrow_phase::obb_obb::manifold::{ContactPoint, Penetration, Side};
use crate::shapes::bodies::set::BodyRef;

/// The largest number of points of a manifold of two boxes. If one body is round, there are at most
/// two.
pub(crate) const MOST_POINTS: usize = 8;

/// The penetration of a pair and the position of its points, as computed on a GPU: 24 bytes.
///
/// In WGSL, [`ManifoldRecord::WGSL`]:
///
#[doc = concat!("```wgsl\n", shader!("narrow_phase/obb_obb/manifold_record.wgsl"), "```")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ManifoldRecord {
    /// [`Penetration::normal`]: from body `a` of the pair to body `b`.
    pub normal: Vec3,
    /// [`Penetration::depth`].
    pub depth: f32,
    /// Index of its first point in the list of points.
    pub first: u32,
    /// The features of a in bits 0 to 7, those of b in bits 8 to 15, as in [`Feature::from_bits`];
    /// the reference face's body in bits 16 and 17 (0: a, 1: b, 2: neither); the number of stored
    /// points, 0 to 8, in bits 20 to 23; and [`ManifoldRecord::UNDECIDED`].
    pub bits: u32,
}

impl ManifoldRecord {
    /// The record in WGSL, to be prepended to a shader that reads manifolds; see
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("narrow_phase/obb_obb/manifold_record.wgsl");

    /// Set in `bits` if `f32` cannot tell whether the bodies collide, or where: they only touch, or
    /// nearly. [`BodyRef::manifold`] can; the record is as good as `f32` allows.
    pub const UNDECIDED: u32 = 1 << 31;
    /// Position in `bits` of the reference face's body.
    pub(crate) const REFERENCE_SHIFT: u32 = 16;
    /// Position in `bits` of the number of points.
    pub(crate) const COUNT_SHIFT: u32 = 20;

    /// Returns `true` if `f32` cannot tell whether the bodies collide, or where.
    pub const fn is_undecided(&self) -> bool {
        self.bits & Self::UNDECIDED != 0
    }

    /// Returns the number of stored points: 1 to 8, or 0 if there was no room for all of them.
    pub const fn len(&self) -> usize {
        (self.bits >> Self::COUNT_SHIFT & 15) as usize
    }

    /// Returns `true` if there was no room for its points.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Converts the penetration to `f64`.
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

/// A contact point, as computed on a GPU: 20 bytes, without padding.
///
/// In WGSL, [`PointRecord::WGSL`]:
///
#[doc = concat!("```wgsl\n", shader!("narrow_phase/obb_obb/point_record.wgsl"), "```")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PointRecord {
    /// The point on body `a` of the pair, relative to that body's center, along the axes of the
    /// world. The point on the other body is `depth` away against the normal.
    pub on_a: Vec3,
    /// [`ContactPoint::depth`].
    pub depth: f32,
    /// The features of a in bits 0 to 7 and those of b in bits 8 to 15, as in
    /// [`Feature::from_bits`].
    pub bits: u32,
}

impl PointRecord {
    /// The record in WGSL, to be prepended to a shader that reads contact points; see
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("narrow_phase/obb_obb/point_record.wgsl");

    /// Converts the point to the world, given body `a` of the pair and the manifold of the point.
    pub fn contact_point<'a>(&self, a: impl Into<BodyRef<'a>>, manifold: &ManifoldRecord) -> ContactPoint {
        let on_a = a.into().center().as_dvec3() + self.on_a.as_dvec3();
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

/// A [`ManifoldRecord`] for each pair.
pub(crate) static MANIFOLDS: Slot = Slot::of::<ManifoldRecord>("manifolds", "manifolds");

/// The [`PointRecord`]s of all manifolds.
pub(crate) static POINTS: Slot = Slot::of::<PointRecord>("points", "contact points");

/// The counts of points of the manifolds.
pub(crate) static POINT_COUNTS: Slot = Slot::of::<[u32; 4]>("counts", "counts of points");

/// The bindings of the kernels that make manifolds.
pub(crate) const LISTS: &[At] = &[At::new(6, &MANIFOLDS), At::new(7, &POINTS), At::new(8, &POINT_COUNTS)];

pub(crate) static OBB_MANIFOLD: Kernel<PairParams> = Kernel {
    code: Code {
        entry: "obb_manifolds",
        workgroup: 128,
        source: Source::appending(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/outcome.wgsl",
            "shared/images.wgsl",
            "shared/found_pairs.wgsl",
            "shared/obb.wgsl",
            "shared/boxes.wgsl",
            "shared/rotation.wgsl",
            "narrow_phase/obb_obb/frame.wgsl",
            "narrow_phase/obb_obb/features.wgsl",
            "narrow_phase/obb_obb/clip.wgsl",
            "narrow_phase/obb_obb/manifold_record.wgsl",
            "narrow_phase/obb_obb/point_record.wgsl",
            "narrow_phase/obb_obb/manifold_lists.wgsl",
            "narrow_phase/obb_obb/obb_manifold.wgsl"
        ]),
        slots: [SLOTS, LISTS],
        overrides: &["imaged"],
    },
    size: Size::Looping(|params| params.pair_capacity.into()),
};
