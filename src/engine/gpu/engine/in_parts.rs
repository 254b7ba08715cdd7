//! Checks of scenes that do not fit the device, one part of the scene after the other.

use crate::base::clock::Instant;
use crate::base::config::{Config, Output};
use crate::base::error::Result;
use crate::base::memory;
use crate::base::stage::Stage;
use crate::engine::exact_stage::Sets;
use crate::engine::findings::{Findings, count_apart};
use crate::engine::gpu::engine::GpuEngine;
use crate::engine::gpu::input::bounds_of;
use crate::engine::gpu::pipeline::Pipeline;
use crate::engine::gpu::trace::Trace;
use crate::engine::gpu::{parts, ranges};
use crate::engine::query::resolved::Subject;
use crate::outputs::report::Report;
use crate::rules::filter::PairRules;

impl GpuEngine {
    /// Checks a scene of more than `most` boxes, or one whose excluded pairs do not fit the device,
    /// part by part.
    ///
    /// Excluded pairs are removed on the host, because parts have their own numbering. A part also
    /// finds pairs that belong to other parts, so its pairs come to the host regardless of the
    /// output. They are filtered there, and only the requested results are kept.
    pub(super) async fn find_pairs_in_parts(
        &self,
        pipeline: &mut Pipeline,
        config: &Config,
        subject: Subject<'_>,
        rules: &PairRules<'_>,
        most: usize,
        results: &mut Findings<'_>,
    ) -> Result<Trace> {
        let mut trace = Trace::default();
        let start = Instant::now();
        let bounds = bounds_of(subject, rules.sets[1].widening(config.margin))?;
        let parts = parts::parts(&bounds, most)?;
        trace.add_wall(Stage::Parts, start);
        // Buffers are reserved for the largest part. If they grew from part to part, they would
        // become larger than necessary.
        let largest = parts.iter().map(|part| part.ids.len()).max().unwrap_or(0);

        let config = Config {
            output: Output::Pairs,
            max_pairs: None,
            ..config.clone()
        };
        let own_margins = rules.have_margins();
        let uploaded = subject.uploaded(largest);
        let words = subject.words_of_candidate(own_margins);
        let room = ranges::room(&self.context.limits(), &config, largest, uploaded, words);
        pipeline.reserve(&self.context, &room)?;
        if results.output == Output::Degrees {
            memory::resize(&mut results.degrees, subject.count(), 0, "the degrees")?;
        }
        for part in parts {
            let selected = subject.records().select(&part.ids)?;
            let own = Subject::Set(selected.records());
            let of_set = rules.sets[0].of_part(&part.ids)?;
            let of_part = rules.of_part(&of_set, &part.ids);
            let mut found = Findings::new(&config, Report::default());
            let checked = pipeline.check(&self.context, own, of_part.for_device(), &config, &mut found);
            trace.merge(checked.await?);
            let start = Instant::now();
            results.candidate_pairs += found.candidate_pairs;
            results.undecided_pairs += found.undecided_pairs;
            if let Some(operations) = found.operations {
                *results.operations.get_or_insert_default() += operations;
            }
            for pairs in part.own_pairs(&bounds, &found.pairs)? {
                let pairs = rules.without_excluded(pairs);
                results.add_colliding(&pairs)?;
                // The device's count includes pairs of other parts.
                if let (Some(Sets::Bodies(sets)), true) = (subject.sets(), config.margin > 0.0 || own_margins) {
                    results.near += count_apart(sets, &pairs);
                }
            }
            for pairs in part.own_pairs(&bounds, &found.undecided)? {
                results.extend_undecided(&rules.without_excluded(pairs))?;
            }
            trace.add_wall(Stage::Parts, start);
        }
        Ok(trace)
    }
}
