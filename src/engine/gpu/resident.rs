//! The time of frames that stay on the GPU, many in one submission.

use crate::base::clock::Instant;
use crate::base::error::Result;
use crate::base::timings::milliseconds;
use crate::device::buffers::Staging;
use crate::engine::gpu::engine::{GpuEngine, take};
use crate::engine::gpu::recorded::{FrameQuery, Recorded};
use crate::engine::gpu::timer::{FrameTimings, TimedBy};
use crate::frame::outcome::Outcome;

/// The work recorded after every frame but the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// No work.
    Nothing,
    /// The contacts of the frame's pairs, with capacity for this many points.
    Contacts(u32),
    /// The closest points of the frame's pairs.
    ClosestPoints,
}

/// Frames that have been run, and their times.
#[derive(Debug)]
pub struct TimedFrames {
    /// Milliseconds of the host's clock: recording, submitting and waiting.
    pub wall: f64,
    /// The GPU's times; `None` without timestamps.
    pub timings: Option<FrameTimings>,
    /// The results of the last frame.
    pub recorded: Recorded,
    /// The outcome of the last frame.
    pub outcome: Outcome,
}

impl GpuEngine {
    /// Runs this many frames in one submission, at least one.
    ///
    /// If timed by frame, only the first and the last have timestamps, or all of them if other work
    /// follows each.
    pub async fn time_frames(
        &mut self,
        query: FrameQuery<'_>,
        frames: u32,
        by: TimedBy,
        after: After,
    ) -> Result<TimedFrames> {
        let timer = match self.context.timestamps {
            true => Some(self.timer(by)?),
            false => None,
        };
        let start = Instant::now();
        let mut encoder = self.context.encoder("timed frames")?;
        let every = by == TimedBy::Kernel || after != After::Nothing;
        let timed = |wanted: bool| match &timer {
            Some(timer) if wanted || every => query.timed(timer),
            _ => query,
        };
        let mut recorded = self.record(&mut encoder, timed(true))?;
        for frame in 1..frames {
            match after {
                After::Nothing => {}
                After::Contacts(points) => drop(self.record_contacts(&mut encoder, &recorded, points, false)?),
                After::ClosestPoints => drop(self.record_closest_points(&mut encoder, &recorded)?),
            }
            recorded = self.record(&mut encoder, timed(frame + 1 == frames))?;
        }
        let mut staging = take(&mut self.read_back, || Staging::new(&self.context))?;
        let outcome = staging.read(&self.context, encoder, &recorded.outcome, 1).await?[0];
        self.read_back = Some(staging);
        let wall = milliseconds(start.elapsed());
        let timings = match &timer {
            Some(timer) => Some(self.timings(timer).await?),
            None => None,
        };
        Ok(TimedFrames {
            wall,
            timings,
            recorded,
            outcome,
        })
    }
}
