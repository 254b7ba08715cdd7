//! The memory that a check on the CPU needs.

use crate::base::config::Config;
use crate::broad_phase::choice::BroadPhaseChoice;
use crate::engine::cpu::CpuChecker;
use crate::engine::sweep;
use crate::geometry::pair::MAX_BOXES;
use crate::shapes::bodies::counts::BodyCounts;

/// The memory that a check needs, besides the caller's boxes.
///
/// Returned by [`Checker::memory_estimate`](crate::Checker::memory_estimate), and by
/// [`MemoryEstimate::on_cpu`] and [`MemoryEstimate::on_gpu`] to choose a backend beforehand. It
/// applies to a new checker; a checker keeps the memory that its larger scenes needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryEstimate {
    /// Peak bytes of the machine's memory, including the report.
    pub host_bytes: u64,
    /// Bytes of GPU memory; 0 on the CPU backend. A software adapter takes these from the machine's
    /// memory too.
    pub device_bytes: u64,
    /// Bytes of the largest GPU buffer among them.
    pub largest_buffer_bytes: u64,
    /// The number of parts that the scene is checked in: more than 1 if it exceeds the device's
    /// limits.
    pub parts: u64,
}

impl MemoryEstimate {
    /// Estimates the memory that a check on the CPU backend needs. See
    /// [`Checker::memory_estimate`](crate::Checker::memory_estimate).
    pub fn on_cpu(config: &Config, bodies: impl Into<BodyCounts>, pairs: usize) -> Self {
        let bodies = bodies.into();
        let (count, pairs) = (bodies.total().min(MAX_BOXES), pairs as u64);
        let host_bytes = match bodies.are_balls() && BroadPhaseChoice::of_balls(config.broad_phase).is_some() {
            true => CpuChecker::bytes_for_balls(config, count, pairs),
            false => CpuChecker::bytes_for(config, count, pairs),
        };
        Self {
            host_bytes,
            parts: 1,
            ..Self::default()
        }
    }

    /// Estimates the memory that a sweep on the CPU backend needs. See
    /// [`Checker::sweep_memory_estimate`](crate::Checker::sweep_memory_estimate).
    pub(crate) fn of_sweep_on_cpu(config: &Config, bodies: BodyCounts, impacts: usize) -> Self {
        let count = bodies.total().min(MAX_BOXES);
        let check = CpuChecker::bytes_for_moving(config, count, impacts as u64);
        Self {
            host_bytes: check.saturating_add(sweep::bytes_for(count as u64, impacts as u64)),
            parts: 1,
            ..Self::default()
        }
    }
}
