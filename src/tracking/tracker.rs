//! The pairs of every frame, and what has changed since the frame before.

use crate::base::config::{Output, Precision};
use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::base::{memory, parallel};
use crate::checker::Checker;
use crate::engine::query::Query;
use crate::engine::query::sets::{BodySet, BoxSet};
use crate::geometry::pair::Pair;
use crate::outputs::events_cpu::{Event, EventKind, difference};
use crate::outputs::report::Report;
use crate::outputs::sort_pairs_cpu::PairSorter;
use crate::rules::filter::SetRules;
use crate::shapes::magnified::Magnification;
use crate::shapes::obb::obb_bounds_cpu::validate;
use crate::shapes::obb::record::Obb;
use crate::tracking::coherent::{Coherent, Done};
use crate::tracking::names::{NOWHERE, Names};
use crate::tracking::pace::{self, Size};
use crate::tracking::shapes::{Form, Shapes, around};
use crate::tracking::survey::Survey;
use crate::tracking::sweep_lists::{MOST_BOXES, SweepLists};
use crate::tracking::watched::Flip;

/// How a [`Tracker`] works.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TrackerConfig {
    /// Whether [`TrackedFrame::events`] has the pairs that persist, too. They are counted in any case.
    pub persisting: bool,
    /// What of the last frame serves the next.
    pub coherence: Coherence,
}

/// What of the last frame serves a [`Tracker`] in the next. The pairs of every frame are those of a fresh check in any case.
///
/// Coherence works on the CPU. Where the checker runs on a GPU every frame is checked afresh; likewise with a margin
/// ([`Config::margin`](crate::Config::margin), [`Rules::margins`](crate::Rules::margins)), with another precision than
/// [`Precision::Exact`](crate::Precision::Exact), with [`Config::max_pairs`](crate::Config::max_pairs), with scenes of numbers below 2^-60, and with
/// excluded pairs if ids do not ascend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Coherence {
    /// [`Coherence::Fattened`] where it promises to take less time than fresh checks, by how fast boxes are seen to move, and fresh checks
    /// elsewhere. It takes some 200 bytes a box and 24 a pair that is near.
    #[default]
    Auto,
    /// Every box has fattened bounds to move in, and pairs of them are tested again only when both boxes together may have moved as far as they
    /// were apart, or overlapped. O(boxes + pairs nearby) a frame; tests few of them.
    Fattened,
    /// Three lists of interval ends, sorted by insertion: for some thousands of boxes. With ids that do not ascend frames are checked afresh.
    SweepLists,
    /// Every frame is checked afresh.
    None,
}

/// How the pairs of a frame were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FoundBy {
    /// By a fresh check.
    #[default]
    FreshCheck,
    /// From what is known of the last frame.
    Coherence,
}

/// What was done for a frame, as counts. All but `found_by` are 0 for a fresh check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FrameWork {
    /// How the pairs were found.
    pub found_by: FoundBy,
    /// Boxes that have moved, turned or changed.
    pub moved: usize,
    /// Pairs near enough to be watched.
    pub watched: usize,
    /// Those of them that were tested again.
    pub tested: usize,
    /// Boxes that have left their fattened bounds and got others; with sweep lists, how often an interval end has passed another.
    pub renewed: usize,
    /// Whether everything was sorted anew.
    pub rebuilt: bool,
}

/// The pairs of a frame, and what has changed since the frame before. Boxes are named by their ids.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TrackedFrame<'a> {
    /// The colliding pairs, a < b, sorted.
    pub pairs: &'a [Pair],
    /// What has changed, sorted by pair.
    pub events: &'a [Event],
    /// Pairs that begin.
    pub begin: usize,
    /// Pairs that persist.
    pub persist: usize,
    /// Pairs that end.
    pub end: usize,
    /// What was done to find them.
    pub work: FrameWork,
}

/// Checks frame after frame and says which pairs begin, persist and end.
///
/// Between frames boxes may move in any way, turn, jump, come and go, change their extents, groups and rules. A box is the same from frame to
/// frame if its id is.
///
/// ```
/// use obbligato::{Backend, Checker, Config, EventKind, Obb, Pair, Tracker, TrackerConfig, glam::Vec3};
/// # fn main() -> obbligato::Result<()> {
/// let checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
/// let mut tracker = Tracker::new(checker, TrackerConfig::default());
/// let cube = |x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE);
/// // Two cars by their numbers; the second catches up, and leaves.
/// let frame = tracker.update_named(&[17, 4], &[cube(0.0), cube(-3.0)])?;
/// assert!(frame.pairs.is_empty());
/// let frame = tracker.update_named(&[17, 4], &[cube(0.5), cube(-1.0)])?;
/// assert_eq!((frame.events[0].pair, frame.events[0].kind), (Pair::new(4, 17), EventKind::Begin));
/// let frame = tracker.update_named(&[17], &[cube(1.0)])?;
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
    /// Fresh checks until coherence is tried again, and how many they were the last time.
    pause: u32,
    last_pause: u32,
}

/// What is known of the last frame.
enum Known {
    Nothing,
    Fattened(Box<Coherent>),
    SweepLists(Box<SweepLists>),
}

/// Scenes with fewer boxes are checked afresh: it takes no time.
const FEWEST: usize = 1024;
/// Frames that anchors last if none of those considered pays.
const FRAMES: u16 = 8;
/// Fresh checks after coherence was in vain, at first and at most.
const PAUSES: [u32; 2] = [8, 256];

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
            pause: 0,
            last_pause: 0,
        }
    }

    /// The next frame, of bodies whose ids are their positions.
    ///
    /// # Errors
    /// As [`Checker::check`]; [`Error::Unavailable`] if the checker does not return pairs. The frame then counts as not given.
    pub fn update<'a>(&mut self, bodies: impl Into<BodySet<'a>>) -> Result<TrackedFrame<'_>> {
        self.next(None, bodies.into())
    }

    /// The next frame, of bodies with these ids, which are any numbers, in the order of the numbering of
    /// [`Bodies`](crate::Bodies). A body is the same from frame to frame if its id is, whatever its shape; ids need not be in any order.
    ///
    /// # Errors
    /// As [`Tracker::update`]; [`Error::MissingIds`], [`Error::DuplicateId`].
    pub fn update_named<'a>(&mut self, ids: &[u32], bodies: impl Into<BodySet<'a>>) -> Result<TrackedFrame<'_>> {
        self.next(Some(ids), bodies.into())
    }

    /// A distance for each box of the last frame, in ascending order of ids: while no point of any box has moved further than its box's
    /// distance, no pair begins or ends. In the caller's unit, rounded down. 0 says nothing: boxes that touch have it, and all have it if the last frame was
    /// [checked afresh](FoundBy).
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

    /// Finds the pairs of a frame; `room` is for the boxes around its bodies.
    fn work(
        &mut self,
        ids: Option<&[u32]>,
        known: Known,
        names: &Names,
        bodies: &BodySet<'_>,
        room: &mut Vec<Obb>,
    ) -> Result<FrameWork> {
        let boxes = match bodies.bodies.only_boxes() {
            _ if !self.may_be_coherent(bodies) => None,
            Some(boxes) => Some(boxes),
            None => {
                bodies.bodies.validate()?;
                around(bodies.bodies, room)?
            }
        };
        let followed = boxes.map(|boxes| Followed {
            boxes: BoxSet::new(boxes).with(bodies.rules),
            bodies,
            names,
            shapes: Shapes::new(bodies.bodies, names),
        });
        let coherent = match followed.filter(|frame| Magnification::of(frame.boxes.boxes).is_none()) {
            Some(frame) => names.rules_in_slots(&frame.boxes)?.map(|rules| (frame, rules)),
            None => None,
        };
        match (coherent, known) {
            (Some((frame, rules)), Known::Fattened(coherent)) => self.follow(coherent, &frame, &rules),
            (Some((frame, _)), known) if self.config.coherence == Coherence::SweepLists && names.in_order() => {
                self.sweep(known, &frame)
            }
            (coherent, _) => {
                self.check(ids, names, bodies)?;
                if let Some((frame, rules)) = coherent.filter(|_| self.config.coherence != Coherence::SweepLists) {
                    self.consider(&frame, &rules)?;
                }
                Ok(FrameWork::default())
            }
        }
    }

    /// Whether anything of the last frame can serve the next.
    fn may_be_coherent(&self, set: &BodySet<'_>) -> bool {
        let (config, count) = (self.checker.config(), set.bodies.len());
        let is_wanted = match self.config.coherence {
            Coherence::None => false,
            Coherence::Auto => count >= FEWEST,
            Coherence::Fattened => count > 0,
            Coherence::SweepLists => (1..MOST_BOXES).contains(&count),
        };
        is_wanted
            && config.precision == Precision::Exact
            && config.max_pairs.is_none()
            && config.margin == 0.0
            && set.rules.margins.is_none()
            && matches!(self.checker.engine_for(count), Engine::Cpu { .. })
    }

    /// A frame by a fresh check.
    fn check(&mut self, ids: Option<&[u32]>, names: &Names, set: &BodySet<'_>) -> Result<()> {
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

    /// After a fresh check: what of this frame will serve the next.
    fn consider(&mut self, frame: &Followed<'_>, rules: &SetRules<'_>) -> Result<()> {
        let Followed { names, shapes, .. } = frame;
        let boxes = names.in_slots(frame.boxes.boxes, &mut self.in_slots)?;
        let motions = self.survey.motions(names, boxes);
        self.survey = Survey::of(names, boxes);
        if self.pause > 0 {
            self.pause -= 1;
            return Ok(());
        }
        let lasting = motions.and_then(|motions| pace::frames_at_first(motions, self.size));
        let forced = (self.config.coherence == Coherence::Fattened).then_some(FRAMES);
        if let Some(lasting) = lasting.or(forced) {
            let speed = motions.unwrap_or_default().speed;
            let coherent = parallel::within(boxes.len(), || Coherent::begin((boxes, shapes), rules, speed, lasting))?;
            self.forms = shapes.forms()?;
            self.known = Known::Fattened(Box::new(coherent));
        }
        Ok(())
    }

    /// A frame from what is known of the last.
    fn follow(&mut self, mut coherent: Box<Coherent>, frame: &Followed<'_>, rules: &SetRules<'_>) -> Result<FrameWork> {
        let Followed { names, shapes, .. } = frame;
        let boxes = names.in_slots(frame.boxes.boxes, &mut self.in_slots)?;
        let same = names.same_ids(&self.names);
        let slots = match same {
            true => None,
            false => Some(names.slots_of(&self.names)?),
        };
        if let Some(slots) = &slots {
            validate(frame.boxes.boxes)?;
            coherent.rename(slots, boxes)?;
        }
        let before = std::mem::replace(&mut self.forms, shapes.forms()?);
        coherent.forget(changed(&before, &self.forms, self.names.len(), slots.as_deref()));
        let lasting = pace::frames(coherent.motions(), self.size);
        self.flips.clear();
        let (lasting, flips) = (lasting.unwrap_or(FRAMES), &mut self.flips);
        let done = parallel::within(boxes.len(), || coherent.advance((boxes, shapes), rules, lasting, flips))
            .map_err(|error| first_error(error, frame.boxes.boxes))?;
        match same {
            true => self.change(names)?,
            false => {
                let mut pairs = std::mem::take(&mut self.spare);
                pairs.clear();
                memory::reserve(&mut pairs, self.pairs.len() + self.flips.len(), "the colliding pairs")?;
                for pair in coherent.colliding() {
                    memory::push(&mut pairs, names.named(pair), "the colliding pairs")?;
                }
                self.take(pairs)?;
            }
        }
        let in_vain = done.rebuilt && coherent.was_in_vain(self.size);
        if in_vain && self.config.coherence == Coherence::Auto {
            self.last_pause = (2 * self.last_pause).clamp(PAUSES[0], PAUSES[1]);
            self.pause = self.last_pause;
        } else {
            self.known = Known::Fattened(coherent);
        }
        Ok(work_of(done))
    }

    /// Makes the pairs of the last frame those of this one, by what has changed.
    fn change(&mut self, names: &Names) -> Result<()> {
        const WHAT: &str = "the colliding pairs";
        let (pairs, events) = (&mut self.spare, &mut self.events);
        events.clear();
        self.begin = self.flips.iter().filter(|flip| flip.collides).count();
        self.end = self.flips.len() - self.begin;
        if self.flips.is_empty() && !self.config.persisting {
            return Ok(());
        }
        pairs.clear();
        memory::reserve(pairs, self.pairs.len() + self.flips.len(), WHAT)?;
        let persisting = if self.config.persisting { self.pairs.len() } else { 0 };
        memory::reserve(events, persisting + self.flips.len(), "the events")?;
        let mut rest = &self.pairs[..];
        let stay = |some: &[Pair], pairs: &mut Vec<Pair>, events: &mut Vec<Event>| {
            pairs.extend_from_slice(some);
            if persisting > 0 {
                let kind = EventKind::Persist;
                events.extend(some.iter().map(|&pair| Event { pair, kind }));
            }
        };
        for flip in &self.flips {
            let pair = names.named(flip.pair);
            let (some, others) = rest.split_at(rest_before(rest, pair));
            stay(some, pairs, events);
            rest = others;
            match flip.collides {
                true => pairs.push(pair),
                false => rest = &rest[1..],
            }
            let kind = if flip.collides {
                EventKind::Begin
            } else {
                EventKind::End
            };
            events.push(Event { pair, kind });
        }
        stay(rest, pairs, events);
        std::mem::swap(&mut self.pairs, &mut self.spare);
        Ok(())
    }

    /// A frame by sweep lists and a check of the pairs that they find.
    fn sweep(&mut self, known: Known, frame: &Followed<'_>) -> Result<FrameWork> {
        let (names, boxes) = (frame.names, frame.boxes.boxes);
        let mut lists = match known {
            Known::SweepLists(lists) => lists,
            _ => Box::default(),
        };
        let swept = lists
            .advance(boxes, !names.same_ids(&self.names))
            .map_err(|error| first_error(error, boxes))?;
        self.checker
            .check_into(Query::pairs(*frame.bodies, lists.pairs()), &mut self.report)?;
        let mut pairs = std::mem::take(&mut self.spare);
        pairs.clear();
        memory::extend(&mut pairs, self.report.pairs()?, "the colliding pairs")?;
        parallel::update(&mut pairs, |_, pair| *pair = names.named(*pair));
        self.take(pairs)?;
        let work = FrameWork {
            found_by: FoundBy::Coherence,
            moved: 0,
            watched: lists.pairs().len(),
            tested: lists.pairs().len(),
            renewed: swept.passages,
            rebuilt: swept.anew,
        };
        self.known = Known::SweepLists(lists);
        Ok(work)
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

/// A frame that may serve the next: its bodies, the boxes around them, and who they are.
#[derive(Clone, Copy)]
struct Followed<'a> {
    boxes: BoxSet<'a>,
    bodies: &'a BodySet<'a>,
    names: &'a Names,
    shapes: Shapes<'a>,
}

/// The slots of bodies whose forms were others, given the slots that those of before, so many, have now if they are not the same.
fn changed<'a>(
    before: &'a [Form],
    now: &'a [Form],
    count: usize,
    slots: Option<&'a [u32]>,
) -> impl Iterator<Item = u32> + 'a {
    let form = |forms: &[Form], slot: usize| forms.get(slot).copied().unwrap_or_default();
    // Boxes tell by themselves.
    let count = if before.is_empty() && now.is_empty() { 0 } else { count };
    (0..count).filter_map(move |old| {
        let slot = slots.map_or(old as u32, |slots| slots[old]);
        (slot != NOWHERE && form(before, old) != form(now, slot as usize)).then_some(slot)
    })
}

/// How many pairs are before this one. Changes are close together: most are found by a few steps.
fn rest_before(rest: &[Pair], pair: Pair) -> usize {
    let mut reach = 1;
    while reach < rest.len() && rest[reach] < pair {
        reach *= 2;
    }
    let most = (reach + 1).min(rest.len());
    rest[..most].partition_point(|other| *other < pair)
}

/// An error about boxes in the order of their ids, by their positions in the caller's list.
fn first_error(error: Error, boxes: &[Obb]) -> Error {
    match error {
        Error::InvalidBox { .. } => validate(boxes).err().unwrap_or(error),
        other => other,
    }
}

fn work_of(done: Done) -> FrameWork {
    FrameWork {
        found_by: FoundBy::Coherence,
        moved: done.moved,
        watched: done.watched,
        tested: done.tested,
        renewed: done.renewed,
        rebuilt: done.rebuilt,
    }
}
