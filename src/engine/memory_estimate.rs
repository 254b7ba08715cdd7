//! What a check on the CPU will need.

use crate::base::config::Config;
use crate::base::memory::MemoryEstimate;
use crate::broad_phase::choice::BroadPhaseChoice;
use crate::engine::cpu::CpuChecker;
use crate::engine::sweep;
use crate::geometry::pair::MAX_BOXES;
use crate::shapes::bodies::counts::BodyCounts;

impl MemoryEstimate {
    /// What a check on the CPU backend needs; see [`Checker::memory_estimate`](crate::Checker::memory_estimate).
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

    /// What a sweep on the CPU backend needs; see [`Checker::sweep_memory_estimate`](crate::Checker::sweep_memory_estimate).
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

#[cfg(test)]
mod tests {
    use crate::base::config::Config;
    use crate::base::error::Error;
    use crate::base::memory::tests::with_only;
    use crate::base::memory::{MARGIN, STRIDE};
    use crate::engine::cpu::CpuChecker;
    use crate::outputs::report::Report;
    use crate::scenes::Scene;

    #[test]
    fn a_check_that_cannot_fit_does_not_start() {
        let boxes = Scene::Uniform.generate(1_000_000, 1);
        let mut checker = CpuChecker::default();
        let config = Config::default();
        let refused = with_only(100 << 20, || checker.check(&boxes, &config, Report::default()));
        let refused = refused.map(|report| report.colliding_pairs);
        assert!(matches!(refused, Err(Error::OutOfMemory { .. })), "{refused:?}");
        let needed = CpuChecker::bytes_for(&config, boxes.len(), 0);
        let report = with_only(needed + MARGIN, || checker.check(&boxes, &config, Report::default())).expect("enough");
        // Memory that it already holds is not requested again.
        let again = with_only(STRIDE + MARGIN, || {
            checker.check(&boxes[..900_000], &config, Report::default())
        })
        .expect("enough");
        assert!(report.colliding_pairs > again.colliding_pairs);
    }
}
