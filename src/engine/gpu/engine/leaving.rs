//! Checks that leave their buffers for code that draws them, and uploads without a check.

use std::sync::atomic::Ordering::Relaxed;

use crate::base::error::Result;
use crate::engine::findings::Findings;
use crate::engine::gpu::engine::{GpuEngine, take};
use crate::engine::gpu::left::Left;
use crate::engine::gpu::pipeline::Pipeline;
use crate::engine::query::resolved::Resolved;
use crate::outputs::report::Report;

impl GpuEngine {
    /// Keeps from now on what checks leave. Returns the device.
    pub fn keep_what_is_left(&mut self) -> &wgpu::Device {
        self.leavings.are_kept = true;
        // Buffers that are replaced are not destroyed.
        self.context.recorded.store(true, Relaxed);
        &self.context.device
    }

    /// Returns what the last check has left, if it was one of a single set that fits the device.
    pub fn left(&self) -> Option<&Left> {
        self.leavings.left.as_ref()
    }

    /// Uploads the records of a query without checking them: no pairs are left.
    pub fn place(&mut self, query: &Resolved<'_>) -> Result<()> {
        self.context.check_trouble()?;
        self.leavings.left = None;
        if query.subject.count() == 0 {
            return Ok(());
        }
        let mut pipeline = take(&mut self.pipeline, || Pipeline::new(&self.context, &self.config))?;
        pipeline.fill(&self.context, query.subject, None, &self.config)?;
        self.pipeline = Some(pipeline);
        let mut nothing = Findings::new(&self.config, Report::default());
        nothing.listed = Some(0);
        self.keep_left(query, &nothing)
    }

    /// Keeps what a check with these findings, which are not sorted yet, has left.
    pub(super) fn keep_left(&mut self, query: &Resolved<'_>, results: &Findings<'_>) -> Result<()> {
        self.leavings.left = match &self.pipeline {
            Some(pipeline) if self.leavings.are_kept => Left::of(pipeline, query, results)?,
            _ => None,
        };
        Ok(())
    }
}
