//! What a GPU backend does that no result shows, and limits of it that tests set.

use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::Result;
use crate::checker::Checker;
pub use crate::device::kernel::dispatches_of;
use crate::device::rates;
pub use crate::device::rates::DeviceRates;
pub use crate::device::tuning::{tune, unused};
use crate::engine::gpu::engine::GpuEngine;
use crate::engine::gpu::pace::Pace;
pub use crate::engine::gpu::recorded::recorded;
use crate::engine::gpu::recorded::{Capacity, FrameQuery};
pub use crate::engine::gpu::resident::{After, TimedFrames};
use crate::engine::gpu::timer::TimedBy;
pub use crate::engine::gpu::work::{SceneCounts, Work, work_of};
use crate::shapes::bodies::set::Bodies;

/// The inside of a checker on a GPU.
pub struct Inside<'a>(&'a mut GpuEngine);

/// A limit of the ranges of records that a check is divided into.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// The most candidate pairs of a range.
    Candidates(u32),
    /// The work of a submission, in comparisons of bounds, until the next check sets its own pace.
    WorkOfSubmission(f64),
    /// Records whose pairs a submission looks for, until the next check sets its own pace.
    RecordsOfSubmission(u32),
}

impl<'a> Inside<'a> {
    /// That of `checker`, unless it is on the CPU.
    pub fn of(checker: &'a mut Checker) -> Option<Self> {
        checker.gpu().map(Self)
    }

    /// Sets a limit for the checks that follow, until one fails.
    pub fn set(&mut self, limit: Limit) {
        let Some(pipeline) = &mut self.0.pipeline else {
            return;
        };
        match limit {
            Limit::Candidates(most) => pipeline.most_candidates = most,
            Limit::WorkOfSubmission(most) => pipeline.pace = Pace::of_work(most),
            Limit::RecordsOfSubmission(most) => pipeline.pace = Pace::of_records(most),
        }
    }

    /// How fast the device's memory is; `None` without timestamps.
    ///
    /// # Errors
    /// As [`Checker::memory_bandwidth`].
    pub fn rates(&mut self) -> Result<Option<DeviceRates>> {
        pollster::block_on(rates::measure(&self.0.context))
    }

    /// Makes room for recorded frames; see [`GpuChecker::reserve`](crate::GpuChecker::reserve).
    ///
    /// # Errors
    /// As there.
    pub fn reserve(&mut self, capacity: Capacity) -> Result<()> {
        self.0.reserve(capacity)
    }

    /// A buffer with these records; see [`GpuChecker::upload`](crate::GpuChecker::upload).
    ///
    /// # Errors
    /// As there.
    pub fn upload<T: bytemuck::Pod>(&mut self, records: &[T]) -> Result<wgpu::Buffer> {
        self.0.upload(records)
    }

    /// A buffer with these bodies; see [`GpuChecker::upload_bodies`](crate::GpuChecker::upload_bodies).
    ///
    /// # Errors
    /// As there.
    pub fn upload_bodies(&mut self, bodies: Bodies<'_>) -> Result<wgpu::Buffer> {
        self.0.upload_bodies(bodies)
    }

    /// The first records of a buffer; see [`GpuChecker::read`](crate::GpuChecker::read).
    ///
    /// # Errors
    /// As there.
    pub fn read<T: bytemuck::Pod>(&mut self, buffer: &wgpu::Buffer, count: u32) -> Result<Vec<T>> {
        pollster::block_on(self.0.read(buffer, count))
    }

    /// Runs so many frames in one submission, and takes their time.
    ///
    /// # Errors
    /// As [`GpuChecker::record`](crate::GpuChecker::record) and [`GpuChecker::read`](crate::GpuChecker::read).
    pub fn time_frames(
        &mut self,
        query: FrameQuery<'_>,
        frames: u32,
        by: TimedBy,
        after: After,
    ) -> Result<TimedFrames> {
        pollster::block_on(self.0.time_frames(query, frames, by, after))
    }

    /// The limits that the device was opened with.
    pub fn limits(&self) -> wgpu::Limits {
        self.0.context.device.limits()
    }

    /// Its features.
    pub fn features(&self) -> wgpu::Features {
        self.0.context.device.features()
    }

    /// Buffers made so far.
    pub fn buffers_made(&self) -> usize {
        self.0.context.buffers_made.load(Relaxed)
    }

    /// Submissions waited for so far.
    pub fn submissions(&self) -> usize {
        self.0.context.submissions.load(Relaxed)
    }

    /// Whether kernels in f64 run.
    pub fn has_f64(&self) -> bool {
        self.0.context.f64
    }

    /// Whether the device tells the time.
    pub fn has_timestamps(&self) -> bool {
        self.0.context.timestamps
    }

    /// Bytes of GPU memory that sorted pairs and adjacency take.
    pub fn form_bytes(&self) -> u64 {
        self.0.forms.as_ref().map_or(0, |forms| forms.bytes())
    }
}
