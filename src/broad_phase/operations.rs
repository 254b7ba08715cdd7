//! The amount of work of a broad phase.

/// The number of operations of the broad phase's walk over the grid. See
/// [`Config::count_operations`](crate::Config::count_operations).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Operations {
    /// The number of rows of cells looked up; 0 if there is no grid. A row that spans several folds
    /// of the cell table counts once per fold.
    pub rows: u64,
    /// The number of bounds compared with a walking box's bounds, or of spheres compared with a
    /// walking sphere.
    pub comparisons: u64,
}

impl std::ops::AddAssign for Operations {
    fn add_assign(&mut self, other: Self) {
        self.rows += other.rows;
        self.comparisons += other.comparisons;
    }
}
