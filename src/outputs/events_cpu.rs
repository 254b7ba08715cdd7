//! The changes between two sets of pairs. Twin of `shaders/outputs/events.wgsl`. It walks both
//! lists in parallel, which suits a thread; the shader looks each pair up instead.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;

/// Label for out-of-memory errors.
const WHAT: &str = "the events";
/// Number of pairs per task.
const GRAIN: usize = 1 << 15;

/// The change of a pair since the previous frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EventKind {
    /// The pair collides in this frame and did not in the previous one.
    Begin,
    /// The pair collides in both frames.
    Persist,
    /// The pair collided in the previous frame and no longer does, or one of its boxes is gone.
    End,
}

impl EventKind {
    /// Returns the name in lower case, as used in files: "begin", "persist", "end".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Persist => "persist",
            Self::End => "end",
        }
    }
}

/// A pair and its change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// The pair.
    pub pair: Pair,
    /// The change of the pair.
    pub kind: EventKind,
}

/// Finds the events that lead from `before` to `now`, sorted by pair. Both lists must be sorted and
/// contain each pair once. Takes time O(pairs), on all cores.
pub(crate) fn difference(before: &[Pair], now: &[Pair], persisting: bool, events: &mut Vec<Event>) -> Result<()> {
    events.clear();
    // Cuts both lists at the same pairs.
    let tasks = now.len().max(before.len()).div_ceil(GRAIN);
    let longer = if now.len() > before.len() { now } else { before };
    let cut = |list: &[Pair], task: usize| match longer.get(task * GRAIN) {
        Some(first) if task > 0 => list.partition_point(|pair| pair < first),
        Some(_) => 0,
        None => list.len(),
    };
    let found = parallel::map_ranges_of(1, tasks, |range| {
        let of = |list| cut(list, range.start)..cut(list, range.end);
        let mut events = Vec::new();
        merge(&before[of(before)], &now[of(now)], persisting, &mut events).map(|()| events)
    });
    for found in found {
        memory::extend(events, &found?, WHAT)?;
    }
    Ok(())
}

/// Performs [`difference`] on one thread.
fn merge(before: &[Pair], now: &[Pair], persisting: bool, events: &mut Vec<Event>) -> Result<()> {
    let (mut i, mut k) = (0, 0);
    while i < before.len() || k < now.len() {
        let (pair, kind) = match (before.get(i), now.get(k)) {
            (Some(old), Some(new)) if old == new => (*old, EventKind::Persist),
            (Some(old), Some(new)) if old < new => (*old, EventKind::End),
            (Some(old), None) => (*old, EventKind::End),
            (_, Some(new)) => (*new, EventKind::Begin),
            (None, None) => break,
        };
        i += usize::from(kind != EventKind::Begin);
        k += usize::from(kind != EventKind::End);
        if persisting || kind != EventKind::Persist {
            memory::push(events, Event { pair, kind }, WHAT)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::base::split_mix::SplitMix;

    #[test]
    fn differences_of_lists_match_those_of_sets() {
        let mut random = SplitMix(3);
        let mut set = |count: usize, ids: u64| -> BTreeSet<Pair> {
            let mut id = || (random.next() % ids) as u32;
            (0..count).map(|_| Pair::new(id(), id())).collect()
        };
        for (before, now, ids) in [
            (0, 0, 9),
            (0, 5, 9),
            (7, 0, 9),
            (200_000, 150_000, 500),
            (90_000, 300_000, 1 << 40),
        ] {
            let (before, now) = (set(before, ids), set(now, ids));
            let lists = [&before, &now].map(|set| set.iter().copied().collect::<Vec<_>>());
            for persisting in [false, true] {
                let mut events = Vec::new();
                difference(&lists[0], &lists[1], persisting, &mut events).expect("memory");
                assert!(events.is_sorted_by(|a, b| a.pair < b.pair));
                let of = |kind| {
                    events
                        .iter()
                        .filter(move |event| event.kind == kind)
                        .map(|event| &event.pair)
                };
                assert!(of(EventKind::Begin).eq(now.difference(&before)));
                assert!(of(EventKind::End).eq(before.difference(&now)));
                let stay = of(EventKind::Persist).count();
                assert_eq!(
                    stay,
                    if persisting {
                        now.intersection(&before).count()
                    } else {
                        0
                    }
                );
            }
        }
    }
}
