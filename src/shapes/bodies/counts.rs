//! How many bodies of each kind there are.

use crate::shapes::bodies::set::{Bodies, KINDS};

/// How many bodies of each kind there are, in this order: boxes and capsules of 48 bytes, then balls of 16.
///
/// A number alone is one of boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyCounts {
    /// [`Obb`](crate::Obb)s.
    pub boxes: u32,
    /// [`Capsule`](crate::Capsule)s.
    pub capsules: u32,
    /// [`Sphere`](crate::Sphere)s.
    pub spheres: u32,
}

impl BodyCounts {
    pub(crate) fn of_boxes(boxes: u32) -> Self {
        Self {
            boxes,
            ..Self::default()
        }
    }

    pub(crate) fn in_order(self) -> [u64; KINDS] {
        [self.boxes, self.capsules, self.spheres].map(u64::from)
    }

    /// Bodies of all kinds.
    pub(crate) fn total(self) -> usize {
        usize::try_from(self.in_order().iter().sum::<u64>()).unwrap_or(usize::MAX)
    }

    /// Whether there are balls alone.
    pub(crate) fn are_balls(self) -> bool {
        self.spheres > 0 && (self.boxes, self.capsules) == (0, 0)
    }
}

/// More than 2^32 - 1 boxes, of which no check takes that many, are so many.
impl From<usize> for BodyCounts {
    fn from(boxes: usize) -> Self {
        Self::of_boxes(u32::try_from(boxes).unwrap_or(u32::MAX))
    }
}

impl From<Bodies<'_>> for BodyCounts {
    fn from(bodies: Bodies<'_>) -> Self {
        let [boxes, capsules, spheres] = bodies.counts().map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        Self {
            boxes,
            capsules,
            spheres,
        }
    }
}
