//! Where a point is.

/// Where a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PointState {
    /// In the interior.
    Inside,
    /// In no part of it.
    Outside,
    /// On a triangle: in its interior, on an edge or at a corner.
    Surface,
}

/// Which points of a closed mesh are inside. It makes a difference where shells overlap, and where
/// they are turned another way than is usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum InsideRule {
    /// Those from which a ray crosses an odd number of triangles. A shell in a shell is a hole,
    /// whichever way triangles are turned, and what two shells share is outside.
    #[default]
    Parity,
    /// Those around which the mesh winds, however often: the triangles that a ray leaves by, seen from
    /// their fronts counter-clockwise, are not as many as those that it enters by. What two shells
    /// share is inside; a shell in a shell is a hole if it is turned inside out.
    Winding,
}

impl InsideRule {
    /// Where a point is that is on no triangle and around which the mesh winds so many times.
    pub(super) fn state(self, turns: i32) -> PointState {
        let is_inside = match self {
            // Each crossing counts 1 or -1.
            Self::Parity => turns % 2 != 0,
            Self::Winding => turns != 0,
        };
        if is_inside {
            PointState::Inside
        } else {
            PointState::Outside
        }
    }
}
