//! Declares `shaders/engine/images.wgsl`, which lists the images of bodies in space that repeats.

use bytemuck::{Pod, Zeroable};
use wgpu::BufferUsages as Usages;

use crate::base::shader::shader;
use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, File, Kernel, Size, Source, files};
use crate::engine::gpu::deactivate::ACTIVE;
use crate::frame::slots::RULES_B;
use crate::geometry::kinds::KINDS;

/// The parameters of both kernels for the bodies of a kind: `struct ImageParams` of
/// `shaders/engine/images.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ImageParams {
    /// The length after which space repeats along each axis; 0 where it does not.
    pub length: [f32; 3],
    /// The amount by which bounds are widened.
    pub widening: f32,
    /// The kind of the bodies, as a number.
    pub kind: u32,
    /// The position of the first of them, and their number.
    pub first: u32,
    pub count: u32,
    /// The first unit of 16 bytes of their records, and the number of units of a record.
    pub first_unit: u32,
    pub units: u32,
    /// The number of bodies of all kinds, or [`ImageParams::IN_BUFFER`].
    pub bodies: u32,
    /// Images that there is room for.
    pub most: u32,
    /// The first unit of the images.
    pub images_unit: u32,
    /// The distance that a body has from its own images at least.
    pub between: f32,
    /// 0. See [`Params::zero`](crate::frame::params::Params::zero).
    pub zero: u32,
    /// 1 if the caller has flags of active bodies.
    pub masked: u32,
    /// 1 if bodies have margins of their own.
    pub own_margins: u32,
}

impl ImageParams {
    /// The number of bodies is that of the caller.
    pub const IN_BUFFER: u32 = u32::MAX;
}

/// An image of a body: an element of
/// [`RecordedImages::images`](crate::gpu::RecordedImages::images).
///
/// In WGSL, [`ImageRecord::WGSL`]:
///
#[doc = concat!("```wgsl\n", shader!("engine/image_record.wgsl"), "```")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct ImageRecord {
    /// The position of the body.
    pub body: u32,
    /// The number of periods by which it is moved along each axis: -1, 0 or 1. The first that is
    /// not 0 is 1.
    pub image: [i32; 3],
}

impl ImageRecord {
    /// The record in WGSL, to be prepended to a shader that reads images. See
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("engine/image_record.wgsl");
}

/// The numbers of bodies and images: the contents of
/// [`RecordedImages::counts`](crate::gpu::RecordedImages::counts) once they are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ImageCounts {
    /// Bodies: as many as were given, or as the buffer of
    /// [`ImagesOf::counted`](crate::gpu::ImagesOf::counted) says.
    pub bodies: u32,
    /// Bodies that are too wide for the period or too far from the origin. A frame reports them as
    /// invalid.
    pub out_of_period: u32,
    /// Images of boxes, of capsules and of spheres, stored or not.
    pub images: [u32; KINDS],
}

impl ImageCounts {
    /// Returns the number of images of all kinds, stored or not, up to the largest `u32`.
    pub fn all_images(&self) -> u32 {
        self.images.into_iter().fold(0, u32::saturating_add)
    }
}

/// The images in a list of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ListedImages {
    /// The number of images that there is room for.
    pub most: u32,
    /// The first unit of 16 bytes of the images, and the number of units that there is room for.
    pub unit: u32,
    pub units: u32,
    /// The distance between an image and its place at most.
    pub error: f32,
}

pub(crate) static IMAGE_PARAMS: Slot = Slot::of::<ImageParams>("params", "parameters of images");

/// The caller's bodies, in units of 16 bytes.
pub(crate) static GIVEN_BODIES: Slot = Slot::of::<[u32; 4]>("given", "bodies in a period");

/// The caller's number of bodies.
pub(crate) static CALLER_COUNT: Slot = Slot::of::<u32>("caller_count", "number of bodies in a period");

/// The corners of the scene.
pub(crate) static REACH: Slot = Slot::of::<[u32; 6]>("reach", "corners of a scene in a period");

/// Buffers for the caller's kernels.
const RESULT: Usages = Usages::STORAGE.union(Usages::COPY_DST).union(Usages::COPY_SRC);

pub(crate) static IMAGE_COUNTS: Slot = Slot::of::<ImageCounts>("counts", "numbers of images").used(RESULT);

/// The bodies and their images, in units of 16 bytes.
pub(crate) static WITH_IMAGES: Slot = Slot::of::<[u32; 4]>("bodies", "bodies and their images").used(RESULT);

pub(crate) static IMAGES: Slot = Slot::of::<ImageRecord>("images", "images of bodies").used(RESULT);

const FILES: &[File] = files![
    "shared/pair.wgsl",
    "shared/common.wgsl",
    "shared/obb.wgsl",
    "shared/rotation.wgsl",
    "shared/validity.wgsl",
    "engine/image_record.wgsl",
    "engine/images.wgsl"
];

pub(crate) static FIND_REACH: Kernel<ImageParams> = Kernel {
    code: Code {
        entry: "find_reach",
        workgroup: 256,
        source: Source::of(FILES),
        slots: [
            &[
                At::new(0, &IMAGE_PARAMS),
                At::new(1, &GIVEN_BODIES),
                At::new(2, &REACH),
                At::new(3, &IMAGE_COUNTS),
                At::new(6, &ACTIVE),
                At::new(7, &CALLER_COUNT),
                At::new(8, &RULES_B),
            ],
            &[],
        ],
        overrides: &[],
    },
    // It also takes over the number of bodies, of which there may be none.
    size: Size::Looping(|params| params.count.max(1).into()),
};

pub(crate) static LIST_IMAGES: Kernel<ImageParams> = Kernel {
    code: Code {
        entry: "list_images",
        workgroup: 256,
        source: Source::of(FILES),
        slots: [
            &[
                At::new(0, &IMAGE_PARAMS),
                At::new(1, &GIVEN_BODIES),
                At::new(2, &REACH),
                At::new(3, &IMAGE_COUNTS),
                At::new(4, &WITH_IMAGES),
                At::new(5, &IMAGES),
                At::new(6, &ACTIVE),
                At::new(8, &RULES_B),
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Each(|params| params.count.into()),
};
