//! Changes between recorded frames, the places of pairs and contact points in the previous one, and
//! the memory for them.

use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::Result;
use crate::device::buffers::{Arena, Resources, Slot, Uniforms};
use crate::device::context::Context;
use crate::device::dispatch::{Kernels, Run};
use crate::device::kernel::Kernel;
use crate::engine::gpu::recorded::{Recorded, RecordedContacts, RecordedEvents};
use crate::frame::outcome::{OUTCOME, Outcome};
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::obb_manifold::{MANIFOLDS, ManifoldRecord, POINTS, PointRecord};
use crate::outputs::carried::{CarriedWork, FIND_CARRIED, MANIFOLDS_BEFORE, POINTS_BEFORE, PREVIOUS_POINTS};
use crate::outputs::events::{
    BEFORE, EVENT_COUNTS, EVENTS, EventWork, FIND_EVENTS, NOW, OUTCOME_BEFORE, PREVIOUS_PAIRS, WANTED, Wanted,
};

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
    pairs: wgpu::Buffer,
    outcome: wgpu::Buffer,
    manifolds: wgpu::Buffer,
    points: wgpu::Buffer,
}

impl LastFrame {
    /// Returns a frame without pairs, with room for this many bytes of pairs, manifolds and points.
    fn new(context: &Context, bytes: [u64; 3]) -> Result<Self> {
        let buffer = |slot: &'static Slot, bytes| {
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
            context.buffer(slot.label, bytes, usage)
        };
        Ok(Self {
            pairs: buffer(&BEFORE, bytes[0])?,
            outcome: buffer(&OUTCOME_BEFORE, size_of::<Outcome>() as u64)?,
            manifolds: buffer(&MANIFOLDS_BEFORE, bytes[1])?,
            points: buffer(&POINTS_BEFORE, bytes[2])?,
        })
    }

    /// Returns the bytes of pairs, manifolds and points.
    fn bytes(&self) -> [u64; 3] {
        [&self.pairs, &self.manifolds, &self.points].map(wgpu::Buffer::size)
    }

    /// Returns this frame if it has room for these results, or another one.
    fn with_room(&self, context: &Context, recorded: &Recorded, contacts: Option<&RecordedContacts>) -> Result<Self> {
        let [manifolds, points] = contacts.map_or([0; 2], |found| [found.manifolds.size(), found.points.size()]);
        let (held, needed) = (self.bytes(), [recorded.pairs.size(), manifolds, points]);
        let larger = [0, 1, 2].map(|k| held[k].max(needed[k]));
        match larger == held {
            true => Ok(self.clone()),
            false => Self::new(context, larger),
        }
    }

    /// Records a copy of these results to this frame.
    fn keep(&self, encoder: &mut wgpu::CommandEncoder, recorded: &Recorded, contacts: Option<&RecordedContacts>) {
        let mut copy = |from: &wgpu::Buffer, to, bytes| encoder.copy_buffer_to_buffer(from, 0, to, 0, Some(bytes));
        copy(&recorded.pairs, &self.pairs, recorded.pairs.size());
        copy(&recorded.outcome, &self.outcome, self.outcome.size());
        match contacts {
            Some(RecordedContacts { manifolds, points, .. }) => {
                copy(manifolds, &self.manifolds, manifolds.size());
                copy(points, &self.points, points.size());
            }
            // Manifolds without points.
            None => encoder.clear_buffer(&self.manifolds, 0, None),
        }
    }
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

    /// Records a search for the events of a frame whose pairs are sorted, and for the places of its
    /// contact points, if they are given. Keeps pairs and contacts for the next frame.
    pub fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        (recorded, contacts): (&Recorded, Option<&RecordedContacts>),
        persisting: bool,
    ) -> Result<RecordedEvents> {
        self.reserve(context, recorded, contacts)?;
        let counts = self.arena.buffer(&EVENT_COUNTS)?.clone();
        encoder.clear_buffer(&counts, 0, None);
        self.find_events(context, encoder, recorded, persisting)?;
        if let Some(contacts) = contacts {
            self.find_carried(context, encoder, recorded, contacts)?;
        }
        // Commands that read the last frame keep its buffers until they have run.
        self.last = self.last.with_room(context, recorded, contacts)?;
        self.last.keep(encoder, recorded, contacts);
        context.recorded.store(true, Relaxed);
        let buffer = |slot| self.arena.buffer(slot).cloned();
        Ok(RecordedEvents {
            events: buffer(&EVENTS)?,
            counts,
            previous_pairs: buffer(&PREVIOUS_PAIRS)?,
            previous_points: contacts.map(|_| buffer(&PREVIOUS_POINTS)).transpose()?,
        })
    }

    /// Reserves memory for the results.
    fn reserve(&mut self, context: &Context, recorded: &Recorded, contacts: Option<&RecordedContacts>) -> Result<()> {
        let [now, before] = [&recorded.pairs, &self.last.pairs].map(capacity);
        let points = contacts.map_or(0, |contacts| contacts.points.size() / size_of::<PointRecord>() as u64);
        for (slot, records) in [
            (&EVENTS, now + before),
            (&PREVIOUS_PAIRS, now),
            (&PREVIOUS_POINTS, points),
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
        recorded: &Recorded,
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
            .with_buffer(&OUTCOME, &recorded.outcome)
            .with_buffer(&OUTCOME_BEFORE, &self.last.outcome)
            .with_buffer(&NOW, &recorded.pairs)
            .with_buffer(&BEFORE, &self.last.pairs);
        let [now, before] = [&recorded.pairs, &self.last.pairs].map(capacity);
        let work = EventWork {
            most_pairs: now.max(before),
        };
        run(&mut self.kernels, &FIND_EVENTS, encoder, (context, &resources), &work)
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
