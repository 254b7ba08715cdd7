//! Scenes that are prepared once for many checks against them.

use crate::broad_phase::grid_query_cpu::GridAtRest;
use crate::{GridLevel, Obb};

/// Boxes that rest, sorted once, for [`Checker::check_against`](crate::Checker::check_against).
///
/// It holds copies of the boxes and a grid of them: on the CPU 48 + 32 bytes a box and 8 to 16 for the grid's table. It is
/// never changed; make a new one when the boxes move.
pub struct PreparedScene {
    pub(crate) boxes: Vec<Obb>,
    pub(crate) grid: GridAtRest,
}

impl PreparedScene {
    /// The boxes, in the order they were given: what a pair's `a` names.
    pub fn boxes(&self) -> &[Obb] {
        &self.boxes
    }

    /// How the boxes are sorted, the coarsest level first.
    pub fn levels(&self) -> Vec<GridLevel> {
        self.grid.plan.levels().iter().map(GridLevel::from).collect()
    }
}

impl std::fmt::Debug for PreparedScene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PreparedScene")
            .field("boxes", &self.boxes.len())
            .field("levels", &self.levels())
            .finish()
    }
}
