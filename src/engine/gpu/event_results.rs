//! Changes between recorded frames, the places of pairs and contact points in the previous one, and
//! the memory for them.

use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::Result;
use crate::device::buffers::{Arena, Resources, Slot, Uniforms};
use crate::device::context::Context;
use crate::device::dispatch::{Kernels, Run};
use crate::device::kernel::Kernel;
use crate::engine::gpu::contact_results::RecordedContacts;
use crate::engine::gpu::recorded::Recorded;
use crate::frame::outcome::{OUTCOME, Outcome};
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::obb_manifold::{MANIFOLDS, ManifoldRecord, POINTS, PointRecord};
use crate::outputs::carried::{CarriedWork, FIND_CARRIED, MANIFOLDS_BEFORE, POINTS_BEFORE, PREVIOUS_POINTS};
use crate::outputs::events::{
    BEFORE, EVENT_COUNTS, EVENTS, EventWork, FIND_EVENTS, NOW, OUTCOME_BEFORE, PREVIOUS_PAIRS, WANTED, Wanted,
};
use crate::outputs::image_pairs::{ImagePairWork, MARK_TURNED, TURNED_BEFORE, TURNED_PAIRS};

/// The result of [`EventsOf`](crate::gpu::EventsOf): the changes since the previous frame. The
/// buffers can be bound as storage buffers and copied from.
///
/// Like those of [`Recorded`], they belong to the checker, and the next call overwrites them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedEvents {
    /// The [`EventRecord`](crate::gpu::EventRecord)s, in any order: each pair once.
    ///
    /// In a frame with images, they are about the two bodies, in whatever image they meet. Bodies
    /// that meet in several images have an event for each of them.
    pub events: wgpu::Buffer,
    /// [`EventCounts`](crate::gpu::EventCounts): the numbers of events.
    pub counts: wgpu::Buffer,
    /// For each stored pair, its position among the sorted pairs of the previous frame, or
    /// [`NEW`](crate::tracking::NEW), as `u32`.
    ///
    /// In a frame with images, it is the position of the pair of the same two bodies, in whatever
    /// image they met; the first of them, if they met in several. If the body that was `a` is now
    /// `b`, [`RecordedEvents::TURNED`] is added.
    pub previous_pairs: wgpu::Buffer,
    /// For each contact point, the position in [`RecordedContacts::points`] of the previous frame
    /// that the point with the same features of the same pair had, or
    /// [`NEW`](crate::tracking::NEW), as `u32`. `None` without
    /// [`EventsOf::points`](crate::gpu::EventsOf::points).
    pub previous_points: Option<wgpu::Buffer>,
}

impl RecordedEvents {
    /// Set in an element of [`RecordedEvents::previous_pairs`] if the two bodies have changed
    /// places in the pair: a vector that was kept for it and pointed from `a` to `b` now points
    /// from `b` to `a`. Only in frames with images, and not in [`NEW`](crate::tracking::NEW).
    ///
    /// ```wgsl
    /// let place = previous_pairs[k];
    /// var slide = vec3(0.0);
    /// if place != NEW {
    ///     slide = slides[place & ~TURNED];
    ///     if (place & TURNED) > 0u { slide = -slide; }
    /// }
    /// ```
    pub const TURNED: u32 = 1 << 31;
}

/// The kernels, and the last frame.
pub(crate) struct EventResults {
    kernels: Kernels,
    arena: Arena,
    uniforms: Uniforms,
    last: LastFrame,
}

/// The pairs and contacts of the last frame. They are replaced together, so that they belong to
/// each other even if commands that write them are never submitted.
#[derive(Clone)]
struct LastFrame {
    /// By the positions of their bodies.
    pairs: wgpu::Buffer,
    turned: wgpu::Buffer,
    outcome: wgpu::Buffer,
    manifolds: wgpu::Buffer,
    points: wgpu::Buffer,
}

impl LastFrame {
    /// Returns a frame without pairs, with room for this many bytes of pairs, manifolds, points and
    /// turned pairs.
    fn new(context: &Context, bytes: [u64; 4]) -> Result<Self> {
        let buffer = |slot: &'static Slot, bytes| {
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
            context.buffer(slot.label, bytes, usage)
        };
        Ok(Self {
            pairs: buffer(&BEFORE, bytes[0])?,
            outcome: buffer(&OUTCOME_BEFORE, size_of::<Outcome>() as u64)?,
            manifolds: buffer(&MANIFOLDS_BEFORE, bytes[1])?,
            points: buffer(&POINTS_BEFORE, bytes[2])?,
            turned: buffer(&TURNED_BEFORE, bytes[3])?,
        })
    }

    /// Returns the bytes of pairs, manifolds, points and turned pairs.
    fn bytes(&self) -> [u64; 4] {
        [&self.pairs, &self.manifolds, &self.points, &self.turned].map(wgpu::Buffer::size)
    }

    /// Returns this frame if it has room for these results, or another one.
    fn with_room(&self, context: &Context, frame: &Frame<'_>) -> Result<Self> {
        let contacts = frame.contacts;
        let [manifolds, points] = contacts.map_or([0; 2], |found| [found.manifolds.size(), found.points.size()]);
        let turned = frame.turned.as_ref().map_or(0, wgpu::Buffer::size);
        let (held, needed) = (self.bytes(), [frame.pairs.size(), manifolds, points, turned]);
        let larger = [0, 1, 2, 3].map(|k| held[k].max(needed[k]));
        match larger == held {
            true => Ok(self.clone()),
            false => Self::new(context, larger),
        }
    }

    /// Records a copy of these results to this frame.
    fn keep(&self, encoder: &mut wgpu::CommandEncoder, frame: &Frame<'_>) {
        // Positions of pairs that are not turned.
        if frame.turned.is_none() {
            encoder.clear_buffer(&self.turned, 0, None);
        }
        let mut copy = |from: &wgpu::Buffer, to, bytes| encoder.copy_buffer_to_buffer(from, 0, to, 0, Some(bytes));
        copy(&frame.pairs, &self.pairs, frame.pairs.size());
        copy(&frame.recorded.outcome, &self.outcome, self.outcome.size());
        if let Some(turned) = &frame.turned {
            copy(turned, &self.turned, turned.size());
        }
        match frame.contacts {
            Some(RecordedContacts { manifolds, points, .. }) => {
                copy(manifolds, &self.manifolds, manifolds.size());
                copy(points, &self.points, points.size());
            }
            // Manifolds without points.
            None => encoder.clear_buffer(&self.manifolds, 0, None),
        }
    }
}

/// A frame whose pairs are sorted.
pub(crate) struct Frame<'a> {
    pub recorded: &'a Recorded,
    pub contacts: Option<&'a RecordedContacts>,
    /// The pairs by the positions of their bodies.
    pub pairs: wgpu::Buffer,
    /// The pairs that are turned, if there are images.
    pub turned: Option<wgpu::Buffer>,
}

/// Returns the number of pairs that a buffer can hold.
fn capacity(pairs: &wgpu::Buffer) -> u64 {
    pairs.size() / size_of::<Pair>() as u64
}

impl EventResults {
    pub fn new(context: &Context) -> Result<Self> {
        let mut arena = Arena::new(context, [&EVENTS, &EVENT_COUNTS, &PREVIOUS_PAIRS, &PREVIOUS_POINTS])?;
        arena.reserve(context, &EVENT_COUNTS, 1)?;
        let least = [
            size_of::<[Pair; 2]>(),
            size_of::<[ManifoldRecord; 2]>(),
            size_of::<[PointRecord; 4]>(),
            size_of::<[u32; 2]>(),
        ];
        Ok(Self {
            kernels: Kernels::default(),
            arena,
            uniforms: Uniforms::default(),
            last: LastFrame::new(context, least.map(|bytes| bytes as u64))?,
        })
    }

    /// Returns the number of bytes of GPU memory held.
    pub fn bytes(&self) -> u64 {
        self.arena.bytes() + self.last.outcome.size() + self.last.bytes().iter().sum::<u64>()
    }

    /// Records a search for the events of a frame, and for the places of its contact points, if
    /// they are given. Keeps pairs and contacts for the next frame.
    pub fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame<'_>,
        persisting: bool,
    ) -> Result<RecordedEvents> {
        self.reserve(context, frame)?;
        let counts = self.arena.buffer(&EVENT_COUNTS)?.clone();
        encoder.clear_buffer(&counts, 0, None);
        self.find_events(context, encoder, frame, persisting)?;
        if let Some(turned) = &frame.turned {
            self.mark_turned(context, encoder, frame.recorded, turned)?;
        }
        if let Some(contacts) = frame.contacts {
            self.find_carried(context, encoder, frame.recorded, contacts)?;
        }
        // Commands that read the last frame keep its buffers until they have run.
        self.last = self.last.with_room(context, frame)?;
        self.last.keep(encoder, frame);
        context.recorded.store(true, Relaxed);
        let buffer = |slot| self.arena.buffer(slot).cloned();
        Ok(RecordedEvents {
            events: buffer(&EVENTS)?,
            counts,
            previous_pairs: buffer(&PREVIOUS_PAIRS)?,
            previous_points: frame.contacts.map(|_| buffer(&PREVIOUS_POINTS)).transpose()?,
        })
    }

    /// Reserves memory for the results.
    fn reserve(&mut self, context: &Context, frame: &Frame<'_>) -> Result<()> {
        let [now, before] = [&frame.pairs, &self.last.pairs].map(capacity);
        let points = |contacts: &RecordedContacts| contacts.points.size() / size_of::<PointRecord>() as u64;
        for (slot, records) in [
            (&EVENTS, now + before),
            (&PREVIOUS_PAIRS, now),
            (&PREVIOUS_POINTS, frame.contacts.map_or(0, points)),
        ] {
            if self.arena.reserve(context, slot, records)? {
                self.kernels.forget_bindings();
            }
        }
        Ok(())
    }

    fn find_events(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame<'_>,
        persisting: bool,
    ) -> Result<()> {
        let wanted = Wanted {
            persisting: u32::from(persisting),
            unused_a: 0,
            unused_b: 0,
            unused_c: 0,
        };
        let wanted = self.uniforms.with(context, WANTED.label, &wanted)?;
        let resources = Resources::new(&self.arena)
            .with_buffer(&WANTED, &wanted)
            .with_buffer(&OUTCOME, &frame.recorded.outcome)
            .with_buffer(&OUTCOME_BEFORE, &self.last.outcome)
            .with_buffer(&NOW, &frame.pairs)
            .with_buffer(&BEFORE, &self.last.pairs);
        let [now, before] = [&frame.pairs, &self.last.pairs].map(capacity);
        let work = EventWork {
            most_pairs: now.max(before),
        };
        run(&mut self.kernels, &FIND_EVENTS, encoder, (context, &resources), &work)
    }

    fn mark_turned(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        turned: &wgpu::Buffer,
    ) -> Result<()> {
        let resources = Resources::new(&self.arena)
            .with_buffer(&OUTCOME, &recorded.outcome)
            .with_buffer(&TURNED_PAIRS, turned)
            .with_buffer(&TURNED_BEFORE, &self.last.turned);
        let work = ImagePairWork {
            most_pairs: capacity(&recorded.pairs),
        };
        run(&mut self.kernels, &MARK_TURNED, encoder, (context, &resources), &work)
    }

    fn find_carried(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        contacts: &RecordedContacts,
    ) -> Result<()> {
        let resources = Resources::new(&self.arena)
            .with_buffer(&OUTCOME, &recorded.outcome)
            .with_buffer(&MANIFOLDS, &contacts.manifolds)
            .with_buffer(&POINTS, &contacts.points)
            .with_buffer(&MANIFOLDS_BEFORE, &self.last.manifolds)
            .with_buffer(&POINTS_BEFORE, &self.last.points);
        let work = CarriedWork {
            most_pairs: capacity(&recorded.pairs),
        };
        run(&mut self.kernels, &FIND_CARRIED, encoder, (context, &resources), &work)
    }
}

/// Records a kernel in a pass of its own.
fn run<W>(
    kernels: &mut Kernels,
    kernel: &'static Kernel<W>,
    encoder: &mut wgpu::CommandEncoder,
    (context, resources): (&Context, &Resources<'_>),
    work: &W,
) -> Result<()> {
    let run = Run {
        context,
        resources,
        constants: &[],
        work,
        guest: None,
        sizes: None,
    };
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
        label: Some(kernel.code.entry),
        timestamp_writes: None,
    });
    kernels.run(&mut pass, kernel, &run)
}
