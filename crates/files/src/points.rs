//! Points by their ids.

use std::borrow::Cow;

use glam::{DVec3, Vec3};

use crate::error::Result;
use crate::ids::{IdOrder, Ids};

/// The points of a file, a group for each id. From [`read_points`](crate::read_points).
#[derive(Clone, Debug, PartialEq)]
pub struct PointGroups {
    /// The id of each group, in the order in which they first come in the file.
    pub ids: Ids,
    /// All points, group after group, those of a group in the order of the file; relative to [`PointGroups::origins`].
    pub points: Vec<Vec3>,
    /// Where each group ends in the list of points.
    pub ends: Vec<usize>,
    /// What was subtracted from all points of a group, in `f64`, before they were rounded to `f32`: 0 unless all points together are so far
    /// from the origin of coordinates that rounding would move them by more than a millionth of their extent. Numbers that are `f32` in
    /// the file stay exact.
    pub origins: Vec<DVec3>,
    /// How far rounding has moved points of a group along an axis at most, in the unit of the file.
    pub moves: Vec<f64>,
    /// How many groups have points that rounding has moved by more than a millionth of the extent of the group.
    pub rough: usize,
}

/// Where the points of a file are relative to, if they are far from the origin of coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origins {
    /// All to one origin, so that groups are where they are to each other.
    #[default]
    Common,
    /// Those of each group to one of their own, where they are nearest to what the file says.
    Each,
}

impl PointGroups {
    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The points of a group: at least one.
    ///
    /// # Panics
    /// If there is no group of this number.
    pub fn get(&self, group: usize) -> &[Vec3] {
        let begin = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.points[begin..self.ends[group]]
    }

    /// The groups in the order of their ids. O(n log n), or O(n) if they are sorted.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    pub fn order(&self) -> Result<IdOrder<'_>> {
        IdOrder::new(Some(&self.ids), self.len())
    }

    /// A number for each group that sorts as its id does: as [`SceneFile::keys`](crate::SceneFile::keys).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    pub fn keys(&self) -> Result<Option<Cow<'_, [u32]>>> {
        Ok(self.order()?.into_keys())
    }

    /// The points of each group, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Vec3]> {
        (0..self.len()).map(|group| self.get(group))
    }
}
