//! How the host drives the pipeline: range after range of records, with more room for what was too much.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::base::config::{Config, Output};
use crate::base::error::{Error, Result};
use crate::broad_phase::grid::layout::GridLevel;
use crate::broad_phase::grid::layout::Plan;
use crate::broad_phase::operations::Operations;
use crate::device::buffers::{Counters, Params, max_pairs};
use crate::device::context::Context;
use crate::engine::findings::Results;
use crate::engine::gpu::input::Input;
use crate::engine::gpu::pipeline::{Found, Pipeline, Steps};
use crate::engine::gpu::scene::SceneAtRest;
use crate::engine::gpu::trace::Course;
use crate::geometry::pair::Pair;
use crate::rules::filter::{PairRules, SetRules};
use crate::shapes::obb::record::Obb;

/// How long a submission should take at most: graphics drivers end work that keeps a GPU for some seconds.
const SUBMISSION_TIME: Duration = Duration::from_millis(500);

/// Rounds of loops after which a driver ends them; see `shaders/shared/loops.wgsl`. One record alone has no other way to fail.
const MOST_ROUNDS: u64 = 65_535;

/// Records of a submission, however long they take.
const LEAST_RECORDS: u32 = 1 << 12;

impl Pipeline {
    /// Finds the pairs of boxes or bounds, which fit the device, that the rules allow, and adds them to `results`.
    pub async fn check(
        &mut self,
        context: &Context,
        input: Input<'_>,
        rules: Option<&PairRules<'_>>,
        config: &Config,
        results: &mut Results,
    ) -> Result<Course> {
        let mut course = Course::default();
        let (start, boxes) = (Instant::now(), input.count());
        self.reserve(context, boxes, config).await?;
        self.reserve_upload(context, boxes).await?;
        self.upload(context, input, rules, config).await?;
        course.add_wall("upload", start);

        let mut pending = self.divided(0..boxes as u32);
        let mut steps = Steps::All;
        while let Some(range) = pending.pop() {
            let start = Instant::now();
            let params = self.params(context, boxes, range.clone(), config, results);
            let found = self.submit(context, &params, steps, &mut course).await?;
            if steps == Steps::All {
                if found.summary.counters.suspects > 0 {
                    input.validate()?;
                }
                match input {
                    Input::Movers { scene, .. } => course.grid.clone_from(&scene.grid),
                    Input::Boxes(_) | Input::Bounds(_) => {
                        course.grid = found.summary.plan.levels().iter().map(GridLevel::from).collect();
                        course.count_build(boxes, &found.summary.plan);
                    }
                }
                steps = Steps::FromRange;
            }
            let counters = found.summary.counters;
            if counters.too_many > 0 || counters.candidates > params.most_candidates {
                let next = self.make_room(context, &range, &counters).await?;
                pending.extend(next.into_iter().rev());
                continue;
            }
            results.candidate_pairs += u64::from(counters.candidates);
            if config.count_operations {
                *results.operations.get_or_insert_default() += operations(&counters);
            }
            course.count_pairs(&params, &counters);
            self.take(context, params, found, config, results, &mut course).await?;
            self.pace(range.len(), start.elapsed());
        }
        if config.output == Output::Degrees {
            self.read_degrees(context, boxes, results, &mut course).await?;
        }
        Ok(course)
    }

    /// Sorts boxes that rest, and returns copies of them that later checks leave alone.
    pub async fn prepare(
        &mut self,
        context: &Context,
        boxes: &[Obb],
        rules: &SetRules<'_>,
        config: &Config,
    ) -> Result<(SceneAtRest, Plan)> {
        let input = Input::Boxes(boxes);
        self.reserve(context, boxes.len().max(1), config).await?;
        self.reserve_upload(context, boxes.len().max(1)).await?;
        let for_sorting = PairRules::for_sorting(rules);
        self.upload(context, input, for_sorting.any(), config).await?;
        // No records whose pairs are looked for.
        let params = Params {
            // The movers take all of the margin.
            half_margin: 0.0,
            ..self.params(context, boxes.len(), 0..0, config, &Results::new(config))
        };
        let found = self
            .submit(context, &params, Steps::All, &mut Course::default())
            .await?;
        if found.summary.counters.suspects > 0 {
            input.validate()?;
        }
        let scene = SceneAtRest::copied_from(context, self, boxes.len(), rules).await?;
        Ok((scene, found.summary.plan))
    }

    /// Finds the pairs among `pairs` that collide, and adds them to `results`.
    pub async fn check_pairs(
        &mut self,
        context: &Context,
        input: Input<'_>,
        pairs: &[Pair],
        config: &Config,
        results: &mut Results,
    ) -> Result<Course> {
        let mut course = Course::default();
        let (start, boxes) = (Instant::now(), input.count());
        self.reserve(context, boxes, config).await?;
        self.reserve_upload(context, boxes).await?;
        let wanted = (pairs.len() as u64).min(max_pairs(context));
        self.reserve_candidates(context, wanted).await?;
        self.upload(context, input, None, config).await?;
        course.add_wall("upload", start);

        let capacity = self.params(context, boxes, 0..0, config, results).candidate_capacity;
        let mut steps = Steps::GivenPairs;
        for part in pairs.chunks(capacity as usize) {
            let start = Instant::now();
            self.upload_pairs(context, part).await?;
            course.add_wall("upload", start);
            let params = self.params(context, boxes, 0..0, config, results);
            let found = self.submit(context, &params, steps, &mut course).await?;
            if steps == Steps::GivenPairs {
                course.count_bounds(boxes);
                steps = Steps::NarrowOnly;
            }
            course.count_pairs(&params, &found.summary.counters);
            self.take(context, params, found, config, results, &mut course).await?;
            results.candidate_pairs += part.len() as u64;
        }
        if config.output == Output::Degrees {
            self.read_degrees(context, boxes, results, &mut course).await?;
        }
        Ok(course)
    }

    /// A range in pieces for a submission each, the first one last.
    fn divided(&self, range: Range<u32>) -> Vec<Range<u32>> {
        let pieces = range.len().div_ceil(self.records_per_submission as usize);
        divide(&range, pieces).into_iter().rev().collect()
    }

    /// Sets how many records the submissions that follow look for pairs of, after some took so long: fewer if that was too
    /// long, and up to four times as many if it was short.
    fn pace(&mut self, records: usize, time: Duration) {
        let before = self.records_per_submission;
        let in_time = (records as f64 * SUBMISSION_TIME.as_secs_f64() / time.as_secs_f64().max(1e-9)) as u32;
        if time > SUBMISSION_TIME {
            self.records_per_submission = in_time.max(LEAST_RECORDS);
        } else if records >= before as usize {
            self.records_per_submission = in_time.clamp(before, before.saturating_mul(4));
        }
    }

    /// Makes room for the candidate pairs of a range that has too many; says which ranges to go on with.
    async fn make_room(
        &mut self,
        context: &Context,
        range: &Range<u32>,
        counters: &Counters,
    ) -> Result<Vec<Range<u32>>> {
        let total = u64::from(counters.candidates);
        if counters.too_many > 0 || counters.candidates > self.most_candidates_of(range) {
            if range.len() == 1 {
                return Err(Error::LimitExceeded {
                    what: "the walk of one box over a crowded neighbourhood".to_owned(),
                    needed: MOST_ROUNDS + 1,
                    available: MOST_ROUNDS,
                    hint: "the driver ends longer loops: use the CPU backend, or another driver",
                });
            }
            return Ok(divide(range, 2));
        }
        let most = max_pairs(context);
        match self.reserve_candidates(context, total.min(most)).await {
            // More fit than before, so this ends.
            Ok(()) if total <= most => Ok(vec![range.clone()]),
            // Not all pieces find equally many.
            Ok(()) => Ok(divide(range, (total.div_ceil(most) + 1) as usize)),
            Err(Error::OutOfDeviceMemory { .. }) if range.len() > 1 => {
                self.unbind();
                Ok(divide(range, 2))
            }
            Err(error) => Err(error),
        }
    }

    /// Takes the findings of a range, testing its candidates again in longer lists while they did not fit.
    async fn take(
        &mut self,
        context: &Context,
        mut params: Params,
        mut found: Found,
        config: &Config,
        results: &mut Results,
        course: &mut Course,
    ) -> Result<()> {
        // Twice at most: pairs that f64 finds are counted only once the undecided pairs fit.
        while !fit(&params, &found.summary.counters, config) {
            self.lengthen_lists(context, &mut params, &found.summary.counters, config, results)
                .await?;
            params.again = 1;
            found = self.submit(context, &params, Steps::NarrowOnly, course).await?;
        }
        let start = Instant::now();
        let counters = found.summary.counters;
        results.colliding_pairs += u64::from(counters.pairs);
        results.undecided_pairs += u64::from(counters.undecided);
        results.near += u64::from(counters.near);
        self.expect(&counters);
        if params.output == Params::PAIRS {
            results.extend_pairs(&found.pairs)?;
            let read = found.pairs.len() as u32..counters.pairs.min(params.pair_capacity);
            let list = self.buffers.pairs.clone();
            self.read_pairs(context, &list, read, |pairs| results.extend_pairs(pairs))
                .await?;
        }
        results.extend_undecided(&found.left)?;
        let read = found.left.len() as u32..self.left()(&counters);
        let list = self.left_pairs().clone();
        self.read_pairs(context, &list, read, |pairs| results.extend_undecided(pairs))
            .await?;
        course.add_wall("readback", start);
        Ok(())
    }

    /// Makes room for what the narrow phase has counted.
    async fn lengthen_lists(
        &mut self,
        context: &Context,
        params: &mut Params,
        counters: &Counters,
        config: &Config,
        results: &Results,
    ) -> Result<()> {
        let bytes = |count: u32| u64::from(count) * size_of::<Pair>() as u64;
        if !pairs_fit(params, counters, config) {
            self.buffers.pairs.reserve(context, bytes(counters.pairs)).await?;
        }
        self.reserve_undecided(context, bytes(counters.undecided)).await?;
        self.unbind();
        params.pair_capacity = self.pair_capacity(config, results);
        params.undecided_capacity = self.undecided_capacity();
        Ok(())
    }

    async fn read_degrees(
        &mut self,
        context: &Context,
        boxes: usize,
        results: &mut Results,
        course: &mut Course,
    ) -> Result<()> {
        let start = Instant::now();
        let bytes = 4 * boxes as u64;
        self.buffers.staging.reserve(context, bytes).await?;
        let mut encoder = context.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&self.buffers.degrees, 0, &self.buffers.staging.buffer, 0, bytes);
        results.degrees = context
            .submit_and_read(
                encoder,
                &self.buffers.staging.buffer,
                bytes,
                bytemuck::pod_collect_to_vec,
            )
            .await?;
        course.add_wall("readback", start);
        Ok(())
    }

    /// Reads those pairs of a list.
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
        self.buffers.staging.reserve(context, length).await?;
        let staging = &self.buffers.staging.buffer;
        let mut encoder = context.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(list, first, staging, 0, length);
        context
            .submit_and_read(encoder, staging, length, |bytes| take(bytemuck::cast_slice(bytes)))
            .await?
    }
}

/// A range cut into so many equal pieces, or as many as it has records.
fn divide(range: &Range<u32>, pieces: usize) -> Vec<Range<u32>> {
    let pieces = pieces.clamp(1, range.len().max(1)) as u64;
    let length = u64::from(range.end - range.start);
    let cut = |k: u64| range.start + (length * k / pieces) as u32;
    (0..pieces).map(|k| cut(k)..cut(k + 1)).collect()
}

/// Whether the lists of pairs hold all that was counted, or as much as is wanted.
fn fit(params: &Params, counters: &Counters, config: &Config) -> bool {
    pairs_fit(params, counters, config) && counters.undecided <= params.undecided_capacity
}

fn pairs_fit(params: &Params, counters: &Counters, config: &Config) -> bool {
    params.output != Params::PAIRS || config.max_pairs.is_some() || counters.pairs <= params.pair_capacity
}

fn operations(counters: &Counters) -> Operations {
    let long = |[low, high]: [u32; 2]| u64::from(high) << 32 | u64::from(low);
    Operations {
        rows: long(counters.rows),
        comparisons: long(counters.comparisons),
    }
}
