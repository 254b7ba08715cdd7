//! The comparison of the CPU's records: of bounds, or of bodies whose direct comparison is better
//! than that of their bounds.

use std::ops::Range;

use wide::f32x4;

use crate::base::lanes::Simd;
use crate::broad_phase::grid::bounds_walker::Walker;
use crate::broad_phase::hits::{Found, WalkHits};
use crate::geometry::pair::Pair;

/// A row of cells: the key of the first and their number, and the records in their slots.
pub(crate) struct Row {
    pub key: u32,
    pub length: u32,
    pub records: Range<usize>,
    /// Set if the slots may also hold records of other cells.
    pub shared: bool,
}

/// The records of a grid in the form in which they are compared.
///
/// A walk is guided by the bounds of records, regardless of their comparison: if two records
/// collide, or need a test, their bounds overlap.
pub(crate) trait View: Copy {
    /// A record whose pairs are searched for, repeated in all lanes.
    type Walker<S: Simd>;
    /// Records whose pairs are searched for together, one per lane.
    type Walkers<S: Simd>;

    /// Returns the cell key of the record at a position.
    fn key(self, position: usize) -> u32;

    /// Returns the low and the high corner of the bounds of the record at a position, in the first
    /// three lanes. The fourth lanes are unspecified.
    fn corners_of(self, position: usize) -> [f32x4; 2];

    /// Returns the record at a position as one whose pairs are searched for.
    fn walker<S: Simd>(self, simd: S, position: usize) -> Self::Walker<S>;

    /// Adds the records in the row that a walker meets. The walker is the record with this number.
    fn meet<S: Simd>(
        self,
        walker: &Self::Walker<S>,
        number: u32,
        row: Row,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    );

    /// Returns a mask of the eight records from `first` on whose bounds overlap these, one bit
    /// each.
    fn overlap<S: Simd>(self, bounds: &Walker<S>, first: usize) -> usize;

    /// Returns records whose pairs are searched for together, at most as many as there are lanes,
    /// and the corners of the bounds of all of them, in the first three lanes.
    fn walkers<S: Simd>(self, simd: S, records: Range<usize>) -> (Self::Walkers<S>, [f32x4; 2]);

    /// Adds the records of a run that any of these walkers meets, without regard to keys. With
    /// `AFTER`, a walker meets only records after its own.
    fn meet_any<S: Simd, const AFTER: bool>(
        self,
        walkers: &Self::Walkers<S>,
        run: Range<usize>,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    );
}
