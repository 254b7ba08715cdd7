//! Declares `shaders/narrow_phase/obb_obb/obb_closest.wgsl`: distances and closest points of pairs
//! of two boxes on the GPU. Also defines the record of closest points of bodies of any kind.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};

use crate::base::shader::shader;
use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, Kernel, Size, Source, files};
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::obb_obb::found_pairs::{PairParams, SLOTS};
use crate::shapes::bodies::set::BodyRef;

/// The distance and closest points of a pair, as computed on a GPU: 32 bytes.
///
/// In WGSL, [`ClosestRecord::WGSL`]:
///
#[doc = concat!("```wgsl\n", shader!("narrow_phase/obb_obb/closest_record.wgsl"), "```")]
///
/// All lengths err by at most 128 · 2^-23 of Z, the sum of the centers' distance along A's axes and
/// all half extents, half lengths and radii; typically by a hundredth of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ClosestRecord {
    /// A point of body `a` of the pair, relative to that body's center, along the axes of the
    /// world.
    pub on_a: Vec3,
    /// The distance, in the caller's unit; 0 if the bodies collide or may collide.
    pub distance: f32,
    /// A point of body `b` of the pair, also relative to the center of **a**.
    pub on_b: Vec3,
    /// [`ClosestRecord::UNDECIDED`], or 0.
    pub bits: u32,
}

impl ClosestRecord {
    /// The record in WGSL, to be prepended to a shader that reads closest points; see
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("narrow_phase/obb_obb/closest_record.wgsl");

    /// Set in `bits` if the distance is 0 because `f32` cannot tell whether the bodies collide.
    /// [`BodyRef::distance`] can.
    pub const UNDECIDED: u32 = 1;

    /// Returns `true` if `f32` cannot tell whether the bodies collide.
    pub const fn is_undecided(&self) -> bool {
        self.bits & Self::UNDECIDED != 0
    }

    /// Converts the record to points in the world, given body `a` of the pair.
    pub fn closest_points<'a>(&self, a: impl Into<BodyRef<'a>>) -> ClosestPoints {
        let center = a.into().center().as_dvec3();
        let in_world = |point: Vec3| -> DVec3 { center + point.as_dvec3() };
        ClosestPoints {
            distance: f64::from(self.distance),
            on_a: in_world(self.on_a),
            on_b: in_world(self.on_b),
        }
    }
}

/// A [`ClosestRecord`] for each pair.
pub(crate) static CLOSEST: Slot = Slot::of::<ClosestRecord>("closest", "closest points");

/// The bindings of the kernels that find closest points.
pub(crate) const LIST: &[At] = &[At::new(6, &CLOSEST)];

pub(crate) static OBB_CLOSEST: Kernel<PairParams> = Kernel {
    code: Code {
        entry: "obb_closest_points",
        workgroup: 128,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/outcome.wgsl",
            "shared/images.wgsl",
            "shared/found_pairs.wgsl",
            "shared/obb.wgsl",
            "shared/boxes.wgsl",
            "shared/rotation.wgsl",
            "narrow_phase/obb_obb/frame.wgsl",
            "narrow_phase/obb_obb/closest.wgsl",
            "narrow_phase/obb_obb/closest_record.wgsl",
            "narrow_phase/obb_obb/closest_list.wgsl",
            "narrow_phase/obb_obb/obb_closest.wgsl"
        ]),
        slots: [SLOTS, LIST],
        overrides: &["imaged"],
    },
    size: Size::Looping(|params| params.pair_capacity.into()),
};
