//! The GPU backend: the checker on a device of the caller's.

mod broad;
pub(crate) mod contacts;
pub(crate) mod finish;
pub(crate) mod frame_rules;
mod input;
mod margins;
pub(crate) mod pair_forms;
pub(crate) mod parts;
mod pipeline;
mod ranges;
pub(crate) mod resident;
pub(crate) mod resident_forms;
mod rooms;
pub(crate) mod scene;
#[cfg(test)]
mod shader_tests;
mod shape;
#[cfg(test)]
pub(crate) mod tests;
mod trace;

pub(crate) use crate::device::buffers::memory_estimate;

use std::time::Instant;

use crate::base::config::{Config, Output};
use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::memory::MemoryEstimate;
use crate::base::timings::milliseconds;
use crate::broad_phase::grid::layout::GridLevel;
use crate::device::context::{Context, Waiting};
use crate::device::pipeline_cache::PipelineCache;
use crate::engine::findings::{Results, count_apart};
use crate::engine::gpu::input::Input;
use crate::engine::gpu::pair_forms::PairForms;
use crate::engine::gpu::pipeline::Pipeline;
use crate::engine::gpu::resident_forms::Forms;
use crate::engine::gpu::trace::Course;
use crate::engine::prepared::{Memory, PreparedScene};
use crate::engine::two_sets::TwoSets;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::half_margin;
use crate::geometry::pair::Pair;
use crate::geometry::pair::validate_pairs;
use crate::outputs::report::Report;
use crate::regions::enclosure::Enclosures;
use crate::rules::filter::{PairRules, SetRules};
use crate::rules::model::BoxSet;

/// Finds every colliding pair on a device of the caller's.
///
/// The device needs none of the optional features; [`required_features`] and [`required_limits`] name what makes it
/// faster and its scenes larger. Handlers that the caller has set on the device stay in place.
pub struct GpuChecker {
    config: Config,
    pub(crate) context: Context,
    pipeline: Option<Pipeline>,
    /// Made when recorded frames are first sorted.
    forms: Option<Box<Forms>>,
    /// Made when contacts or closest points are first asked for.
    pair_forms: Option<Box<PairForms>>,
    /// Made when the first room is looked at.
    rooms: Option<Enclosures>,
    warnings: Vec<String>,
    /// The most boxes for which the host has had the memory.
    fitted: usize,
}

impl GpuChecker {
    /// Compiles the shaders for `device`.
    ///
    /// # Errors
    /// [`Error::Device`] if the device cannot run them, [`Error::InvalidMargin`] if [`Config::margin`] is no distance.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue, config: Config) -> Result<Self> {
        pollster::block_on(Self::new_async(device, queue, config))
    }

    /// [`GpuChecker::new`] without blocking.
    pub async fn new_async(device: &wgpu::Device, queue: &wgpu::Queue, config: Config) -> Result<Self> {
        let context = Context::new(device, queue, &config.gpu)?;
        Self::with_context(context, config).await
    }

    /// A checker on a device of our own.
    pub(crate) async fn open(adapter: &wgpu::Adapter, config: Config) -> Result<Self> {
        let context = Context::open(adapter, &config.gpu).await?;
        Self::with_context(context, config).await
    }

    async fn with_context(mut context: Context, config: Config) -> Result<Self> {
        config.validate()?;
        let mut warnings = Vec::new();
        if let Some(path) = &config.gpu.pipeline_cache {
            match PipelineCache::open(&context, path).await {
                Ok(cache) => context.pipeline_cache = Some(cache),
                Err(warning) => warnings.push(warning),
            }
        }
        let pipeline = Some(Pipeline::new(&context, &config).await?);
        if let Some(cache) = &mut context.pipeline_cache {
            warnings.extend(cache.save(&context.engine).err());
        }
        Ok(Self {
            config,
            context,
            pipeline,
            forms: None,
            pair_forms: None,
            rooms: None,
            warnings,
            fitted: 0,
        })
    }

    /// Where this checker runs.
    pub fn engine(&self) -> &Engine {
        &self.context.engine
    }

    /// What could not be done and keeps no check from its answer; see [`Checker::warnings`](crate::Checker::warnings).
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What a check will need; see [`Checker::memory_estimate`](crate::Checker::memory_estimate).
    pub fn memory_estimate(&self, boxes: usize, pairs: usize) -> MemoryEstimate {
        crate::device::buffers::memory_estimate(&self.context.limits(), &self.config, boxes, pairs as u64)
    }

    /// Finds the colliding pairs of `boxes`; see [`Checker::check`](crate::Checker::check).
    pub fn check<'a>(&mut self, boxes: impl Into<BoxSet<'a>>) -> Result<Report> {
        self.context.set_waiting(Waiting::Blocking);
        pollster::block_on(self.check_set(boxes.into()))
    }

    /// [`GpuChecker::check`] without blocking: a thread waits for the device, and the future for that thread.
    pub async fn check_async<'a>(&mut self, boxes: impl Into<BoxSet<'a>>) -> Result<Report> {
        self.context.set_waiting(Waiting::Background);
        self.check_set(boxes.into()).await
    }

    /// Finds the pairs of a box in `first` and one in `second` that collide; see
    /// [`Checker::check_between`](crate::Checker::check_between).
    pub fn check_between<'a>(&mut self, first: impl Into<BoxSet<'a>>, second: impl Into<BoxSet<'a>>) -> Result<Report> {
        self.context.set_waiting(Waiting::Blocking);
        pollster::block_on(self.check_sets(first.into(), second.into()))
    }

    /// [`GpuChecker::check_between`] without blocking: a thread waits for the device, and the future for that thread.
    pub async fn check_between_async<'a>(
        &mut self,
        first: impl Into<BoxSet<'a>>,
        second: impl Into<BoxSet<'a>>,
    ) -> Result<Report> {
        self.context.set_waiting(Waiting::Background);
        self.check_sets(first.into(), second.into()).await
    }

    /// Finds out which of `pairs` collide; see [`Checker::check_pairs`](crate::Checker::check_pairs).
    pub fn check_pairs<'a>(&mut self, boxes: impl Into<BoxSet<'a>>, pairs: &[Pair]) -> Result<Report> {
        self.context.set_waiting(Waiting::Blocking);
        pollster::block_on(self.check_pairs_of(boxes.into(), pairs))
    }

    /// [`GpuChecker::check_pairs`] without blocking: a thread waits for the device, and the future for that thread.
    pub async fn check_pairs_async<'a>(&mut self, boxes: impl Into<BoxSet<'a>>, pairs: &[Pair]) -> Result<Report> {
        self.context.set_waiting(Waiting::Background);
        self.check_pairs_of(boxes.into(), pairs).await
    }

    /// Finds the pairs of `bounds` that share a point; see [`Checker::check_bounds`](crate::Checker::check_bounds).
    pub fn check_bounds<'a>(&mut self, bounds: impl Into<BoxSet<'a, Aabb>>) -> Result<Report> {
        self.context.set_waiting(Waiting::Blocking);
        pollster::block_on(self.check_bounds_of(bounds.into()))
    }

    /// [`GpuChecker::check_bounds`] without blocking: a thread waits for the device, and the future for that thread.
    pub async fn check_bounds_async<'a>(&mut self, bounds: impl Into<BoxSet<'a, Aabb>>) -> Result<Report> {
        self.context.set_waiting(Waiting::Background);
        self.check_bounds_of(bounds.into()).await
    }

    /// Sorts boxes that rest; see [`Checker::prepare`](crate::Checker::prepare).
    pub fn prepare<'a>(&mut self, boxes: impl Into<BoxSet<'a>>) -> Result<PreparedScene> {
        self.context.set_waiting(Waiting::Blocking);
        pollster::block_on(self.sort(boxes.into()))
    }

    /// [`GpuChecker::prepare`] without blocking: a thread waits for the device, and the future for that thread.
    pub async fn prepare_async<'a>(&mut self, boxes: impl Into<BoxSet<'a>>) -> Result<PreparedScene> {
        self.context.set_waiting(Waiting::Background);
        self.sort(boxes.into()).await
    }

    /// Finds the pairs of a box in `scene` and one of the `movers`; see
    /// [`Checker::check_against`](crate::Checker::check_against).
    pub fn check_against<'a>(&mut self, scene: &PreparedScene, movers: impl Into<BoxSet<'a>>) -> Result<Report> {
        self.context.set_waiting(Waiting::Blocking);
        pollster::block_on(self.check_movers(scene, movers.into()))
    }

    /// [`GpuChecker::check_against`] without blocking: a thread waits for the device, and the future for that thread.
    pub async fn check_against_async<'a>(
        &mut self,
        scene: &PreparedScene,
        movers: impl Into<BoxSet<'a>>,
    ) -> Result<Report> {
        self.context.set_waiting(Waiting::Background);
        self.check_movers(scene, movers.into()).await
    }

    /// How fast the device's memory is; see [`Checker::memory_bandwidth`](crate::Checker::memory_bandwidth).
    pub fn memory_bandwidth(&mut self) -> Result<Option<f64>> {
        self.context.set_waiting(Waiting::Blocking);
        self.context.check_trouble()?;
        pollster::block_on(crate::device::bandwidth::measure(&self.context))
    }

    async fn check_set(&mut self, set: BoxSet<'_>) -> Result<Report> {
        let rules = SetRules::new(&set.rules, set.boxes.len())?;
        let rules = PairRules::of_one_set(&rules, set.boxes.len())?;
        self.run(Input::Boxes(set.boxes), &rules, None).await
    }

    async fn check_sets(&mut self, first: BoxSet<'_>, second: BoxSet<'_>) -> Result<Report> {
        let sets = TwoSets::new(first, second)?;
        let report = self.run(Input::Boxes(&sets.boxes), &sets.rules()?, None).await?;
        Ok(sets.named(report))
    }

    async fn check_pairs_of(&mut self, set: BoxSet<'_>, pairs: &[Pair]) -> Result<Report> {
        let rules = SetRules::new(&set.rules, set.boxes.len())?;
        let rules = PairRules::of_one_set(&rules, set.boxes.len())?;
        self.run(Input::Boxes(set.boxes), &rules, Some(pairs)).await
    }

    async fn check_bounds_of(&mut self, set: BoxSet<'_, Aabb>) -> Result<Report> {
        let rules = SetRules::new(&set.rules, set.boxes.len())?;
        let rules = PairRules::of_one_set(&rules, set.boxes.len())?;
        self.run(Input::Bounds(set.boxes), &rules, None).await
    }

    async fn check_movers(&mut self, scene: &PreparedScene, set: BoxSet<'_>) -> Result<Report> {
        let movers = set.boxes;
        let of_movers = SetRules::new(&set.rules, movers.len())?;
        let rules = scene.rules_of(&of_movers, movers.len())?;
        self.run(Input::Movers { scene, movers }, &rules, None).await
    }

    async fn sort(&mut self, set: BoxSet<'_>) -> Result<PreparedScene> {
        let boxes = set.boxes;
        let rules = SetRules::new(&set.rules, boxes.len())?.into_owned();
        self.context.check_trouble()?;
        let most = self.context.limits().max_boxes_of_query();
        expect_room("a scene to prepare", boxes.len(), most)?;
        // As in `run`.
        let mut pipeline = match self.pipeline.take() {
            Some(pipeline) => pipeline,
            None => Pipeline::new(&self.context, &self.config).await?,
        };
        let sorted = pipeline.prepare(&self.context, boxes, &rules, &self.config).await;
        if matches!(sorted, Ok(_) | Err(Error::InvalidBox { .. })) {
            self.pipeline = Some(pipeline);
        }
        let (scene, plan) = sorted?;
        Ok(PreparedScene {
            boxes: boxes.to_vec(),
            rules,
            grid: plan.levels().iter().map(GridLevel::from).collect(),
            engine: self.context.engine.clone(),
            memory: Memory::Device(Box::new(scene)),
        })
    }

    /// Checks the `candidates`, or all pairs if there are none given.
    async fn run(&mut self, input: Input<'_>, rules: &PairRules<'_>, candidates: Option<&[Pair]>) -> Result<Report> {
        match rules.have_margins() {
            true => self.run_with_margins(input, rules, candidates).await,
            false => self.run_with(&self.config.clone(), input, rules, candidates).await,
        }
    }

    /// As `run`, with this configuration in place of the checker's own.
    async fn run_with(
        &mut self,
        config: &Config,
        input: Input<'_>,
        rules: &PairRules<'_>,
        candidates: Option<&[Pair]>,
    ) -> Result<Report> {
        let start = Instant::now();
        self.context.check_trouble()?;
        self.ensure_memory(input.count())?;
        // A call that fails may leave buffers mapped or work under way: its pipeline is dropped.
        let mut pipeline = match self.pipeline.take() {
            Some(pipeline) => pipeline,
            None => Pipeline::new(&self.context, &self.config).await?,
        };
        let mut results = Results {
            of_movers: matches!(input, Input::Movers { .. }),
            ..Results::new(config)
        };
        let course = match candidates {
            Some(pairs) => {
                self.test_pairs(&mut pipeline, config, input, rules, pairs, &mut results)
                    .await
            }
            None => self.find_pairs(&mut pipeline, config, input, rules, &mut results).await,
        };
        let device_bytes = pipeline.device_bytes()
            + self.forms.as_ref().map_or(0, |forms| forms.bytes())
            + self.pair_forms.as_ref().map_or(0, |forms| forms.bytes());
        // Bad input is found, and the host's memory asked for, between submissions.
        if matches!(
            course,
            Ok(_) | Err(Error::InvalidBox { .. } | Error::OutOfMemory { .. } | Error::ForeignScene { .. })
        ) {
            self.pipeline = Some(pipeline);
        }
        let course = course?;

        let decided = Instant::now();
        if let Some(sets) = input.sets() {
            results.decide(sets, input.count())?;
        }
        let mut report = results.finish(input.count())?;
        report.named = input.named();
        report.engine = self.context.engine.clone();
        report.grid = course.grid;
        report.device_bytes = device_bytes;
        report.timings = course.timings;
        report.traffic = course.traffic;
        report.timings.wall.push(("exact", milliseconds(decided.elapsed())));
        report.timings.total = milliseconds(start.elapsed());
        Ok(report)
    }

    /// An error if the host lacks the memory that any check of so many boxes takes. What has fitted once is not asked again.
    fn ensure_memory(&mut self, boxes: usize) -> Result<()> {
        if boxes <= self.fitted {
            return Ok(());
        }
        let held = self.pipeline.as_ref().map_or(0, Pipeline::device_bytes);
        let estimate = self.memory_estimate(boxes, 0);
        let on_device = match self.context.software {
            true => estimate.device_bytes.saturating_sub(held),
            false => 0,
        };
        memory::ensure(estimate.host_bytes.saturating_add(on_device), "so many boxes")?;
        self.fitted = boxes;
        Ok(())
    }

    async fn find_pairs(
        &self,
        pipeline: &mut Pipeline,
        config: &Config,
        input: Input<'_>,
        rules: &PairRules<'_>,
        results: &mut Results,
    ) -> Result<Course> {
        if let Input::Movers { scene, movers } = input {
            scene.on_device(&self.context)?;
            let most = self.context.limits().max_boxes_of_query();
            expect_room("a list of movers", movers.len(), most)?;
        }
        if input.count() == 0 {
            return Ok(Course::default());
        }
        let most = self.context.limits().max_boxes();
        let excluded_fit = crate::rules::list::bytes_of_excluded(rules) <= self.context.max_buffer_bytes / 4;
        if input.count() <= most && (excluded_fit || matches!(input, Input::Movers { .. })) {
            return pipeline.check(&self.context, input, rules.any(), config, results).await;
        }
        self.find_pairs_in_parts(pipeline, config, input, rules, most, results)
            .await
    }

    async fn test_pairs(
        &self,
        pipeline: &mut Pipeline,
        config: &Config,
        input: Input<'_>,
        rules: &PairRules<'_>,
        pairs: &[Pair],
        results: &mut Results,
    ) -> Result<Course> {
        input.validate()?;
        validate_pairs(input.count(), pairs)?;
        let most = self.context.limits().max_boxes();
        expect_room("a list of boxes whose pairs are given", input.count(), most)?;
        let allowed = rules.any().map(|rules| rules.filter(pairs));
        let pairs = allowed.as_deref().unwrap_or(pairs);
        if pairs.is_empty() {
            return Ok(Course::default());
        }
        pipeline.check_pairs(&self.context, input, pairs, config, results).await
    }

    /// Checks a scene of more than `most` boxes part by part, or one whose excluded pairs do not fit the device.
    ///
    /// Excluded pairs are taken out on the host, as the parts have numberings of their own. A part finds pairs that are another's business, so its pairs come to the host whatever the output is. They pass
    /// through: what is kept is what was asked for.
    async fn find_pairs_in_parts(
        &self,
        pipeline: &mut Pipeline,
        config: &Config,
        input: Input<'_>,
        rules: &PairRules<'_>,
        most: usize,
        results: &mut Results,
    ) -> Result<Course> {
        let mut course = Course::default();
        let start = Instant::now();
        let bounds = input.bounds(|_| half_margin(config.margin))?;
        let parts = parts::parts(&bounds, most)?;
        course.add_wall("parts", start);
        // Buffers that grow from part to part would be larger than they need be.
        let largest = parts.iter().map(|part| part.ids.len()).max().unwrap_or(0);

        let config = Config {
            output: Output::Pairs,
            max_pairs: None,
            ..config.clone()
        };
        pipeline.reserve(&self.context, largest, &config).await?;
        pipeline.reserve_upload(&self.context, largest).await?;
        if results.output == Output::Degrees {
            results.degrees.resize(input.count(), 0);
        }
        for part in parts {
            let (own_boxes, own_bounds);
            let own = match input {
                Input::Boxes(boxes) | Input::Movers { movers: boxes, .. } => {
                    own_boxes = select(boxes, &part.ids);
                    Input::Boxes(&own_boxes)
                }
                Input::Bounds(bounds) => {
                    own_bounds = select(bounds, &part.ids);
                    Input::Bounds(&own_bounds)
                }
            };
            let of_set = rules.sets[0].of_part(&part.ids);
            let of_part = rules.of_part(&of_set, &part.ids);
            let mut found = Results::new(&config);
            let checked = pipeline.check(&self.context, own, of_part.any(), &config, &mut found);
            course.merge(checked.await?);
            let start = Instant::now();
            results.candidate_pairs += found.candidate_pairs;
            results.undecided_pairs += found.undecided_pairs;
            if let Some(operations) = found.operations {
                *results.operations.get_or_insert_default() += operations;
            }
            for pairs in part.own_pairs(&bounds, &found.pairs) {
                let pairs = rules.without_excluded(pairs);
                results.add_colliding(&pairs)?;
                // What the device has counted is not this part's alone.
                if let (Some(sets), true) = (input.sets(), config.margin > 0.0) {
                    results.near += count_apart(sets, &pairs);
                }
            }
            for pairs in part.own_pairs(&bounds, &found.undecided) {
                results.extend_undecided(&rules.without_excluded(pairs))?;
            }
            course.add_wall("parts", start);
        }
        Ok(course)
    }
}

/// An error if there are more boxes than fit the device at once.
fn expect_room(what: &str, boxes: usize, most: usize) -> Result<()> {
    if boxes <= most {
        return Ok(());
    }
    Err(Error::LimitExceeded {
        what: what.to_owned(),
        needed: boxes as u64,
        available: most as u64,
        hint: "raise the limits in `GpuConfig`, give fewer boxes at once, or use the CPU backend",
    })
}

/// Those of `items` at these positions.
fn select<T: Copy>(items: &[T], ids: &[u32]) -> Vec<T> {
    ids.iter().map(|&id| items[id as usize]).collect()
}
