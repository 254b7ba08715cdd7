//! The decisions of `f64` about a body in a room, which may leave questions open.

/// The known relation of a box to a room.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Findings {
    /// The walls certainly reached.
    pub walls: u8,
    /// The walls possibly reached.
    pub open: u8,
    /// `Some(true)` if the box is outside, `Some(false)` if it is not, `None` if unknown. A box
    /// that reaches no wall is not outside.
    pub outside: Option<bool>,
}

impl Findings {
    /// Returns the complete answer, if the walls alone determine it.
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
