//! The images of bodies in space that repeats, for recorded frames.

use crate::base::error::Result;
use crate::engine::gpu::frame_rules::FrameRules;
use crate::engine::gpu::image_results::{Imaged, RecordedImages};
use crate::geometry::period::Period;
use crate::questions::recording::{Recordable, Recorder};
use crate::shapes::bodies::counts::BodyCounts;

/// A list of the images of bodies in space that repeats, in the caller's frame: the bodies and
/// those of their images that others can reach, for
/// [`FrameQuery::images`](crate::gpu::FrameQuery::images).
///
/// Bodies near the faces of the cell have images beyond the opposite faces, as *ghost atoms* in
/// molecular dynamics. Of two opposite images only one is listed, so that each pair is found once.
/// The centers of bodies may lie in any cell whose corners are no further from the origin than the
/// period along each axis, such as from 0 to the length, or around 0. The caller's kernel that
/// moves bodies puts those that leave the cell into it again. A body that is farther out, or not
/// narrower than the period by more than the margin of two such bodies, is counted in
/// [`ImageCounts::out_of_period`](crate::gpu::ImageCounts), and
/// [`Outcome::suspects`](crate::gpu::Outcome::suspects) then has it too.
///
/// Goes into the encoder before the frame; nothing is submitted or waited for. If there are more
/// images than fit, [`Outcome::bodies_needed`](crate::gpu::Outcome::bodies_needed) of the frame has
/// the number of bodies and images, and [`Outcome::fits`](crate::gpu::Outcome::fits) is 0. Takes a
/// copy of the bodies, and for each image a body and 16 bytes. O(n).
///
/// ```
/// use obbligato::gpu::{FrameQuery, ImageRecord, ImagesOf, Outcome};
/// use obbligato::{Config, GpuChecker, Pair, Period, Sphere, glam::Vec3, shape::BodyCounts};
/// # fn main() -> obbligato::Result<()> {
/// let mut checker = GpuChecker::open(Config::default())?;
/// let (device, queue) = (checker.device().clone(), checker.queue().clone());
/// let balls = [0.5, 5.0, 9.0].map(|x| Sphere::new(Vec3::new(x, 0.0, 0.0), 1.0));
/// let buffer = checker.upload(&balls)?;
/// let counts = BodyCounts { spheres: 3, ..BodyCounts::default() };
/// let period = Period::new([Some(10.0), None, None]);
///
/// let mut encoder = device.create_command_encoder(&Default::default());
/// let images = checker.record(&mut encoder, ImagesOf::new(&buffer, counts, period, 8))?;
/// let found = checker.record(&mut encoder, FrameQuery::images(&images))?;
/// queue.submit([encoder.finish()]);
///
/// // The image of the first ball, at 10.5, meets the last ball.
/// assert_eq!(checker.read::<Outcome>(&found.outcome, 1)?[0].pairs, 1);
/// let pair = checker.read::<Pair>(&found.pairs, 1)?[0];
/// let image = checker.read::<ImageRecord>(&images.images, 1 + pair.b - images.count)?;
/// let of_b = image[(pair.b - images.count) as usize];
/// assert_eq!((pair.a, of_b.body, of_b.image), (2, 0, [1, 0, 0]));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::InvalidPeriod`](crate::Error::InvalidPeriod);
/// [`Error::InvalidRule`](crate::Error::InvalidRule) for rules of other bodies, or without room for
/// the images;
/// [`Error::InvalidBuffer`](crate::Error::InvalidBuffer) for a buffer that is too small;
/// [`Error::LimitExceeded`](crate::Error::LimitExceeded) beyond the device's limits,
/// [`Error::OutOfDeviceMemory`](crate::Error::OutOfDeviceMemory) beyond its memory.
#[derive(Clone, Copy, Debug)]
pub struct ImagesOf<'a> {
    bodies: &'a wgpu::Buffer,
    counts: BodyCounts,
    period: Period,
    most: u32,
    active: Option<&'a wgpu::Buffer>,
    counted: Option<&'a wgpu::Buffer>,
    rules: Option<&'a FrameRules>,
}

impl<'a> ImagesOf<'a> {
    /// The images of the first bodies in a buffer with the usage `STORAGE`, with room for this many
    /// images.
    pub fn new(bodies: &'a wgpu::Buffer, counts: BodyCounts, period: Period, most_images: u32) -> Self {
        Self {
            bodies,
            counts,
            period,
            most: most_images,
            active: None,
            counted: None,
            rules: None,
        }
    }

    /// Lists no images of bodies that are not active, and checks these with nothing: those whose
    /// `u32` in `active` is 0, as in [`FrameQuery::active`](crate::gpu::FrameQuery::active). They
    /// may be outside the period.
    #[must_use]
    pub fn active(self, active: &'a wgpu::Buffer) -> Self {
        Self {
            active: Some(active),
            ..self
        }
    }

    /// Adds rules, uploaded with [`RulesOf::with_images`](crate::gpu::RulesOf::with_images): those
    /// of a body apply to its images. Bodies with margins of their own have images as far as these
    /// reach.
    #[must_use]
    pub fn with(self, rules: &'a FrameRules) -> Self {
        Self {
            rules: Some(rules),
            ..self
        }
    }

    /// Takes as many bodies as the device decides: the `u32` at offset 0 of `count`, as in
    /// [`FrameQuery::counted`](crate::gpu::FrameQuery::counted). The number given to
    /// [`ImagesOf::new`] is then the maximum. In pairs, images follow the bodies that are there,
    /// from [`Outcome::first_image`](crate::gpu::Outcome::first_image) on.
    #[must_use]
    pub fn counted(self, count: &'a wgpu::Buffer) -> Self {
        Self {
            counted: Some(count),
            ..self
        }
    }
}

impl Recordable for ImagesOf<'_> {
    type Recorded = RecordedImages;

    fn record(self, recorder: Recorder<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<Self::Recorded> {
        let bodies = Imaged::new(
            self.counts,
            self.period,
            self.most,
            [self.active, self.counted],
            self.rules,
        )?;
        recorder.0.record_images(encoder, self.bodies, &bodies)
    }
}
