//! The boxes of a file, with what else it says about them.

use crate::base::error::Result;
use crate::base::memory;
use crate::engine::query::BoxSet;
use crate::geometry::pair::Pair;
use crate::rules::model::Rules;
use crate::shapes::obb::record::Obb;

/// What memory is for.
const WHAT: &str = "the pairs by their ids";

/// The boxes of a file and their ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneFile {
    /// The boxes, in the file's order.
    pub boxes: Vec<Obb>,
    /// The id of each box, if the file has an `id` column; else a box's id is its row in the file, from 0. `None` if
    /// that is its position here, as in all files but those of which one frame was picked.
    pub ids: Option<Vec<u32>>,
    /// The owner of each box, if the file has an `owner` column; an empty field is [`NO_OWNER`](crate::NO_OWNER).
    pub owners: Option<Vec<u32>>,
    /// The world of each box, if the file has a `world` column.
    pub worlds: Option<Vec<u32>>,
    /// Whether each box is static, if the file has a `static` column of 0 and 1.
    pub statics: Option<Vec<bool>>,
}

impl SceneFile {
    /// The boxes with the file's rules.
    pub fn set(&self) -> BoxSet<'_> {
        BoxSet::new(&self.boxes).with(Rules {
            owners: self.owners.as_deref(),
            worlds: self.worlds.as_deref(),
            statics: self.statics.as_deref(),
            ..Rules::default()
        })
    }

    /// Whether the scene has more than the numbers of its boxes: ids, groups or rules, for which NPY has no place.
    pub fn needs_csv(&self) -> bool {
        needs_csv(&self.set(), self.ids.as_deref())
    }

    /// The first list that has not one entry per box, and its length.
    pub(super) fn wrong_length(&self) -> Option<(&'static str, usize)> {
        let lengths = [
            ("ids", self.ids.as_ref().map(Vec::len)),
            ("owners", self.owners.as_ref().map(Vec::len)),
            ("worlds", self.worlds.as_ref().map(Vec::len)),
            ("statics", self.statics.as_ref().map(Vec::len)),
        ];
        let mut lengths = lengths.into_iter().filter_map(|(list, length)| Some((list, length?)));
        lengths.find(|(_, length)| *length != self.boxes.len())
    }

    /// The id of the box at a position of [`SceneFile::boxes`].
    ///
    /// # Panics
    /// If there is no box at `index`.
    pub fn id_of(&self, index: usize) -> u32 {
        match &self.ids {
            Some(ids) => ids[index],
            None => {
                assert!(index < self.boxes.len(), "box {index} of {}", self.boxes.len());
                index as u32
            }
        }
    }

    /// Converts pairs of a position in this file and one in another to pairs of ids, sorted.
    /// O(p log p) if one of the files has ids.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Panics
    /// If a pair names a box that does not exist.
    pub fn pairs_of_ids_with(&self, other: &Self, pairs: &[Pair]) -> Result<Vec<Pair>> {
        let id_pair = |pair: &Pair| Pair {
            a: self.id_of(pair.a as usize),
            b: other.id_of(pair.b as usize),
        };
        let mut pairs = memory::collect(pairs.iter().map(id_pair), WHAT)?;
        pairs.sort_unstable();
        Ok(pairs)
    }

    /// Converts pairs of positions, such as [`Report::pairs`](crate::Report::pairs), to pairs of ids: the smaller id
    /// first, sorted. O(p log p) if the file has ids.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Panics
    /// If a pair names a box that does not exist.
    pub fn pairs_of_ids(&self, pairs: &[Pair]) -> Result<Vec<Pair>> {
        let id_pair = |pair: &Pair| Pair::new(self.id_of(pair.a as usize), self.id_of(pair.b as usize));
        let mut pairs = memory::collect(pairs.iter().map(id_pair), WHAT)?;
        pairs.sort_unstable();
        Ok(pairs)
    }
}

/// [`SceneFile::needs_csv`] for a scene in parts.
pub(super) fn needs_csv(set: &BoxSet, ids: Option<&[u32]>) -> bool {
    let rules = &set.rules;
    let ruled = rules.owners.is_some() || rules.worlds.is_some() || rules.statics.is_some();
    ids.is_some() || ruled || has_groups(set.boxes)
}

/// Whether some box is not in all groups.
pub(super) fn has_groups(boxes: &[Obb]) -> bool {
    boxes.iter().any(|obb| obb.memberships & obb.filter != u32::MAX)
}
