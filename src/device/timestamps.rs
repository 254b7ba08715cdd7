//! GPU times of the stages of one submission.

use crate::base::error::Result;
use crate::base::stage::Stage;
use crate::device::context::Context;

/// The most stages one submission has.
const MAX_STAGES: u32 = 32;
/// Bytes of all timestamps, as [`Stopwatch::resolve`] writes them: two of 8 bytes a stage.
pub(crate) const BYTES: u64 = 16 * MAX_STAGES as u64;

/// Records compute passes with a timestamp at each end, where the device has timestamps. `S` is what names a stage.
pub(crate) struct Stopwatch<S = Stage> {
    queries: Option<(wgpu::QuerySet, wgpu::Buffer)>,
    nanoseconds_per_tick: f32,
    stages: Vec<S>,
}

impl<S: Copy + Into<&'static str>> Stopwatch<S> {
    pub fn new(context: &Context) -> Result<Self> {
        let queries = if context.timestamps {
            let descriptor = wgpu::QuerySetDescriptor {
                label: Some("stage timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * MAX_STAGES,
            };
            let set = context.scoped("stage timestamps", 0, || context.device.create_query_set(&descriptor))?;
            let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
            Some((set, context.buffer("stage timestamps", BYTES, usage)?))
        } else {
            None
        };
        Ok(Self {
            queries,
            nanoseconds_per_tick: context.queue.get_timestamp_period(),
            stages: Vec::new(),
        })
    }

    /// Measures nothing.
    pub const fn off() -> Self {
        Self {
            queries: None,
            nanoseconds_per_tick: 0.0,
            stages: Vec::new(),
        }
    }

    /// Begins the compute pass of a stage.
    pub fn begin<'a>(&mut self, encoder: &'a mut wgpu::CommandEncoder, stage: S) -> wgpu::ComputePass<'a> {
        let index = self.stages.len() as u32;
        let timestamp_writes =
            self.queries
                .as_ref()
                .filter(|_| index < MAX_STAGES)
                .map(|(set, _)| wgpu::ComputePassTimestampWrites {
                    query_set: set,
                    beginning_of_pass_write_index: Some(2 * index),
                    end_of_pass_write_index: Some(2 * index + 1),
                });
        if timestamp_writes.is_some() {
            self.stages.push(stage);
        }
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(stage.into()),
            timestamp_writes,
        })
    }

    /// Copies the submission's timestamps to `target`.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::Buffer, offset: u64) {
        if let Some((set, buffer)) = self.queries.as_ref().filter(|_| !self.stages.is_empty()) {
            let count = 2 * self.stages.len() as u32;
            encoder.resolve_query_set(set, 0..count, buffer, 0);
            encoder.copy_buffer_to_buffer(buffer, 0, target, offset, 8 * u64::from(count));
        }
    }

    /// The times in milliseconds from what [`Stopwatch::resolve`] copied; the next submission starts anew.
    pub fn times(&mut self, bytes: &[u8]) -> Vec<(S, f64)> {
        let tick = f64::from(self.nanoseconds_per_tick) * 1e-6;
        let at = |index: usize| {
            let mut value = [0; 8];
            value.copy_from_slice(&bytes[8 * index..8 * index + 8]);
            u64::from_le_bytes(value)
        };
        let stages = std::mem::take(&mut self.stages);
        stages
            .into_iter()
            .enumerate()
            .map(|(k, stage)| (stage, at(2 * k + 1).saturating_sub(at(2 * k)) as f64 * tick))
            .collect()
    }
}
