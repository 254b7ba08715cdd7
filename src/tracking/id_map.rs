//! Ids and slots. A slot is the position of a box among all boxes of a frame, in ascending order of
//! their ids. Pairs sorted by slot are sorted by id, and stay sorted when boxes are added and
//! removed.

use crate::base::error::{Error, Result};
use crate::base::{memory, parallel};
use crate::geometry::pair::Pair;
use crate::rules::filter::SetRules;
use crate::rules::model::Rules;
use crate::shapes::obb::record::Obb;

/// Label for out-of-memory errors.
const WHAT: &str = "the ids of the boxes";

/// No slot.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// The ids of the boxes of a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct IdMap {
    boxes: usize,
    /// The ids, ascending. `None` if they are the positions.
    ids: Option<Vec<u32>>,
    /// The position of the box in each slot. `None` if the slots are the positions.
    positions: Option<Vec<u32>>,
}

impl IdMap {
    /// Creates the names of `boxes` boxes.
    ///
    /// # Errors
    /// [`Error::MissingIds`], [`Error::DuplicateId`].
    pub fn new(ids: Option<&[u32]>, boxes: usize) -> Result<Self> {
        let Some(ids) = ids else {
            return Ok(Self {
                boxes,
                ..Self::default()
            });
        };
        if ids.len() != boxes {
            return Err(Error::MissingIds { boxes, ids: ids.len() });
        }
        if ids.is_sorted_by(|a, b| a < b) {
            return Ok(Self {
                boxes,
                ids: Some(memory::collect(ids.iter().copied(), WHAT)?),
                positions: None,
            });
        }
        let mut keys = parallel::collect(boxes, WHAT, |k| u64::from(ids[k]) << 32 | k as u64)?;
        parallel::sort(&mut keys);
        // Equal ids are adjacent, in the order of their positions.
        let twice = keys.windows(2).filter(|two| two[0] >> 32 == two[1] >> 32);
        if let Some(two) = twice.min_by_key(|two| two[1] as u32) {
            return Err(Error::DuplicateId {
                id: (two[0] >> 32) as u32,
                first: two[0] as u32 as usize,
                second: two[1] as u32 as usize,
            });
        }
        Ok(Self {
            boxes,
            ids: Some(memory::collect(keys.iter().map(|key| (key >> 32) as u32), WHAT)?),
            positions: Some(memory::collect(keys.iter().map(|&key| key as u32), WHAT)?),
        })
    }

    /// Returns the number of boxes.
    pub fn len(&self) -> usize {
        self.boxes
    }

    /// Returns `true` if the ids are the same, in any order of the boxes.
    pub fn same_ids(&self, other: &Self) -> bool {
        self.boxes == other.boxes && self.ids == other.ids
    }

    /// Returns `true` if the slots are the positions.
    pub fn in_order(&self) -> bool {
        self.positions.is_none()
    }

    /// Returns the id of the box in a slot.
    pub fn id(&self, slot: u32) -> u32 {
        self.ids.as_ref().map_or(slot, |ids| ids[slot as usize])
    }

    /// Returns the position of the body in a slot.
    pub fn position(&self, slot: u32) -> u32 {
        self.positions
            .as_ref()
            .map_or(slot, |positions| positions[slot as usize])
    }

    /// Returns the number of these slots before that of an id.
    pub fn before(&self, slots: &std::ops::Range<u32>, id: u32) -> u32 {
        match &self.ids {
            Some(ids) => ids[slots.start as usize..slots.end as usize].partition_point(|other| *other < id) as u32,
            None => id.clamp(slots.start, slots.end) - slots.start,
        }
    }

    /// Converts a pair of slots into a pair of ids.
    pub fn named(&self, Pair { a, b }: Pair) -> Pair {
        Pair {
            a: self.id(a),
            b: self.id(b),
        }
    }

    /// Converts a pair of positions into a pair of ids.
    pub fn of_positions(&self, given: Option<&[u32]>, pair: Pair) -> Pair {
        given.map_or(pair, |ids| Pair::new(ids[pair.a as usize], ids[pair.b as usize]))
    }

    /// Returns the boxes in the order of their slots, either as given or in `room`.
    pub fn in_slots<'a>(&self, boxes: &'a [Obb], room: &'a mut Vec<Obb>) -> Result<&'a [Obb]> {
        let Some(positions) = &self.positions else {
            return Ok(boxes);
        };
        memory::make_scratch(room, boxes.len(), "the boxes in the order of their ids")?;
        parallel::fill(room, |slot| boxes[positions[slot] as usize]);
        Ok(room)
    }

    /// Returns the rules of a set, by slots. `None` if they exclude pairs of positions that are not
    /// slots.
    pub fn rules_in_slots<'a>(&self, rules: &Rules<'a>) -> Result<Option<SetRules<'a>>> {
        let rules = SetRules::new(rules, self.len())?;
        Ok(match &self.positions {
            None => Some(rules),
            Some(_) if rules.excluded.is_some() => None,
            Some(positions) => Some(rules.of_part(positions)?),
        })
    }

    /// Returns for each slot of `before` the slot of the same id here, or [`NOWHERE`].
    pub fn slots_of(&self, before: &Self) -> Result<Vec<u32>> {
        let mut slots = memory::filled(before.len(), NOWHERE, WHAT)?;
        let mut now = 0;
        for (old, slot) in (0..).zip(&mut slots) {
            let id = before.id(old);
            while now < self.boxes && self.id(now as u32) < id {
                now += 1;
            }
            if now < self.boxes && self.id(now as u32) == id {
                *slot = now as u32;
            }
        }
        Ok(slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_ascend_by_id() {
        let names = IdMap::new(Some(&[7, u32::MAX, 0]), 3).expect("ids");
        assert_eq!([0, 1, 2].map(|slot| names.id(slot)), [0, 7, u32::MAX]);
        assert!(!names.in_order());
        let before = IdMap::new(Some(&[3, 7, u32::MAX]), 3).expect("ids");
        assert_eq!(names.slots_of(&before).expect("memory"), [NOWHERE, 1, 2]);
        let positions = IdMap::new(None, 8).expect("no ids");
        assert_eq!(positions.slots_of(&before).expect("memory"), [3, 7, NOWHERE]);
        assert!(positions.same_ids(&IdMap::new(None, 8).expect("no ids")));
    }

    #[test]
    fn ids_must_be_unique_and_one_per_box() {
        assert!(matches!(
            IdMap::new(Some(&[1]), 2),
            Err(Error::MissingIds { boxes: 2, ids: 1 })
        ));
        let twice = IdMap::new(Some(&[4, 2, 9, 2, 4]), 5);
        let expected = (2, 1, 3);
        assert!(matches!(twice, Err(Error::DuplicateId { id, first, second }) if (id, first, second) == expected));
    }
}
