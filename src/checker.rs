//! The checker for everyone: picks a backend, runs the pipeline, returns a report.

use crate::base::config::Config;
use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::base::memory::MemoryEstimate;
use crate::base::parallel;
use crate::device::adapters::{Choice, choose};
use crate::engine::cpu::CpuChecker;
use crate::engine::gpu::GpuChecker;
use crate::engine::prepared::PreparedScene;
use crate::geometry::aabb::Aabb;
use crate::geometry::pair::MAX_BOXES;
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::contacts::{Contacts, contacts, validate};
use crate::narrow_phase::obb_obb::distance::{ClosestPoints, closest_points};
use crate::outputs::report::Report;
use crate::regions::room::{Enclosure, Room};
use crate::rules::model::BoxSet;
use crate::shapes::obb::record::Obb;

/// Finds every colliding pair, on the backend that the configuration chooses.
///
/// A checker keeps its memory between calls: make one and use it for every frame.
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
/// assert_eq!(checker.check(&boxes)?.pairs(), [Pair::new(0, 2)]);
/// # Ok(())
/// # }
/// ```
pub struct Checker {
    backend: Chosen,
    choice: String,
    engine: Engine,
}

enum Chosen {
    Gpu(Box<GpuChecker>),
    Cpu(Box<CpuChecker>, Config),
}

impl Checker {
    /// Chooses a backend and prepares it; see [`Backend`](crate::Backend).
    ///
    /// # Errors
    /// [`Error::InvalidMargin`] if [`Config::margin`] is no distance, [`Error::NoAdapter`] if the GPU or a certain adapter was asked for and is not there, [`Error::Device`] if its driver
    /// gives no device.
    pub fn new(config: Config) -> Result<Self> {
        pollster::block_on(Self::new_async(config))
    }

    /// [`Checker::new`] without blocking.
    pub async fn new_async(config: Config) -> Result<Self> {
        config.validate()?;
        match choose(&config).await? {
            Choice::Gpu(adapter, choice) => {
                let checker = GpuChecker::open(&adapter, config).await?;
                Ok(Self {
                    engine: checker.engine().clone(),
                    backend: Chosen::Gpu(Box::new(checker)),
                    choice,
                })
            }
            Choice::Cpu(choice) => Ok(Self {
                engine: Engine::Cpu {
                    threads: parallel::threads(),
                },
                backend: Chosen::Cpu(Box::default(), config),
                choice,
            }),
        }
    }

    /// Where this checker runs.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Why it runs there, in a few words.
    pub fn choice(&self) -> &str {
        &self.choice
    }

    /// What was asked for, could not be done, and keeps no check from its answer: a sentence each. Empty if all is well.
    ///
    /// So far this is about [`GpuConfig::pipeline_cache`](crate::GpuConfig::pipeline_cache) only.
    pub fn warnings(&self) -> &[String] {
        match &self.backend {
            Chosen::Gpu(checker) => checker.warnings(),
            Chosen::Cpu(..) => &[],
        }
    }

    /// What a check of so many boxes with so many colliding pairs will need, on this backend and with this configuration.
    ///
    /// Nobody knows the number of pairs before the check; the estimate for 0 is what any check of so many boxes needs. It is
    /// meant for scenes like most, whose candidate pairs are at most three times the colliding ones, and of which few touch
    /// without overlapping. A pair that only touches takes 17 bytes more on the host, and a GPU 8 bytes for each further
    /// candidate. On the host the estimate is an upper bound then, by 16 MiB and half of what is used at most; on a device it
    /// is what [`Report::device_bytes`] will say, or a little more.
    ///
    /// A check that cannot have the memory ends in [`Error::OutOfMemory`] or [`Error::OutOfDeviceMemory`]: before it
    /// starts if its boxes are too many for the memory that is left (as far as the system tells; Linux does), and on the way
    /// if its pairs are.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config};
    /// # fn main() -> obbligato::Result<()> {
    /// let checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let estimate = checker.memory_estimate(10_000_000, 10_000_000);
    /// println!("{} MB", estimate.host_bytes / 1_000_000);
    /// # assert!((800_000_000..2_000_000_000).contains(&estimate.host_bytes));
    /// # Ok(())
    /// # }
    /// ```
    pub fn memory_estimate(&self, boxes: usize, pairs: usize) -> MemoryEstimate {
        match &self.backend {
            Chosen::Gpu(checker) => checker.memory_estimate(boxes, pairs),
            Chosen::Cpu(_, config) => MemoryEstimate::on_cpu(config, boxes, pairs),
        }
    }

    /// Finds the colliding pairs of `boxes`.
    ///
    /// `boxes` are a slice, an array or a vector of them, or a [`BoxSet`] with rules about which pairs count. The time grows
    /// with the boxes and the pairs whose bounds overlap, not with the size of the world.
    ///
    /// # Errors
    /// [`Error::InvalidBox`] and [`Error::InvalidRule`] for bad input; [`Error::TooManyBoxes`], [`Error::LimitExceeded`], [`Error::OutOfMemory`] and
    /// [`Error::OutOfDeviceMemory`] if the scene is too large, even in parts; [`Error::DeviceLost`], [`Error::Timeout`] and
    /// [`Error::Gpu`] if the device fails. The checker can be used again after any of them but [`Error::DeviceLost`].
    pub fn check<'a>(&mut self, boxes: impl Into<BoxSet<'a>>) -> Result<Report> {
        let set = counted(boxes)?;
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.check(set),
            Chosen::Cpu(checker, config) => checker.check(set, config),
        }
    }

    /// [`Checker::check`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
    pub async fn check_async<'a>(&mut self, boxes: impl Into<BoxSet<'a>>) -> Result<Report> {
        let set = counted(boxes)?;
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.check_async(set).await,
            Chosen::Cpu(checker, config) => checker.check(set, config),
        }
    }

    /// Finds the pairs of a box in `first` and one in `second` that collide.
    ///
    /// In a [`Pair`], `a` is the position in the first set and `b` that in the second; the pairs are sorted by (a, b). Boxes
    /// of one set are not checked against each other. Both sets may be of any size and lie in any way: the time is that of a
    /// check of all boxes at most, without the pairs within a set. [`Report::boxes`] counts both sets, and
    /// [`Report::degrees`] are those of the first set, then those of the second. The boxes are copied: 48 bytes each.
    ///
    /// To check many lists of boxes against one that stays, see [`Checker::prepare`].
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, Pair, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let box_at = |x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE);
    /// let (walls, pipes) = ([box_at(0.0), box_at(1.0)], [box_at(9.0), box_at(2.5)]);
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// assert_eq!(checker.check_between(&walls, &pipes)?.pairs(), [Pair { a: 1, b: 1 }]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::check`]; positions in [`Error::InvalidBox`] go on from the first set to the second.
    pub fn check_between<'a>(&mut self, first: impl Into<BoxSet<'a>>, second: impl Into<BoxSet<'a>>) -> Result<Report> {
        let (first, second) = (first.into(), second.into());
        check_count(first.boxes.len().saturating_add(second.boxes.len()))?;
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.check_between(first, second),
            Chosen::Cpu(checker, config) => checker.check_between(first, second, config),
        }
    }

    /// [`Checker::check_between`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
    pub async fn check_between_async<'a>(
        &mut self,
        first: impl Into<BoxSet<'a>>,
        second: impl Into<BoxSet<'a>>,
    ) -> Result<Report> {
        let (first, second) = (first.into(), second.into());
        check_count(first.boxes.len().saturating_add(second.boxes.len()))?;
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.check_between_async(first, second).await,
            Chosen::Cpu(checker, config) => checker.check_between(first, second, config),
        }
    }

    /// Finds out which of `pairs` collide: the narrow phase alone, for callers with a broad phase of their own.
    ///
    /// The report is that of [`Checker::check`], with the same precision and the same regard for groups and rules, but about
    /// these pairs only; those that a rule is against are no candidates. They may come in any order; a pair that is given twice counts twice. Every box must be valid, whether
    /// or not a pair names it.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, Pair, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let boxes = [0.0, 1.5, 9.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let report = checker.check_pairs(&boxes, &[Pair::new(1, 2), Pair::new(0, 1)])?;
    /// assert_eq!(report.pairs(), [Pair::new(0, 1)]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::check`], and [`Error::InvalidPair`] if a pair names a box that is not there. All boxes must fit the
    /// device at once: they are not checked in parts.
    pub fn check_pairs<'a>(&mut self, boxes: impl Into<BoxSet<'a>>, pairs: &[Pair]) -> Result<Report> {
        let set = counted(boxes)?;
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.check_pairs(set, pairs),
            Chosen::Cpu(_, config) => CpuChecker::check_pairs(set, pairs, config),
        }
    }

    /// [`Checker::check_pairs`] without blocking the thread while a GPU works. The CPU backend computes where it is
    /// polled.
    pub async fn check_pairs_async<'a>(&mut self, boxes: impl Into<BoxSet<'a>>, pairs: &[Pair]) -> Result<Report> {
        let set = counted(boxes)?;
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.check_pairs_async(set, pairs).await,
            Chosen::Cpu(_, config) => CpuChecker::check_pairs(set, pairs, config),
        }
    }

    /// Finds the pairs of `bounds` that share a point: the broad phase alone, for callers with shapes and a narrow phase of
    /// their own.
    ///
    /// The numbers are compared as they are, nothing is widened: callers whose bounds come from rounded arithmetic widen
    /// them themselves. [`Report::pairs`] are the pairs for which [`Aabb::overlaps`] holds, touching included, sorted;
    /// each is a candidate and a colliding pair. A GPU may take numbers below `2^-126` for zero and list pairs that are so
    /// little apart. Rules, [`Config::output`] and [`Config::max_pairs`] apply, the precision does
    /// not, and [`Report::touching_pairs`] is `None`.
    ///
    /// ```
    /// use obbligato::{Aabb, Backend, Checker, Config, Pair, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let bounds = [0.0, 1.0, 9.0].map(|x| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0)));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// assert_eq!(checker.check_bounds(&bounds)?.pairs(), [Pair::new(0, 1)]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidBox`] names the first bounds with a [`problem`](Aabb::problem) and says how many there are. Otherwise
    /// as [`Checker::check`].
    pub fn check_bounds<'a>(&mut self, bounds: impl Into<BoxSet<'a, Aabb>>) -> Result<Report> {
        let set = counted(bounds)?;
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.check_bounds(set),
            Chosen::Cpu(checker, config) => checker.check_bounds(set, config),
        }
    }

    /// [`Checker::check_bounds`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
    pub async fn check_bounds_async<'a>(&mut self, bounds: impl Into<BoxSet<'a, Aabb>>) -> Result<Report> {
        let set = counted(bounds)?;
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.check_bounds_async(set).await,
            Chosen::Cpu(checker, config) => checker.check_bounds(set, config),
        }
    }

    /// Sorts boxes that rest, once, so that moving boxes can be checked against them many times.
    ///
    /// Costs about what [`Checker::check`] does before it looks for pairs.
    ///
    /// # Errors
    /// As [`Checker::check`]. On a GPU all boxes must fit one binding (48 bytes a box): they are not sorted in parts.
    pub fn prepare<'a>(&mut self, boxes: impl Into<BoxSet<'a>>) -> Result<PreparedScene> {
        let set = counted(boxes)?;
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.prepare(set),
            Chosen::Cpu(..) => CpuChecker::prepare(set),
        }
    }

    /// [`Checker::prepare`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
    pub async fn prepare_async<'a>(&mut self, boxes: impl Into<BoxSet<'a>>) -> Result<PreparedScene> {
        let set = counted(boxes)?;
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.prepare_async(set).await,
            Chosen::Cpu(..) => CpuChecker::prepare(set),
        }
    }

    /// Finds the pairs of a box in `scene` and one of the `movers` that collide.
    ///
    /// The time grows with the movers and with their pairs, not with the boxes that rest; a mover that is far larger than
    /// those may have to look at each of them. In a [`Pair`], `a` is the position in the scene and `b` that among the movers; the
    /// pairs are sorted by (a, b). Boxes of the scene are not checked against each other, nor are movers: that is what
    /// [`Checker::check`] does. Groups, rules, precision and outputs are as there; [`Report::boxes`] and [`Report::degrees`] are
    /// about the movers.
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, Pair, glam::Vec3};
    /// # fn main() -> obbligato::Result<()> {
    /// let wall = [0.0, 2.0, 4.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let scene = checker.prepare(&wall)?;
    /// let ball_at = |y| Obb::axis_aligned(Vec3::new(4.5, y, 0.0), Vec3::splat(0.4));
    /// assert_eq!(checker.check_against(&scene, &[ball_at(3.0)])?.pairs(), []);
    /// assert_eq!(checker.check_against(&scene, &[ball_at(1.0)])?.pairs(), [Pair { a: 2, b: 0 }]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Checker::check`], about the movers, all of which must fit one binding of a GPU (48 bytes a box); and
    /// [`Error::ForeignScene`] if the scene was prepared elsewhere, see [`PreparedScene`].
    pub fn check_against<'a>(&mut self, scene: &PreparedScene, movers: impl Into<BoxSet<'a>>) -> Result<Report> {
        let set = counted(movers)?;
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.check_against(scene, set),
            Chosen::Cpu(_, config) => CpuChecker::check_against(scene, set, config),
        }
    }

    /// [`Checker::check_against`] without blocking the thread while a GPU works. The CPU backend computes where it is
    /// polled.
    pub async fn check_against_async<'a>(
        &mut self,
        scene: &PreparedScene,
        movers: impl Into<BoxSet<'a>>,
    ) -> Result<Report> {
        let set = counted(movers)?;
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.check_against_async(scene, set).await,
            Chosen::Cpu(_, config) => CpuChecker::check_against(scene, set, config),
        }
    }

    /// How each of `boxes` lies to a room: which walls it reaches, and whether it is inside, crossing or outside.
    ///
    /// The answer is the true one on every backend; [`Room`] defines it. O(n), in pieces where the boxes do not fit the
    /// device at once. [`Room::enclosures`] does the same on the CPU without a checker.
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
    /// [`Error::InvalidBox`] names the first bad box and says how many there are; [`Error::OutOfDeviceMemory`],
    /// [`Error::DeviceLost`], [`Error::Timeout`] and [`Error::Gpu`] if the device fails.
    pub fn enclosures(&mut self, room: &Room, boxes: &[Obb]) -> Result<Vec<Enclosure>> {
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.enclosures(room, boxes),
            Chosen::Cpu(..) => room.enclosures(boxes),
        }
    }

    /// [`Checker::enclosures`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
    pub async fn enclosures_async(&mut self, room: &Room, boxes: &[Obb]) -> Result<Vec<Enclosure>> {
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.enclosures_async(room, boxes).await,
            Chosen::Cpu(..) => room.enclosures(boxes),
        }
    }

    /// The contact manifolds of a list of pairs, in their order: [`Obb::manifold`], on the GPU if this checker runs there.
    ///
    /// In a pair, `a` is a position in the first set and `b` one in the second: the same boxes twice, or those of
    /// [`Checker::check_between`] or [`Checker::check_against`]. Normals are from a to b. Pairs that do not collide have none, on every
    /// backend exactly.
    ///
    /// A GPU computes in `f32`: lengths and the tolerance of the manifold are off by some 2e-6 of the distance of the centers
    /// and all half extents together, and the depth by a 4,000th of that size where edges are nearly parallel; what it cannot decide, pairs
    /// that only touch above all, is computed on the host. [`contacts()`](crate::contacts()) computes all in `f64`. To keep contacts on
    /// the device, see [`GpuChecker::record_contacts`].
    ///
    /// ```
    /// use obbligato::{Backend, Checker, Config, Obb, glam::{DVec3, Vec3}};
    /// # fn main() -> obbligato::Result<()> {
    /// let boxes = [0.0, 1.75, 9.0].map(|z| Obb::axis_aligned(Vec3::new(0.0, 0.0, z), Vec3::ONE));
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// let pairs = checker.check(&boxes)?.into_pairs();
    /// let contacts = checker.contacts([&boxes, &boxes], &pairs)?;
    /// assert_eq!(contacts.penetrations()[0].map(|found| (found.normal, found.depth)), Some((DVec3::Z, 0.25)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidPair`] if a pair names a box that is not there, [`Error::InvalidBox`] for bad boxes of either set;
    /// [`Error::OutOfMemory`], [`Error::OutOfDeviceMemory`], [`Error::DeviceLost`], [`Error::Timeout`] and [`Error::Gpu`] if memory
    /// or the device fails.
    pub fn contacts(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Contacts> {
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.contacts(sets, pairs),
            Chosen::Cpu(..) => {
                validate(sets, pairs)?;
                Ok(contacts(sets, pairs))
            }
        }
    }

    /// [`Checker::contacts`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
    pub async fn contacts_async(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Contacts> {
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.contacts_async(sets, pairs).await,
            Chosen::Cpu(..) => {
                validate(sets, pairs)?;
                Ok(contacts(sets, pairs))
            }
        }
    }

    /// The distances and closest points of a list of pairs, in their order: [`Obb::closest_points`], on the GPU if this checker runs
    /// there.
    ///
    /// Pairs are as with [`Checker::contacts`]. A GPU computes in `f32`, with errors of less than 1.6e-5 of the distance
    /// of the centers and all half extents together, and some 1e-7 of them as a rule; that a distance is 0 is exact on every backend.
    /// [`closest_points()`](crate::closest_points()) computes all in `f64`. To keep distances on the device, see
    /// [`GpuChecker::record_closest_points`].
    ///
    /// # Errors
    /// As [`Checker::contacts`].
    pub fn closest_points(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Vec<ClosestPoints>> {
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.closest_points(sets, pairs),
            Chosen::Cpu(..) => {
                validate(sets, pairs)?;
                Ok(closest_points(sets, pairs))
            }
        }
    }

    /// [`Checker::closest_points`] without blocking the thread while a GPU works. The CPU backend computes where it is polled.
    pub async fn closest_points_async(&mut self, sets: [&[Obb]; 2], pairs: &[Pair]) -> Result<Vec<ClosestPoints>> {
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.closest_points_async(sets, pairs).await,
            Chosen::Cpu(..) => {
                validate(sets, pairs)?;
                Ok(closest_points(sets, pairs))
            }
        }
    }

    /// How fast the GPU's memory is, in bytes a second, read and written: the fastest of several copies of one buffer (up
    /// to 256 MiB, freed again) to another, by GPU timestamps. No kernel gets more bytes past the caches.
    ///
    /// `None` on the CPU, and on a GPU without timestamps or without memory for the buffers. The call blocks.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], [`Error::Timeout`] and [`Error::Gpu`] if the device fails.
    pub fn memory_bandwidth(&mut self) -> Result<Option<f64>> {
        match &mut self.backend {
            Chosen::Gpu(checker) => checker.memory_bandwidth(),
            Chosen::Cpu(..) => Ok(None),
        }
    }
}

/// The set, if its boxes can be numbered.
fn counted<'a, T>(boxes: impl Into<BoxSet<'a, T>>) -> Result<BoxSet<'a, T>> {
    let set = boxes.into();
    check_count(set.boxes.len())?;
    Ok(set)
}

fn check_count(boxes: usize) -> Result<()> {
    match boxes {
        0..=MAX_BOXES => Ok(()),
        _ => Err(Error::TooManyBoxes {
            boxes,
            limit: MAX_BOXES,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_numbered_in_32_bits() {
        assert!(check_count(0).is_ok() && check_count(MAX_BOXES).is_ok());
        match check_count(MAX_BOXES + 1) {
            Err(error @ Error::TooManyBoxes { .. }) => assert!(error.to_string().contains("4294967294"), "{error}"),
            other => panic!("{other:?}"),
        }
    }
}
