//! The kernels that look closer at pairs, and the memory they work in: contact manifolds, distances and closest points.

use std::num::NonZeroU64;

use bytemuck::{Pod, Zeroable};

use crate::base::error::{Error, Result};
use crate::base::{memory, parallel};
use crate::device::buffers::{Counters, GrowingBuffer, Staging};
use crate::device::context::Context;
use crate::engine::gpu::contacts::RecordedContacts;
use crate::engine::gpu::resident::Outcome;
use crate::engine::gpu::resident::Recorded;
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::contacts::Contacts;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::obb_obb::obb_closest::{ClosestRecord, ObbClosest};
use crate::narrow_phase::obb_obb::obb_manifold::{ManifoldLists, ManifoldRecord, ObbManifold, PointRecord};
use crate::shapes::obb::record::Obb;

/// Points of a manifold at most.
pub(crate) const MOST_POINTS: usize = 8;

/// Pairs of the caller's that are looked at together at most: their boxes are 24 MiB, their points up to 40 MiB.
const MOST_AT_ONCE: usize = 1 << 18;

/// Frames in turn whose bindings are kept.
const BOUND: usize = 8;

/// What to say of frames whose pairs are not those of boxes, or not listed.
const WITHOUT_BOXES: &str = "record a frame of boxes with `Output::Pairs`";

/// What the kernels need to know: `struct PairParams` of `shaders/shared/found_pairs.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PairParams {
    /// Pairs that there is room for.
    pub pair_capacity: u32,
    /// Points that there is room for.
    pub point_capacity: u32,
    /// Boxes in a full segment.
    pub box_segment: u32,
    /// 1 if a pair's b names a mover, which are in the second segment; else 0.
    pub movers: u32,
}

/// The boxes that pairs name, in segments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PairBoxes {
    segments: Vec<(wgpu::Buffer, u64, Option<NonZeroU64>)>,
    segment: u32,
    movers: bool,
}

impl PairBoxes {
    /// Boxes bound in this way, so many in a full segment.
    pub fn new(bindings: &[wgpu::BufferBinding], segment: u32, movers: bool) -> Self {
        let owned = |binding: &wgpu::BufferBinding| (binding.buffer.clone(), binding.offset, binding.size);
        Self {
            segments: bindings.iter().map(owned).collect(),
            segment,
            movers,
        }
    }

    pub fn bindings(&self) -> Vec<wgpu::BufferBinding<'_>> {
        self.segments
            .iter()
            .map(|(buffer, offset, size)| wgpu::BufferBinding {
                buffer,
                offset: *offset,
                size: *size,
            })
            .collect()
    }
}

/// Pairs in the memory of a device, and their boxes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundPairs {
    pub pairs: wgpu::Buffer,
    /// [`Outcome`], which says how many pairs there are.
    pub outcome: wgpu::Buffer,
    pub boxes: PairBoxes,
}

impl FoundPairs {
    /// The pairs of a recorded frame, if they are those of boxes.
    pub fn of(recorded: &Recorded, what: &'static str) -> Result<Self> {
        let boxes = recorded.boxes.clone().filter(|_| recorded.sets.is_some());
        Ok(Self {
            pairs: recorded.pairs.clone(),
            outcome: recorded.outcome.clone(),
            boxes: boxes.ok_or(Error::Unavailable {
                what,
                hint: WITHOUT_BOXES,
            })?,
        })
    }

    fn capacity(&self) -> u64 {
        self.pairs.size() / size_of::<Pair>() as u64
    }

    fn params(&self, points: u32) -> PairParams {
        PairParams {
            pair_capacity: self.capacity().min(u64::from(u32::MAX)) as u32,
            point_capacity: points,
            box_segment: self.boxes.segment,
            movers: u32::from(self.boxes.movers),
        }
    }
}

/// The kernels and the memory.
pub(super) struct PairForms {
    /// Made when they are first needed.
    contacts: Option<ContactForm>,
    closest: Option<ClosestForm>,
    lists: CallersLists,
}

/// What ties a kernel to a frame.
struct Bound {
    found: FoundPairs,
    params: PairParams,
    bindings: wgpu::BindGroup,
}

/// The bindings for a frame; made if they are not among those of the last few.
fn bound(
    all: &mut Vec<Bound>,
    found: FoundPairs,
    params: PairParams,
    bind: impl FnOnce(&FoundPairs) -> wgpu::BindGroup,
) -> &wgpu::BindGroup {
    let known = |bound: &Bound| bound.found == found && bound.params == params;
    let place = match all.iter().position(known) {
        Some(place) => place,
        None => {
            if all.len() == BOUND {
                all.remove(0);
            }
            let bindings = bind(&found);
            all.push(Bound {
                found,
                params,
                bindings,
            });
            all.len() - 1
        }
    };
    &all[place].bindings
}

/// Contact manifolds.
struct ContactForm {
    kernel: ObbManifold,
    /// [`ManifoldRecord`]s.
    manifolds: GrowingBuffer,
    /// [`PointRecord`]s.
    points: GrowingBuffer,
    /// [`Counters`], of which the first counts the points.
    counters: wgpu::Buffer,
    bound: Vec<Bound>,
}

impl ContactForm {
    async fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            kernel: ObbManifold::new(context).await?,
            manifolds: GrowingBuffer::new(context, "manifolds").await?,
            points: GrowingBuffer::new(context, "points of contact").await?,
            counters: context
                .storage_buffer("counters of points", size_of::<Counters>() as u64)
                .await?,
            bound: Vec::new(),
        })
    }

    async fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        found: FoundPairs,
        max_points: u32,
    ) -> Result<RecordedContacts> {
        let capacity = found.capacity();
        let bytes = |count: u64, record: usize| count * record as u64;
        let manifolds = bytes(capacity, size_of::<ManifoldRecord>());
        let points = bytes(max_points.into(), size_of::<PointRecord>());
        let mut grown = self.manifolds.reserve(context, manifolds).await?;
        grown |= self.points.reserve(context, points).await?;
        if grown {
            self.bound.clear();
        }
        let params = found.params(max_points);
        let params_buffer = params.buffer(context).await?;
        context
            .scoped("the bindings", 0, || {
                let bindings = bound(&mut self.bound, found, params, |found| {
                    let lists = ManifoldLists {
                        manifolds: &self.manifolds,
                        points: &self.points,
                        counters: &self.counters,
                    };
                    self.kernel.bind(context, found, &params_buffer, &lists)
                });
                encoder.clear_buffer(&self.counters, 0, None);
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: Some("obbligato contacts"),
                    timestamp_writes: None,
                });
                self.kernel.record(&mut pass, bindings, capacity);
            })
            .await?;
        Ok(RecordedContacts {
            manifolds: (*self.manifolds).clone(),
            points: (*self.points).clone(),
            counts: self.counters.clone(),
        })
    }
}

/// Distances and closest points.
struct ClosestForm {
    kernel: ObbClosest,
    /// [`ClosestRecord`]s.
    records: GrowingBuffer,
    bound: Vec<Bound>,
}

impl ClosestForm {
    async fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            kernel: ObbClosest::new(context).await?,
            records: GrowingBuffer::new(context, "closest points").await?,
            bound: Vec::new(),
        })
    }

    async fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        found: FoundPairs,
    ) -> Result<wgpu::Buffer> {
        let capacity = found.capacity();
        let bytes = capacity * size_of::<ClosestRecord>() as u64;
        if self.records.reserve(context, bytes).await? {
            self.bound.clear();
        }
        let params = found.params(0);
        let params_buffer = params.buffer(context).await?;
        context
            .scoped("the bindings", 0, || {
                let bindings = bound(&mut self.bound, found, params, |found| {
                    self.kernel.bind(context, found, &params_buffer, &self.records)
                });
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: Some("obbligato closest points"),
                    timestamp_writes: None,
                });
                self.kernel.record(&mut pass, bindings, capacity);
            })
            .await?;
        Ok((*self.records).clone())
    }
}

/// Pairs of the caller's on the device: of pair k the boxes are the records 2k and 2k + 1.
struct CallersLists {
    boxes: GrowingBuffer,
    pairs: GrowingBuffer,
    /// Pairs that are in it.
    numbered: usize,
    outcome: wgpu::Buffer,
    staging: Staging,
}

impl CallersLists {
    async fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            boxes: GrowingBuffer::new(context, "boxes of pairs").await?,
            pairs: GrowingBuffer::new(context, "pairs of the caller's").await?,
            numbered: 0,
            outcome: context
                .storage_buffer("outcome of the caller's", size_of::<Outcome>() as u64)
                .await?,
            staging: Staging::new(context).await?,
        })
    }

    /// Hands pairs and their boxes to the device.
    async fn upload(&mut self, context: &Context, [a, b]: [&[Obb]; 2], pairs: &[Pair]) -> Result<FoundPairs> {
        let mut boxes = memory::zeroed(2 * pairs.len(), "the boxes of pairs")?;
        parallel::fill(&mut boxes, |k| match (k % 2, pairs[k / 2]) {
            (0, pair) => a[pair.a as usize],
            (_, pair) => b[pair.b as usize],
        });
        let bytes = size_of_val(&boxes[..]) as u64;
        self.boxes.reserve(context, bytes).await?;
        self.pairs.reserve(context, size_of_val(pairs) as u64).await?;
        let numbers: Vec<Pair> = match self.numbered < pairs.len() {
            true => (0..pairs.len() as u32)
                .map(|k| Pair { a: 2 * k, b: 2 * k + 1 })
                .collect(),
            false => Vec::new(),
        };
        self.numbered = self.numbered.max(numbers.len());
        let outcome = Outcome {
            pairs: pairs.len() as u32,
            ..Outcome::default()
        };
        context
            .scoped("the upload of pairs", bytes, || {
                let write = |buffer: &wgpu::Buffer, bytes: &[u8]| context.queue.write_buffer(buffer, 0, bytes);
                write(&self.boxes, bytemuck::cast_slice(&boxes));
                write(&self.pairs, bytemuck::cast_slice(&numbers));
                write(&self.outcome, bytemuck::bytes_of(&outcome));
            })
            .await?;
        let binding = self.boxes.as_entire_buffer_binding();
        Ok(FoundPairs {
            pairs: (*self.pairs).clone(),
            outcome: self.outcome.clone(),
            boxes: PairBoxes::new(&[binding.clone(), binding.clone(), binding], u32::MAX, false),
        })
    }

    /// Runs what has been recorded, and reads the beginning of a buffer.
    async fn read<T: Pod>(
        &mut self,
        context: &Context,
        mut encoder: wgpu::CommandEncoder,
        buffer: &wgpu::Buffer,
        count: usize,
    ) -> Result<Vec<T>> {
        let bytes = (count * size_of::<T>()) as u64;
        self.staging.reserve(context, bytes).await?;
        let staging = &self.staging.buffer;
        encoder.copy_buffer_to_buffer(buffer, 0, staging, 0, bytes);
        context
            .submit_and_read(encoder, staging, bytes, bytemuck::pod_collect_to_vec)
            .await
    }
}

impl PairForms {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            contacts: None,
            closest: None,
            lists: CallersLists::new(context).await?,
        })
    }

    /// How many pairs of the caller's are looked at together: so many that no buffer is too large.
    pub fn most_at_once(context: &Context) -> usize {
        let fit = context.max_buffer_bytes as usize / (MOST_POINTS * size_of::<PointRecord>());
        fit.clamp(1, MOST_AT_ONCE)
    }

    /// Bytes of GPU memory held.
    pub fn bytes(&self) -> u64 {
        let contacts = self
            .contacts
            .as_ref()
            .map(|form| form.manifolds.size() + form.points.size());
        let closest = self.closest.as_ref().map(|form| form.records.size());
        let lists = self.lists.boxes.size() + self.lists.pairs.size() + self.lists.staging.buffer.size();
        contacts.unwrap_or(0) + closest.unwrap_or(0) + lists
    }

    pub async fn record_contacts(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        found: FoundPairs,
        max_points: u32,
    ) -> Result<RecordedContacts> {
        let form = match &mut self.contacts {
            Some(form) => form,
            none => none.insert(ContactForm::new(context).await?),
        };
        form.record(context, encoder, found, max_points).await
    }

    pub async fn record_closest(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        found: FoundPairs,
    ) -> Result<wgpu::Buffer> {
        let form = match &mut self.closest {
            Some(form) => form,
            none => none.insert(ClosestForm::new(context).await?),
        };
        form.record(context, encoder, found).await
    }

    /// The contacts of some pairs of the caller's, no more than are looked at together: the GPU's, and the CPU's where `f32` leaves it open.
    pub async fn contacts_of(&mut self, context: &Context, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Vec<Contacts>> {
        let found = self.lists.upload(context, sets, pairs).await?;
        let mut encoder = context.device.create_command_encoder(&Default::default());
        let most = (pairs.len() * MOST_POINTS) as u32;
        let lists = self.record_contacts(context, &mut encoder, found, most).await?;
        let manifolds: Vec<ManifoldRecord> = self.lists.read(context, encoder, &lists.manifolds, pairs.len()).await?;
        let stored = manifolds.iter().map(ManifoldRecord::len).sum();
        let encoder = context.device.create_command_encoder(&Default::default());
        let points: Vec<PointRecord> = self.lists.read(context, encoder, &lists.points, stored).await?;
        Ok(parallel::map_ranges(pairs.len(), |range| {
            let mut part = Contacts::default();
            for (pair, manifold) in pairs[range.clone()].iter().zip(&manifolds[range]) {
                let (a, b) = (&sets[0][pair.a as usize], &sets[1][pair.b as usize]);
                if manifold.is_undecided() {
                    part.add(a, b);
                    continue;
                }
                let first = manifold.first as usize;
                let points = &points[first..first + manifold.len()];
                let points = points.iter().map(|point| point.contact_point(a, manifold));
                part.push(Some(manifold.penetration()), points);
            }
            part
        }))
    }

    /// The closest points of some pairs of the caller's, likewise.
    pub async fn closest_points_of(
        &mut self,
        context: &Context,
        sets: [&[Obb]; 2],
        pairs: &[Pair],
    ) -> Result<Vec<ClosestPoints>> {
        let found = self.lists.upload(context, sets, pairs).await?;
        let mut encoder = context.device.create_command_encoder(&Default::default());
        let records = self.record_closest(context, &mut encoder, found).await?;
        let records: Vec<ClosestRecord> = self.lists.read(context, encoder, &records, pairs.len()).await?;
        let closest = |k: usize| {
            let (a, b) = (&sets[0][pairs[k].a as usize], &sets[1][pairs[k].b as usize]);
            match records[k].is_undecided() {
                true => a.closest_points(b),
                false => records[k].closest_points(a),
            }
        };
        Ok(parallel::map_ranges(pairs.len(), |range| range.map(closest).collect::<Vec<_>>()).concat())
    }
}

impl PairParams {
    async fn buffer(&self, context: &Context) -> Result<wgpu::Buffer> {
        let usage = wgpu::BufferUsages::UNIFORM;
        context
            .buffer_with("parameters of pairs", bytemuck::bytes_of(self), usage)
            .await
    }
}
