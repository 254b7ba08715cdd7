//! The parameters and slots of the kernels that examine pairs in device memory:
//! `shaders/shared/found_pairs.wgsl`.

use bytemuck::{Pod, Zeroable};
use wgpu::BufferUsages as Usages;

use crate::device::buffers::Slot;
use crate::device::kernel::At;
use crate::frame::outcome::OUTCOME;
use crate::frame::slots::TESTED;
use crate::geometry::pair::Pair;

/// The parameters of the kernels: `struct PairParams` of the shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PairParams {
    /// The largest number of pairs.
    pub pair_capacity: u32,
    /// The largest number of points.
    pub point_capacity: u32,
    /// The number of boxes in a full segment. Full segments of other bodies have as many bytes.
    pub box_segment: u32,
    /// 1 if a pair's b names a mover (movers are in the second segment), else 0.
    pub movers: u32,
    /// 0, as in [`Params`](crate::frame::params::Params).
    pub zero: u32,
    /// The ends of the boxes and of the capsules among the bodies that a pair's b names, and among
    /// those that its a names. Spheres follow.
    pub box_end: u32,
    pub capsule_end: u32,
    pub box_end_of_a: u32,
    pub capsule_end_of_a: u32,
    /// The first unit of the images that b may also name; the position of the first image, and the
    /// ends of the boxes and of the capsules among them, as in
    /// [`Params`](crate::frame::params::Params), which the device has.
    pub images_unit: u32,
    pub images_first: u32,
    pub image_box_end: u32,
    pub image_capsule_end: u32,
}

/// The slot of [`PairParams`].
pub(crate) static PAIR_PARAMS: Slot = Slot::of::<PairParams>("params", "parameters of pairs");

/// [`PairParams`] of a frame with images.
pub(crate) static PARAMS_WITH_IMAGES: Slot =
    Slot::of::<PairParams>("params", "parameters of pairs with images").used(Usages::UNIFORM.union(Usages::COPY_DST));

/// The pairs to examine.
pub(crate) static FOUND_PAIRS: Slot = Slot::of::<Pair>("pairs", "pairs to look at");

/// The bindings common to these kernels.
pub(crate) const SLOTS: &[At] = &[
    At::new(0, &PAIR_PARAMS),
    At::new(1, &TESTED),
    At::new(4, &OUTCOME),
    At::new(5, &FOUND_PAIRS),
];
