//! How the host drives the pipeline: window after window of candidate pairs, growing the lists that were too short.

use std::time::Instant;

use super::buffers::{Buffers, Counters, Params, max_pairs};
use super::context::Context;
use super::course::Course;
use super::pipeline::{Pipeline, Steps, Summary};
use crate::bounds::obb_bounds_cpu;
use crate::results::Results;
use crate::{Config, GridLevel, Obb, Output, Pair, Result};

impl Pipeline {
    /// Finds the pairs of `boxes`, which fit the device, and adds them to `results`.
    pub async fn check(
        &mut self,
        context: &Context,
        boxes: &[Obb],
        config: &Config,
        results: &mut Results,
    ) -> Result<Course> {
        let mut course = Course::default();
        let start = Instant::now();
        self.reserve(context, boxes.len(), config).await?;
        self.upload(context, boxes, config).await?;
        course.add_wall("upload", start);

        let all = 0..boxes.len() as u32;
        let mut params = self.params(context, boxes.len(), all.clone(), config, results);
        let summary = self.submit(context, &params, Steps::All, &mut course).await?;
        if summary.suspects > 0 {
            obb_bounds_cpu::validate(boxes)?;
        }
        course.grid = summary.plan.levels().iter().map(GridLevel::from).collect();
        let mut pending = vec![(all, Some(summary))];
        while let Some((range, summary)) = pending.pop() {
            params = self.params(context, boxes.len(), range.clone(), config, results);
            let summary = match summary {
                Some(summary) => summary,
                None => self.submit(context, &params, Steps::FromRange, &mut course).await?,
            };
            if summary.candidates > params.most_candidates {
                // More than can be counted: half the range at a time.
                let middle = range.start + (range.end - range.start) / 2;
                pending.extend([(middle..range.end, None), (range.start..middle, None)]);
                continue;
            }
            self.windows(context, params, summary, config, results, &mut course)
                .await?;
        }
        if config.output == Output::Degrees {
            self.read_degrees(context, boxes.len(), results, &mut course).await?;
        }
        Ok(course)
    }

    /// Finds the pairs among `pairs` that collide, and adds them to `results`.
    pub async fn check_pairs(
        &mut self,
        context: &Context,
        boxes: &[Obb],
        pairs: &[Pair],
        config: &Config,
        results: &mut Results,
    ) -> Result<Course> {
        let mut course = Course::default();
        let start = Instant::now();
        self.reserve(context, boxes.len(), config).await?;
        let wanted = (pairs.len() as u64).min(max_pairs(context));
        self.reserve_candidates(context, wanted).await?;
        self.upload(context, boxes, config).await?;
        course.add_wall("upload", start);

        let capacity = self
            .params(context, boxes.len(), 0..0, config, results)
            .candidate_capacity;
        for window in pairs.chunks(capacity as usize) {
            let start = Instant::now();
            self.upload_pairs(context, window).await?;
            course.add_wall("upload", start);
            let mut params = self.params(context, boxes.len(), 0..0, config, results);
            let summary = self.submit(context, &params, Steps::NarrowOnly, &mut course).await?;
            self.take_window(context, &mut params, summary.counters, config, results, &mut course)
                .await?;
            results.candidate_pairs += window.len() as u64;
        }
        if config.output == Output::Degrees {
            self.read_degrees(context, boxes.len(), results, &mut course).await?;
        }
        Ok(course)
    }

    /// Takes the results of the first window of a range, then works through the others.
    async fn windows(
        &mut self,
        context: &Context,
        mut params: Params,
        first: Summary,
        config: &Config,
        results: &mut Results,
        course: &mut Course,
    ) -> Result<()> {
        let total = first.candidates;
        let mut counters = first.counters;
        loop {
            self.take_window(context, &mut params, counters, config, results, course)
                .await?;
            let next = params.window_first.saturating_add(params.candidate_capacity);
            if next >= total {
                break;
            }
            // Room for all of them, or as much as there may be: the next check of such a scene needs no second window.
            let wanted = u64::from(total).min(max_pairs(context));
            self.reserve_candidates(context, wanted).await?;
            let records = params.range_first..params.range_first + params.range_count;
            params = Params {
                window_first: next,
                ..self.params(context, params.box_count as usize, records, config, results)
            };
            counters = self.submit(context, &params, Steps::FromWindow, course).await?.counters;
        }
        results.candidate_pairs += u64::from(total);
        Ok(())
    }

    /// Takes the findings of one window, testing it again in longer lists while they did not fit.
    async fn take_window(
        &mut self,
        context: &Context,
        params: &mut Params,
        mut counters: Counters,
        config: &Config,
        results: &mut Results,
        course: &mut Course,
    ) -> Result<()> {
        // Twice at most: pairs that f64 finds are counted only once the undecided pairs fit.
        while !fit(params, &counters, config) {
            self.lengthen_lists(context, params, &counters, config, results).await?;
            params.again = 1;
            counters = self.submit(context, params, Steps::NarrowOnly, course).await?.counters;
        }
        let start = Instant::now();
        results.colliding_pairs += u64::from(counters.pairs);
        results.undecided_pairs += u64::from(counters.undecided);
        if params.output == Params::PAIRS {
            let count = counters.pairs.min(params.pair_capacity);
            read_pairs(context, &mut self.buffers, Source::Pairs, count, |pairs| {
                results.extend_pairs(pairs)
            })
            .await?;
        }
        let (source, count) = if self.has_f64() {
            (Source::Unclear, counters.unclear)
        } else {
            (Source::Undecided, counters.undecided)
        };
        read_pairs(context, &mut self.buffers, source, count, |pairs| {
            results.extend_undecided(pairs)
        })
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
        self.bind(context).await?;
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
}

/// Whether the lists of pairs hold all that was counted, or as much as is wanted.
fn fit(params: &Params, counters: &Counters, config: &Config) -> bool {
    pairs_fit(params, counters, config) && counters.undecided <= params.undecided_capacity
}

fn pairs_fit(params: &Params, counters: &Counters, config: &Config) -> bool {
    params.output != Params::PAIRS || config.max_pairs.is_some() || counters.pairs <= params.pair_capacity
}

/// A list of pairs on the GPU.
enum Source {
    Pairs,
    Undecided,
    Unclear,
}

/// Reads the first `count` pairs of a list.
async fn read_pairs(
    context: &Context,
    buffers: &mut Buffers,
    source: Source,
    count: u32,
    take: impl FnOnce(&[Pair]) -> Result<()>,
) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let bytes = u64::from(count) * size_of::<Pair>() as u64;
    buffers.staging.reserve(context, bytes).await?;
    let list = match source {
        Source::Pairs => &buffers.pairs,
        Source::Undecided => &buffers.undecided,
        Source::Unclear => &buffers.unclear,
    };
    let mut encoder = context.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(list, 0, &buffers.staging.buffer, 0, bytes);
    context
        .submit_and_read(encoder, &buffers.staging.buffer, bytes, |bytes| {
            take(bytemuck::cast_slice(bytes))
        })
        .await?
}
