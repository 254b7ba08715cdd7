//! The pairs of every frame, and what has changed since the frame before.

use std::collections::HashMap;

use crate::base::error::{Error, Result};
use crate::checker::Checker;
use crate::engine::query::BoxSet;
use crate::geometry::pair::Pair;
use crate::outputs::events::{Event, EventKind, difference};
use crate::outputs::report::Report;

/// How a [`Tracker`] works.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TrackerConfig {
    /// Whether [`TrackedFrame::events`] has the pairs that persist, too. They are counted in any case.
    pub persisting: bool,
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
}

/// Checks frame after frame and says which pairs begin, persist and end.
pub struct Tracker {
    checker: Checker,
    config: TrackerConfig,
    report: Report,
    pairs: Vec<Pair>,
    before: Vec<Pair>,
    events: Vec<Event>,
}

impl Tracker {
    /// A tracker that checks with `checker`.
    pub fn new(checker: Checker, config: TrackerConfig) -> Self {
        Self {
            checker,
            config,
            report: Report::default(),
            pairs: Vec::new(),
            before: Vec::new(),
            events: Vec::new(),
        }
    }

    /// The next frame, of boxes whose ids are their positions.
    ///
    /// # Errors
    /// As [`Checker::check`]. The frame then counts as not given.
    pub fn update<'a>(&mut self, boxes: impl Into<BoxSet<'a>>) -> Result<TrackedFrame<'_>> {
        self.next(None, boxes.into())
    }

    /// The next frame, of boxes with these ids. A box is the same from frame to frame if its id is; ids need not be in any order.
    ///
    /// # Errors
    /// As [`Tracker::update`]; [`Error::MissingIds`], [`Error::DuplicateId`].
    pub fn update_named<'a>(&mut self, ids: &[u32], boxes: impl Into<BoxSet<'a>>) -> Result<TrackedFrame<'_>> {
        self.next(Some(ids), boxes.into())
    }

    fn next(&mut self, ids: Option<&[u32]>, set: BoxSet<'_>) -> Result<TrackedFrame<'_>> {
        if let Some(ids) = ids {
            if ids.len() != set.boxes.len() {
                return Err(Error::MissingIds {
                    boxes: set.boxes.len(),
                    ids: ids.len(),
                });
            }
            let mut seen = HashMap::new();
            for (second, &id) in ids.iter().enumerate() {
                if let Some(first) = seen.insert(id, second) {
                    return Err(Error::DuplicateId { id, first, second });
                }
            }
        }
        self.checker.check_into(set, &mut self.report)?;
        let named = |pair: &Pair| ids.map_or(*pair, |ids| Pair::new(ids[pair.a as usize], ids[pair.b as usize]));
        let mut pairs: Vec<Pair> = self.report.pairs()?.iter().map(named).collect();
        pairs.sort_unstable();
        self.before = std::mem::replace(&mut self.pairs, pairs);
        difference(&self.before, &self.pairs, self.config.persisting, &mut self.events)?;
        let count = |kind| self.events.iter().filter(|event| event.kind == kind).count();
        let begin = count(EventKind::Begin);
        Ok(TrackedFrame {
            pairs: &self.pairs,
            events: &self.events,
            begin,
            persist: self.pairs.len() - begin,
            end: count(EventKind::End),
        })
    }
}
