//! The checker for everyone: picks a backend, runs the pipeline, returns a report.

use std::sync::OnceLock;
use std::time::Instant;

use crate::base::config::{Backend, Config, Output};
use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::base::memory::{self, MemoryEstimate};
use crate::base::parallel;
use crate::base::stage::Stage;
use crate::base::timings::milliseconds;
use crate::base::waiting::Waiting;
use crate::engine::cpu::CpuChecker;
#[cfg(feature = "gpu")]
use crate::engine::gpu::engine::GpuEngine;
#[cfg(not(feature = "gpu"))]
use crate::engine::no_gpu::GpuEngine;
use crate::engine::prepared::PreparedScene;
use crate::engine::query::{BodySet, Holder, Query, check_count};
use crate::engine::sweep::{MovingSet, impacts};
use crate::geometry::pair::Pair;
use crate::narrow_phase::contacts::{self, Contacts};
use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::narrow_phase::solid_solid::lists::meet;
use crate::outputs::impacts::Impacts;
use crate::outputs::report::Report;
use crate::regions::room::{Enclosure, Room};
use crate::rules::model::Rules;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::moving::record::{self, Moving};
use crate::shapes::moving::step::Step;
use crate::shapes::solid::record::Solid;

/// Finds every colliding pair, on the backend that the configuration chooses.
///
/// A checker keeps its memory between calls: create one and use it for every frame.
///
/// ```
/// use obbligato::{Backend, Checker, Config, Obb, Pair, glam::Vec3};
/// # fn main() -> obbligato::Result<()> {
/// let boxes = [
///     Obb::axis_aligned(Vec3::ZERO, Vec3::ONE),
///     Obb::axis_aligned(Vec3::new(9.0, 0.0, 0.0), Vec3::ONE),
///     Obb::axis_aligned(Vec3::new(1.5, 0.0, 0.0), Vec3::ONE),
/// ];
/// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// assert_eq!(checker.check(&boxes)?.pairs()?, [Pair::new(0, 2)]);
/// # Ok(())
/// # }
/// ```
pub struct Checker {
    config: Config,
    /// Scenes with fewer boxes are the CPU's; 0 unless [`Backend::Auto`] chooses.
    least_boxes: usize,
    cpu: Box<CpuChecker>,
    /// What the boxes of the last sweep were to the engine.
    moving: Vec<Moving>,
    found: OnceLock<Found>,
}

/// What there is beside the CPU.
struct Found {
    gpu: Option<Box<GpuEngine>>,
    engine: Engine,
    choice: String,
    warnings: Vec<String>,
}

impl Found {
    /// The engine that a configuration asks for.
    async fn search(config: &Config) -> Result<Self> {
        let (gpu, choice) = GpuEngine::choose(config).await?;
        Ok(match gpu {
            Some(gpu) => Self::on_gpu(gpu, choice),
            None => Self::on_cpu(choice),
        })
    }

    fn on_gpu(gpu: GpuEngine, choice: String) -> Self {
        Self {
            engine: gpu.engine().clone(),
            choice,
            warnings: gpu.warnings().to_vec(),
            gpu: Some(Box::new(gpu)),
        }
    }

    fn on_cpu(choice: String) -> Self {
        Self {
            gpu: None,
            engine: on_cpu(),
            choice,
            warnings: Vec::new(),
        }
    }

    /// [`Found::search`] where the CPU serves if there is trouble.
    async fn search_or_warn(config: &Config) -> Self {
        Self::search(config).await.unwrap_or_else(|error| {
            let mut found = Self::on_cpu(error.to_string());
            found.warnings.push(format!("the CPU is used: {error}"));
            found
        })
    }
}

impl Checker {
    /// Chooses a backend and prepares it; see [`Backend`](crate::Backend).
    ///
    /// [`Backend::Auto`] looks for a GPU only when a scene is large enough for one, which
    /// [`GpuConfig::least_boxes`](crate::GpuConfig::least_boxes) says: that takes some tenths of a second, once.
    ///
    /// # Errors
    /// [`Error::InvalidMargin`] if [`Config::margin`] is not a valid distance, [`Error::NoAdapter`] if there is no GPU
    /// or adapter as requested, [`Error::Device`] if its driver provides no device.
    pub fn new(config: Config) -> Result<Self> {
        pollster::block_on(Self::new_async(config))
    }

    /// [`Checker::new`] without blocking.
    pub async fn new_async(config: Config) -> Result<Self> {
        config.validate()?;
        let least_boxes = match (config.backend, &config.adapter) {
            (Backend::Auto, None) => config.gpu.least_boxes,
            _ => 0,
        };
        let found = match least_boxes {
            0 => OnceLock::from(Found::search(&config).await?),
            _ => OnceLock::new(),
        };
        Ok(Self {
            config,
            least_boxes,
            cpu: Box::default(),
            moving: Vec::new(),
            found,
        })
    }

    /// A checker with this engine alone, chosen for that reason.
    #[cfg(feature = "gpu")]
    pub(crate) fn on_gpu(engine: GpuEngine, choice: String) -> Self {
        Self {
            config: engine.config.clone(),
            least_boxes: 0,
            cpu: Box::default(),
            moving: Vec::new(),
            found: OnceLock::from(Found::on_gpu(engine, choice)),
        }
    }

    /// How it works.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The engine on a GPU, if this checker has one or had it at once.
    #[cfg(feature = "gpu")]
    pub(crate) fn gpu(&mut self) -> Option<&mut GpuEngine> {
        self.found.get_mut()?.gpu.as_deref_mut()
    }

    /// The GPU for this many boxes, or pairs; `None` if the CPU serves.
    async fn gpu_for(&mut self, count: usize) -> Option<&mut GpuEngine> {
        if count < self.least_boxes {
            return None;
        }
        if self.found.get().is_none() {
            self.found = OnceLock::from(Found::search_or_warn(&self.config).await);
        }
        self.found.get_mut()?.gpu.as_deref_mut()
    }

    /// What there is. Searches if nothing has asked before.
    fn found(&self) -> &Found {
        let search = || pollster::block_on(Found::search_or_warn(&self.config));
        self.found.get_or_init(search)
    }

    /// Where this checker runs, apart from [small scenes](crate::GpuConfig::least_boxes); [`Report::engine`] says where a check
    /// ran. With [`Backend::Auto`](crate::Backend::Auto) this looks for a GPU, unless a large scene has.
    pub fn engine(&self) -> &Engine {
        &self.found().engine
    }

    /// Where it runs a check of this many boxes.
    pub fn engine_for(&self, boxes: usize) -> Engine {
        match boxes < self.least_boxes {
            true => on_cpu(),
            false => self.engine().clone(),
        }
    }

    /// A short reason why it runs there. Searches as [`Checker::engine`] does.
    pub fn choice(&self) -> &str {
        &self.found().choice
    }

    /// Requests that failed without affecting the results of checks, one sentence each. Usually empty.
    ///
    /// So far these are about [`GpuConfig::pipeline_cache`](crate::GpuConfig::pipeline_cache), and about a GPU that
    /// [`Backend::Auto`](crate::Backend::Auto) found but could not use.
    pub fn warnings(&self) -> &[String] {
        self.found.get().map_or(&[], |found| &found.warnings)
    }

    /// The memory that a check of `boxes` boxes with `pairs` colliding pairs needs, on this backend with this
    /// configuration.
    ///
    /// The number of pairs is unknown before the check; the estimate for 0 is what any check of that many boxes needs.
    /// The estimate assumes a typical scene, with at most three times as many candidate pairs as colliding ones, few of
    /// which touch without overlapping. A pair that only touches takes 17 bytes more on the host, and each further
    /// candidate takes 8 bytes on a GPU. For such scenes, the host estimate is an upper bound, too high by at most 16
    /// MiB plus half of the memory used; the device estimate is [`Report::device_bytes`] or a little more. A number
    /// of bytes that 64 bits do not hold is [`u64::MAX`].
    ///
    /// A check without enough memory returns [`Error::OutOfMemory`] or [`Error::OutOfDeviceMemory`]: before it starts
    /// if there are too many boxes for the available memory (if the system tells, as Linux does), and during the check
    /// if there are too many pairs.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config};
    /// # fn main() -> obbligato::Result<()> {
    /// let checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let estimate = checker.memory_estimate(10_000_000, 10_000_000);
    /// println!("{} MB", estimate.host_bytes / 1_000_000);
    /// # assert!((800_000_000..2_500_000_000).contains(&estimate.host_bytes));
    /// # Ok(())
    /// # }
    /// ```
    pub fn memory_estimate(&self, boxes: usize, pairs: usize) -> MemoryEstimate {
        let gpu = match boxes < self.least_boxes {
            true => None,
            false => self.found().gpu.as_ref(),
        };
        match gpu {
            Some(gpu) => gpu.memory_estimate(boxes, pairs),
            None => MemoryEstimate::on_cpu(&self.config, boxes, pairs),
        }
    }

    /// Measures the GPU's memory bandwidth, in bytes per second read and written: the fastest of several copies from
    /// one buffer (up to 256 MiB, freed afterwards) to another, by GPU timestamps. No kernel moves more bytes past the
    /// caches.
    ///
    /// `None` on the CPU, and on a GPU without timestamps or without memory for the buffers. The call blocks.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], [`Error::Timeout`] and [`Error::Gpu`] if the device fails.
    pub fn memory_bandwidth(&mut self) -> Result<Option<f64>> {
        match pollster::block_on(self.gpu_for(usize::MAX)) {
            Some(gpu) => pollster::block_on(gpu.waiting(Waiting::Blocking).memory_bandwidth()),
            None => Ok(None),
        }
    }

    /// Finds the pairs a query asks for.
    ///
    /// `boxes` is a slice, an array or a vector of boxes, or a [`BoxSet`](crate::BoxSet) with rules about which pairs count. The time
    /// grows with the boxes and the pairs whose bounds overlap, not with the size of the world.
    ///
    /// # Errors
    /// [`Error::InvalidBox`] and [`Error::InvalidRule`] for invalid input; [`Error::TooManyBoxes`],
    /// [`Error::LimitExceeded`], [`Error::OutOfMemory`] and [`Error::OutOfDeviceMemory`] if the scene is too large,
    /// even in parts; [`Error::DeviceLost`], [`Error::Timeout`] and [`Error::Gpu`] if the device fails. The checker
    /// remains usable after any of these except [`Error::DeviceLost`].
    pub fn check<'a>(&mut self, query: impl Into<Query<'a>>) -> Result<Report> {
        pollster::block_on(self.answer(&query.into(), Report::default(), Waiting::Blocking))
    }

    /// [`Checker::check`] into a report that is used again and again. Its lists keep their memory, so that on the CPU calls
    /// of the same size allocate nothing.
    ///
    /// What the report said before is lost. After an error it is empty.
    ///
    /// Some memory is freed after each call all the same: lists of more than 4 MiB (some 100,000 pairs or 400,000 boxes),
    /// which would else be held twice. On several threads, rayon's queues grow now and then. Queries of two sets, rules,
    /// and movers against a prepared scene take memory in each call.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, Report, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let mut boxes = [0.0, 1.5, 9.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let mut report = Report::default();
    /// for frame in 0..100 {
    ///     boxes[0].center.x += 0.1;
    ///     checker.check_into(&boxes, &mut report)?;
    ///     println!("{frame}: {} pairs", report.pairs()?.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::check`].
    pub fn check_into<'a>(&mut self, query: impl Into<Query<'a>>, report: &mut Report) -> Result<()> {
        let old = std::mem::take(report);
        *report = pollster::block_on(self.answer(&query.into(), old, Waiting::Blocking))?;
        Ok(())
    }

    /// [`Checker::check`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
    pub async fn check_async<'a>(&mut self, query: impl Into<Query<'a>>) -> Result<Report> {
        self.answer(&query.into(), Report::default(), Waiting::Background).await
    }

    /// [`Checker::check_into`] without blocking the thread while a GPU works.
    pub async fn check_into_async<'a>(&mut self, query: impl Into<Query<'a>>, report: &mut Report) -> Result<()> {
        let old = std::mem::take(report);
        *report = self.answer(&query.into(), old, Waiting::Background).await?;
        Ok(())
    }

    async fn answer(&mut self, query: &Query<'_>, old: Report, waiting: Waiting) -> Result<Report> {
        match self.gpu_for(query.size()).await {
            Some(gpu) => {
                let holder = Holder::new(*query, gpu.margin())?;
                let report = gpu.waiting(waiting).check(&holder.resolve()?, old).await?;
                holder.named(report)
            }
            None => self.cpu.check(*query, &self.config, old),
        }
    }

    /// Finds the pairs of convex solids that share a point, exactly.
    ///
    /// Their bounds go through the broad phase of the checker's backend, the pairs whose bounds overlap to [`Solid::contact`], on all cores.
    /// The report is that of [`Checker::check`], with solids for boxes. With a margin the pairs are those whose [`Solid::distance`] is no
    /// larger. [`Config::precision`] does not matter.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Pair, Solid, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let corner = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let moved = |by: Vec3| Solid::from_points(&corner.map(|point| point + by));
    /// // The bounds of all overlap.
    /// let solids = [moved(Vec3::ZERO)?, moved(Vec3::splat(0.5))?, moved(Vec3::splat(0.25))?];
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let report = checker.check_solids(&solids)?;
    /// assert_eq!(report.pairs()?, [Pair::new(0, 2), Pair::new(1, 2)]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::check`]. [`Error::Unavailable`] if the checker has a fixed capacity, or does not return pairs.
    pub fn check_solids(&mut self, solids: &[Solid]) -> Result<Report> {
        pollster::block_on(self.check_each_solid(solids, Waiting::Blocking))
    }

    /// [`Checker::check_solids`] without blocking the thread while a GPU works. The solids are looked at where it is polled.
    pub async fn check_solids_async(&mut self, solids: &[Solid]) -> Result<Report> {
        self.check_each_solid(solids, Waiting::Background).await
    }

    async fn check_each_solid(&mut self, solids: &[Solid], waiting: Waiting) -> Result<Report> {
        let start = Instant::now();
        self.expect_all_pairs([
            "a check of solids without pairs",
            "a check of solids with a fixed capacity",
        ])?;
        let bounds = memory::collect(solids.iter().map(Solid::bounds), "the bounds of solids")?;
        let made = milliseconds(start.elapsed());
        let mut report = self.answer(&Query::bounds(&bounds), Report::default(), waiting).await?;
        drop(bounds);
        let found = Instant::now();
        let met = meet(solids, &report.pairs, self.config.margin)?;
        report.colliding_pairs = met.pairs.len() as u64;
        report.touching_pairs = Some(met.touching.len() as u64);
        report.near_pairs = Some(met.near);
        report.pairs = met.pairs;
        report.lists_touching = self.config.list_touching;
        if report.lists_touching {
            report.touching = met.touching;
        }
        let of_pairs = milliseconds(found.elapsed());
        report
            .timings
            .wall
            .extend([(made_before(&report.engine), made), (Stage::Exact, of_pairs)]);
        report.timings.total = milliseconds(start.elapsed());
        Ok(report)
    }

    /// Finds the pairs that share a point at any time of a step, and when each does first: nothing passes through anything, however
    /// fast. On a GPU pairs are found by the boxes around bodies; the host decides by their true shapes.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Motion, MovingSet, Obb, Pair, Step, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let bullet = Obb::axis_aligned(Vec3::new(-10.0, 0.0, 0.0), Vec3::splat(0.005));
    /// let plate = Obb::axis_aligned(Vec3::ZERO, Vec3::new(0.0005, 1.0, 1.0));
    /// let motions = [Motion::linear(Vec3::new(1000.0, 0.0, 0.0)), Motion::REST];
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let found = checker.sweep(MovingSet::new(&[bullet, plate], &motions), &Step::new(1.0 / 60.0))?;
    /// assert_eq!(found.impacts[0].pair, Pair::new(0, 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::check`]; [`Error::MissingMotions`], [`Error::InvalidMotion`] and [`Error::InvalidStep`].
    /// [`Error::Unavailable`] if the checker has a margin or a fixed capacity, or does not return pairs.
    pub fn sweep(&mut self, set: MovingSet<'_>, step: &Step) -> Result<Impacts> {
        pollster::block_on(self.sweep_sets([&set, &set], None, step, Waiting::Blocking))
    }

    /// [`Checker::sweep`] without blocking the thread while a GPU works. The CPU backend computes where it is polled, as do the times.
    pub async fn sweep_async(&mut self, set: MovingSet<'_>, step: &Step) -> Result<Impacts> {
        self.sweep_sets([&set, &set], None, step, Waiting::Background).await
    }

    /// The same between two sets: the pairs of a body of the first and one of the second that share a point at any time of a step.
    ///
    /// In a [`Pair`], `a` is the position in the first set and `b` that in the second. Bodies of one set are not held against each other.
    /// Bodies at rest move by [`Motion::REST`](crate::Motion::REST).
    ///
    /// # Errors
    /// As [`Checker::sweep`]. In those that name a body or a motion it is one of its own set.
    pub fn sweep_between(&mut self, first: MovingSet<'_>, second: MovingSet<'_>, step: &Step) -> Result<Impacts> {
        let first_set = Some(first.bodies.len());
        pollster::block_on(self.sweep_sets([&first, &second], first_set, step, Waiting::Blocking))
    }

    /// [`Checker::sweep_between`] without blocking the thread while a GPU works.
    pub async fn sweep_between_async(
        &mut self,
        first: MovingSet<'_>,
        second: MovingSet<'_>,
        step: &Step,
    ) -> Result<Impacts> {
        let first_set = Some(first.bodies.len());
        self.sweep_sets([&first, &second], first_set, step, Waiting::Background)
            .await
    }

    /// A sweep of a set, or between two, the first of which has so many boxes.
    async fn sweep_sets(
        &mut self,
        sets: [&MovingSet<'_>; 2],
        first_set: Option<usize>,
        step: &Step,
        waiting: Waiting,
    ) -> Result<Impacts> {
        let start = Instant::now();
        step.validate()?;
        sets[0].validate(step.dt)?;
        if first_set.is_some() {
            sets[1].validate(step.dt)?;
        }
        self.expect_sweeps(&sets.map(|set| set.rules))?;
        let [first, second] = sets.map(|set| set.bodies.len());
        let count = first_set.map_or(first, |first| first.saturating_add(second));
        check_count(count)?;
        let body = |k: usize| match k < first {
            true => sets[0].core(k as u32),
            false => sets[1].core((k - first) as u32),
        };
        let mut moving = std::mem::take(&mut self.moving);
        record::records(count, body, step.dt, &mut moving)?;
        let made = milliseconds(start.elapsed());
        let query = match first_set {
            None => Query::moving(&moving, sets[0].rules),
            Some(first) => Query::moving_between(&moving, sets.map(|set| set.rules), first),
        };
        let report = self.answer(&query, Report::default(), waiting).await;
        self.moving = moving;
        let report = report?;
        let found = Instant::now();
        let impacts = impacts(sets, report.pairs()?, step)?;
        let of_records = made_before(&report.engine);
        let of_impacts = milliseconds(found.elapsed());
        let mut timings = report.timings.clone();
        timings.wall.extend([(of_records, made), (Stage::Exact, of_impacts)]);
        timings.total = milliseconds(start.elapsed());
        Ok(Impacts {
            boxes: count,
            first_set: first_set.unwrap_or(0),
            candidate_pairs: report.candidate_pairs,
            impacts,
            engine: report.engine,
            timings,
        })
    }

    /// An error if the checker, or these rules, ask for what no sweep answers.
    fn expect_sweeps(&self, rules: &[Rules<'_>]) -> Result<()> {
        if self.config.margin != 0.0 || rules.iter().any(|rules| rules.margins.is_some()) {
            return Err(Error::Unavailable {
                what: "a sweep with a margin",
                hint: "boxes in motion have none; leave it out",
            });
        }
        self.expect_all_pairs(["a sweep without pairs", "a sweep of a fixed capacity"])
    }

    /// An error if the checker returns no pairs, or not all, with these names for what is then asked for.
    fn expect_all_pairs(&self, [without, fixed]: [&'static str; 2]) -> Result<()> {
        let unavailable = |what, hint| Err(Error::Unavailable { what, hint });
        if self.config.output != Output::Pairs {
            return unavailable(without, "set `Config::output` to `Output::Pairs`");
        }
        if self.config.max_pairs.is_some() {
            return unavailable(fixed, "all pairs are returned: leave `Config::max_pairs` out");
        }
        Ok(())
    }

    /// Sorts boxes at rest once, so that many checks can test moving boxes against them.
    ///
    /// Costs about as much as the part of [`Checker::check`] before it looks for pairs.
    ///
    /// # Errors
    /// As [`Checker::check`]. On a GPU, all boxes must fit in one binding (48 bytes per box): they are not sorted in
    /// parts.
    pub fn prepare<'a>(&mut self, bodies: impl Into<BodySet<'a>>) -> Result<PreparedScene> {
        pollster::block_on(self.sort(bodies.into(), Waiting::Blocking))
    }

    /// [`Checker::prepare`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
    pub async fn prepare_async<'a>(&mut self, bodies: impl Into<BodySet<'a>>) -> Result<PreparedScene> {
        self.sort(bodies.into(), Waiting::Background).await
    }

    async fn sort(&mut self, set: BodySet<'_>, waiting: Waiting) -> Result<PreparedScene> {
        match self.gpu_for(set.bodies.len()).await {
            Some(gpu) => gpu.waiting(waiting).prepare(set).await,
            None => CpuChecker::prepare(set),
        }
    }

    /// Finds where each body is relative to a room: which walls it reaches, and whether it is inside, crossing or
    /// outside.
    ///
    /// The bodies are a slice, an array or a vector of boxes, capsules or balls, or [`Bodies`]. The answer is exact on every backend;
    /// [`Room`] defines it. O(n), in pieces if the boxes do not fit on the device at once; capsules and balls are the host's.
    /// [`Room::enclosures`] does the same on the CPU without a checker.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, EnclosureState, Obb, Room, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let room = Room::new(Vec3::ZERO, Vec3::splat(10.0))?;
    /// let boxes = [5.0, 9.5, 20.0].map(|x| Obb::axis_aligned(Vec3::new(x, 5.0, 5.0), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let found = checker.enclosures(&room, &boxes)?;
    /// let states = [EnclosureState::Inside, EnclosureState::Crossing, EnclosureState::Outside];
    /// assert!(found.iter().map(|enclosure| enclosure.state).eq(states));
    /// assert!(found.iter().map(|enclosure| enclosure.walls).eq([0, Room::MAX_X, Room::MAX_X]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidBox`] with the first invalid body and how many there are; [`Error::OutOfDeviceMemory`],
    /// [`Error::DeviceLost`], [`Error::Timeout`] and [`Error::Gpu`] if the device fails.
    pub fn enclosures<'a>(&mut self, room: &Room, bodies: impl Into<Bodies<'a>>) -> Result<Vec<Enclosure>> {
        pollster::block_on(self.enclosures_of(room, bodies.into(), Waiting::Blocking))
    }

    /// [`Checker::enclosures`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
    pub async fn enclosures_async<'a>(&mut self, room: &Room, bodies: impl Into<Bodies<'a>>) -> Result<Vec<Enclosure>> {
        self.enclosures_of(room, bodies.into(), Waiting::Background).await
    }

    async fn enclosures_of(&mut self, room: &Room, bodies: Bodies<'_>, waiting: Waiting) -> Result<Vec<Enclosure>> {
        let Some(gpu) = self.gpu_for(bodies.boxes.len()).await else {
            return room.enclosures(bodies);
        };
        let others = Bodies { boxes: &[], ..bodies };
        if !others.is_empty() {
            bodies.validate()?;
        }
        let mut found = gpu.waiting(waiting).enclosures(room, bodies.boxes).await?;
        if !others.is_empty() {
            memory::extend(&mut found, &room.enclosures(others)?, "a finding for each body")?;
        }
        Ok(found)
    }

    /// Computes the contact manifolds of a list of pairs, in their order: [`BodyRef::manifold`](crate::BodyRef::manifold), those of two
    /// boxes on the GPU if this checker runs there.
    ///
    /// In a pair, `a` is a position in the first set and `b` a position in the second: the same bodies twice, or the
    /// sets of [`Query::between`] or [`Query::against`]; each is a slice, an array or a vector of one kind, or [`Bodies`]. Normals
    /// point from a to b. Pairs that do not collide have no manifold, exactly so on every backend. For one set there is
    /// [`Checker::contacts_within`].
    ///
    /// Pairs with a capsule or a ball are computed in `f64`, on the host. For two boxes a GPU computes in `f32`: lengths and the tolerance of the manifold are off by some 2e-6 of the sum of the
    /// centers' distance and all half extents, and the depth by a 4,000th of that sum if edges are nearly parallel; the
    /// host computes what the GPU cannot decide, mostly pairs that only touch. [`contacts()`](crate::contacts())
    /// computes everything in `f64`. To keep contacts on the device, see [`GpuChecker::record_contacts`](crate::GpuChecker::record_contacts).
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, glam::{DVec3, Vec3}};
    /// # fn main() -> obbligato::Result<()> {
    /// let boxes = [0.0, 1.75, 9.0].map(|z| Obb::axis_aligned(Vec3::new(0.0, 0.0, z), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let pairs = checker.check(&boxes)?.into_pairs()?;
    /// let contacts = checker.contacts_within(&boxes, &pairs)?;
    /// assert_eq!(contacts.penetrations()[0].map(|found| (found.normal, found.depth)), Some((DVec3::Z, 0.25)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidPair`] if a pair names a body that does not exist, [`Error::InvalidBox`] for invalid bodies of
    /// either set; [`Error::OutOfMemory`], [`Error::OutOfDeviceMemory`], [`Error::DeviceLost`], [`Error::Timeout`] and
    /// [`Error::Gpu`] if memory runs out or the device fails.
    pub fn contacts<'a>(&mut self, sets: [impl Into<Bodies<'a>>; 2], pairs: &[Pair]) -> Result<Contacts> {
        pollster::block_on(self.contacts_of(sets.map(Into::into), pairs, Waiting::Blocking))
    }

    /// [`Checker::contacts`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
    pub async fn contacts_async<'a>(&mut self, sets: [impl Into<Bodies<'a>>; 2], pairs: &[Pair]) -> Result<Contacts> {
        self.contacts_of(sets.map(Into::into), pairs, Waiting::Background).await
    }

    /// [`Checker::contacts`] of pairs within one set, those of a check of it.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let boxes = [0.0, 1.75, 9.0].map(|z| Obb::axis_aligned(Vec3::new(0.0, 0.0, z), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let report = checker.check(&boxes)?;
    /// let contacts = checker.contacts_within(&boxes, report.pairs()?)?;
    /// assert_eq!(contacts.points_of(0).len(), 4);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::contacts`].
    pub fn contacts_within<'a>(&mut self, bodies: impl Into<Bodies<'a>>, pairs: &[Pair]) -> Result<Contacts> {
        self.contacts([bodies.into(); 2], pairs)
    }

    async fn contacts_of(&mut self, sets: [Bodies<'_>; 2], pairs: &[Pair], waiting: Waiting) -> Result<Contacts> {
        let Some(gpu) = self.gpu_for(pairs.len()).await else {
            contacts::validate(sets, pairs)?;
            return contacts::contacts(sets, pairs);
        };
        let (gpu, boxes) = (gpu.waiting(waiting), sets.map(|set| set.boxes));
        if sets.iter().all(|set| set.only_boxes().is_some()) {
            return gpu.contacts(boxes, pairs).await;
        }
        contacts::validate(sets, pairs)?;
        let [of_boxes, others] = contacts::by_kind(sets, pairs)?;
        let on_gpu = gpu.contacts(boxes, &of_boxes).await?;
        Contacts::merged([on_gpu, contacts::contacts(sets, &others)?], sets, pairs)
    }

    /// Computes the distances and closest points of a list of pairs, in their order:
    /// [`BodyRef::closest_points`](crate::BodyRef::closest_points), those of two boxes on the GPU if this checker runs there.
    ///
    /// Sets and pairs are as in [`Checker::contacts`], and so is what is computed where. A GPU computes in `f32`, with errors below 1.6e-5, and typically some
    /// 1e-7, of the sum of the centers' distance and all half extents; whether a distance is 0 is exact on every
    /// backend. [`closest_points()`](crate::closest_points()) computes everything in `f64`. To keep distances on the
    /// device, see [`GpuChecker::record_closest_points`](crate::GpuChecker::record_closest_points).
    ///
    /// # Errors
    /// As [`Checker::contacts`].
    pub fn closest_points<'a>(
        &mut self,
        sets: [impl Into<Bodies<'a>>; 2],
        pairs: &[Pair],
    ) -> Result<Vec<ClosestPoints>> {
        pollster::block_on(self.closest_points_of(sets.map(Into::into), pairs, Waiting::Blocking))
    }

    /// [`Checker::closest_points`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
    pub async fn closest_points_async<'a>(
        &mut self,
        sets: [impl Into<Bodies<'a>>; 2],
        pairs: &[Pair],
    ) -> Result<Vec<ClosestPoints>> {
        self.closest_points_of(sets.map(Into::into), pairs, Waiting::Background)
            .await
    }

    /// [`Checker::closest_points`] of pairs within one set.
    ///
    /// # Errors
    /// As [`Checker::contacts`].
    pub fn closest_points_within<'a>(
        &mut self,
        bodies: impl Into<Bodies<'a>>,
        pairs: &[Pair],
    ) -> Result<Vec<ClosestPoints>> {
        self.closest_points([bodies.into(); 2], pairs)
    }

    async fn closest_points_of(
        &mut self,
        sets: [Bodies<'_>; 2],
        pairs: &[Pair],
        waiting: Waiting,
    ) -> Result<Vec<ClosestPoints>> {
        let Some(gpu) = self.gpu_for(pairs.len()).await else {
            contacts::validate(sets, pairs)?;
            return contacts::closest_points(sets, pairs);
        };
        let (gpu, boxes) = (gpu.waiting(waiting), sets.map(|set| set.boxes));
        if sets.iter().all(|set| set.only_boxes().is_some()) {
            return gpu.closest_points(boxes, pairs).await;
        }
        contacts::validate(sets, pairs)?;
        let [of_boxes, others] = contacts::by_kind(sets, pairs)?;
        let on_gpu = gpu.closest_points(boxes, &of_boxes).await?;
        contacts::merged_points([on_gpu, contacts::closest_points(sets, &others)?], sets, pairs)
    }
}

/// The CPU backend.
fn on_cpu() -> Engine {
    Engine::Cpu {
        threads: parallel::threads(),
    }
}

/// The stage of what was made for an engine before the call: a GPU times its bounds itself.
fn made_before(engine: &Engine) -> Stage {
    match engine {
        Engine::Cpu { .. } => Stage::Bounds,
        Engine::Gpu { .. } => Stage::Upload,
    }
}

#[cfg(test)]
#[cfg(feature = "gpu")]
mod tests {
    use super::*;
    use crate::base::config::GpuConfig;
    use crate::scenes::Scene;

    #[test]
    fn small_scenes_are_the_cpus() {
        let gpu = GpuConfig {
            least_boxes: 1000,
            ..GpuConfig::default()
        };
        let mut checker = Checker::new(Config {
            gpu,
            ..Config::default()
        })
        .expect("a valid configuration");
        assert_eq!(checker.least_boxes, 1000);
        assert!(checker.found.get().is_none(), "nothing has asked for a GPU");
        let small = Scene::Uniform.generate(999, 1);
        let is_cpu = |engine: &Engine| matches!(engine, Engine::Cpu { .. });
        assert!(is_cpu(&checker.check(&small).expect("valid boxes").engine));
        assert!(is_cpu(&checker.engine_for(999)));
        assert!(checker.found.get().is_none(), "nothing has asked for a GPU");

        // Whatever adapter there is takes the place of a real GPU, which these tests cannot count on.
        let config = Config {
            backend: Backend::Gpu,
            ..Config::default()
        };
        checker.found = OnceLock::from(pollster::block_on(Found::search(&config)).expect("an adapter"));
        let large = Scene::Uniform.generate(1000, 1);
        assert!(is_cpu(&checker.check(&small).expect("valid boxes").engine));
        assert!(!is_cpu(&checker.check(&large).expect("valid boxes").engine));
        assert!(is_cpu(&checker.engine_for(999)) && !is_cpu(&checker.engine_for(1000)));
        // Two sets together, and scenes where they were prepared, however many move.
        let between = Query::between(&large[..500], &large[500..]);
        assert!(!is_cpu(&checker.check(between).expect("valid boxes").engine));
        for (boxes, on_cpu) in [(&small, true), (&large, false)] {
            let scene = checker.prepare(boxes).expect("valid boxes");
            assert_eq!(is_cpu(scene.engine()), on_cpu);
            for movers in [&small, &large] {
                let report = checker.check(Query::against(&scene, movers)).expect("the same checker");
                assert_eq!(is_cpu(&report.engine), on_cpu);
            }
        }
        let estimate = |boxes| checker.memory_estimate(boxes, 0).device_bytes;
        assert!(estimate(999) == 0 && estimate(1000) > 0);
    }

    #[test]
    fn the_cpu_is_asked_for_without_a_search() {
        let checker = Checker::new(Config {
            backend: Backend::Cpu,
            ..Config::default()
        });
        let checker = checker.expect("a valid configuration");
        assert!(checker.found().gpu.is_none() && checker.warnings().is_empty());
        assert!(matches!(checker.engine(), Engine::Cpu { .. }));
    }
}
