//! The GPU pipeline, top to bottom: upload, bounds, grid, candidate pairs, separating-axis test, read-back.

use std::ops::Range;
use std::time::Instant;

use bytemuck::Zeroable;

use super::buffers::{Buffers, Counters, Params, max_pairs, slot_entries};
use super::context::Context;
use super::timestamps::Stopwatch;
use crate::bounds::obb_bounds::ObbBounds;
use crate::bounds::{SceneStats, obb_bounds_cpu};
use crate::broad_phase::grid::Plan;
use crate::broad_phase::grid_build::{GridBuild, GridBuildBindings};
use crate::broad_phase::grid_pairs::{GridPairs, GridPairsBindings};
use crate::broad_phase::grid_plan::GridPlan;
use crate::broad_phase::scan::{Scan, ScanLevels};
use crate::cpu::milliseconds;
use crate::narrow_phase::obb_sat::ObbSat;
use crate::results::Results;
use crate::{Config, GridLevel, Obb, Output, Pair, Result, Timings};

/// The kernels, and the memory they work in.
pub(crate) struct Pipeline {
    obb_bounds: ObbBounds,
    grid_plan: GridPlan,
    grid_build: GridBuild,
    scan: Scan,
    grid_pairs: GridPairs,
    obb_sat: ObbSat,
    stopwatch: Stopwatch,
    buffers: Buffers,
    bindings: Option<Bindings>,
    /// [`Params::MOST_CANDIDATES`], or fewer in tests of what happens then.
    pub(super) most_candidates: u32,
}

/// What ties kernels to buffers; made anew when a buffer is.
struct Bindings {
    obb_bounds: wgpu::BindGroup,
    grid_plan: wgpu::BindGroup,
    grid_build: GridBuildBindings,
    slot_scan: ScanLevels,
    grid_pairs: GridPairsBindings,
    offset_scan: ScanLevels,
    obb_sat: wgpu::BindGroup,
}

/// What the host reads after every submission: this, then the timestamps.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Summary {
    counters: Counters,
    /// Candidate pairs of the range; `u32::MAX` if there are that many or more.
    candidates: u32,
    /// Boxes that may be invalid.
    suspects: u32,
    unused: [u32; 2],
    plan: Plan,
}

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
    fn add_wall(&mut self, step: &'static str, start: Instant) {
        add(&mut self.timings.wall, step, milliseconds(start.elapsed()));
    }
}

impl Pipeline {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            obb_bounds: ObbBounds::new(context).await?,
            grid_plan: GridPlan::new(context).await?,
            grid_build: GridBuild::new(context).await?,
            scan: Scan::new(context).await?,
            grid_pairs: GridPairs::new(context).await?,
            obb_sat: ObbSat::new(context).await?,
            stopwatch: Stopwatch::new(context).await?,
            buffers: Buffers::new(context).await?,
            bindings: None,
            most_candidates: Params::MOST_CANDIDATES,
        })
    }

    /// Bytes of GPU memory held.
    pub fn device_bytes(&self) -> u64 {
        self.buffers.bytes()
    }

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
        self.upload(context, boxes).await?;
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
            if self
                .buffers
                .candidates
                .reserve(context, wanted * size_of::<Pair>() as u64)
                .await?
            {
                self.bind(context).await?;
            }
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

    /// Reads the pairs of one window, growing the buffers and testing it again if they did not fit.
    async fn take_window(
        &mut self,
        context: &Context,
        params: &mut Params,
        mut counters: Counters,
        config: &Config,
        results: &mut Results,
        course: &mut Course,
    ) -> Result<()> {
        let pairs_fit = |params: &Params, counters: &Counters| {
            params.output != Params::PAIRS || config.max_pairs.is_some() || counters.pairs <= params.pair_capacity
        };
        results.colliding_pairs += u64::from(counters.pairs);
        if !pairs_fit(params, &counters) || counters.undecided > params.undecided_capacity {
            let bytes = |count: u32| u64::from(count) * size_of::<Pair>() as u64;
            if !pairs_fit(params, &counters) {
                self.buffers.pairs.reserve(context, bytes(counters.pairs)).await?;
            }
            self.buffers
                .undecided
                .reserve(context, bytes(counters.undecided))
                .await?;
            self.bind(context).await?;
            params.pair_capacity = self.buffers.pairs.capacity::<Pair>();
            params.undecided_capacity = self.buffers.undecided.capacity::<Pair>();
            if let Some(most) = config.max_pairs {
                params.pair_capacity = params.pair_capacity.min(room(most, results));
            }
            // Degrees were counted the first time.
            let again = Params {
                output: if params.output == Params::PAIRS {
                    Params::PAIRS
                } else {
                    Params::COUNT
                },
                ..*params
            };
            counters = self.submit(context, &again, Steps::NarrowOnly, course).await?.counters;
        }
        let start = Instant::now();
        if params.output == Params::PAIRS {
            let count = counters.pairs.min(params.pair_capacity);
            read_pairs(context, &mut self.buffers, Source::Pairs, count, |pairs| {
                results.extend_pairs(pairs)
            })
            .await?;
        }
        let undecided = counters.undecided;
        read_pairs(context, &mut self.buffers, Source::Undecided, undecided, |pairs| {
            results.extend_undecided(pairs)
        })
        .await?;
        course.add_wall("readback", start);
        Ok(())
    }

    /// Buffers for `boxes` boxes and for what the configuration expects of results.
    async fn reserve(&mut self, context: &Context, boxes: usize, config: &Config) -> Result<()> {
        let pair_bytes = |count: usize| (count.max(1) as u64).min(max_pairs(context)) * size_of::<Pair>() as u64;
        let mut grown = self.buffers.reserve_boxes(context, boxes, config.output).await?;
        let first_pairs = config.max_pairs.unwrap_or(config.gpu.initial_pairs);
        grown |= self
            .buffers
            .candidates
            .reserve(context, pair_bytes(config.gpu.initial_candidates))
            .await?;
        grown |= self.buffers.pairs.reserve(context, pair_bytes(first_pairs)).await?;
        grown |= self
            .buffers
            .undecided
            .reserve(context, pair_bytes(config.gpu.initial_pairs / 16))
            .await?;
        self.buffers
            .staging
            .reserve(context, size_of::<Summary>() as u64 + Stopwatch::BYTES)
            .await?;
        if grown || self.bindings.is_none() {
            self.bind(context).await?;
        }
        if let Some(bindings) = &mut self.bindings {
            bindings.slot_scan.set_count(context, slot_entries(boxes));
            bindings.offset_scan.set_count(context, boxes as u64 + 1);
        }
        Ok(())
    }

    async fn bind(&mut self, context: &Context) -> Result<()> {
        let buffers = &self.buffers;
        let counts = self
            .bindings
            .take()
            .map(|old| (old.slot_scan.count(), old.offset_scan.count()));
        let slots = u64::from(buffers.slot_starts.capacity::<u32>());
        let offsets = u64::from(buffers.offsets.capacity::<u32>());
        let slot_scan = self.scan.levels(context, &buffers.slot_starts, slots).await?;
        let offset_scan = self.scan.levels(context, &buffers.offsets, offsets).await?;
        let mut bindings = context
            .scoped("the bindings", 0, || Bindings {
                slot_scan,
                offset_scan,
                obb_bounds: self.obb_bounds.bind(context, buffers),
                grid_plan: self.grid_plan.bind(context, buffers),
                grid_build: self.grid_build.bind(context, buffers),
                grid_pairs: self.grid_pairs.bind(context, buffers),
                obb_sat: self.obb_sat.bind(context, buffers),
            })
            .await?;
        if let Some((slots, offsets)) = counts {
            bindings.slot_scan.set_count(context, slots);
            bindings.offset_scan.set_count(context, offsets);
        }
        self.bindings = Some(bindings);
        Ok(())
    }

    async fn upload(&mut self, context: &Context, boxes: &[Obb]) -> Result<()> {
        context
            .scoped("the upload", size_of_val(boxes) as u64, || {
                context
                    .queue
                    .write_buffer(&self.buffers.boxes, 0, bytemuck::cast_slice(boxes));
                context
                    .queue
                    .write_buffer(&self.buffers.stats, 0, bytemuck::bytes_of(&SceneStats::EMPTY));
            })
            .await
    }

    fn params(&self, context: &Context, boxes: usize, range: Range<u32>, config: &Config, results: &Results) -> Params {
        let pair_capacity = self.buffers.pairs.capacity::<Pair>();
        // A buffer that has grown by half may hold more than a dispatch can test.
        let candidate_capacity = u64::from(self.buffers.candidates.capacity::<Pair>()).min(max_pairs(context).max(1));
        Params {
            box_count: boxes as u32,
            range_first: range.start,
            range_count: range.end - range.start,
            window_first: 0,
            candidate_capacity: candidate_capacity as u32,
            pair_capacity: config
                .max_pairs
                .map_or(pair_capacity, |most| pair_capacity.min(room(most, results))),
            undecided_capacity: self.buffers.undecided.capacity::<Pair>(),
            output: Params::output_of(config.output),
            exactness: Params::exactness_of(config.precision),
            // A single record has fewer candidates than there are boxes.
            most_candidates: if range.len() > 1 {
                self.most_candidates
            } else {
                u32::MAX
            },
            unused: [0; 2],
        }
    }

    /// Runs the pipeline from a step on, and reads the summary.
    async fn submit(
        &mut self,
        context: &Context,
        params: &Params,
        steps: Steps,
        course: &mut Course,
    ) -> Result<Summary> {
        let start = Instant::now();
        let Some(bindings) = &self.bindings else {
            return Ok(Summary::zeroed());
        };
        let (buffers, watch) = (&self.buffers, &mut self.stopwatch);
        let boxes = params.box_count as usize;
        let records = u64::from(params.range_count);
        let encoder = context
            .scoped("the recording", 0, || {
                context
                    .queue
                    .write_buffer(&buffers.params, 0, bytemuck::bytes_of(params));
                let descriptor = wgpu::CommandEncoderDescriptor {
                    label: Some("obbligato check"),
                };
                let mut encoder = context.device.create_command_encoder(&descriptor);
                encoder.clear_buffer(&buffers.counters, 0, None);
                if steps == Steps::All {
                    if params.output == Params::DEGREES {
                        encoder.clear_buffer(&buffers.degrees, 0, None);
                    }
                    encoder.clear_buffer(&buffers.slot_starts, 0, Some(4 * slot_entries(boxes)));

                    let mut pass = watch.begin(&mut encoder, "bounds");
                    self.obb_bounds.record(&mut pass, &bindings.obb_bounds, boxes)?;
                    drop(pass);

                    let mut pass = watch.begin(&mut encoder, "plan");
                    self.grid_plan.record(&mut pass, &bindings.grid_plan)?;
                    drop(pass);

                    let mut pass = watch.begin(&mut encoder, "sort");
                    self.grid_build.record_count(&mut pass, &bindings.grid_build, boxes)?;
                    self.scan.record(&mut pass, &bindings.slot_scan)?;
                    self.grid_build.record_place(&mut pass, &bindings.grid_build, boxes)?;
                }
                if steps <= Steps::FromRange {
                    let mut pass = watch.begin(&mut encoder, "count");
                    self.grid_pairs.record_count(&mut pass, &bindings.grid_pairs, records)?;
                    self.scan.record(&mut pass, &bindings.offset_scan)?;
                }
                if steps <= Steps::FromWindow {
                    let mut pass = watch.begin(&mut encoder, "pairs");
                    self.grid_pairs.record_emit(&mut pass, &bindings.grid_pairs, records)?;
                }
                let mut pass = watch.begin(&mut encoder, "narrow");
                self.obb_sat
                    .record(&mut pass, &bindings.obb_sat, u64::from(params.candidate_capacity))?;
                drop(pass);
                copy_summary(&mut encoder, buffers, params, watch);
                Ok(encoder)
            })
            .await??;
        let bytes = size_of::<Summary>() as u64 + Stopwatch::BYTES;
        let (summary, times) = context
            .submit_and_read(encoder, &buffers.staging.buffer, bytes, |bytes| {
                let (summary, timestamps) = bytes.split_at(size_of::<Summary>());
                (
                    bytemuck::pod_read_unaligned::<Summary>(summary),
                    watch.times(timestamps),
                )
            })
            .await?;
        for (stage, time) in times {
            add(&mut course.timings.gpu, stage, time);
        }
        course.add_wall("gpu", start);
        Ok(summary)
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

/// Where a submission begins; it always runs to the end of the narrow phase.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Steps {
    /// At the bounds.
    All,
    /// At counting the candidate pairs of a range of records.
    FromRange,
    /// At writing a window of candidate pairs.
    FromWindow,
    /// At the narrow phase.
    NarrowOnly,
}

/// Pairs that may still be stored, of `most`.
fn room(most: usize, results: &Results) -> u32 {
    (most - results.pairs.len().min(most)).min(u32::MAX as usize) as u32
}

fn copy_summary(encoder: &mut wgpu::CommandEncoder, buffers: &Buffers, params: &Params, watch: &Stopwatch) {
    let staging = &buffers.staging.buffer;
    let total = 4 * u64::from(params.range_count);
    let suspects = std::mem::offset_of!(SceneStats, suspects) as u64;
    let at = |offset: usize| offset as u64;
    for (source, from, to, bytes) in [
        (
            &buffers.counters,
            0,
            std::mem::offset_of!(Summary, counters),
            size_of::<Counters>(),
        ),
        (&*buffers.offsets, total, std::mem::offset_of!(Summary, candidates), 4),
        (&buffers.stats, suspects, std::mem::offset_of!(Summary, suspects), 4),
        (&buffers.plan, 0, std::mem::offset_of!(Summary, plan), size_of::<Plan>()),
    ] {
        encoder.copy_buffer_to_buffer(source, from, staging, at(to), bytes as u64);
    }
    watch.resolve(encoder, staging, size_of::<Summary>() as u64);
}

/// A list of pairs on the GPU.
enum Source {
    Pairs,
    Undecided,
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
    };
    let mut encoder = context.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(list, 0, &buffers.staging.buffer, 0, bytes);
    context
        .submit_and_read(encoder, &buffers.staging.buffer, bytes, |bytes| {
            take(bytemuck::cast_slice(bytes))
        })
        .await?
}

/// Adds a time to a named one, or appends it.
fn add(times: &mut Vec<(&'static str, f64)>, name: &'static str, time: f64) {
    match times.iter_mut().find(|(other, _)| *other == name) {
        Some((_, sum)) => *sum += time,
        None => times.push((name, time)),
    }
}
