//! The parameters of a frame, and the capacities of its buffers.

use std::ops::Range;

use crate::base::config::Config;
use crate::broad_phase::grid::layout::probe_size;
use crate::device::context::Context;
use crate::engine::gpu::limits::{candidate_pairs, words_of_candidate};
use crate::engine::gpu::pipeline::Pipeline;
use crate::engine::gpu::records::ends;
use crate::engine::gpu::subject::FrameSubject;
use crate::frame::params::Params;
use crate::frame::slots::{CANDIDATES, PAIRS, UNDECIDED};
use crate::geometry::rounding::above;

impl Pipeline {
    /// Returns `true` if undecided pairs of such a frame are also tested in `f64`.
    fn has_f64(context: &Context, subject: &FrameSubject, has_margin: bool) -> bool {
        context.f64 && subject.narrow_phase(has_margin).f64.is_some()
    }

    pub(crate) fn params(
        &self,
        context: &Context,
        boxes: usize,
        range: Range<u32>,
        config: &Config,
        kept: usize,
    ) -> Params {
        self.params_of(context, &self.subject, boxes, range, config, kept)
    }

    pub(crate) fn params_of(
        &self,
        context: &Context,
        subject: &FrameSubject,
        boxes: usize,
        range: Range<u32>,
        config: &Config,
        kept: usize,
    ) -> Params {
        let (probe_samples, probe_slots) = probe_size(boxes, context.max_buffer_bytes);
        let candidate_capacity = self.candidate_capacity_of(subject);
        let [box_end, capsule_end] = ends(subject.counts);
        let [box_end_of_a, capsule_end_of_a] = ends(subject.counts_of_a());
        let has_margin = config.margin > 0.0 || subject.own_margins;
        let has_f64 = Self::has_f64(context, subject, has_margin);
        let params = Params {
            box_count: boxes as u32,
            range_first: range.start,
            range_count: range.end - range.start,
            candidate_capacity,
            most_candidates: candidate_capacity.min(self.most_candidates_of(context, &range)),
            partial: 0,
            pair_capacity: self.pair_capacity(config, kept),
            // `f64` uses the other half of the list.
            undecided_capacity: self.arena.capacity(&UNDECIDED) >> u32::from(has_f64),
            output: Params::output_of(config.output),
            exactness: Params::exactness_of(config.precision),
            again: 0,
            probe_samples: if boxes == 0 { 0 } else { probe_samples },
            probe_slots,
            has_f64: u32::from(has_f64),
            movers: u32::from(subject.at_rest.is_some()),
            box_segment: context.limits().box_segment(),
            bounds_segment: context.limits().bounds_segment(),
            worlds: u32::from(subject.worlds) * Params::WORLDS + u32::from(subject.layers) * Params::LAYERS,
            // By its bits: -0 is 0.
            margin: above(config.margin).abs(),
            half_margin: subject.half_margin(config),
            own_margins: u32::from(subject.own_margins),
            partners_first: 0,
            partners_end: u32::MAX,
            most_work: 0.0,
            zero: 0,
            box_end,
            capsule_end,
            box_end_of_a,
            capsule_end_of_a,
            queues_first: (u64::from(candidate_capacity) * words_of_candidate(subject.own_margins, false)) as u32,
            order: 0,
            refit: 0,
            visits_undecided: 0,
            bodies_needed: boxes as u32,
            image_error: 0.0,
            images_unit: 0,
            images_first: 0,
            image_box_end: 0,
            image_capsule_end: 0,
        };
        match subject.images {
            None => params,
            Some(images) => params.with_images(images.most, images.unit, images.error),
        }
    }

    /// Returns the number of candidate pairs that fit.
    pub(crate) fn candidate_capacity(&self) -> u32 {
        self.candidate_capacity_of(&self.subject)
    }

    fn candidate_capacity_of(&self, subject: &FrameSubject) -> u32 {
        candidate_pairs(self.arena.capacity(&CANDIDATES).into(), subject.words_of_candidate()) as u32
    }

    /// Returns the maximum number of candidate pairs of a range, all of which may be undecided. A
    /// single record has fewer pairs than there are boxes, which is few enough.
    pub(crate) fn most_candidates_of(&self, context: &Context, range: &Range<u32>) -> u32 {
        match range.len() > 1 {
            true => self.most_candidates.min(context.limits().max_undecided() as u32),
            false => u32::MAX,
        }
    }

    /// Returns the number of colliding pairs that fit and are still wanted in addition to those
    /// already kept.
    pub(crate) fn pair_capacity(&self, config: &Config, kept: usize) -> u32 {
        let wanted = config.max_pairs.map_or(usize::MAX, |most| most - kept.min(most));
        self.arena.capacity(&PAIRS).min(wanted.min(u32::MAX as usize) as u32)
    }
}
