//! The rules of several points at once.

use crate::rules::model::NO_OWNER;

/// The properties that rules use, of one point or of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Classes {
    /// The smallest and the largest world.
    pub worlds: [u32; 2],
    /// The owner of all; [`NO_OWNER`] if they have several or none.
    pub owner: u32,
    /// `true` if all are static.
    pub statics: bool,
    /// `true` if all are inactive.
    pub inactive: bool,
    /// All groups that one of them is in, and all that one of them can collide with.
    pub groups: [u32; 2],
}

impl Classes {
    /// The classes of points without rules.
    pub const ANY: Self = Self {
        worlds: [0; 2],
        owner: NO_OWNER,
        statics: false,
        inactive: false,
        groups: [u32::MAX; 2],
    };

    /// Returns the classes of both.
    pub fn union(self, other: Self) -> Self {
        let owner = if self.owner == other.owner {
            self.owner
        } else {
            NO_OWNER
        };
        let ([low, high], [other_low, other_high]) = (self.worlds, other.worlds);
        Self {
            worlds: [low.min(other_low), high.max(other_high)],
            owner,
            statics: self.statics && other.statics,
            inactive: self.inactive && other.inactive,
            groups: std::array::from_fn(|k| self.groups[k] | other.groups[k]),
        }
    }

    /// Returns `false` if the rules forbid every pair of a point of one and a point of the other.
    pub fn may_meet(&self, other: &Self) -> bool {
        let ([in_a, a_meets], [in_b, b_meets]) = (self.groups, other.groups);
        self.worlds[0] <= other.worlds[1]
            && other.worlds[0] <= self.worlds[1]
            && (self.owner == NO_OWNER || self.owner != other.owner)
            && !(self.statics && other.statics)
            && !(self.inactive && other.inactive)
            && in_a & b_meets != 0
            && in_b & a_meets != 0
    }

    /// Returns a number by which points are separated before they are sorted in space: pairs of
    /// different worlds are forbidden, and so may be those of points that have the others in
    /// common.
    pub fn section(&self) -> u64 {
        u64::from(self.worlds[0]) << 2 | u64::from(self.statics) << 1 | u64::from(self.inactive)
    }
}
