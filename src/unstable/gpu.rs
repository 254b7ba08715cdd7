//! What a GPU backend does that no result shows, and limits of it that tests set.

use std::sync::atomic::Ordering::Relaxed;

use crate::checker::Checker;
pub use crate::device::kernel::dispatches_of;
pub use crate::device::tuning::{tune, unused};
use crate::engine::gpu::engine::GpuEngine;
use crate::engine::gpu::pace::Pace;
pub use crate::engine::gpu::recorded::recorded;

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
