//! Declares `shaders/engine/images.wgsl`, which lists the images of bodies in space that repeats.

use bytemuck::{Pod, Zeroable};
use wgpu::BufferUsages as Usages;

use crate::base::shader::shader;
use crate::device::buffers::Slot;
use crate::device::kernel::{At, Code, File, Kernel, Size, Source, files};
use crate::engine::gpu::deactivate::ACTIVE;
use crate::geometry::kinds::KINDS;

/// The parameters of both kernels: `struct ImageParams` of `shaders/engine/images.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ImageParams {
    /// The length after which space repeats along each axis; 0 where it does not.
    pub length: [f32; 3],
    /// The amount by which bounds are widened.
    pub widening: f32,
    /// Bodies.
    pub count: u32,
    /// Images that there is room for.
    pub most: u32,
    /// The kind of the bodies, as a number.
    pub kind: u32,
    /// The number of units of 16 bytes in a record.
    pub units: u32,
    /// The distance that a body has from its own images at least.
    pub between: f32,
    /// 0. See [`Params::zero`](crate::frame::params::Params::zero).
    pub zero: u32,
    /// 1 if the caller has flags of active bodies.
    pub masked: u32,
    pub unused: u32,
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
    /// Bodies and images, stored or not.
    pub bodies: u32,
    /// Bodies that are too wide for the period or too far from the origin. A frame reports them as
    /// invalid.
    pub out_of_period: u32,
}

/// The result of [`ImagesOf`](crate::gpu::ImagesOf): bodies and their images, for
/// [`FrameQuery::images`](crate::gpu::FrameQuery::images). The buffers can be bound as storage
/// buffers and copied from.
///
/// They belong to the checker, and the next list of images overwrites them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedImages {
    /// The bodies in the order in which they are given, then their images, as records of the same
    /// kind: each image is its body with another center.
    pub bodies: wgpu::Buffer,
    /// An [`ImageRecord`](crate::gpu::ImageRecord) for each image, in any order: that of the body
    /// at position `count + k` in `bodies` is at position `k`, if there are `count` bodies.
    pub images: wgpu::Buffer,
    /// [`ImageCounts`](crate::gpu::ImageCounts).
    pub counts: wgpu::Buffer,
    /// The number of bodies.
    pub count: u32,
    /// The number of images that there is room for.
    pub(super) most: u32,
    /// The number of bodies and images that there is room for, of each kind.
    pub(super) room: [u64; KINDS],
    /// The caller's flags of active bodies.
    pub(super) active: Option<wgpu::Buffer>,
    /// The distance between an image and its place at most.
    pub(super) error: f32,
}

pub(crate) static IMAGE_PARAMS: Slot = Slot::of::<ImageParams>("params", "parameters of images");

/// The caller's bodies, in units of 16 bytes.
pub(crate) static GIVEN_BODIES: Slot = Slot::of::<[u32; 4]>("given", "bodies in a period");

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
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Looping(|params| params.count.into()),
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
            ],
            &[],
        ],
        overrides: &[],
    },
    size: Size::Each(|params| params.count.into()),
};
