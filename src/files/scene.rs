//! The boxes of a file, with what else it says about them.

use std::borrow::Cow;

use glam::Vec3;

use crate::base::error::Result;
use crate::base::memory;
use crate::engine::query::BoxSet;
use crate::engine::sweep::MovingSet;
use crate::files::ids::{Id, IdOrder, Ids, id_of};
use crate::files::texts::Texts;
use crate::geometry::pair::Pair;
use crate::rules::model::Rules;
use crate::shapes::moving::motion::Motion;
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
    pub ids: Option<Ids>,
    /// The owner of each box, if the file has an `owner` column; an empty field is [`NO_OWNER`](crate::NO_OWNER).
    pub owners: Option<Vec<u32>>,
    /// The world of each box, if the file has a `world` column.
    pub worlds: Option<Vec<u32>>,
    /// Whether each box is static, if the file has a `static` column of 0 and 1.
    pub statics: Option<Vec<bool>>,
    /// The columns that [`ReadOptions::columns`](crate::files::ReadOptions::columns) names, in its order.
    pub columns: Vec<Column>,
    /// How each box moves, at rest where the file says nothing about it; `None` unless
    /// [`ReadOptions::motions`](crate::files::ReadOptions::motions) asks for it.
    pub motions: Option<Vec<Motion>>,
}

/// A column of a scene file as it stands, one text for each box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in the header.
    pub name: String,
    /// Its fields, without blanks around them.
    pub values: Texts,
}

impl SceneFile {
    /// The boxes with the file's rules.
    pub fn set(&self) -> BoxSet<'_> {
        BoxSet::new(&self.boxes).with(self.rules())
    }

    /// The boxes with their motions and the file's rules. Without [`SceneFile::motions`] a sweep says that they are missing, unless
    /// there are no boxes.
    pub fn moving_set(&self) -> MovingSet<'_> {
        let motions = self.motions.as_deref().unwrap_or_default();
        MovingSet::new(&self.boxes, motions).with(self.rules())
    }

    fn rules(&self) -> Rules<'_> {
        Rules {
            owners: self.owners.as_deref(),
            worlds: self.worlds.as_deref(),
            statics: self.statics.as_deref(),
            ..Rules::default()
        }
    }

    /// Whether the scene has something for which NPY has no place: ids, groups, rules or accelerations.
    pub fn needs_csv(&self) -> bool {
        needs_csv(&self.moving_set(), self.ids.as_ref())
    }

    /// The first list that has not one entry per box, and its length.
    pub(super) fn wrong_length(&self) -> Option<(&'static str, usize)> {
        let lengths = [
            ("ids", self.ids.as_ref().map(Ids::len)),
            ("owners", self.owners.as_ref().map(Vec::len)),
            ("worlds", self.worlds.as_ref().map(Vec::len)),
            ("statics", self.statics.as_ref().map(Vec::len)),
            ("motions", self.motions.as_ref().map(Vec::len)),
        ];
        let mut lengths = lengths.into_iter().filter_map(|(list, length)| Some((list, length?)));
        lengths.find(|(_, length)| *length != self.boxes.len())
    }

    /// The id of the box at a position of [`SceneFile::boxes`].
    ///
    /// # Panics
    /// If there is no box at `index`.
    pub fn id_of(&self, index: usize) -> Id<'_> {
        assert!(index < self.boxes.len(), "box {index} of {}", self.boxes.len());
        id_of(self.ids.as_ref(), index as u32)
    }

    /// The column of that name among [`SceneFile::columns`].
    pub fn column(&self, name: &str) -> Option<&Texts> {
        let column = self.columns.iter().find(|column| column.name == name)?;
        Some(&column.values)
    }

    /// The boxes in the order of their ids. O(n log n), or O(n) if they are sorted.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn order(&self) -> Result<IdOrder<'_>> {
        IdOrder::new(self.ids.as_ref(), self.boxes.len())
    }

    /// A number for each box that sorts as its id does: the id itself or, if ids are texts, its rank among the sorted ids,
    /// from 0. `None` if that is the position.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn keys(&self) -> Result<Option<Cow<'_, [u32]>>> {
        match &self.ids {
            Some(Ids::Numbers(numbers)) => Ok(Some(Cow::Borrowed(numbers))),
            _ => Ok(self.order()?.into_keys()),
        }
    }

    /// Converts pairs of a position in this file and one in another to pairs of [keys](SceneFile::keys), sorted: of ids, if
    /// these are numbers. O(p log p) if one of the files has ids.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Panics
    /// If a pair names a box that does not exist.
    pub fn pairs_of_ids_with(&self, other: &Self, pairs: &[Pair]) -> Result<Vec<Pair>> {
        let keys = [self.keys()?, other.keys()?];
        let id_pair = |pair: &Pair| Pair {
            a: key(&keys[0], pair.a),
            b: key(&keys[1], pair.b),
        };
        let mut pairs = memory::collect(pairs.iter().map(id_pair), WHAT)?;
        pairs.sort_unstable();
        Ok(pairs)
    }

    /// Converts pairs of positions, such as [`Report::pairs`](crate::Report::pairs), to pairs of [keys](SceneFile::keys), the
    /// smaller one first, sorted: of ids, if these are numbers. O(p log p) if the file has ids.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    ///
    /// # Panics
    /// If a pair names a box that does not exist.
    pub fn pairs_of_ids(&self, pairs: &[Pair]) -> Result<Vec<Pair>> {
        let keys = self.keys()?;
        let id_pair = |pair: &Pair| Pair::new(key(&keys, pair.a), key(&keys, pair.b));
        let mut pairs = memory::collect(pairs.iter().map(id_pair), WHAT)?;
        pairs.sort_unstable();
        Ok(pairs)
    }
}

/// The key of the box at a position.
fn key(keys: &Option<Cow<'_, [u32]>>, position: u32) -> u32 {
    match keys {
        Some(keys) => keys[position as usize],
        None => position,
    }
}

/// [`SceneFile::needs_csv`] for a scene in parts.
pub(super) fn needs_csv(set: &MovingSet, ids: Option<&Ids>) -> bool {
    let rules = &set.rules;
    let ruled = rules.owners.is_some() || rules.worlds.is_some() || rules.statics.is_some();
    ids.is_some() || ruled || has_groups(set.bodies.boxes) || has_accelerations(set.motions)
}

/// Whether some box accelerates.
pub(super) fn has_accelerations(motions: &[Motion]) -> bool {
    motions.iter().any(|motion| motion.acceleration != Vec3::ZERO)
}

/// Whether some box is not in all groups.
pub(super) fn has_groups(boxes: &[Obb]) -> bool {
    boxes.iter().any(|obb| obb.memberships & obb.filter != u32::MAX)
}
