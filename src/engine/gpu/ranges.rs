//! The host's control of the pipeline: it processes one range of records after the other, and
//! enlarges lists that were too short.

mod piece;

use std::ops::Range;

use crate::base::clock::Instant;
use crate::base::config::{Config, Output};
use crate::base::error::{Error, Result};
use crate::base::stage::Stage;
use crate::broad_phase::grid::layout::{GridLevel, Plan};
use crate::broad_phase::operations::Operations;
use crate::device::context::Context;
use crate::device::limits::DeviceLimits;
use crate::engine::findings::Findings;
use crate::engine::gpu::input::validate;
use crate::engine::gpu::limits::candidate_records;
use crate::engine::gpu::pipeline::Pipeline;
use crate::engine::gpu::pipeline::findings::{Found, Summary, left};
use crate::engine::gpu::pipeline::frame::Steps;
use crate::engine::gpu::ranges::piece::Piece;
use crate::engine::gpu::scene::SceneAtRest;
use crate::engine::gpu::trace::Trace;
use crate::engine::query::resolved::Subject;
use crate::frame::counters::Counters;
use crate::frame::params::Params;
use crate::frame::room::Room;
use crate::frame::slots::{DEGREES, PAIRS, UNDECIDED};
use crate::geometry::pair::Pair;
use crate::geometry::rounding::above;
use crate::rules::filter::{PairRules, SetRules};
use crate::shapes::bodies::set::Bodies;

impl Pipeline {
    /// Finds the pairs of boxes or bounds that the rules allow, and adds them to `results`. The
    /// boxes must fit the device.
    pub async fn check(
        &mut self,
        context: &Context,
        input: Subject<'_>,
        rules: Option<&PairRules<'_>>,
        config: &Config,
        results: &mut Findings<'_>,
    ) -> Result<Trace> {
        let (boxes, mut trace) = (input.count(), self.fill(context, input, rules, config)?);
        let (partners, mut work_of_each) = match input {
            Subject::Movers { scene, .. } => (scene.bodies().len(), Some(scene.on_device(context)?.work_of_each)),
            Subject::Set(_) => (boxes, None),
        };
        let mut pending = vec![Piece {
            records: 0..boxes as u32,
            partners: 0..partners as u32,
        }];
        let mut steps = Steps::All;
        while let Some(piece) = pending.pop() {
            config.stop.check()?;
            let start = Instant::now();
            let (most, most_work) = self.most_at_once(work_of_each);
            let (mut piece, others) = piece.cut_evenly(most);
            pending.extend(others);
            let mut params = Params {
                partners_first: piece.partners.start,
                partners_end: piece.partners.end,
                most_work,
                ..self.params(context, boxes, piece.records.clone(), config, results.pairs.len())
            };
            let found = self.submit(context, &params, (steps, config), &mut trace).await?;
            if work_of_each.is_none() {
                let (walked, others) = piece.cut(found.summary.counters.walked);
                pending.extend(others);
                params.range_count = walked.records.len() as u32;
                piece = walked;
            }
            if steps == Steps::All {
                self.note_sorting(input, &params, &found.summary, &mut trace)?;
                steps = Steps::FromRange;
            }
            let counters = found.summary.counters;
            let work_of_all = || (self.broad_phase.work_of_each)(&counters, &found.summary.plan, boxes as u64);
            let work = *work_of_each.get_or_insert_with(work_of_all);
            if counters.too_many > 0 || counters.candidates > params.most_candidates {
                let next = self.make_room(context, &piece, &params, &counters)?;
                pending.extend(next.into_iter().rev());
                continue;
            }
            results.candidate_pairs += u64::from(counters.candidates);
            if config.count_operations {
                *results.operations.get_or_insert_default() += operations(&counters);
            }
            trace.count_pairs(&self.subject, &params, &counters);
            self.take(context, params, found, config, results, &mut trace).await?;
            self.pace.note(piece.records.len() as f64 * work, start.elapsed());
        }
        if config.output == Output::Degrees {
            self.read_degrees(context, boxes, results, &mut trace).await?;
        }
        Ok(trace)
    }

    /// Reserves memory for a check, and uploads its input.
    pub(super) fn fill(
        &mut self,
        context: &Context,
        input: Subject<'_>,
        rules: Option<&PairRules<'_>>,
        config: &Config,
    ) -> Result<Trace> {
        let mut trace = Trace::default();
        let (start, boxes) = (Instant::now(), input.count());
        let words = input.words_of_candidate(rules.is_some_and(PairRules::have_margins));
        let uploaded = input.uploaded(boxes);
        self.reserve(context, &room(&context.limits(), config, boxes, uploaded, words))?;
        self.upload(context, input, rules, config)?;
        trace.add_wall(Stage::Upload, start);
        Ok(trace)
    }

    /// Returns the maximum number of records of a submission, and the maximum work if only the
    /// device knows its amount.
    fn most_at_once(&self, work_of_each: Option<f64>) -> (u32, f32) {
        // If the scene is not sorted yet, only the device knows the amount of work.
        match work_of_each {
            Some(work) => (self.pace.records(work), 0.0),
            None => (self.pace.most_records(), self.pace.work()),
        }
    }

    /// Validates the input if a device has found suspects while it sorted, and traces the sorting.
    fn note_sorting(&self, input: Subject<'_>, params: &Params, summary: &Summary, trace: &mut Trace) -> Result<()> {
        if summary.suspects > 0 {
            validate(input)?;
        }
        match input {
            Subject::Movers { scene, .. } => trace.grid.clone_from(&scene.grid),
            Subject::Set(_) => {
                trace.grid = summary.plan.levels().iter().map(GridLevel::from).collect();
                trace.count_build(&self.subject, (self.broad_phase.bytes)(params, &summary.plan));
            }
        }
        Ok(())
    }

    /// Sorts boxes at rest, and returns copies of them that later checks do not modify.
    pub async fn prepare(
        &mut self,
        context: &Context,
        bodies: Bodies<'_>,
        rules: &SetRules<'_>,
        config: &Config,
    ) -> Result<(SceneAtRest, Plan)> {
        let input = Subject::Set(bodies.into());
        let (count, uploaded) = (bodies.len().max(1), input.uploaded(bodies.len()).max(1));
        let words = input.words_of_candidate(false);
        self.reserve(context, &room(&context.limits(), config, count, uploaded, words))?;
        // The movers are widened by all margins of the scene.
        let without_margins = rules.without_margins();
        let for_sorting = PairRules::for_sorting(&without_margins);
        self.upload(context, input, for_sorting.any(), config)?;
        // An empty range of records, so no pairs are searched for.
        let params = Params {
            // The movers are widened by the whole margin.
            half_margin: 0.0,
            ..self.params(context, bodies.len(), 0..0, config, 0)
        };
        let steps = (Steps::All, config);
        let found = self.submit(context, &params, steps, &mut Trace::default()).await?;
        if found.summary.suspects > 0 {
            validate(input)?;
        }
        let Summary { counters, plan, .. } = found.summary;
        let work_of_each = (self.broad_phase.work_of_each)(&counters, &plan, bodies.len() as u64);
        let sorted = (self.broad_phase.at_rest, work_of_each);
        let scene = SceneAtRest::copied_from(context, &self.arena, input.records(), rules, sorted)?;
        Ok((scene, plan))
    }

    /// Finds the pairs among `pairs` that collide, and adds them to `results`.
    pub async fn check_pairs(
        &mut self,
        context: &Context,
        input: Subject<'_>,
        (pairs, rules): (&[Pair], &PairRules<'_>),
        config: &Config,
        results: &mut Findings<'_>,
    ) -> Result<Trace> {
        let mut trace = Trace::default();
        let (start, boxes) = (Instant::now(), input.count());
        // The other rules have already been applied.
        let rules = rules.have_margins().then_some(rules);
        let (words, uploaded) = (input.words_of_candidate(rules.is_some()), input.uploaded(boxes));
        self.reserve(context, &room(&context.limits(), config, boxes, uploaded, words))?;
        self.upload(context, input, rules, config)?;
        let most = context.limits().max_candidates(words);
        self.reserve_candidates(context, (pairs.len() as u64).min(most))?;
        trace.add_wall(Stage::Upload, start);

        let capacity = u64::from(self.candidate_capacity()).min(context.limits().max_undecided());
        let mut steps = Steps::GivenPairs;
        for part in pairs.chunks(capacity as usize) {
            config.stop.check()?;
            let start = Instant::now();
            let margins: Option<Vec<f32>> = rules.map(|rules| {
                part.iter()
                    .map(|pair| above(rules.margin(config.margin, *pair)))
                    .collect()
            });
            self.upload_pairs(context, part, margins.as_deref())?;
            trace.add_wall(Stage::Upload, start);
            let params = self.params(context, boxes, 0..0, config, results.pairs.len());
            let found = self.submit(context, &params, (steps, config), &mut trace).await?;
            if steps == Steps::GivenPairs {
                trace.count_bounds(&self.subject);
                steps = Steps::NarrowOnly;
            }
            trace.count_pairs(&self.subject, &params, &found.summary.counters);
            self.take(context, params, found, config, results, &mut trace).await?;
            results.candidate_pairs += part.len() as u64;
        }
        if config.output == Output::Degrees {
            self.read_degrees(context, boxes, results, &mut trace).await?;
        }
        Ok(trace)
    }

    /// Reserves memory for the candidate pairs of a piece that has too many, or cuts it. Returns
    /// the pieces to continue with.
    fn make_room(
        &mut self,
        context: &Context,
        piece: &Piece,
        params: &Params,
        counters: &Counters,
    ) -> Result<Vec<Piece>> {
        if counters.too_many == Counters::LOOPS_ENDED {
            let shorter = piece.shorter(params.movers > 0);
            return match shorter.len() {
                0 | 1 => Err(Error::Unavailable {
                    what: "the pairs",
                    hint: "the driver ends even the shortest loops of shaders; use the CPU backend or another driver",
                }),
                _ => Ok(shorter),
            };
        }
        let total = u64::from(counters.candidates);
        if counters.too_many > 0 || counters.candidates > self.most_candidates_of(context, &piece.records) {
            return Ok(piece.by_records(2));
        }
        let limits = context.limits();
        let most = limits
            .max_candidates(self.subject.words_of_candidate())
            .min(limits.max_undecided());
        match self.reserve_candidates(context, with_spare(params, counters.candidates).min(most)) {
            // The list is longer than before, so the repetition ends.
            Ok(()) if total <= most => Ok(vec![piece.clone()]),
            // One piece more than an even division, because pieces find different numbers of pairs.
            Ok(()) => Ok(piece.by_records((total.div_ceil(most) + 1) as usize)),
            Err(Error::OutOfDeviceMemory { .. }) if piece.records.len() > 1 => {
                self.unbind_if(true);
                Ok(piece.by_records(2))
            }
            Err(error) => Err(error),
        }
    }

    /// Takes the findings of a range. While they do not fit, its candidates are tested again with
    /// longer lists.
    async fn take(
        &mut self,
        context: &Context,
        mut params: Params,
        mut found: Found,
        config: &Config,
        results: &mut Findings<'_>,
        trace: &mut Trace,
    ) -> Result<()> {
        // At most twice: pairs found by `f64` are counted only once the undecided pairs fit.
        while !fit(&params, &found.summary.counters, config, results.pairs.len()) {
            self.lengthen_lists(context, &mut params, &found.summary.counters, config, results)?;
            params.again = 1;
            let steps = (Steps::NarrowOnly, config);
            found = self.submit(context, &params, steps, trace).await?;
        }
        let start = Instant::now();
        let counters = found.summary.counters;
        results.colliding_pairs += u64::from(counters.pairs);
        results.undecided_pairs += u64::from(counters.undecided);
        results.near += u64::from(counters.near);
        self.expect(&params, &counters);
        if params.output == Params::PAIRS {
            results.extend_pairs(&found.pairs)?;
            let read = found.pairs.len() as u32..counters.pairs.min(params.pair_capacity);
            let list = self.arena.buffer(&PAIRS)?.clone();
            self.read_pairs(context, &list, read, |pairs| results.extend_pairs(pairs))
                .await?;
        }
        #[cfg(feature = "unstable")]
        {
            let is_whole = results.pairs.len() == counters.pairs as usize;
            results.listed = Some(if is_whole { counters.pairs } else { 0 });
        }
        results.extend_undecided(&found.left)?;
        let read = found.left.len() as u32..left(&params, &counters);
        let list = self.arena.buffer(&UNDECIDED)?.clone();
        self.read_pairs(context, &list, read, |pairs| results.extend_undecided(pairs))
            .await?;
        trace.add_wall(Stage::Readback, start);
        Ok(())
    }

    /// Reserves memory for the pairs that the narrow phase has counted.
    fn lengthen_lists(
        &mut self,
        context: &Context,
        params: &mut Params,
        counters: &Counters,
        config: &Config,
        results: &Findings<'_>,
    ) -> Result<()> {
        let limits = context.limits();
        let kept = results.pairs.len();
        let pairs = match pairs_fit(params, counters, config, kept) {
            true => 0,
            false => with_spare(params, wanted_pairs(counters, config, kept)).min(limits.max_pairs()),
        };
        let undecided = with_spare(params, counters.undecided).min(limits.max_undecided());
        self.reserve_found(context, pairs, undecided << params.has_f64)?;
        let longer = self.params(context, params.box_count as usize, 0..0, config, kept);
        params.pair_capacity = longer.pair_capacity;
        params.undecided_capacity = longer.undecided_capacity;
        Ok(())
    }

    async fn read_degrees(
        &mut self,
        context: &Context,
        boxes: usize,
        results: &mut Findings<'_>,
        trace: &mut Trace,
    ) -> Result<()> {
        let start = Instant::now();
        let encoder = context.encoder("the read-back")?;
        let degrees = self.arena.buffer(&DEGREES)?;
        results.degrees = self.staging.read(context, encoder, degrees, boxes).await?;
        trace.add_wall(Stage::Readback, start);
        Ok(())
    }

    /// Reads a range of pairs of a list.
    async fn read_pairs(
        &mut self,
        context: &Context,
        list: &wgpu::Buffer,
        read: Range<u32>,
        take: impl FnOnce(&[Pair]) -> Result<()>,
    ) -> Result<()> {
        if read.is_empty() {
            return Ok(());
        }
        let bytes = |count: u32| u64::from(count) * size_of::<Pair>() as u64;
        let (first, length) = (bytes(read.start), bytes(read.end - read.start));
        self.staging.reserve(context, length)?;
        let staging = &self.staging.buffer;
        let mut encoder = context.encoder("the read-back")?;
        encoder.copy_buffer_to_buffer(list, first, staging, 0, length);
        context
            .submit_and_read(encoder, staging, length, |bytes| take(bytemuck::cast_slice(bytes)))
            .await?
    }
}

/// Returns the initial capacities of a check of this many boxes and uploaded records, given the
/// number of words of a candidate pair. Lists of pairs grow to the size of the findings.
pub(super) fn room(limits: &DeviceLimits, config: &Config, boxes: usize, uploaded: u64, words: u64) -> Room {
    let pairs = |count: usize, most: u64| (count as u64).clamp(1, most.max(1));
    let candidates = pairs(config.gpu.initial_candidates, limits.max_candidates(words));
    let initial_pairs = config.gpu.initial_pairs;
    let undecided = pairs(initial_pairs / 16, limits.max_undecided());
    Room {
        boxes: boxes as u64,
        uploaded,
        candidates: candidate_records(candidates, words),
        pairs: pairs(
            initial_pairs.min(config.max_pairs.unwrap_or(usize::MAX)),
            limits.max_pairs(),
        ),
        undecided: undecided << u32::from(limits.f64),
        sweeps: false,
        degrees: config.output == Output::Degrees,
        rules: 0,
        max_buffer_bytes: limits.max_buffer_bytes,
    }
}

/// Returns the initial capacities of a recorded frame, whose lists cannot grow later: they hold all
/// pairs that are wanted.
pub(super) fn room_of_frame(limits: &DeviceLimits, config: &Config, boxes: usize, words: u64) -> Room {
    let wanted = config.max_pairs.unwrap_or(config.gpu.initial_pairs) as u64;
    Room {
        pairs: wanted.clamp(1, limits.max_pairs().max(1)),
        ..room(limits, config, boxes, 0, words)
    }
}

/// Returns the capacity for this many pairs of a range. The records in part of a scene differ
/// slightly between checks, because their order within a cell does. An additional eighth ensures
/// that the capacity suffices for a similar check.
fn with_spare(params: &Params, pairs: u32) -> u64 {
    let pairs = u64::from(pairs);
    match params.range_count < params.box_count {
        true => pairs + pairs.div_ceil(8),
        false => pairs,
    }
}

/// Returns `true` if the lists hold all pairs counted, or as many as are wanted in addition to
/// those already kept.
fn fit(params: &Params, counters: &Counters, config: &Config, kept: usize) -> bool {
    pairs_fit(params, counters, config, kept) && counters.undecided <= params.undecided_capacity
}

fn pairs_fit(params: &Params, counters: &Counters, config: &Config, kept: usize) -> bool {
    let wanted = wanted_pairs(counters, config, kept);
    params.output != Params::PAIRS || wanted <= params.pair_capacity
}

/// Returns the number of counted pairs that are wanted in addition to those already kept.
fn wanted_pairs(counters: &Counters, config: &Config, kept: usize) -> u32 {
    let most = config.max_pairs.map_or(usize::MAX, |most| most.saturating_sub(kept));
    counters.pairs.min(u32::try_from(most).unwrap_or(u32::MAX))
}

fn operations(counters: &Counters) -> Operations {
    let long = |[low, high]: [u32; 2]| u64::from(high) << 32 | u64::from(low);
    Operations {
        rows: long(counters.rows),
        comparisons: long(counters.comparisons),
    }
}
