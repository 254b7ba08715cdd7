//! Times of the stages of a check.

use std::time::Duration;

use crate::base::stage::Stage;

/// The times of a call, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Timings {
    /// Wall time of the whole call.
    pub total: f64,
    /// Wall time of each stage that the host times, in order. On the CPU, the stages of a few
    /// boxes, and those of at most 16 candidate pairs at a time, count towards the broad phase:
    /// reading the clock would take a good part of their time.
    pub wall: Vec<(Stage, f64)>,
    /// GPU time of each stage from timestamps, in order. Together, with [`Stage::Other`], they add
    /// up to the time from the first timestamp to the last, over all submissions. Empty on the CPU
    /// and on adapters without timestamps.
    pub gpu: Vec<(Stage, f64)>,
}

impl Timings {
    /// Returns the time of a stage on either backend: its wall time, or, if a GPU runs it within
    /// one submission, the GPU time of all stages that it [includes](Stage::includes). `None` if it
    /// did not run or was not measured.
    pub fn step(&self, step: Stage) -> Option<f64> {
        self.wall_of(step)
            .or_else(|| sum(self.gpu.iter().filter(|(stage, _)| step.includes(*stage))))
    }

    /// Returns the wall time of a stage, summed if it ran more than once; `None` if the host did
    /// not time it.
    pub fn wall_of(&self, stage: Stage) -> Option<f64> {
        sum(self.wall.iter().filter(|(other, _)| *other == stage))
    }
}

impl Timings {
    /// Adds the times of another call.
    pub fn add(&mut self, other: &Self) {
        let add = |own: &mut Vec<(Stage, f64)>, other: &[(Stage, f64)]| {
            for &(stage, time) in other {
                match own.iter_mut().find(|(known, _)| *known == stage) {
                    Some((_, sum)) => *sum += time,
                    None => own.push((stage, time)),
                }
            }
        };
        self.total += other.total;
        add(&mut self.wall, &other.wall);
        add(&mut self.gpu, &other.gpu);
    }
}

/// Returns the sum of times, or `None` if there are none.
fn sum<'a>(times: impl Iterator<Item = &'a (Stage, f64)>) -> Option<f64> {
    times.map(|(_, time)| *time).reduce(|sum, time| sum + time)
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
