//! How much work a broad phase was.

/// What the broad phase's walk over the grid did, counted. See [`Config::count_operations`](crate::Config::count_operations).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Rows of cells looked up. A row that leaves a fold of the cell table counts once for each fold that it is in.
    pub rows: u64,
    /// Bounds compared with those of a walking box.
    pub comparisons: u64,
}

impl std::ops::AddAssign for Operations {
    fn add_assign(&mut self, other: Self) {
        self.rows += other.rows;
        self.comparisons += other.comparisons;
    }
}
