//! The number of bodies of each kind.

use crate::geometry::kinds::KINDS;
use crate::shapes::bodies::set::Bodies;

/// The number of bodies of each kind, in this order: boxes and capsules of 48 bytes, then spheres
/// of 16.
///
/// A plain number converts to a number of boxes.
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

    /// Returns the number of bodies of all kinds.
    pub(crate) fn total(self) -> usize {
        usize::try_from(self.in_order().iter().sum::<u64>()).unwrap_or(usize::MAX)
    }

    /// Returns `true` if all bodies are spheres and there is at least one.
    pub(crate) fn are_balls(self) -> bool {
        self.spheres > 0 && (self.boxes, self.capsules) == (0, 0)
    }
}

/// Saturates at 2^32 - 1, a number of boxes that no check accepts.
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
