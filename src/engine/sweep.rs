//! What is asked of a sweep.

use crate::rules::model::Rules;
use crate::shapes::moving::motion::Motion;
use crate::shapes::obb::record::Obb;

/// Boxes in motion, and what is known about each of them.
#[derive(Clone, Copy, Debug)]
pub struct MovingSet<'a> {
    /// The boxes, where they are at time 0; a pair names them by their positions.
    pub boxes: &'a [Obb],
    /// A motion for each box.
    pub motions: &'a [Motion],
    /// The rules about them.
    pub rules: Rules<'a>,
}

impl<'a> MovingSet<'a> {
    /// Boxes in motion, without rules.
    pub fn new(boxes: &'a [Obb], motions: &'a [Motion]) -> Self {
        Self {
            boxes,
            motions,
            rules: Rules::default(),
        }
    }

    /// The same boxes with these rules.
    #[must_use]
    pub fn with(self, rules: Rules<'a>) -> Self {
        Self { rules, ..self }
    }
}
