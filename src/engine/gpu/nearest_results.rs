//! The nearest partners of every body of a recorded frame, and the memory for them.

use crate::base::error::Result;
use crate::device::buffers::{Arena, Resources, Uniforms};
use crate::device::context::Context;
use crate::device::dispatch::{Kernels, Run};
use crate::engine::gpu::pair_results::RecordedAdjacency;
use crate::narrow_phase::obb_obb::obb_closest::CLOSEST;
use crate::outputs::adjacency::{NEIGHBOURS, NUMBERS, OFFSETS};
use crate::outputs::nearest_rows::{DISTANCES, FIND_NEAREST, NEAREST, NEAREST_ROWS, NearestRows, PARTNER_COUNTS};

/// The result of [`NearestOf`](crate::gpu::NearestOf): the nearest partners of every body, in rows
/// of the same width. The buffers can be bound as storage buffers and copied from.
///
/// Like those of [`Recorded`](crate::gpu::Recorded), they belong to the checker, and the next call
/// overwrites them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedNearest {
    /// The partners of body `i`, as `u32`, are at `i * width..(i + 1) * width`: the nearest first,
    /// of equally near ones that of the smaller position. Places without a partner are `u32::MAX`.
    pub nearest: wgpu::Buffer,
    /// Their distances, as `f32`, in the caller's unit; infinite where there is no partner.
    pub distances: wgpu::Buffer,
    /// The number of partners of each body, as `u32`. If it is more than the width, the row lacks
    /// the others.
    pub counts: wgpu::Buffer,
    /// The number of places in a row.
    pub width: u32,
    /// The number of rows.
    pub rows: u32,
}

/// The kernel and its memory.
pub(super) struct NearestResults {
    kernels: Kernels,
    arena: Arena,
    uniforms: Uniforms,
}

impl NearestResults {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            kernels: Kernels::default(),
            arena: Arena::new(context, [&NEAREST, &DISTANCES, &PARTNER_COUNTS])?,
            uniforms: Uniforms::default(),
        })
    }

    /// Returns the number of bytes of GPU memory held.
    pub fn bytes(&self) -> u64 {
        self.arena.bytes()
    }

    /// Records the search for the nearest partners in an adjacency, given the closest points of its
    /// pairs.
    pub fn record(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        adjacency: &RecordedAdjacency,
        closest: &wgpu::Buffer,
        width: u32,
    ) -> Result<RecordedNearest> {
        let rows = NearestRows {
            count: adjacency.rows,
            width,
            infinity: f32::INFINITY,
            unused: 0,
        };
        let (bodies, places) = (u64::from(rows.count), u64::from(rows.count) * u64::from(width));
        for (slot, records) in [(&NEAREST, places), (&DISTANCES, places), (&PARTNER_COUNTS, bodies)] {
            if self.arena.reserve(context, slot, records)? {
                self.kernels.forget_bindings();
            }
        }
        let uniform = self.uniforms.with(context, NEAREST_ROWS.label, &rows)?;
        let resources = Resources::new(&self.arena)
            .with_buffer(&NEAREST_ROWS, &uniform)
            .with_buffer(&OFFSETS, &adjacency.offsets)
            .with_buffer(&NEIGHBOURS, &adjacency.neighbours)
            .with_buffer(&NUMBERS, &adjacency.pairs)
            .with_buffer(&CLOSEST, closest);
        let run = Run {
            context,
            resources: &resources,
            constants: &[],
            work: &rows,
            guest: None,
            sizes: None,
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(FIND_NEAREST.code.entry),
            timestamp_writes: None,
        });
        self.kernels.run(&mut pass, &FIND_NEAREST, &run)?;
        let buffer = |slot| self.arena.buffer(slot).cloned();
        Ok(RecordedNearest {
            nearest: buffer(&NEAREST)?,
            distances: buffer(&DISTANCES)?,
            counts: buffer(&PARTNER_COUNTS)?,
            width,
            rows: rows.count,
        })
    }
}
