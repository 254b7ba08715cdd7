//! What has changed between two sets of pairs.

use crate::base::error::Result;
use crate::base::memory;
use crate::geometry::pair::Pair;

/// What became of a pair since the frame before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EventKind {
    /// It collides now and did not before.
    Begin,
    /// It collides now as before.
    Persist,
    /// It collided before and does not now, or one of its boxes is gone.
    End,
}

impl EventKind {
    /// In lower case, as files have it: "begin", "persist", "end".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Persist => "persist",
            Self::End => "end",
        }
    }
}

/// A pair, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// The pair.
    pub pair: Pair,
    /// What became of it.
    pub kind: EventKind,
}

/// The events that lead from `before` to `now`, sorted by pair; both lists are sorted and have each pair once. O(pairs).
pub(crate) fn difference(before: &[Pair], now: &[Pair], persisting: bool, events: &mut Vec<Event>) -> Result<()> {
    events.clear();
    let (mut i, mut k) = (0, 0);
    while i < before.len() || k < now.len() {
        let (old, new) = (before.get(i), now.get(k));
        let (pair, kind) = match (old, new) {
            (Some(old), Some(new)) if old == new => (*old, EventKind::Persist),
            (Some(old), Some(new)) if old < new => (*old, EventKind::End),
            (Some(old), None) => (*old, EventKind::End),
            (_, Some(new)) => (*new, EventKind::Begin),
            (None, None) => break,
        };
        i += usize::from(kind != EventKind::Begin);
        k += usize::from(kind != EventKind::End);
        if persisting || kind != EventKind::Persist {
            memory::push(events, Event { pair, kind }, "the events")?;
        }
    }
    Ok(())
}
