//! The position of a point relative to a mesh.

/// The position of a point relative to a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PointState {
    /// In the interior.
    Inside,
    /// Outside all parts of the mesh.
    Outside,
    /// On a triangle: in its interior, on an edge or at a corner.
    Surface,
}

/// The rule that defines which points of a closed mesh are inside. It matters where shells overlap,
/// and where their orientation is unusual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum InsideRule {
    /// Points from which a ray crosses an odd number of triangles. A shell in a shell is a hole,
    /// whatever the orientation of the triangles, and the intersection of two shells is outside.
    #[default]
    Parity,
    /// Points with a nonzero winding number: the number of triangles by which a ray leaves the mesh
    /// differs from the number by which it enters, as seen from their fronts, the counter-clockwise
    /// sides. The intersection of two shells is inside; a shell in a shell is a hole if it is
    /// turned inside out.
    Winding,
}

impl InsideRule {
    /// Returns the position of a point that is on no triangle and around which the mesh winds
    /// `turns` times.
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
