//! The GPU pipeline, top to bottom: upload, bounds, grid, candidate pairs, separating-axis test in f32, and in f64 where
//! the device can. `windows.rs` drives it.

use std::ops::Range;
use std::time::Instant;

use bytemuck::Zeroable;

use super::buffers::{Buffers, Counters, Params, max_pairs, slot_entries};
use super::context::Context;
use super::course::{Course, add};
use super::timestamps::Stopwatch;
use crate::bounds::SceneStats;
use crate::bounds::obb_bounds::ObbBounds;
use crate::broad_phase::grid::{Plan, probe_size};
use crate::broad_phase::grid_build::{GridBuild, GridBuildBindings};
use crate::broad_phase::grid_pairs::{GridPairs, GridPairsBindings};
use crate::broad_phase::grid_plan::{GridPlan, GridPlanBindings};
use crate::broad_phase::grid_probe::GridProbe;
use crate::broad_phase::scan::{Scan, ScanLevels};
use crate::narrow_phase::obb_sat::ObbSat;
use crate::narrow_phase::obb_sat_f64::ObbSatF64;
use crate::results::Results;
use crate::{Config, Obb, Output, Pair, Result};

/// The kernels, and the memory they work in.
pub(crate) struct Pipeline {
    obb_bounds: ObbBounds,
    grid_plan: GridPlan,
    grid_probe: GridProbe,
    grid_build: GridBuild,
    scan: Scan,
    grid_pairs: GridPairs,
    obb_sat: ObbSat,
    obb_sat_f64: Option<ObbSatF64>,
    stopwatch: Stopwatch,
    pub(super) buffers: Buffers,
    bindings: Option<Bindings>,
    /// [`Params::MOST_CANDIDATES`], or fewer in tests of what happens then.
    pub(super) most_candidates: u32,
}

/// What ties kernels to buffers; made anew when a buffer is.
struct Bindings {
    obb_bounds: wgpu::BindGroup,
    grid_plan: GridPlanBindings,
    grid_probe: wgpu::BindGroup,
    grid_build: GridBuildBindings,
    slot_scan: ScanLevels,
    grid_pairs: GridPairsBindings,
    offset_scan: ScanLevels,
    obb_sat: wgpu::BindGroup,
    obb_sat_f64: Option<wgpu::BindGroup>,
}

/// What the host reads after every submission: this, then the timestamps.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Summary {
    pub counters: Counters,
    /// Candidate pairs of the range; `u32::MAX` if there are that many or more.
    pub candidates: u32,
    /// Boxes that may be invalid.
    pub suspects: u32,
    unused: [u32; 2],
    pub plan: Plan,
}

impl Pipeline {
    pub async fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            obb_bounds: ObbBounds::new(context).await?,
            grid_plan: GridPlan::new(context).await?,
            grid_probe: GridProbe::new(context).await?,
            grid_build: GridBuild::new(context).await?,
            scan: Scan::new(context).await?,
            grid_pairs: GridPairs::new(context).await?,
            obb_sat: ObbSat::new(context).await?,
            obb_sat_f64: match context.f64 {
                true => Some(ObbSatF64::new(context).await?),
                false => None,
            },
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

    /// Whether undecided pairs are tested in f64 too.
    pub fn has_f64(&self) -> bool {
        self.obb_sat_f64.is_some()
    }

    /// Buffers for `boxes` boxes and for what the configuration expects of results.
    pub(super) async fn reserve(&mut self, context: &Context, boxes: usize, config: &Config) -> Result<()> {
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
            .reserve_undecided(context, pair_bytes(config.gpu.initial_pairs / 16))
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

    /// Makes room for a window of so many candidate pairs.
    pub(super) async fn reserve_candidates(&mut self, context: &Context, pairs: u64) -> Result<()> {
        let bytes = pairs * size_of::<Pair>() as u64;
        if self.buffers.candidates.reserve(context, bytes).await? {
            self.bind(context).await?;
        }
        Ok(())
    }

    /// Makes room for `bytes` of undecided pairs, and for as many that f64 cannot decide; says whether a buffer is new.
    pub(super) async fn reserve_undecided(&mut self, context: &Context, bytes: u64) -> Result<bool> {
        let mut grown = self.buffers.undecided.reserve(context, bytes).await?;
        if self.has_f64() {
            let same = self.buffers.undecided.size();
            grown |= self.buffers.unclear.reserve(context, same).await?;
        }
        Ok(grown)
    }

    pub(super) async fn bind(&mut self, context: &Context) -> Result<()> {
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
                grid_probe: self.grid_probe.bind(context, buffers),
                grid_build: self.grid_build.bind(context, buffers),
                grid_pairs: self.grid_pairs.bind(context, buffers),
                obb_sat: self.obb_sat.bind(context, buffers),
                obb_sat_f64: self.obb_sat_f64.as_ref().map(|kernel| kernel.bind(context, buffers)),
            })
            .await?;
        if let Some((slots, offsets)) = counts {
            bindings.slot_scan.set_count(context, slots);
            bindings.offset_scan.set_count(context, offsets);
        }
        self.bindings = Some(bindings);
        Ok(())
    }

    /// Hands the boxes to the device, and clears what is summed up over all windows.
    pub(super) async fn upload(&mut self, context: &Context, boxes: &[Obb], config: &Config) -> Result<()> {
        let (buffers, queue) = (&self.buffers, &context.queue);
        context
            .scoped("the upload", size_of_val(boxes) as u64, || {
                queue.write_buffer(&buffers.boxes, 0, bytemuck::cast_slice(boxes));
                queue.write_buffer(&buffers.stats, 0, bytemuck::bytes_of(&SceneStats::EMPTY));
                if config.output == Output::Degrees {
                    let mut encoder = context.device.create_command_encoder(&Default::default());
                    encoder.clear_buffer(&buffers.degrees, 0, None);
                    queue.submit([encoder.finish()]);
                }
            })
            .await
    }

    /// Hands a window of candidate pairs to the device, in place of those that the broad phase would find.
    pub(super) async fn upload_pairs(&mut self, context: &Context, pairs: &[Pair]) -> Result<()> {
        let (buffers, queue) = (&self.buffers, &context.queue);
        context
            .scoped("the upload of pairs", size_of_val(pairs) as u64, || {
                queue.write_buffer(&buffers.candidates, 0, bytemuck::cast_slice(pairs));
                // The candidate pairs of no records, which is where the kernel looks for their number.
                queue.write_buffer(&buffers.offsets, 0, bytemuck::bytes_of(&(pairs.len() as u32)));
            })
            .await
    }

    pub(super) fn params(
        &self,
        context: &Context,
        boxes: usize,
        range: Range<u32>,
        config: &Config,
        results: &Results,
    ) -> Params {
        let (probe_samples, probe_slots) = probe_size(boxes, context.max_buffer_bytes);
        Params {
            box_count: boxes as u32,
            range_first: range.start,
            range_count: range.end - range.start,
            window_first: 0,
            candidate_capacity: self
                .buffers
                .candidates
                .capacity::<Pair>()
                .min(max_pairs(context).max(1) as u32),
            pair_capacity: self.pair_capacity(config, results),
            undecided_capacity: self.undecided_capacity(),
            output: Params::output_of(config.output),
            exactness: Params::exactness_of(config.precision),
            again: 0,
            probe_samples,
            probe_slots,
            // A single record has fewer candidates than there are boxes.
            most_candidates: if range.len() > 1 {
                self.most_candidates
            } else {
                u32::MAX
            },
            unused: [0; 3],
        }
    }

    /// Colliding pairs for which there is room, and which are still wanted.
    pub(super) fn pair_capacity(&self, config: &Config, results: &Results) -> u32 {
        let wanted = config
            .max_pairs
            .map_or(usize::MAX, |most| most - results.pairs.len().min(most));
        self.buffers
            .pairs
            .capacity::<Pair>()
            .min(wanted.min(u32::MAX as usize) as u32)
    }

    /// Undecided pairs for which there is room.
    pub(super) fn undecided_capacity(&self) -> u32 {
        self.buffers.undecided.capacity::<Pair>()
    }

    /// Runs the pipeline from a step on, and reads the summary.
    pub(super) async fn submit(
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
                    encoder.clear_buffer(&buffers.probe_table, 0, None);
                    encoder.clear_buffer(&buffers.slot_starts, 0, Some(4 * slot_entries(boxes)));

                    let mut pass = watch.begin(&mut encoder, "bounds");
                    self.obb_bounds.record(&mut pass, &bindings.obb_bounds, boxes)?;
                    drop(pass);

                    let mut pass = watch.begin(&mut encoder, "plan");
                    self.grid_plan.record_group_sizes(&mut pass, &bindings.grid_plan)?;
                    self.grid_probe
                        .record(&mut pass, &bindings.grid_probe, params.probe_samples)?;
                    self.grid_plan.record_choose_levels(&mut pass, &bindings.grid_plan)?;
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
                if let (Some(kernel), Some(bindings)) = (&self.obb_sat_f64, &bindings.obb_sat_f64)
                    && params.exactness == Params::EXACT
                {
                    let most = params.undecided_capacity.min(params.candidate_capacity);
                    let mut pass = watch.begin(&mut encoder, "f64");
                    kernel.record(&mut pass, bindings, u64::from(most))?;
                }
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
}

/// Where a submission begins; it always runs to the end of the narrow phase.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Steps {
    /// At the bounds.
    All,
    /// At counting the candidate pairs of a range of records.
    FromRange,
    /// At writing a window of candidate pairs.
    FromWindow,
    /// At the narrow phase.
    NarrowOnly,
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
