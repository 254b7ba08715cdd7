//! Frames computed from the state of the last one, and the decision when that pays.

use crate::base::clock::Instant;
use crate::base::config::Precision;
use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::base::{memory, parallel};
use crate::engine::query::Query;
use crate::geometry::pair::Pair;
use crate::outputs::events_cpu::{Event, EventKind};
use crate::rules::filter::SetRules;
use crate::shapes::obb::obb_bounds_cpu::{obb_bounds, validate};
use crate::shapes::obb::record::Obb;
use crate::shapes::rescaled::Rescaling;
use crate::tracking::coherent::{Coherent, Done};
use crate::tracking::id_map::{IdMap, NOWHERE};
use crate::tracking::lifetime;
use crate::tracking::shapes::{Form, Shapes, around};
use crate::tracking::survey::Survey;
use crate::tracking::sweep_lists::MOST_BOXES;
use crate::tracking::tracker::config::Coherence;
use crate::tracking::tracker::frame::{FoundBy, FrameWork};
use crate::tracking::tracker::{Bodied, Known, Tracker};

/// Scenes with fewer boxes are checked afresh because that takes almost no time.
const FEWEST: usize = 1024;
/// The lifetime of fat AABBs in frames if none of those considered pays.
const FRAMES: u16 = 8;

impl Tracker {
    /// Finds the pairs of a frame; `room` receives the boxes around its bodies.
    pub(super) fn work(
        &mut self,
        ids: Option<&[u32]>,
        known: Known,
        names: &IdMap,
        set: &Bodied<'_>,
        room: &mut Vec<Obb>,
    ) -> Result<FrameWork> {
        let boxes = match set.bodies.only_boxes() {
            _ if !self.may_be_coherent(set) => None,
            Some(boxes) => Some(boxes),
            None => {
                set.bodies.validate()?;
                around(set.bodies, room)?
            }
        };
        let followed = boxes.map(|boxes| Followed {
            boxes,
            set,
            names,
            shapes: Shapes::new(set.bodies, names),
        });
        let coherent = match followed.filter(|frame| Rescaling::of(frame.boxes).is_none()) {
            Some(frame) => names.rules_in_slots(&frame.set.rules)?.map(|rules| (frame, rules)),
            None => None,
        };
        match (coherent, known) {
            (Some((frame, rules)), Known::Fattened(coherent)) => self.follow(coherent, &frame, &rules),
            (Some((frame, _)), known) if self.config.coherence == Coherence::SweepLists && names.in_order() => {
                self.sweep(known, &frame)
            }
            (coherent, _) => {
                self.check(ids, names, set)?;
                if let Some((frame, rules)) = coherent.filter(|_| self.config.coherence != Coherence::SweepLists) {
                    self.consider(&frame, &rules)?;
                }
                Ok(FrameWork::default())
            }
        }
    }

    /// Returns `true` if the next frame can use any state of the last.
    fn may_be_coherent(&self, set: &Bodied<'_>) -> bool {
        let (config, count) = (self.checker.config(), set.bodies.len());
        let is_wanted = match self.config.coherence {
            Coherence::None => false,
            Coherence::Auto => count >= FEWEST,
            Coherence::Fattened => count > 0,
            Coherence::SweepLists => (1..MOST_BOXES).contains(&count),
        };
        is_wanted
            && self.config.period.is_none()
            && config.precision == Precision::Exact
            && config.max_pairs.is_none()
            && config.margin == 0.0
            && set.rules.margins.is_none()
            && matches!(self.checker.engine_for(count), Engine::Cpu { .. })
    }

    /// Decides after a fresh check which state of this frame to keep for the next.
    fn consider(&mut self, frame: &Followed<'_>, rules: &SetRules<'_>) -> Result<()> {
        let Followed { names, shapes, .. } = frame;
        let boxes = names.in_slots(frame.boxes, &mut self.in_slots)?;
        let motions = self.survey.motions(names, boxes);
        self.survey = Survey::of(names, boxes);
        if self.measured.is_paused(self.size) {
            return Ok(());
        }
        let lasting = motions.and_then(|motions| lifetime::frames_at_first(motions, self.size));
        let forced = (self.config.coherence == Coherence::Fattened).then_some(FRAMES);
        if let Some(lasting) = lasting.or(forced) {
            let speed = motions.unwrap_or_default().speed;
            let coherent = parallel::within(boxes.len(), || Coherent::begin((boxes, shapes), rules, speed, lasting))?;
            self.forms = shapes.forms()?;
            self.known = Known::Fattened(Box::new(coherent));
        }
        Ok(())
    }

    /// Computes a frame from the state of the last.
    fn follow(&mut self, mut coherent: Box<Coherent>, frame: &Followed<'_>, rules: &SetRules<'_>) -> Result<FrameWork> {
        let start = Instant::now();
        let Followed { names, shapes, .. } = frame;
        let boxes = names.in_slots(frame.boxes, &mut self.in_slots)?;
        let same = names.same_ids(&self.names);
        let slots = match same {
            true => None,
            false => Some(names.slots_of(&self.names)?),
        };
        if let Some(slots) = &slots {
            validate(frame.boxes)?;
            coherent.rename(slots, boxes)?;
        }
        let before = std::mem::replace(&mut self.forms, shapes.forms()?);
        coherent.forget(changed(&before, &self.forms, self.names.len(), slots.as_deref()));
        let lasting = lifetime::frames(coherent.motions(), self.size);
        self.flips.clear();
        let (lasting, flips) = (lasting.unwrap_or(FRAMES), &mut self.flips);
        let done = parallel::within(boxes.len(), || coherent.advance((boxes, shapes), rules, lasting, flips))
            .map_err(|error| first_error(error, frame.boxes))?;
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
        let loses = self.measured.followed(start.elapsed(), self.size) == Some(true);
        let in_vain = loses || done.rebuilt && coherent.was_in_vain(self.size);
        if in_vain && self.config.coherence == Coherence::Auto {
            self.measured.pause(self.size);
        } else {
            self.known = Known::Fattened(coherent);
        }
        Ok(work_of(done))
    }

    /// Updates the pairs of the last frame to those of this one, from the changes.
    fn change(&mut self, names: &IdMap) -> Result<()> {
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

    /// Computes a frame with sweep lists and a check of the pairs that they find.
    fn sweep(&mut self, known: Known, frame: &Followed<'_>) -> Result<FrameWork> {
        let (names, boxes) = (frame.names, frame.boxes);
        let mut lists = match known {
            Known::SweepLists(lists) => lists,
            _ => Box::default(),
        };
        let swept = lists
            .advance(boxes.len(), !names.same_ids(&self.names), |bounds| {
                obb_bounds(boxes, |_| 0.0, bounds)
            })
            .map_err(|error| first_error(error, boxes))?;
        self.checker
            .check_into(Query::pairs(frame.set.query_set(), lists.pairs()), &mut self.report)?;
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
}

/// A frame whose state may be kept: its bodies, the boxes around them, and their names.
#[derive(Clone, Copy)]
struct Followed<'a> {
    boxes: &'a [Obb],
    set: &'a Bodied<'a>,
    names: &'a IdMap,
    shapes: Shapes<'a>,
}

/// Returns the slots of bodies whose forms have changed. `count` is the number of previous bodies,
/// and `slots` are their current slots, if they differ from the previous ones.
fn changed<'a>(
    before: &'a [Form],
    now: &'a [Form],
    count: usize,
    slots: Option<&'a [u32]>,
) -> impl Iterator<Item = u32> + 'a {
    let form = |forms: &[Form], slot: usize| forms.get(slot).copied().unwrap_or_default();
    // Changes of boxes are detected from the boxes themselves.
    let count = if before.is_empty() && now.is_empty() { 0 } else { count };
    (0..count).filter_map(move |old| {
        let slot = slots.map_or(old as u32, |slots| slots[old]);
        (slot != NOWHERE && form(before, old) != form(now, slot as usize)).then_some(slot)
    })
}

/// Returns the number of pairs before this one. Changes are close together, so a few steps find
/// most of them.
fn rest_before(rest: &[Pair], pair: Pair) -> usize {
    let mut reach = 1;
    while reach < rest.len() && rest[reach] < pair {
        reach *= 2;
    }
    let most = (reach + 1).min(rest.len());
    rest[..most].partition_point(|other| *other < pair)
}

/// Converts an error about boxes in the order of their ids to their positions in the caller's list.
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
