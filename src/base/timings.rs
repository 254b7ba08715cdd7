//! How long the steps of a check took.

use std::time::Duration;

/// How long a call took, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timings {
    /// Wall time of the whole call.
    pub total: f64,
    /// Wall time per step of the pipeline, in order: "upload", "bounds", "broad", "narrow", "readback", ...
    pub wall: Vec<(&'static str, f64)>,
    /// GPU time per stage from timestamps, in order. Empty on the CPU and on adapters without timestamps.
    pub gpu: Vec<(&'static str, f64)>,
}

impl Timings {
    /// Time of one step, "upload", "bounds", "broad", "narrow", "exact" or "readback", on either backend: its wall time, or,
    /// for the steps that a GPU runs within one submission, the sum of its stages' GPU times. `None` if it did not run or
    /// was not measured.
    pub fn step(&self, step: &str) -> Option<f64> {
        let stages: &[&str] = match step {
            "broad" => &["plan", "sort", "pairs"],
            "narrow" => &["narrow", "f64"],
            _ => &[step],
        };
        self.wall_of(step)
            .or_else(|| sum(self.gpu.iter().filter(|(name, _)| stages.contains(name))))
    }

    /// Wall time of one step, summed where it ran more than once; `None` if it did not run.
    pub fn wall_of(&self, step: &str) -> Option<f64> {
        sum(self.wall.iter().filter(|(name, _)| *name == step))
    }
}

/// The sum of times, or `None` if there is none.
fn sum<'a>(times: impl Iterator<Item = &'a (&'static str, f64)>) -> Option<f64> {
    times.map(|(_, time)| *time).reduce(|sum, time| sum + time)
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
