//! Changes between recorded frames, and the memory for them.

use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::Result;
use crate::device::buffers::{Arena, Resources, Uniforms};
use crate::device::context::Context;
use crate::device::dispatch::{Kernels, Run};
use crate::engine::gpu::recorded::{Recorded, RecordedEvents};
use crate::frame::outcome::{OUTCOME, Outcome};
use crate::geometry::pair::Pair;
use crate::outputs::events::{
    BEFORE, EVENT_COUNTS, EVENTS, EventWork, FIND_EVENTS, NOW, OUTCOME_BEFORE, WANTED, Wanted,
};

/// The kernel, and the pairs of the last frame.
pub(crate) struct EventResults {
    kernels: Kernels,
    arena: Arena,
    uniforms: Uniforms,
    before: wgpu::Buffer,
    outcome_before: wgpu::Buffer,
}

/// Returns the number of pairs that a buffer can hold.
fn capacity(pairs: &wgpu::Buffer) -> u64 {
    pairs.size() / size_of::<Pair>() as u64
}

impl EventResults {
    pub fn new(context: &Context) -> Result<Self> {
        let mut arena = Arena::new(context, [&EVENTS, &EVENT_COUNTS])?;
        arena.reserve(context, &EVENT_COUNTS, 1)?;
        Ok(Self {
            kernels: Kernels::default(),
            arena,
            uniforms: Uniforms::default(),
            before: Self::list(context, size_of::<[Pair; 2]>() as u64)?,
            outcome_before: context.buffer_with(
                OUTCOME_BEFORE.label,
                bytemuck::bytes_of(&Outcome::default()),
                wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            )?,
        })
    }

    /// Creates a buffer for the pairs of the last frame.
    fn list(context: &Context, bytes: u64) -> Result<wgpu::Buffer> {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        context.buffer(BEFORE.label, bytes, usage)
    }

    /// Returns the number of bytes of GPU memory held.
    pub fn bytes(&self) -> u64 {
        self.arena.bytes() + self.before.size() + self.outcome_before.size()
    }

    /// Records a search for the events of a frame whose pairs are sorted, and keeps these pairs for
    /// the next frame.
    pub fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        recorded: &Recorded,
        persisting: bool,
    ) -> Result<RecordedEvents> {
        let capacities = [capacity(&recorded.pairs), capacity(&self.before)];
        if self.arena.reserve(context, &EVENTS, capacities[0] + capacities[1])? {
            self.kernels.forget_bindings();
        }
        // The old buffer is read once more, so it stays until its commands have run.
        let next = match recorded.pairs.size() > self.before.size() {
            true => Self::list(context, recorded.pairs.size())?,
            false => self.before.clone(),
        };
        let counts = self.arena.buffer(&EVENT_COUNTS)?.clone();
        encoder.clear_buffer(&counts, 0, None);
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
            .with_buffer(&OUTCOME_BEFORE, &self.outcome_before)
            .with_buffer(&NOW, &recorded.pairs)
            .with_buffer(&BEFORE, &self.before);
        let run = Run {
            context,
            resources: &resources,
            constants: &[],
            work: &EventWork {
                most_pairs: capacities[0].max(capacities[1]),
            },
            guest: None,
            sizes: None,
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(FIND_EVENTS.code.entry),
            timestamp_writes: None,
        });
        self.kernels.run(&mut pass, &FIND_EVENTS, &run)?;
        drop(pass);
        encoder.copy_buffer_to_buffer(&recorded.pairs, 0, &next, 0, Some(recorded.pairs.size()));
        let outcome = size_of::<Outcome>() as u64;
        encoder.copy_buffer_to_buffer(&recorded.outcome, 0, &self.outcome_before, 0, Some(outcome));
        context.recorded.store(true, Relaxed);
        self.before = next;
        Ok(RecordedEvents {
            events: self.arena.buffer(&EVENTS)?.clone(),
            counts,
        })
    }
}
