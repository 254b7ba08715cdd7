//! The host's part of a check: what the device leaves open.

use crate::base::config::Config;
use crate::base::error::Result;
use crate::engine::findings::Findings;
use crate::engine::gpu::engine::GpuEngine;
use crate::engine::query::resolved::{Resolved, Wanted};

impl GpuEngine {
    /// Decides on the host what the device leaves open.
    pub(super) fn decide<'a>(
        &mut self,
        query: &Resolved<'_>,
        config: &Config,
        wanted: &Wanted<'a>,
        results: &mut Findings<'a>,
    ) -> Result<()> {
        let Resolved { subject, rules, .. } = query;
        if let Some(sets) = subject.sets() {
            results.decide(sets, subject.count(), |pair| rules.margin(config.margin, pair))?;
        }
        if let Some(boxes) = subject.boxes64() {
            let margin = |pair| rules.margin(config.margin, pair);
            let has_margin = config.margin > 0.0 || rules.have_margins();
            results.visit = wanted.visit;
            results.test64(boxes, wanted, has_margin.then_some(&margin))?;
        }
        if let (Some(bounds), true) = (subject.bounds(), config.margin != self.config.margin) {
            results.test_bounds(bounds, &self.config, |pair| rules.margin(self.config.margin, pair))?;
        }
        #[cfg(feature = "unstable")]
        self.keep_left(query, results)?;
        Ok(())
    }
}
