//! The kernels for details of pairs (contact manifolds, distances, closest points and overlaps),
//! and their working memory.

use std::mem::offset_of;

use crate::base::error::{Error, Result};
use crate::base::{memory, parallel};
use crate::device::buffers::{Arena, Resources, Slot, Staging, Uniforms};
use crate::device::context::Context;
use crate::device::dispatch::{Kernels, Run};
use crate::device::kernel::Kernel;
use crate::engine::gpu::recorded::{PairBodies, PairImages, Recorded};
use crate::engine::gpu::records::ends;
use crate::frame::outcome::{OUTCOME, Outcome};
use crate::frame::params::Params;
use crate::frame::slots::TESTED;
use crate::geometry::kinds::of_first_kind;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contacts::Contacts;
use crate::narrow_phase::in_plane::plane_manifold::PLANE_MANIFOLD;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::obb_obb::found_pairs::{FOUND_PAIRS, PAIR_PARAMS, PARAMS_WITH_IMAGES, PairParams};
use crate::narrow_phase::obb_obb::obb_closest::{CLOSEST, ClosestRecord, OBB_CLOSEST};
use crate::narrow_phase::obb_obb::obb_manifold::{
    MANIFOLDS, MOST_POINTS, ManifoldRecord, OBB_MANIFOLD, POINT_COUNTS, POINTS, PointRecord,
};
use crate::narrow_phase::obb_obb::obb_overlap::{OBB_OVERLAP, OVERLAPS};
use crate::narrow_phase::round::round_closest::ROUND_CLOSEST;
use crate::narrow_phase::round::round_manifold::ROUND_MANIFOLD;
use crate::shapes::obb::record::Obb;

/// The kernels that examine pairs.
#[derive(Clone, Copy)]
enum Examine {
    /// One for all pairs.
    All(&'static Kernel<PairParams>),
    /// One for pairs of two boxes, and one for all others if there is one.
    ByKinds(&'static Kernel<PairParams>, Option<&'static Kernel<PairParams>>),
}

/// Maximum number of the caller's pairs that are processed together: their boxes take 24 MiB, and
/// their points up to 40 MiB.
const MOST_AT_ONCE: usize = 1 << 18;

/// Hint for frames whose pairs are not those of bodies, or not listed.
const WITHOUT_BODIES: &str = "record a frame of boxes, capsules or balls with `Output::Pairs`";

/// Hint for frames whose pairs are not those of boxes alone, or not listed.
const WITH_OTHERS: &str = "record a frame of boxes alone with `Output::Pairs`";

/// The result of [`ContactsOf`](crate::gpu::ContactsOf): the contact manifolds of a frame. The
/// buffers can be bound as storage buffers and copied from.
///
/// Like those of [`Recorded`], they belong to the checker, and the next call overwrites them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedContacts {
    /// A [`ManifoldRecord`](crate::gpu::ManifoldRecord) for each stored pair, in the order of
    /// [`Recorded::pairs`].
    pub manifolds: wgpu::Buffer,
    /// The [`PointRecord`](crate::gpu::PointRecord)s of all manifolds. The points of one manifold
    /// are adjacent; the order of manifolds differs from run to run.
    pub points: wgpu::Buffer,
    /// The number of points of all manifolds, stored or not, as a `u32` at offset 0.
    pub counts: wgpu::Buffer,
}

/// Pairs in the memory of a device, and their bodies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundPairs {
    pub pairs: wgpu::Buffer,
    /// [`Outcome`], which contains the number of pairs.
    pub outcome: wgpu::Buffer,
    pub bodies: PairBodies,
}

impl FoundPairs {
    /// Returns the pairs of a recorded frame, if they are those of bodies.
    pub fn of(recorded: &Recorded, what: &'static str) -> Result<Self> {
        Self::with(recorded, |_| true).ok_or(Error::Unavailable {
            what,
            hint: WITHOUT_BODIES,
        })
    }

    /// Returns the pairs of a recorded frame, if they are those of boxes alone.
    pub fn of_boxes(recorded: &Recorded, what: &'static str) -> Result<Self> {
        Self::with(recorded, |bodies| !bodies.have_round()).ok_or(Error::Unavailable {
            what,
            hint: WITH_OTHERS,
        })
    }

    fn with(recorded: &Recorded, accepts: impl FnOnce(&PairBodies) -> bool) -> Option<Self> {
        let bodies = recorded.bodies.clone().filter(accepts);
        Some(Self {
            pairs: recorded.pairs.clone(),
            outcome: recorded.outcome.clone(),
            bodies: bodies.filter(|_| recorded.sets.is_some())?,
        })
    }

    fn capacity(&self) -> u64 {
        self.pairs.size() / size_of::<Pair>() as u64
    }

    fn params(&self, points: u32) -> PairParams {
        let [of_a, of_b] = self.bodies.counts;
        let ([box_end_of_a, capsule_end_of_a], [box_end, capsule_end]) = (ends(of_a), ends(of_b));
        PairParams {
            pair_capacity: self.capacity().min(u64::from(u32::MAX)) as u32,
            point_capacity: points,
            box_segment: self.bodies.segment,
            movers: u32::from(self.bodies.movers),
            zero: 0,
            box_end,
            capsule_end,
            box_end_of_a,
            capsule_end_of_a,
            images_unit: self.bodies.images.as_ref().map_or(0, |images| images.unit),
            ..PairParams::default()
        }
    }
}

/// The kernels and the memory.
pub(super) struct ContactResults {
    kernels: Kernels,
    arena: Arena,
    uniforms: Uniforms,
    staging: Staging,
    /// The number of the caller's pairs that are numbered on the device.
    numbered: usize,
}

/// Boxes of a list of the caller's pairs: those of pair k are the records 2k and 2k + 1.
static LISTED_BOXES: Slot = Slot::of::<Obb>("boxes", "boxes of pairs");
static LISTED_PAIRS: Slot = Slot::of::<Pair>("pairs", "the caller's pairs");

impl ContactResults {
    pub fn new(context: &Context) -> Result<Self> {
        let slots = [
            &MANIFOLDS,
            &POINTS,
            &POINT_COUNTS,
            &CLOSEST,
            &OVERLAPS,
            &LISTED_BOXES,
            &LISTED_PAIRS,
            &OUTCOME,
            &PARAMS_WITH_IMAGES,
        ];
        Ok(Self {
            kernels: Kernels::default(),
            arena: Arena::new(context, slots)?,
            uniforms: Uniforms::default(),
            staging: Staging::new(context)?,
            numbered: 0,
        })
    }

    /// Returns the maximum number of the caller's pairs that are processed together, such that no
    /// buffer is too large.
    pub fn most_at_once(context: &Context) -> usize {
        let fit = context.max_buffer_bytes as usize / (MOST_POINTS * size_of::<PointRecord>());
        fit.clamp(1, MOST_AT_ONCE)
    }

    /// Returns the number of bytes of GPU memory held.
    pub fn bytes(&self) -> u64 {
        self.arena.bytes() + self.staging.buffer.size()
    }

    /// Reserves memory for this many records at a slot.
    fn reserve(&mut self, context: &Context, slot: &'static Slot, records: u64) -> Result<()> {
        if self.arena.reserve(context, slot, records)? {
            self.kernels.forget_bindings();
        }
        Ok(())
    }

    /// Records kernels over pairs, each only if there may be such pairs.
    fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        kernels: Examine,
        found: &FoundPairs,
        max_points: u32,
    ) -> Result<()> {
        let params = found.params(max_points);
        let params_buffer = match &found.bodies.images {
            None => self.uniforms.with(context, PAIR_PARAMS.label, &params)?,
            Some(images) => self.params_with_images(context, encoder, &params, images)?,
        };
        let resources = Resources::new(&self.arena)
            .with_buffer(&PAIR_PARAMS, &params_buffer)
            .with(&TESTED, found.bodies.bindings())
            .with_buffer(&OUTCOME, &found.outcome)
            .with_buffer(&FOUND_PAIRS, &found.pairs);
        let run = Run {
            context,
            resources: &resources,
            constants: &[("imaged", f64::from(found.bodies.images.is_some()))],
            work: &params,
            guest: None,
            sizes: None,
        };
        let bodies = &found.bodies;
        let kernels = match kernels {
            Examine::All(kernel) => [Some(kernel), None],
            Examine::ByKinds(of_boxes, of_others) => [
                bodies.have_boxes().then_some(of_boxes),
                of_others.filter(|_| bodies.have_round()),
            ],
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: kernels.iter().flatten().next().map(|kernel| kernel.code.entry),
            timestamp_writes: None,
        });
        for kernel in kernels.into_iter().flatten() {
            self.kernels.run(&mut pass, kernel, &run)?;
        }
        Ok(())
    }

    /// Records a copy of these parameters, with what the device has counted.
    fn params_with_images(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        params: &PairParams,
        images: &PairImages,
    ) -> Result<wgpu::Buffer> {
        let list = std::slice::from_ref(params);
        let of_host = self
            .uniforms
            .with_usage(context, PAIR_PARAMS.label, list, wgpu::BufferUsages::COPY_SRC)?;
        let buffer = self.arena.buffer(&PARAMS_WITH_IMAGES)?.clone();
        encoder.copy_buffer_to_buffer(&of_host, 0, &buffer, 0, Some(size_of::<PairParams>() as u64));
        for (counted, place) in [
            (offset_of!(Params, images_first), offset_of!(PairParams, images_first)),
            (offset_of!(Params, image_box_end), offset_of!(PairParams, image_box_end)),
            (
                offset_of!(Params, image_capsule_end),
                offset_of!(PairParams, image_capsule_end),
            ),
        ] {
            let bytes = size_of::<u32>() as u64;
            encoder.copy_buffer_to_buffer(&images.params, counted as u64, &buffer, place as u64, Some(bytes));
        }
        Ok(buffer)
    }

    pub fn record_contacts(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        found: &FoundPairs,
        max_points: u32,
        in_plane: bool,
    ) -> Result<RecordedContacts> {
        self.reserve(context, &MANIFOLDS, found.capacity())?;
        self.reserve(context, &POINTS, max_points.into())?;
        let counts = self.arena.buffer(&POINT_COUNTS)?.clone();
        encoder.clear_buffer(&counts, 0, None);
        let kernels = match in_plane {
            true => Examine::All(&PLANE_MANIFOLD),
            false => Examine::ByKinds(&OBB_MANIFOLD, Some(&ROUND_MANIFOLD)),
        };
        self.record(context, encoder, kernels, found, max_points)?;
        Ok(RecordedContacts {
            manifolds: self.arena.buffer(&MANIFOLDS)?.clone(),
            points: self.arena.buffer(&POINTS)?.clone(),
            counts,
        })
    }

    pub fn record_closest(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        found: &FoundPairs,
    ) -> Result<wgpu::Buffer> {
        self.reserve(context, &CLOSEST, found.capacity())?;
        let kernels = Examine::ByKinds(&OBB_CLOSEST, Some(&ROUND_CLOSEST));
        self.record(context, encoder, kernels, found, 0)?;
        self.arena.buffer(&CLOSEST).cloned()
    }

    pub fn record_overlaps(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        found: &FoundPairs,
    ) -> Result<wgpu::Buffer> {
        self.reserve(context, &OVERLAPS, found.capacity())?;
        self.record(context, encoder, Examine::ByKinds(&OBB_OVERLAP, None), found, 0)?;
        self.arena.buffer(&OVERLAPS).cloned()
    }

    /// Uploads pairs and their boxes to the device.
    fn upload(&mut self, context: &Context, [a, b]: [&[Obb]; 2], pairs: &[Pair]) -> Result<FoundPairs> {
        let mut boxes = memory::zeroed(2 * pairs.len(), "the boxes of pairs")?;
        parallel::fill(&mut boxes, |k| match (k % 2, pairs[k / 2]) {
            (0, pair) => a[pair.a as usize],
            (_, pair) => b[pair.b as usize],
        });
        self.reserve(context, &LISTED_BOXES, boxes.len() as u64)?;
        if self.arena.reserve(context, &LISTED_PAIRS, pairs.len() as u64)? {
            self.kernels.forget_bindings();
            self.numbered = 0;
        }
        let unnumbered = if self.numbered < pairs.len() { pairs.len() } else { 0 };
        let numbers = (0..unnumbered).map(|k| [2 * k, 2 * k + 1].map(|place| place as u32));
        let numbers = memory::collect(numbers.map(|[a, b]| Pair { a, b }), "the numbers of pairs")?;
        self.numbered = self.numbered.max(numbers.len());
        let outcome = Outcome {
            pairs: pairs.len() as u32,
            ..Outcome::default()
        };
        let buffer = |slot| self.arena.buffer(slot);
        let (boxes_buffer, pairs_buffer, outcome_buffer) =
            (buffer(&LISTED_BOXES)?, buffer(&LISTED_PAIRS)?, buffer(&OUTCOME)?);
        context.scoped("the upload of pairs", size_of_val(&boxes[..]) as u64, || {
            let write = |buffer: &wgpu::Buffer, bytes: &[u8]| context.queue.write_buffer(buffer, 0, bytes);
            write(boxes_buffer, bytemuck::cast_slice(&boxes));
            write(pairs_buffer, bytemuck::cast_slice(&numbers));
            write(outcome_buffer, bytemuck::bytes_of(&outcome));
        })?;
        Ok(FoundPairs {
            pairs: pairs_buffer.clone(),
            outcome: outcome_buffer.clone(),
            bodies: PairBodies {
                segments: vec![(boxes_buffer.clone(), 0, None); TESTED.bindings],
                segment: u32::MAX,
                movers: false,
                counts: [of_first_kind(boxes.len() as u64); 2],
                images: None,
            },
        })
    }

    /// Computes the contacts of a chunk of the caller's pairs, at most
    /// [`ContactResults::most_at_once`]. Those that `f32` cannot decide are computed on the CPU.
    pub async fn contacts_of(&mut self, context: &Context, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Vec<Contacts>> {
        let found = self.upload(context, sets, pairs)?;
        let mut encoder = context.encoder("details of pairs")?;
        let most = (pairs.len() * MOST_POINTS) as u32;
        let lists = self.record_contacts(context, &mut encoder, &found, most, false)?;
        let manifolds: Vec<ManifoldRecord> = self
            .staging
            .read(context, encoder, &lists.manifolds, pairs.len())
            .await?;
        let stored = manifolds.iter().map(ManifoldRecord::len).sum();
        let encoder = context.encoder("the read-back")?;
        let points: Vec<PointRecord> = self.staging.read(context, encoder, &lists.points, stored).await?;
        let parts = parallel::map_ranges(pairs.len(), |range| {
            let mut part = Contacts::default();
            for (pair, manifold) in pairs[range.clone()].iter().zip(&manifolds[range]) {
                let (a, b) = (&sets[0][pair.a as usize], &sets[1][pair.b as usize]);
                if manifold.is_undecided() {
                    part.add(a.into(), b.into())?;
                    continue;
                }
                let first = manifold.first as usize;
                let points = &points[first..first + manifold.len()];
                let points = points.iter().map(|point| point.contact_point(a, manifold));
                part.push(Some(manifold.penetration()), points)?;
            }
            Ok(part)
        });
        parts.into_iter().collect()
    }

    /// Computes the closest points of a chunk of the caller's pairs, in the same way.
    pub async fn closest_points_of(
        &mut self,
        context: &Context,
        sets: [&[Obb]; 2],
        pairs: &[Pair],
    ) -> Result<Vec<ClosestPoints>> {
        let found = self.upload(context, sets, pairs)?;
        let mut encoder = context.encoder("details of pairs")?;
        let records = self.record_closest(context, &mut encoder, &found)?;
        let records: Vec<ClosestRecord> = self.staging.read(context, encoder, &records, pairs.len()).await?;
        let closest = |k: usize| {
            let (a, b) = (&sets[0][pairs[k].a as usize], &sets[1][pairs[k].b as usize]);
            match records[k].is_undecided() {
                true => a.closest_points(b),
                false => records[k].closest_points(a),
            }
        };
        Ok(parallel::collect(pairs.len(), "the closest points of pairs", closest)?)
    }
}
