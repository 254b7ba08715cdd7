//! The GPU backend: a device, its pipeline, and parts created on first use.

mod decided;
mod in_parts;
#[cfg(feature = "unstable")]
mod leaving;

use std::sync::OnceLock;

use crate::base::clock::Instant;
use crate::base::config::{Config, Output, Precision};
use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::stage::Stage;
use crate::base::timings::milliseconds;
use crate::base::waiting::Waiting;
use crate::broad_phase::choice::BroadPhaseChoice;
use crate::broad_phase::grid::layout::GridLevel;
use crate::broad_phase::passes;
use crate::device::adapters::{self, Choice};
#[cfg(feature = "unstable")]
use crate::device::bandwidth;
use crate::device::buffers::Staging;
use crate::device::context::Context;
use crate::device::pipeline_cache::PipelineCache;
use crate::engine::findings::Findings;
use crate::engine::gpu::contact_results::ContactResults;
use crate::engine::gpu::event_results::EventResults;
use crate::engine::gpu::image_results::ImageResults;
use crate::engine::gpu::input::validate;
#[cfg(feature = "unstable")]
use crate::engine::gpu::left::Leavings;
use crate::engine::gpu::memory_estimate::memory_estimate;
use crate::engine::gpu::nearest_results::NearestResults;
use crate::engine::gpu::pair_results::PairResults;
use crate::engine::gpu::pipeline::Pipeline;
use crate::engine::gpu::recorded::PairsOrder;
use crate::engine::gpu::trace::Trace;
use crate::engine::memory_estimate::MemoryEstimate;
use crate::engine::prepared::{Memory, PreparedScene};
use crate::engine::query::check_count;
use crate::engine::query::resolved::{Resolved, Subject, Wanted};
use crate::geometry::pair::{Pair, validate_pairs};
use crate::geometry::rounding::above;
use crate::narrow_phase::contacts::Contacts;
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::partners::Partners;
use crate::outputs::report::Report;
use crate::regions::enclosures::Enclosures;
use crate::regions::room::{Enclosure, Room};
use crate::rules::filter::{PairRules, SetRules};
use crate::rules::list;
use crate::rules::model::Rules;
use crate::shapes::bodies::counts::BodyCounts;
use crate::shapes::bodies::set::{Bodies, OwnedBodies};
use crate::shapes::obb::record::Obb;

/// Runs checks on a device.
pub(crate) struct GpuEngine {
    pub config: Config,
    pub context: Context,
    pub(crate) pipeline: Option<Box<Pipeline>>,
    /// Created when recorded frames are first sorted.
    pub(crate) pair_results: Option<Box<PairResults>>,
    /// Created when the nearest partners of bodies are first requested.
    pub(super) nearest_results: Option<Box<NearestResults>>,
    /// Created when the events of recorded frames are first requested.
    pub(super) event_results: Option<Box<EventResults>>,
    /// Created when the images of bodies are first listed.
    pub(super) image_results: Option<Box<ImageResults>>,
    /// Created when contacts, closest points or overlaps are first requested.
    pub(super) contact_results: Option<Box<ContactResults>>,
    pub(super) order: PairsOrder,
    /// Created when the caller first reads a buffer.
    pub(super) read_back: Option<Box<Staging>>,
    /// Created for the first test against a room.
    pub(super) rooms: Option<Box<Enclosures>>,
    pub warnings: Vec<String>,
    #[cfg(feature = "unstable")]
    pub(super) leavings: Leavings,
    /// The largest number of boxes for which the host has had enough memory.
    fitted: usize,
}

impl GpuEngine {
    /// Returns the value of [`Config::margin`].
    pub fn margin(&self) -> f64 {
        self.config.margin
    }

    /// Returns the engine that the configuration selects, or `None` for the CPU, and the reason for
    /// the choice.
    pub async fn choose(config: &Config) -> Result<(Option<Self>, String)> {
        Ok(match adapters::choose(config).await? {
            Choice::Gpu(adapter, reason) => (Some(Self::open(&adapter, config.clone()).await?), reason),
            Choice::Cpu(reason) => (None, reason),
        })
    }

    /// Creates an engine on a new device.
    pub async fn open(adapter: &wgpu::Adapter, config: Config) -> Result<Self> {
        let context = Context::open(adapter, &config.gpu).await?;
        Self::new(context, config)
    }

    /// Creates an engine on the caller's device.
    pub fn on_device(device: &wgpu::Device, queue: &wgpu::Queue, config: Config) -> Result<Self> {
        let context = Context::new(device, queue, &config.gpu)?;
        Self::new(context, config)
    }

    /// Creates an engine on the same device, which shares the compiled kernels.
    #[cfg(any(test, feature = "unstable"))]
    pub fn beside(&self, config: Config) -> Result<Self> {
        Self::new(self.context.beside(&config.gpu)?, config)
    }

    fn new(mut context: Context, config: Config) -> Result<Self> {
        config.validate()?;
        config.broad_phase.expect_on_gpu()?;
        let mut warnings = Vec::new();
        if let Some(path) = &config.gpu.pipeline_cache {
            let opened = context.scoped("the pipeline cache", 0, || {
                PipelineCache::open(&context.device, &context.engine, path)
            });
            match opened.unwrap_or_else(|error| Err(PipelineCache::problem(path, &error))) {
                Ok(cache) => context.pipeline_cache = Some(cache),
                Err(warning) => warnings.push(warning),
            }
        }
        let pipeline = Some(Box::new(Pipeline::new(&context, &config)?));
        if let Some(cache) = &mut context.pipeline_cache {
            warnings.extend(cache.save(&context.engine).err());
        }
        Ok(Self {
            config,
            context,
            pipeline,
            pair_results: None,
            nearest_results: None,
            event_results: None,
            image_results: None,
            contact_results: None,
            order: PairsOrder::default(),
            read_back: None,
            rooms: None,
            warnings,
            #[cfg(feature = "unstable")]
            leavings: Leavings::default(),
            fitted: 0,
        })
    }

    /// Returns the maximum number of such records that are checked at once.
    fn most_at_once(&self, subject: Subject<'_>) -> usize {
        let broad_phase = passes::chosen(self.config.broad_phase);
        (self.context.limits()).max_records(broad_phase, subject.record_bytes())
    }

    /// Like [`GpuEngine::most_at_once`], for movers and for records at rest.
    fn most_of_query(&self, subject: Subject<'_>) -> usize {
        let broad_phase = passes::chosen(self.config.broad_phase);
        (self.context.limits()).max_records_of_query(broad_phase, subject.record_bytes())
    }

    /// Returns the description of the engine.
    pub fn engine(&self) -> &Engine {
        &self.context.engine
    }

    /// Requests that failed without affecting results.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns this engine, with the way of waiting set for the next call.
    pub fn waiting(&mut self, waiting: Waiting) -> &mut Self {
        self.context.set_waiting(waiting);
        self
    }

    /// Estimates the memory that a check needs.
    pub fn memory_estimate(&self, bodies: BodyCounts, pairs: usize) -> MemoryEstimate {
        memory_estimate(&self.context.limits(), &self.config, bodies, false, pairs as u64)
    }

    /// Estimates the memory that a sweep needs.
    pub fn sweep_memory_estimate(&self, bodies: BodyCounts, impacts: usize) -> MemoryEstimate {
        memory_estimate(&self.context.limits(), &self.config, bodies, true, impacts as u64)
    }

    /// Measures the bandwidth of the device's memory.
    #[cfg(feature = "unstable")]
    pub async fn memory_bandwidth(&mut self) -> Result<Option<f64>> {
        self.context.check_trouble()?;
        bandwidth::measure(&self.context).await
    }

    pub async fn prepare(&mut self, bodies: Bodies<'_>, rules: Rules<'_>) -> Result<PreparedScene> {
        check_count(bodies.len())?;
        let rules = SetRules::new(&rules, bodies.len())?.into_owned()?;
        self.context.check_trouble()?;
        let most = self.most_of_query(Subject::Set(bodies.into()));
        expect_room("a scene to prepare", bodies.len(), most)?;
        let mut pipeline = take(&mut self.pipeline, || Pipeline::new(&self.context, &self.config))?;
        let sorted = pipeline.prepare(&self.context, bodies, &rules, &self.config).await;
        if matches!(
            sorted,
            Ok(_) | Err(Error::InvalidBox { .. } | Error::InvalidBody { .. })
        ) {
            self.pipeline = Some(pipeline);
        }
        let (scene, plan) = sorted?;
        Ok(PreparedScene {
            bodies: OwnedBodies::joined(&[bodies], "a scene to prepare")?,
            rules,
            grid: plan.levels().iter().map(GridLevel::from).collect(),
            broad_phase: BroadPhaseChoice::on_gpu(self.config.broad_phase),
            engine: self.context.engine.clone(),
            memory: Memory::Device(Box::new(scene)),
            centers: OnceLock::new(),
            extent: OnceLock::new(),
        })
    }

    /// Answers a query.
    pub async fn check(&mut self, query: &Resolved<'_>, old: Report) -> Result<Report> {
        self.check_as(query, &self.config.clone(), old).await
    }

    /// Answers a query with another configuration of what is found.
    pub async fn check_as(&mut self, query: &Resolved<'_>, config: &Config, old: Report) -> Result<Report> {
        let start = Instant::now();
        let Resolved { subject, rules, .. } = query;
        let wanted = query.wanted(config);
        let config = &config_on_device(*subject, rules, &wanted);
        let count = subject.count();
        self.context.check_trouble()?;
        self.ensure_memory(count)?;
        let mut pipeline = take(&mut self.pipeline, || Pipeline::new(&self.context, &self.config))?;
        let mut results = Findings::new(config, old);
        results.of_movers = matches!(subject, Subject::Movers { .. });
        // The pairs of boxes around those with centers in `f64` are not final.
        results.visit = wanted.visit.filter(|_| subject.boxes64().is_none());
        let trace = match query.candidates {
            Some(pairs) => {
                self.test_pairs(&mut pipeline, config, *subject, rules, pairs, &mut results)
                    .await
            }
            None => {
                self.find_pairs(&mut pipeline, config, *subject, rules, &mut results)
                    .await
            }
        };
        let device_bytes = pipeline.device_bytes() + self.bytes_of_results();
        // These errors are detected between submissions.
        if matches!(
            trace,
            Ok(_)
                | Err(Error::InvalidBox { .. }
                    | Error::InvalidBody { .. }
                    | Error::InvalidTriangle { .. }
                    | Error::OutOfMemory { .. }
                    | Error::Stopped
                    | Error::ForeignScene { .. })
        ) {
            self.pipeline = Some(pipeline);
        }
        let trace = trace?;

        let decided = Instant::now();
        self.decide(query, config, &wanted, &mut results)?;
        results.sort()?;
        let mut report = results.finish(count)?;
        report.engine = self.context.engine.clone();
        report.grid = trace.grid;
        report.device_bytes = device_bytes;
        report.timings = trace.timings;
        report.traffic = trace.traffic;
        report.broad_phase = match query.candidates {
            Some(_) => None,
            None => Some(BroadPhaseChoice::on_gpu(config.broad_phase)),
        };
        let exact = milliseconds(decided.elapsed());
        report.timings.wall.push((Stage::Exact, exact));
        report.timings.total = milliseconds(start.elapsed());
        Ok(report)
    }

    /// Returns the number of bytes held for the forms of results.
    fn bytes_of_results(&self) -> u64 {
        self.pair_results.as_ref().map_or(0, |results| results.bytes())
            + self.nearest_results.as_ref().map_or(0, |results| results.bytes())
            + self.event_results.as_ref().map_or(0, |results| results.bytes())
            + self.image_results.as_ref().map_or(0, |results| results.bytes())
            + self.contact_results.as_ref().map_or(0, |results| results.bytes())
    }

    /// Returns an error if the host lacks the minimum memory for a check of this many boxes. A
    /// number of boxes that has fitted once is not checked again.
    fn ensure_memory(&mut self, boxes: usize) -> Result<()> {
        if boxes <= self.fitted {
            return Ok(());
        }
        let held = self.pipeline.as_ref().map_or(0, |pipeline| pipeline.device_bytes());
        let estimate = self.memory_estimate(boxes.into(), 0);
        let on_device = match self.context.software {
            true => estimate.device_bytes.saturating_sub(held),
            false => 0,
        };
        memory::ensure(
            estimate.host_bytes.saturating_add(on_device),
            "a check of this many boxes",
        )?;
        self.fitted = boxes;
        Ok(())
    }

    async fn find_pairs(
        &self,
        pipeline: &mut Pipeline,
        config: &Config,
        subject: Subject<'_>,
        rules: &PairRules<'_>,
        results: &mut Findings<'_>,
    ) -> Result<Trace> {
        if let Subject::Movers { scene, movers } = subject {
            scene.on_device(&self.context)?;
            let most = self.most_of_query(subject);
            expect_room("a list of movers", movers.len(), most)?;
        }
        if subject.count() == 0 {
            return Ok(Trace::default());
        }
        let most = self.most_at_once(subject);
        let excluded_fit = list::bytes_of_excluded(rules) <= self.context.max_buffer_bytes / 4;
        if subject.count() <= most && (excluded_fit || matches!(subject, Subject::Movers { .. })) {
            return pipeline
                .check(&self.context, subject, rules.for_device(), config, results)
                .await;
        }
        self.find_pairs_in_parts(pipeline, config, subject, rules, most, results)
            .await
    }

    async fn test_pairs(
        &self,
        pipeline: &mut Pipeline,
        config: &Config,
        subject: Subject<'_>,
        rules: &PairRules<'_>,
        pairs: &[Pair],
        results: &mut Findings<'_>,
    ) -> Result<Trace> {
        validate(subject)?;
        validate_pairs(subject.count(), pairs)?;
        let most = self.most_at_once(subject);
        expect_room("a check of given pairs", subject.count(), most)?;
        let allowed = rules.any().map(|rules| rules.filter(pairs)).transpose()?;
        let pairs = allowed.as_deref().unwrap_or(pairs);
        if pairs.is_empty() {
            return Ok(Trace::default());
        }
        pipeline
            .check_pairs(&self.context, subject, (pairs, rules), config, results)
            .await
    }

    /// Computes the contact manifolds of a list of pairs.
    pub async fn contacts(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Contacts> {
        self.context.check_trouble()?;
        Partners::new(sets.map(Into::into))?.validate(pairs)?;
        let mut results = take(&mut self.contact_results, || ContactResults::new(&self.context))?;
        let mut parts = Vec::new();
        for chunk in pairs.chunks(ContactResults::most_at_once(&self.context)) {
            parts.extend(results.contacts_of(&self.context, sets, chunk).await?);
        }
        self.contact_results = Some(results);
        Contacts::joined(parts)
    }

    /// Computes the distances and closest points of a list of pairs.
    pub async fn closest_points(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Vec<ClosestPoints>> {
        self.context.check_trouble()?;
        Partners::new(sets.map(Into::into))?.validate(pairs)?;
        let mut results = take(&mut self.contact_results, || ContactResults::new(&self.context))?;
        let mut all = Vec::new();
        memory::reserve(&mut all, pairs.len(), "the closest points of pairs")?;
        for chunk in pairs.chunks(ContactResults::most_at_once(&self.context)) {
            all.extend(results.closest_points_of(&self.context, sets, chunk).await?);
        }
        self.contact_results = Some(results);
        Ok(all)
    }

    /// Finds the locations of bodies relative to a room.
    pub async fn enclosures(&mut self, room: &Room, bodies: Bodies<'_>) -> Result<Vec<Enclosure>> {
        self.context.check_trouble()?;
        let mut rooms = take(&mut self.rooms, || Enclosures::new(&self.context))?;
        let found = rooms.run(&self.context, room, bodies).await;
        // Failed work may have left buffers mapped.
        if matches!(found, Ok(_) | Err(Error::InvalidBox { .. } | Error::InvalidBody { .. })) {
            self.rooms = Some(rooms);
        }
        found
    }
}

/// Returns the kept value, or a new one. If a call fails or is dropped before it ends, nothing is
/// kept: the value may have lost buffers that others are bound to, left them mapped, or have
/// pending work.
pub(super) fn take<T>(kept: &mut Option<Box<T>>, new: impl FnOnce() -> Result<T>) -> Result<Box<T>> {
    kept.take().map_or_else(|| new().map(Box::new), Ok)
}

/// Performs work with the kept value, or a new one, and keeps it.
pub(super) fn with<T, V>(
    kept: &mut Option<Box<T>>,
    new: impl FnOnce() -> Result<T>,
    work: impl FnOnce(&mut T) -> Result<V>,
) -> Result<V> {
    let mut taken = take(kept, new)?;
    let value = work(&mut taken);
    // The caller's shader is rejected before anything is recorded.
    if matches!(value, Ok(_) | Err(Error::InvalidVisitor { .. })) {
        *kept = Some(taken);
    }
    value
}

/// Returns an error if there are more boxes than fit the device at once.
pub(super) fn expect_room(what: &str, boxes: usize, most: usize) -> Result<()> {
    if boxes <= most {
        return Ok(());
    }
    Err(Error::LimitExceeded {
        what: what.to_owned(),
        needed: boxes as u64,
        available: most as u64,
        hint: "raise the limits in `GpuConfig`, pass fewer boxes at once, or use the CPU backend",
    })
}

/// Returns the configuration of the device's part of a check with the configuration `wanted`.
fn config_on_device(subject: Subject<'_>, rules: &PairRules<'_>, wanted: &Wanted<'_>) -> Config {
    let mut config = Config::clone(wanted);
    if wanted.visit.is_some() {
        // The pairs are read back to the host range by range, even if they are only passed to a
        // visitor.
        config.output = Output::Pairs;
        config.max_pairs = None;
    }
    if subject.is_always_exact() {
        config.precision = Precision::Exact;
    }
    if subject.boxes64().is_some() {
        // The device finds the pairs of surrounding boxes that meet, which are not final.
        config.precision = Precision::Conservative;
        config.output = Output::Pairs;
        config.max_pairs = None;
    }
    if let Some(margin) = margin_of_bounds(subject, rules, wanted) {
        // The device finds pairs within a slightly larger margin.
        config.margin = margin;
        config.output = Output::Pairs;
        config.max_pairs = None;
    }
    config
}

/// Returns a larger margin for a device's search for pairs of bounds if the device cannot decide
/// the true margin. The device compares in `f32` without rounding, but the true margin is an `f64`,
/// or a sum that the device rounds to the nearest `f32`.
fn margin_of_bounds(subject: Subject<'_>, rules: &PairRules<'_>, config: &Config) -> Option<f64> {
    let margin = config.margin;
    let inexact = rules.have_margins() || f64::from(above(margin)) != margin;
    let larger = || {
        let own = f64::from(rules.sets[0].largest_margin()) + f64::from(rules.sets[1].largest_margin());
        // A sum is rounded by at most 2^-24 of itself. The addition here is rounded, too.
        f64::from(above(margin + (margin + own) * f64::from(f32::EPSILON)))
    };
    (subject.bounds().is_some() && margin > 0.0 && inexact).then(larger)
}
