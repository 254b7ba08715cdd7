//! GPU times of recorded frames.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::base::error::{Error, Result};
use crate::base::stage::Stage;
use crate::device::context::Context;
use crate::device::timestamps::{Detail, Stopwatch, Times};

/// The unit of time measurement in [`FrameTimings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimedBy {
    /// Each frame. Its kernels run as they do without a timer.
    Frame,
    /// Each frame and each of its kernels. Every kernel has its own compute pass, so a frame may
    /// take slightly longer.
    Kernel,
}

/// A timer for recorded frames on the GPU. See [`GpuChecker::timer`](crate::GpuChecker::timer).
#[derive(Debug)]
pub struct FrameTimer {
    watch: Mutex<Stopwatch>,
    /// The identity of the checker that created the timer.
    identity: Arc<()>,
}

/// The GPU times of recorded frames, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FrameTimings {
    /// The time from the first timestamp to the last: all frames that were timed, and the time
    /// [between](FrameTimings::between) them.
    pub total: f64,
    /// The time of each frame, in order.
    pub frames: Vec<f64>,
    /// The time of each kernel over all frames, in the order of their first calls. Empty unless
    /// kernels are timed; see [`TimedBy`].
    pub kernels: Vec<KernelTiming>,
}

/// The time of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct KernelTiming {
    /// Its entry point.
    pub kernel: &'static str,
    /// The stage it belongs to.
    pub stage: Stage,
    /// The number of calls.
    pub calls: u32,
    /// The total time of all calls, in milliseconds.
    pub time: f64,
}

impl FrameTimings {
    /// Returns the time of the frames outside their kernels, if those are timed: fills, copies and
    /// gaps. Never negative.
    pub fn other(&self) -> f64 {
        let kernels: f64 = self.kernels.iter().map(|kernel| kernel.time).sum();
        (self.frames.iter().sum::<f64>() - kernels).max(0.0)
    }

    /// Returns the time the GPU spent between the frames.
    pub fn between(&self) -> f64 {
        (self.total - self.frames.iter().sum::<f64>()).max(0.0)
    }

    pub(super) fn new(total: f64, frames: &[Times]) -> Self {
        let mut kernels: Vec<KernelTiming> = Vec::new();
        for (name, time) in frames.iter().flat_map(|frame| &frame.laps) {
            match kernels.iter_mut().find(|known| known.kernel == name.kernel) {
                Some(known) => {
                    known.calls += 1;
                    known.time += time;
                }
                None => kernels.push(KernelTiming {
                    kernel: name.kernel,
                    stage: name.stage,
                    calls: 1,
                    time: *time,
                }),
            }
        }
        Self {
            total,
            frames: frames.iter().map(|frame| frame.total).collect(),
            kernels,
        }
    }
}

impl FrameTimer {
    pub(super) fn new(context: &Context, by: TimedBy) -> Result<Self> {
        if !context.timestamps {
            return Err(Error::Unavailable {
                what: "the time of a frame",
                hint: "the device has no timestamps: open it with the features that `required_features` returns",
            });
        }
        let detail = match by {
            TimedBy::Frame => Detail::Whole,
            TimedBy::Kernel => Detail::Kernels,
        };
        Ok(Self {
            watch: Mutex::new(Stopwatch::new(context, detail, Stopwatch::MOST_WHOLES)?),
            identity: context.identity.clone(),
        })
    }

    /// Returns the stopwatch for frames of its checker, or an error for another checker.
    pub(super) fn watch(&self, context: &Context) -> Result<MutexGuard<'_, Stopwatch>> {
        if !Arc::ptr_eq(&self.identity, &context.identity) {
            return Err(Error::Unavailable {
                what: "the time of a frame",
                hint: "the timer is another checker's: make one with the checker that records the frame",
            });
        }
        Ok(self.watch.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
