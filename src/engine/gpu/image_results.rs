//! Lists of the images of bodies in space that repeats, for recorded frames, and the memory for
//! them.

use std::num::NonZeroU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::{Error, Result};
use crate::device::buffers::{Arena, Resources, Uniforms};
use crate::device::context::Context;
use crate::device::dispatch::{Kernels, Run};
use crate::engine::gpu::deactivate::ACTIVE;
use crate::engine::gpu::frame_rules::FrameRules;
use crate::engine::gpu::images::{
    CALLER_COUNT, FIND_REACH, GIVEN_BODIES, IMAGE_COUNTS, IMAGE_PARAMS, IMAGES, ImageParams, LIST_IMAGES, ListedImages,
    REACH, WITH_IMAGES,
};
use crate::engine::query::check_count;
use crate::frame::params::Params;
use crate::frame::slots::{RULES_B, UNIT_BYTES};
use crate::geometry::bounds::half_margin;
use crate::geometry::period::Period;
use crate::geometry::rounding::above;
use crate::shapes::bodies::counts::BodyCounts;
use crate::shapes::bodies::set::Kind;

/// The distance between an image and its place at most, per unit of the longest period.
///
/// Centers are at most one period from the origin, and images twice that. A center is rounded once,
/// by at most 2^-22 of a period, and the period by 2^-24 of itself: along three axes, less than
/// `0.6 * 2^-20`. The rest is for the lengths to which this is added, which are rounded by less
/// than 2^-23 of a period each.
const IMAGE_ERROR: f64 = 1.0 / (1u64 << 20) as f64;

/// The result of [`ImagesOf`](crate::gpu::ImagesOf): bodies and their images, for
/// [`FrameQuery::images`](crate::gpu::FrameQuery::images). The buffers can be bound as storage
/// buffers and copied from.
///
/// They belong to the checker, and the next list of images overwrites them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedImages {
    /// The bodies in the order in which they are given; then, from the next multiple of 48 bytes if
    /// not all are spheres, their images: those of boxes, of capsules and of spheres. Each image is
    /// its body with another center.
    pub bodies: wgpu::Buffer,
    /// An [`ImageRecord`](crate::gpu::ImageRecord) for each image, in the same order: that of the
    /// image at position `k` of a pair is at position `k - first`, where `first` is
    /// [`Outcome::first_image`](crate::gpu::Outcome::first_image).
    pub images: wgpu::Buffer,
    /// [`ImageCounts`](crate::gpu::ImageCounts).
    pub counts: wgpu::Buffer,
    /// The number of bodies, at most.
    pub count: u32,
    /// The number of bodies of each kind, at most.
    pub(super) of_kinds: BodyCounts,
    /// The images in the list of bodies.
    pub(super) listed: ListedImages,
    /// The caller's flags of active bodies.
    pub(super) active: Option<wgpu::Buffer>,
    /// The rules of the bodies.
    pub(super) rules: Option<FrameRules>,
}

/// Bodies whose images are requested.
pub(crate) struct Imaged {
    of_kinds: BodyCounts,
    pub count: u32,
    period: Period,
    /// Images that there is room for.
    most: u32,
    /// The caller's flags of active bodies.
    pub active: Option<wgpu::Buffer>,
    /// The caller's number of bodies.
    pub counted: Option<wgpu::Buffer>,
    /// The rules of the bodies.
    pub rules: Option<FrameRules>,
}

/// Units in the record of a kind.
const fn units(kind: Kind) -> u64 {
    kind.record_bytes() / UNIT_BYTES
}

impl Imaged {
    /// Returns these bodies if they have images.
    ///
    /// # Errors
    /// If they are too many, or if the period is invalid.
    pub fn new(
        of_kinds: BodyCounts,
        period: Period,
        most: u32,
        [active, counted]: [Option<&wgpu::Buffer>; 2],
        rules: Option<&FrameRules>,
    ) -> Result<Self> {
        period.validate()?;
        let count = of_kinds.total();
        check_count(count.saturating_add(most as usize))?;
        Ok(Self {
            of_kinds,
            count: count as u32,
            period,
            most,
            active: active.cloned(),
            counted: counted.cloned(),
            rules: rules.cloned(),
        })
    }

    /// Returns an error if the rules are not about these bodies, or have no room for their images.
    pub fn check_rules(&self, context: &Context) -> Result<()> {
        match &self.rules {
            None => Ok(()),
            Some(rules) => rules.check_images(context, self.count, self.most),
        }
    }

    /// Returns the bytes of the bodies in the caller's buffer, of at least one.
    pub fn bytes(&self) -> u64 {
        let all = Kind::ALL.into_iter().zip(self.of_kinds.in_order());
        let bytes: u64 = all.map(|(kind, count)| kind.record_bytes() * count).sum();
        bytes.max(UNIT_BYTES)
    }

    /// Returns the place of the images after the bodies.
    ///
    /// # Errors
    /// If shaders cannot number the units.
    fn listed(&self) -> Result<ListedImages> {
        let all = || Kind::ALL.into_iter().zip(self.of_kinds.in_order());
        let of_bodies: u64 = all().map(|(kind, count)| units(kind) * count).sum();
        let present = all().filter(|(_, count)| *count > 0);
        let of_image = present.map(|(kind, _)| units(kind)).max().unwrap_or(1);
        // No record straddles two bindings.
        let unit = of_bodies.next_multiple_of(of_image);
        let (needed, available) = (
            unit.saturating_add(of_image * u64::from(self.most)),
            u64::from(u32::MAX),
        );
        if needed > available {
            return Err(Error::LimitExceeded {
                what: "a list of bodies and their images, in units of 16 bytes".to_owned(),
                needed,
                available,
                hint: "make room for fewer images, or check fewer bodies",
            });
        }
        Ok(ListedImages {
            most: self.most,
            unit: unit as u32,
            units: (needed - unit) as u32,
            // More than 0 even if no axis repeats: a frame of images is recognised by it.
            error: above(IMAGE_ERROR * self.period.longest()).max(f32::MIN_POSITIVE),
        })
    }

    /// Returns the parameters of the kernels for the bodies of each kind that is there, or for one
    /// without bodies, for a frame with this margin.
    fn params(&self, listed: ListedImages, margin: f32) -> Vec<ImageParams> {
        let common = ImageParams {
            length: [0, 1, 2].map(|axis| self.period.along(axis).unwrap_or(0.0) as f32),
            // More than frames widen bounds by, because the bounds are rounded when they are moved.
            widening: half_margin(margin + 8.0 * listed.error),
            bodies: match self.counted {
                None => self.count,
                Some(_) => ImageParams::IN_BUFFER,
            },
            most: self.most,
            images_unit: listed.unit,
            between: margin + 2.0 * listed.error,
            masked: u32::from(self.active.is_some()),
            own_margins: u32::from(self.rules.as_ref().is_some_and(FrameRules::have_margins)),
            ..ImageParams::default()
        };
        let (mut first, mut first_unit, mut all) = (0, 0, Vec::new());
        for (kind, count) in Kind::ALL.into_iter().zip(self.of_kinds.in_order()) {
            let of_kind = ImageParams {
                kind: kind as u32,
                first,
                count: count as u32,
                first_unit,
                units: units(kind) as u32,
                ..common
            };
            all.extend((count > 0).then_some(of_kind));
            (first, first_unit) = (first + of_kind.count, first_unit + of_kind.count * of_kind.units);
        }
        if all.is_empty() { vec![common] } else { all }
    }
}

/// The kernels and their memory.
pub(crate) struct ImageResults {
    kernels: Kernels,
    arena: Arena,
    uniforms: Uniforms,
}

impl ImageResults {
    pub fn new(context: &Context) -> Result<Self> {
        let mut arena = Arena::new(context, [&REACH, &IMAGE_COUNTS, &WITH_IMAGES, &IMAGES])?;
        arena.reserve(context, &REACH, 1)?;
        arena.reserve(context, &IMAGE_COUNTS, 1)?;
        Ok(Self {
            kernels: Kernels::default(),
            arena,
            uniforms: Uniforms::default(),
        })
    }

    /// Returns the number of bytes of GPU memory held.
    pub fn bytes(&self) -> u64 {
        self.arena.bytes()
    }

    /// Records a list of the images of the first bodies in a buffer, for a frame with this margin.
    pub fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        (buffer, bodies): (&wgpu::Buffer, &Imaged),
        margin: f32,
    ) -> Result<RecordedImages> {
        let listed = bodies.listed()?;
        // Kernels that access boxes bind whole boxes.
        let units = u64::from(listed.unit) + u64::from(listed.units);
        let units = units.max(1).next_multiple_of(Params::UNITS);
        for (slot, records) in [(&WITH_IMAGES, units), (&IMAGES, listed.most.into())] {
            if self.arena.reserve(context, slot, records)? {
                self.kernels.forget_bindings();
            }
        }
        for slot in [&REACH, &IMAGE_COUNTS] {
            encoder.clear_buffer(self.arena.buffer(slot)?, 0, None);
        }
        self.list(context, encoder, (buffer, bodies), &bodies.params(listed, margin))?;
        let own = |slot| self.arena.buffer(slot).cloned();
        if let Some(rules) = &bodies.rules {
            rules.take_images(encoder, &own(&IMAGES)?, listed.most);
        }
        context.recorded.store(true, Relaxed);
        Ok(RecordedImages {
            bodies: own(&WITH_IMAGES)?,
            images: own(&IMAGES)?,
            counts: own(&IMAGE_COUNTS)?,
            count: bodies.count,
            of_kinds: bodies.of_kinds,
            listed,
            active: bodies.active.clone(),
            rules: bodies.rules.clone(),
        })
    }

    /// Records the kernels for the bodies of each kind. The images of a kind are listed when those
    /// of the kinds before are.
    fn list(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        (buffer, bodies): (&wgpu::Buffer, &Imaged),
        of_kinds: &[ImageParams],
    ) -> Result<()> {
        let given = wgpu::BufferBinding {
            buffer,
            offset: 0,
            size: NonZeroU64::new(bodies.bytes()),
        };
        let rules = bodies.rules.as_ref().map(FrameRules::list);
        let common = Resources::new(&self.arena)
            .with(&ACTIVE, vec![bound_or(bodies.active.as_ref(), &given)])
            .with(&CALLER_COUNT, vec![bound_or(bodies.counted.as_ref(), &given)])
            .with(&RULES_B, vec![bound_or(rules, &given)])
            .with(&GIVEN_BODIES, vec![given.clone()]);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("images of bodies"),
            timestamp_writes: None,
        });
        for kernel in [&FIND_REACH, &LIST_IMAGES] {
            for params in of_kinds {
                let uniform = self.uniforms.with(context, IMAGE_PARAMS.label, params)?;
                let run = Run {
                    context,
                    resources: &common.clone().with_buffer(&IMAGE_PARAMS, &uniform),
                    constants: &[],
                    work: params,
                    guest: None,
                    sizes: None,
                };
                self.kernels.run(&mut pass, kernel, &run)?;
            }
        }
        Ok(())
    }
}

/// Returns a buffer of the caller as a binding, or another binding in its place.
fn bound_or<'a>(buffer: Option<&'a wgpu::Buffer>, other: &wgpu::BufferBinding<'a>) -> wgpu::BufferBinding<'a> {
    match buffer {
        Some(buffer) => buffer.as_entire_buffer_binding(),
        None => other.clone(),
    }
}
