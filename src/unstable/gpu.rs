//! Properties of the GPU backend that no result shows, and limits that tests set.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;

use crate::base::config::Config;
use crate::base::error::Result;
use crate::checker::Checker;
pub use crate::device::dispatch::dispatches_of;
pub use crate::device::faults::Fault;
use crate::device::rates;
pub use crate::device::rates::DeviceRates;
pub use crate::device::tuning::{tune, unused};
use crate::engine::found::Found;
use crate::engine::gpu::engine::GpuEngine;
pub use crate::engine::gpu::left::Left;
pub use crate::engine::gpu::recorded::recorded;
use crate::engine::gpu::recorded::{Capacity, FrameQuery};
pub use crate::engine::gpu::resident::{After, TimedFrames};
use crate::engine::gpu::submission_budget::Pace;
use crate::engine::gpu::timer::TimedBy;
pub use crate::engine::gpu::work::{SceneCounts, Work, work_of};
use crate::engine::query::Query;
use crate::engine::query::resolved::Holder;
use crate::gpu_checker::GpuChecker;
use crate::shapes::bodies::set::Bodies;

/// The internals of a checker on a GPU.
pub struct Inside<'a>(&'a mut GpuEngine);

/// A limit on the ranges of records that a check is divided into.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// The maximum number of candidate pairs of a range.
    Candidates(u32),
    /// The work of a submission, in comparisons of bounds, until the next check sets its own pace.
    WorkOfSubmission(f64),
    /// The number of records whose pairs a submission looks for, regardless of the time that it
    /// takes.
    RecordsOfSubmission(u32),
}

/// Creates another checker on the device of one, which shares its compiled shaders.
///
/// # Errors
/// As [`GpuChecker::new`].
pub fn beside(checker: &mut GpuChecker, config: Config) -> Result<GpuChecker> {
    checker.beside(config)
}

/// Returns `true` if `checker` has looked for a GPU.
pub fn has_searched(checker: &Checker) -> bool {
    checker.backends.found.get().is_some()
}

/// Looks for a GPU as `config` says, and gives it to `checker` as what its own search has found. A
/// software adapter then stands in for a GPU.
///
/// # Errors
/// As [`Checker::new`].
pub fn find(checker: &mut Checker, config: &Config) -> Result<()> {
    let found = pollster::block_on(Found::search(config))?;
    checker.backends.found = OnceLock::from(found);
    Ok(())
}

impl<'a> Inside<'a> {
    /// Returns the internals of `checker`, or `None` if it runs on the CPU.
    pub fn of(checker: &'a mut Checker) -> Option<Self> {
        checker.gpu().map(Self)
    }

    /// Sets a limit for the following checks, until one fails.
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

    /// Keeps from now on what checks leave on the device, which it returns.
    pub fn keep_what_is_left(&mut self) -> &wgpu::Device {
        self.0.keep_what_is_left()
    }

    /// Uploads the records of a query without checking them, as if no pairs collided.
    ///
    /// # Errors
    /// As [`Checker::check`].
    pub fn place<'q>(&mut self, query: impl Into<Query<'q>>) -> Result<()> {
        let holder = Holder::new(query, self.0.margin())?;
        self.0.place(&holder.resolve()?)
    }

    /// Returns what the last check has left on the device, if it was one of a single set that fits
    /// the device.
    pub fn left(&self) -> Option<&Left> {
        self.0.left()
    }

    /// Measures the memory bandwidth in bytes per second, reads and writes together: the fastest of
    /// several copies from one buffer (up to 256 MiB, freed afterwards) to another, by GPU
    /// timestamps. No kernel moves more bytes past the caches. `None` without timestamps, or
    /// without memory for the buffers.
    ///
    /// # Errors
    /// If the device fails.
    pub fn memory_bandwidth(&mut self) -> Result<Option<f64>> {
        pollster::block_on(self.0.memory_bandwidth())
    }

    /// Measures the speed of the device's memory; `None` without timestamps.
    ///
    /// # Errors
    /// If the device fails.
    pub fn rates(&mut self) -> Result<Option<DeviceRates>> {
        pollster::block_on(rates::measure(&self.0.context))
    }

    /// Reserves memory for recorded frames; see
    /// [`GpuChecker::reserve`](crate::GpuChecker::reserve).
    ///
    /// # Errors
    /// As there.
    pub fn reserve(&mut self, capacity: Capacity) -> Result<()> {
        self.0.reserve(capacity)
    }

    /// Returns a buffer with these records; see [`GpuChecker::upload`](crate::GpuChecker::upload).
    ///
    /// # Errors
    /// As there.
    pub fn upload<T: bytemuck::Pod>(&mut self, records: &[T]) -> Result<wgpu::Buffer> {
        self.0.upload(records)
    }

    /// Returns a buffer with these bodies; see
    /// [`GpuChecker::upload_bodies`](crate::GpuChecker::upload_bodies).
    ///
    /// # Errors
    /// As there.
    pub fn upload_bodies(&mut self, bodies: Bodies<'_>) -> Result<wgpu::Buffer> {
        self.0.upload_bodies(bodies)
    }

    /// Reads the first records of a buffer; see [`GpuChecker::read`](crate::GpuChecker::read).
    ///
    /// # Errors
    /// As there.
    pub fn read<T: bytemuck::Pod>(&mut self, buffer: &wgpu::Buffer, count: u32) -> Result<Vec<T>> {
        pollster::block_on(self.0.read(buffer, count))
    }

    /// Runs `frames` frames in one submission and measures their time.
    ///
    /// # Errors
    /// As [`GpuChecker::record`](crate::GpuChecker::record) and
    /// [`GpuChecker::read`](crate::GpuChecker::read).
    pub fn time_frames(
        &mut self,
        query: FrameQuery<'_>,
        frames: u32,
        by: TimedBy,
        after: After,
    ) -> Result<TimedFrames> {
        pollster::block_on(self.0.time_frames(query, frames, by, after))
    }

    /// Returns the limits that the device was opened with.
    pub fn limits(&self) -> wgpu::Limits {
        self.0.context.device.limits()
    }

    /// Returns the features of the device.
    pub fn features(&self) -> wgpu::Features {
        self.0.context.device.features()
    }

    /// Returns the number of buffers created so far.
    pub fn buffers_made(&self) -> usize {
        self.0.context.watched.buffers.load(Relaxed)
    }

    /// Returns the number of submissions waited for so far.
    pub fn submissions(&self) -> usize {
        self.0.context.watched.submissions.load(Relaxed)
    }

    /// Injects a fault into the following calls, in place of the one injected before.
    pub fn inject(&self, fault: Fault) {
        self.0.context.watched.inject(fault);
    }

    /// Returns the number of calls into wgpu that a fault could have met since one was injected.
    pub fn calls(&self) -> usize {
        self.0.context.watched.calls.load(Relaxed)
    }

    /// Returns `true` if the device can run kernels in `f64`.
    pub fn has_f64(&self) -> bool {
        self.0.context.f64
    }

    /// Returns `true` if the device supports timestamps.
    pub fn has_timestamps(&self) -> bool {
        self.0.context.timestamps
    }

    /// Returns the bytes of GPU memory that sorted pairs and adjacency take.
    pub fn form_bytes(&self) -> u64 {
        self.0.pair_results.as_ref().map_or(0, |results| results.bytes())
    }
}
