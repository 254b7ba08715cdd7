//! Points by their ids.

use glam::Vec3;

use crate::files::ids::Ids;

/// The points of a file, a group for each id. From [`read_points`](crate::files::read_points).
#[derive(Clone, Debug, PartialEq)]
pub struct PointGroups {
    /// The id of each group, in the order in which they first come in the file.
    pub ids: Ids,
    /// All points, group after group, those of a group in the order of the file.
    pub points: Vec<Vec3>,
    /// Where each group ends in the list of points.
    pub ends: Vec<usize>,
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

    /// The points of each group, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Vec3]> {
        (0..self.len()).map(|group| self.get(group))
    }
}
