//! How a check went on the GPU, beside its findings.

use std::time::Instant;

use crate::cpu::milliseconds;
use crate::{GridLevel, Timings};

/// How the pipeline went, beside its findings.
#[derive(Default)]
pub(crate) struct Course {
    pub grid: Vec<GridLevel>,
    pub timings: Timings,
}

impl Course {
    /// Adds how another part of the same check went. The grid shown is the first part's.
    pub fn merge(&mut self, other: Self) {
        if self.grid.is_empty() {
            self.grid = other.grid;
        }
        other
            .timings
            .wall
            .into_iter()
            .for_each(|(step, time)| add(&mut self.timings.wall, step, time));
        other
            .timings
            .gpu
            .into_iter()
            .for_each(|(stage, time)| add(&mut self.timings.gpu, stage, time));
    }

    /// Adds the time since `start` to a step.
    pub fn add_wall(&mut self, step: &'static str, start: Instant) {
        add(&mut self.timings.wall, step, milliseconds(start.elapsed()));
    }
}

/// Adds a time to a named one, or appends it.
pub(crate) fn add(times: &mut Vec<(&'static str, f64)>, name: &'static str, time: f64) {
    match times.iter_mut().find(|(other, _)| *other == name) {
        Some((_, sum)) => *sum += time,
        None => times.push((name, time)),
    }
}
