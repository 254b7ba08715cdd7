//! Points by their ids.

use std::borrow::Cow;

use glam::{DVec3, Vec3};

use crate::error::Result;
use crate::ids::{IdOrder, Ids};

/// The points of a file, a group for each id. Comes from
/// [`read_points`](crate::read_points).
#[derive(Clone, Debug, PartialEq)]
pub struct PointGroups {
    /// The id of each group, in the order in which they first occur in the file.
    pub ids: Ids,
    /// `true` if the file has no column `z`: the points are then in the plane z = 0.
    pub in_plane: bool,
    /// All points, group by group, those of a group in the order of the file; relative to
    /// [`PointGroups::origins`].
    pub points: Vec<Vec3>,
    /// The end of each group in the list of points.
    pub ends: Vec<usize>,
    /// The point subtracted from all points of a group, in `f64`, before they were rounded to
    /// `f32`: 0 unless all points together are so far from the origin of coordinates that rounding
    /// would move them by more than a millionth of their extent. Numbers that are `f32` in the file
    /// stay exact.
    pub origins: Vec<DVec3>,
    /// The largest distance by which rounding has moved points of a group along an axis, in the
    /// unit of the file.
    pub moves: Vec<f64>,
    /// The number of groups with points that rounding has moved by more than a millionth of the
    /// extent of the group.
    pub rough: usize,
}

/// The origins that the points of a file are relative to, if they are far from the origin of
/// coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origins {
    /// One origin for all, so that groups keep their relative positions.
    #[default]
    Common,
    /// One for each group, so that its points are as close as possible to those in the file.
    Each,
}

impl PointGroups {
    /// Returns the number of groups.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the points of a group: at least one.
    ///
    /// # Panics
    /// If there is no group of this number.
    pub fn get(&self, group: usize) -> &[Vec3] {
        let begin = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.points[begin..self.ends[group]]
    }

    /// Returns the groups in the order of their ids. O(n log n), or O(n) if they are sorted.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    pub fn order(&self) -> Result<IdOrder<'_>> {
        IdOrder::new(Some(&self.ids), self.len())
    }

    /// Returns a number for each group that sorts as its id does, like
    /// [`SceneFile::keys`](crate::SceneFile::keys).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    pub fn keys(&self) -> Result<Option<Cow<'_, [u32]>>> {
        Ok(self.order()?.into_keys())
    }

    /// Returns the points of each group, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Vec3]> {
        (0..self.len()).map(|group| self.get(group))
    }
}
