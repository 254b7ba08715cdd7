//! The pairs of every frame, and the changes since the previous frame.

mod coherence;
pub(crate) mod config;
pub(crate) mod frame;

use crate::base::clock::Instant;
use crate::base::config::Output;
use crate::base::error::{Error, Result};
use crate::base::{memory, parallel};
use crate::checker::Checker;
use crate::engine::query::Query;
use crate::engine::query::lists::{NO_BODIES, bodies_of};
use crate::engine::query::sets::Set;
use crate::geometry::pair::Pair;
use crate::outputs::events_cpu::{Event, EventKind, difference};
use crate::outputs::report::Report;
use crate::outputs::sort_pairs_cpu::PairSorter;
use crate::rules::model::Rules;
use crate::shapes::bodies::set::Bodies;
use crate::shapes::obb::record::Obb;
use crate::tracking::coherent::Coherent;
use crate::tracking::id_map::IdMap;
use crate::tracking::lifetime::Size;
use crate::tracking::measured::Measured;
use crate::tracking::pair_cache::Flip;
use crate::tracking::shapes::Form;
use crate::tracking::survey::Survey;
use crate::tracking::sweep_lists::SweepLists;
use crate::tracking::tracker::config::TrackerConfig;
use crate::tracking::tracker::frame::{FrameWork, TrackedFrame};

/// Checks frame after frame and reports the pairs that begin, persist and end.
///
/// Between frames bodies may move, rotate and jump, be added and removed, and change their sizes,
/// shapes, groups and rules. A body is identified from frame to frame by its id: give each a unique
/// id, and keep it as long as the body exists.
///
/// ```
/// use obbligato::glam::Vec3;
/// use obbligato::tracking::{EventKind, Tracker, TrackerConfig};
/// use obbligato::{Backend, Checker, Config, Obb, Pair};
/// # fn main() -> obbligato::Result<()> {
/// let checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let mut tracker = Tracker::new(checker, TrackerConfig::default());
/// let cube = |x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE);
/// // Two cars by their numbers; the second catches up, and leaves.
/// let frame = tracker.update(&[17, 4], &[cube(0.0), cube(-3.0)])?;
/// assert!(frame.pairs.is_empty());
/// let frame = tracker.update(&[17, 4], &[cube(0.5), cube(-1.0)])?;
/// assert_eq!((frame.events[0].pair, frame.events[0].kind), (Pair::new(4, 17), EventKind::Begin));
/// let frame = tracker.update(&[17], &[cube(1.0)])?;
/// assert_eq!((frame.events[0].pair, frame.events[0].kind), (Pair::new(4, 17), EventKind::End));
/// # Ok(())
/// # }
/// ```
pub struct Tracker {
    checker: Checker,
    config: TrackerConfig,
    report: Report,
    pairs: Vec<Pair>,
    /// The pairs of the previous frame, and memory for those of the next one.
    spare: Vec<Pair>,
    events: Vec<Event>,
    begin: usize,
    end: usize,
    flips: Vec<Flip>,
    sorter: PairSorter,
    /// The ids of the boxes of the last frame.
    names: IdMap,
    /// The boxes in the order of their ids, if they were not given in that order.
    in_slots: Vec<Obb>,
    /// The boxes around the bodies of the last frame, if they were not all boxes, and the shapes of
    /// the tracked ones, by slots.
    around: Vec<Obb>,
    forms: Vec<Form>,
    known: Known,
    survey: Survey,
    /// The number of candidate pairs of the last fresh check.
    size: Size,
    /// The measured times of frames.
    measured: Measured,
}

/// The bodies of a frame and their rules.
#[derive(Clone, Copy)]
struct Bodied<'a> {
    bodies: Bodies<'a>,
    rules: Rules<'a>,
}

impl<'a> Bodied<'a> {
    fn query_set(&self) -> Set<'a> {
        self.bodies.with(self.rules)
    }
}

/// The state kept from the last frame.
enum Known {
    Nothing,
    Fattened(Box<Coherent>),
    SweepLists(Box<SweepLists>),
}

impl Tracker {
    /// Creates a tracker that checks with `checker`.
    pub fn new(checker: Checker, config: TrackerConfig) -> Self {
        Self {
            checker,
            config,
            report: Report::default(),
            pairs: Vec::new(),
            spare: Vec::new(),
            events: Vec::new(),
            begin: 0,
            end: 0,
            flips: Vec::new(),
            sorter: PairSorter::default(),
            names: IdMap::default(),
            in_slots: Vec::new(),
            around: Vec::new(),
            forms: Vec::new(),
            known: Known::Nothing,
            survey: Survey::default(),
            size: Size::default(),
            measured: Measured::default(),
        }
    }

    /// Returns the checker, for queries other than frames: contacts of the pairs, rays, sweeps.
    pub fn checker(&self) -> &Checker {
        &self.checker
    }

    /// Returns the checker, for calls that change it. They do not affect the tracker's state of the
    /// last frame.
    pub fn checker_mut(&mut self) -> &mut Checker {
        &mut self.checker
    }

    /// Returns the checker and drops the tracker.
    pub fn into_checker(self) -> Checker {
        self.checker
    }

    /// Checks the next frame, of bodies with these ids: any numbers, in any order, one for each
    /// body in the order of [`Bodies`](crate::Bodies) (boxes, then capsules, then spheres).
    ///
    /// A body is identified from frame to frame by its id, whatever its position and its shape.
    /// Pairs and events name bodies by their ids.
    ///
    /// # Errors
    /// As [`Checker::check`]; [`Error::MissingIds`], [`Error::DuplicateId`]; [`Error::Unavailable`]
    /// if the checker does not return pairs. A frame that fails is ignored.
    pub fn update<'a>(&mut self, ids: &[u32], bodies: impl Into<Set<'a>>) -> Result<TrackedFrame<'_>> {
        self.next(Some(ids), bodies.into())
    }

    /// Checks the next frame, of bodies whose ids are their positions: for scenes without added or
    /// removed bodies.
    ///
    /// **If a body is added or removed, all bodies after it get other positions, and so become
    /// other bodies**: their pairs are reported as ended and begun, although nothing has moved.
    /// Adding one box shifts the positions of all capsules and spheres, because boxes come first.
    /// Use [`Tracker::update`] in that case.
    ///
    /// # Errors
    /// As [`Tracker::update`].
    pub fn update_by_position<'a>(&mut self, bodies: impl Into<Set<'a>>) -> Result<TrackedFrame<'_>> {
        self.next(None, bodies.into())
    }

    /// Returns a distance for each box of the last frame, in ascending order of ids: while no point
    /// of any box has moved further than its box's distance, no pair begins or ends. In the
    /// caller's unit, rounded down. A distance of 0 gives no information: it is the distance of
    /// boxes that touch, and of all boxes if the last frame was [checked
    /// afresh](crate::tracking::FoundBy).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn safe_distances(&self) -> Result<Vec<f32>> {
        let mut distances = Vec::new();
        match &self.known {
            Known::Fattened(coherent) => coherent.safe_distances(&mut distances)?,
            _ => memory::resize(&mut distances, self.names.len(), 0.0, "the safe distances")?,
        }
        Ok(distances)
    }

    fn next(&mut self, ids: Option<&[u32]>, set: Set<'_>) -> Result<TrackedFrame<'_>> {
        let list = bodies_of(set.shapes, NO_BODIES)?;
        let set = Bodied {
            bodies: list.all(),
            rules: set.rules,
        };
        let names = IdMap::new(ids, set.bodies.len())?;
        if self.checker.config().output != Output::Pairs {
            return Err(Error::Unavailable {
                what: "the pairs of a frame",
                hint: crate::outputs::WITHOUT_PAIRS,
            });
        }
        // The state is restored at the end: after an error it is invalid, and the next frame is
        // checked afresh.
        let known = std::mem::replace(&mut self.known, Known::Nothing);
        let mut room = std::mem::take(&mut self.around);
        let work = self.work(ids, known, &names, &set, &mut room);
        self.around = room;
        let work = work?;
        self.names = names;
        Ok(self.frame(work))
    }

    /// Finds a frame by a fresh check.
    fn check(&mut self, ids: Option<&[u32]>, names: &IdMap, set: &Bodied<'_>) -> Result<()> {
        let start = Instant::now();
        let query = Query::from(set.query_set());
        let query = self.config.period.map_or(query, |period| query.periodic(period));
        self.checker.check_into(query, &mut self.report)?;
        let found = self.report.pairs()?;
        let mut pairs = std::mem::take(&mut self.spare);
        memory::make_scratch(&mut pairs, found.len(), "the colliding pairs")?;
        parallel::fill(&mut pairs, |k| names.of_positions(ids, found[k]));
        if !names.in_order() {
            self.sorter.sort(&mut pairs)?;
        }
        self.take(pairs)?;
        self.size = Size {
            boxes: set.bodies.len(),
            candidates: self.report.candidate_pairs,
        };
        self.measured.fresh(start.elapsed(), self.size);
        Ok(())
    }

    /// Makes these pairs the pairs of the frame.
    fn take(&mut self, pairs: Vec<Pair>) -> Result<()> {
        let mut events = std::mem::take(&mut self.events);
        difference(&self.pairs, &pairs, self.config.persisting, &mut events)?;
        let count = |kind| events.iter().filter(|event| event.kind == kind).count();
        (self.begin, self.end) = (count(EventKind::Begin), count(EventKind::End));
        self.events = events;
        self.spare = std::mem::replace(&mut self.pairs, pairs);
        Ok(())
    }

    /// Returns the frame for the caller.
    fn frame(&self, work: FrameWork) -> TrackedFrame<'_> {
        TrackedFrame {
            pairs: &self.pairs,
            before: &self.spare,
            events: &self.events,
            begin: self.begin,
            persist: self.pairs.len() - self.begin,
            end: self.end,
            work,
        }
    }
}
