//! What `f64` finds about a box in a room, and leaves open.

/// What is known about a box relative to a room.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Findings {
    /// The walls certainly reached.
    pub walls: u8,
    /// The walls possibly reached.
    pub open: u8,
    /// Whether the box is outside, if known. A box that reaches no wall is not.
    pub outside: Option<bool>,
}

impl Findings {
    /// The complete answer, if the walls alone determine it.
    pub fn settled(self) -> Option<Self> {
        let outside = match self {
            Self { walls: 0, open: 0, .. } => false,
            Self {
                open: 0,
                outside: Some(true),
                ..
            } => true,
            _ => return None,
        };
        Some(Self {
            outside: Some(outside),
            ..self
        })
    }
}
