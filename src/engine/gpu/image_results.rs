//! Lists of the images of bodies in space that repeats, for recorded frames, and the memory for
//! them.

use std::num::NonZeroU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::{Error, Result};
use crate::device::buffers::{Arena, Resources, Uniforms};
use crate::device::context::Context;
use crate::device::dispatch::{Kernels, Run};
use crate::engine::gpu::deactivate::ACTIVE;
use crate::engine::gpu::images::{
    FIND_REACH, GIVEN_BODIES, IMAGE_COUNTS, IMAGE_PARAMS, IMAGES, ImageParams, LIST_IMAGES, REACH, RecordedImages,
    WITH_IMAGES,
};
use crate::engine::query::check_count;
use crate::frame::params::Params;
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

/// Bodies whose images are requested.
pub(crate) struct Imaged {
    kind: Kind,
    pub count: u32,
    period: Period,
    /// Images that there is room for.
    most: u32,
    /// The caller's flags of active bodies.
    pub active: Option<wgpu::Buffer>,
}

impl Imaged {
    /// Returns these bodies if they have images.
    ///
    /// # Errors
    /// If they are of several kinds or too many, or if the period is invalid.
    pub fn new(counts: BodyCounts, period: Period, most: u32, active: Option<&wgpu::Buffer>) -> Result<Self> {
        period.validate()?;
        let of_kinds = counts.in_order();
        let shortest = || Kind::ALL.into_iter().min_by_key(|kind| kind.record_bytes());
        let kind = match counts.total() {
            0 => shortest(),
            _ => Kind::only(of_kinds),
        };
        let kind = kind.ok_or(Error::Unavailable {
            what: "the images of bodies of several kinds",
            hint: "put the bodies of each kind into a buffer of their own, or check them with `Query::periodic`",
        })?;
        check_count(counts.total().saturating_add(most as usize))?;
        Ok(Self {
            kind,
            count: counts.total() as u32,
            period,
            most,
            active: active.cloned(),
        })
    }

    /// Returns the bytes of the bodies in the caller's buffer.
    pub fn bytes(&self) -> u64 {
        self.kind.record_bytes() * u64::from(self.count.max(1))
    }

    fn error(&self) -> f32 {
        above(IMAGE_ERROR * self.period.longest())
    }

    /// Returns the parameters of the kernels for a frame with this margin.
    fn params(&self, margin: f32) -> ImageParams {
        ImageParams {
            length: [0, 1, 2].map(|axis| self.period.along(axis).unwrap_or(0.0) as f32),
            // More than frames widen bounds by, because the bounds are rounded when they are moved.
            widening: half_margin(margin + 8.0 * self.error()),
            count: self.count,
            most: self.most,
            kind: self.kind as u32,
            units: (self.kind.record_bytes() / 16) as u32,
            between: margin + 2.0 * self.error(),
            masked: u32::from(self.active.is_some()),
            ..ImageParams::default()
        }
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
        let params = bodies.params(margin);
        let all = u64::from(params.count) + u64::from(params.most);
        // Kernels that access boxes bind whole boxes.
        let units = (all * u64::from(params.units)).next_multiple_of(Params::UNITS);
        for (slot, records) in [(&WITH_IMAGES, units), (&IMAGES, params.most.into())] {
            if self.arena.reserve(context, slot, records)? {
                self.kernels.forget_bindings();
            }
        }
        let own = |slot| self.arena.buffer(slot).cloned();
        let (reach, counts) = (own(&REACH)?, own(&IMAGE_COUNTS)?);
        encoder.clear_buffer(&reach, 0, None);
        encoder.clear_buffer(&counts, 0, None);
        let given = wgpu::BufferBinding {
            buffer,
            offset: 0,
            size: NonZeroU64::new(bodies.bytes()),
        };
        let flags = bodies.active.as_ref().map(wgpu::Buffer::as_entire_buffer_binding);
        let active = flags.unwrap_or_else(|| given.clone());
        let uniform = self.uniforms.with(context, IMAGE_PARAMS.label, &params)?;
        let resources = Resources::new(&self.arena)
            .with_buffer(&IMAGE_PARAMS, &uniform)
            .with(&ACTIVE, vec![active])
            .with(&GIVEN_BODIES, vec![given]);
        let run = Run {
            context,
            resources: &resources,
            constants: &[],
            work: &params,
            guest: None,
            sizes: None,
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("images of bodies"),
            timestamp_writes: None,
        });
        self.kernels.run(&mut pass, &FIND_REACH, &run)?;
        self.kernels.run(&mut pass, &LIST_IMAGES, &run)?;
        drop(pass);
        context.recorded.store(true, Relaxed);
        Ok(RecordedImages {
            bodies: own(&WITH_IMAGES)?,
            images: own(&IMAGES)?,
            counts,
            count: params.count,
            most: params.most,
            room: bodies.kind.counts(all),
            active: bodies.active.clone(),
            error: bodies.error(),
        })
    }
}
