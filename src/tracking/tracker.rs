//! The pairs of every frame, and what has changed since the frame before.

mod coherence;
pub(crate) mod config;
pub(crate) mod frame;

use std::time::Instant;

use crate::base::config::Output;
use crate::base::error::{Error, Result};
use crate::base::{memory, parallel};
use crate::checker::Checker;
use crate::engine::query::sets::BodySet;
use crate::geometry::pair::Pair;
use crate::outputs::events_cpu::{Event, EventKind, difference};
use crate::outputs::report::Report;
use crate::outputs::sort_pairs_cpu::PairSorter;
use crate::shapes::obb::record::Obb;
use crate::tracking::coherent::Coherent;
use crate::tracking::measured::Measured;
use crate::tracking::names::Names;
use crate::tracking::pace::Size;
use crate::tracking::shapes::Form;
use crate::tracking::survey::Survey;
use crate::tracking::sweep_lists::SweepLists;
use crate::tracking::tracker::config::TrackerConfig;
use crate::tracking::tracker::frame::{FrameWork, TrackedFrame};
use crate::tracking::watched::Flip;

/// Checks frame after frame and says which pairs begin, persist and end.
///
/// Between frames bodies may move in any way, turn, jump, come and go, change their sizes, shapes, groups and rules. A body is the
/// same from frame to frame if its id is: give each an id of its own, and keep it as long as the body exists.
///
/// ```
/// use obbligato::{Backend, Checker, Config, EventKind, Obb, Pair, Tracker, TrackerConfig, glam::Vec3};
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
    /// Memory for those of the next frame.
    spare: Vec<Pair>,
    events: Vec<Event>,
    begin: usize,
    end: usize,
    flips: Vec<Flip>,
    sorter: PairSorter,
    /// Who the boxes of the last frame were.
    names: Names,
    /// Their boxes in the order of their ids, where they were not given so.
    in_slots: Vec<Obb>,
    /// The boxes around the bodies of the last frame, if they were not all boxes, and the shapes of those that are followed, by slots.
    around: Vec<Obb>,
    forms: Vec<Form>,
    known: Known,
    survey: Survey,
    /// The candidate pairs of the last fresh check.
    size: Size,
    /// How long frames take.
    measured: Measured,
}

/// What is known of the last frame.
enum Known {
    Nothing,
    Fattened(Box<Coherent>),
    SweepLists(Box<SweepLists>),
}

impl Tracker {
    /// A tracker that checks with `checker`.
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
            names: Names::default(),
            in_slots: Vec::new(),
            around: Vec::new(),
            forms: Vec::new(),
            known: Known::Nothing,
            survey: Survey::default(),
            size: Size::default(),
            measured: Measured::default(),
        }
    }

    /// The checker, for other questions than frames: contacts of the pairs, rays, sweeps.
    pub fn checker(&self) -> &Checker {
        &self.checker
    }

    /// The checker, for calls that work. They leave what the tracker knows of the last frame as it is.
    pub fn checker_mut(&mut self) -> &mut Checker {
        &mut self.checker
    }

    /// The checker, back from the tracker.
    pub fn into_checker(self) -> Checker {
        self.checker
    }

    /// The next frame, of bodies with these ids: any numbers, in any order, one for each body in the numbering of
    /// [`Bodies`](crate::Bodies) (boxes, then capsules, then spheres).
    ///
    /// A body is the same from frame to frame if its id is, whatever its position and its shape. Pairs and events name bodies
    /// by their ids.
    ///
    /// # Errors
    /// As [`Checker::check`]; [`Error::MissingIds`], [`Error::DuplicateId`]; [`Error::Unavailable`] if the checker does not
    /// return pairs. The frame then counts as not given.
    pub fn update<'a>(&mut self, ids: &[u32], bodies: impl Into<BodySet<'a>>) -> Result<TrackedFrame<'_>> {
        self.next(Some(ids), bodies.into())
    }

    /// The next frame, of bodies whose ids are their positions: for scenes whose bodies never come or go.
    ///
    /// **Wherever a body comes or goes, all behind it get other positions, and so become other bodies**: their pairs are
    /// reported as ended and begun, though nothing has moved. One box that is added moves all capsules and spheres by a
    /// place, as boxes come first in the numbering. Use [`Tracker::update`] there.
    ///
    /// # Errors
    /// As [`Tracker::update`].
    pub fn update_by_position<'a>(&mut self, bodies: impl Into<BodySet<'a>>) -> Result<TrackedFrame<'_>> {
        self.next(None, bodies.into())
    }

    /// A distance for each box of the last frame, in ascending order of ids: while no point of any box has moved further than its box's
    /// distance, no pair begins or ends. In the caller's unit, rounded down. 0 says nothing: boxes that touch have it, and all have it if the last frame was
    /// [checked afresh](crate::FoundBy).
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

    fn next(&mut self, ids: Option<&[u32]>, bodies: BodySet<'_>) -> Result<TrackedFrame<'_>> {
        let names = Names::new(ids, bodies.bodies.len())?;
        if self.checker.config().output != Output::Pairs {
            return Err(Error::Unavailable {
                what: "the pairs of a frame",
                hint: crate::outputs::WITHOUT_PAIRS,
            });
        }
        // What is known is put back at the end: after an error it holds no more, and the next frame is checked afresh.
        let known = std::mem::replace(&mut self.known, Known::Nothing);
        let mut room = std::mem::take(&mut self.around);
        let work = self.work(ids, known, &names, &bodies, &mut room);
        self.around = room;
        let work = work?;
        self.names = names;
        Ok(self.frame(work))
    }

    /// A frame by a fresh check.
    fn check(&mut self, ids: Option<&[u32]>, names: &Names, set: &BodySet<'_>) -> Result<()> {
        let start = Instant::now();
        self.checker.check_into(*set, &mut self.report)?;
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

    /// Takes these pairs for those of the frame.
    fn take(&mut self, pairs: Vec<Pair>) -> Result<()> {
        let mut events = std::mem::take(&mut self.events);
        difference(&self.pairs, &pairs, self.config.persisting, &mut events)?;
        let count = |kind| events.iter().filter(|event| event.kind == kind).count();
        (self.begin, self.end) = (count(EventKind::Begin), count(EventKind::End));
        self.events = events;
        self.spare = std::mem::replace(&mut self.pairs, pairs);
        Ok(())
    }

    /// The frame as it is handed out.
    fn frame(&self, work: FrameWork) -> TrackedFrame<'_> {
        TrackedFrame {
            pairs: &self.pairs,
            events: &self.events,
            begin: self.begin,
            persist: self.pairs.len() - self.begin,
            end: self.end,
            work,
        }
    }
}
