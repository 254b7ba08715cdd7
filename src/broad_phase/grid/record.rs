//! The records that the CPU's grid can hold: bounds, or bodies whose direct comparison is better
//! than that of their bounds.

use std::ops::Range;

use bytemuck::Pod;
use wide::f32x4;

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::broad_phase::hits::{Found, WalkHits};
use crate::geometry::pair::Pair;

/// A record of the grid.
///
/// A walk is guided by the bounds of records, regardless of their comparison: if two records
/// collide, or need a test, their bounds overlap.
pub(crate) trait Record: Pod + Send + Sync {
    /// The storage of the records, in the form in which they are compared.
    type Lanes: Lanes<Record = Self>;
    /// Edge lengths of cells larger than the largest record, as multiples of its size, and the
    /// maximum crowding of such cells ([`Level::crowding`]), the best first. Larger cells mean more
    /// records to compare and fewer rows to look up, because a walk begins one record before its
    /// own, and not one cell.
    ///
    /// [`Level::crowding`]: crate::broad_phase::grid::layout::Level::crowding
    const CELLS: &[(f32, f32)];

    /// Returns the position of the body in the caller's numbering.
    fn id(&self) -> u32;

    /// Returns the bin of its bounds' [`Bounds::size`], unless it has a key.
    fn bin(&self) -> u32;

    /// Returns the record with a cell key.
    fn with_key(self, key: u32) -> Self;

    /// Returns the low and the high corner of its bounds, in the first three lanes. The fourth
    /// lanes are unspecified.
    fn corners(&self) -> [f32x4; 2];
}

/// A row of cells: the key of the first and their number, and the records in their slots.
pub(crate) struct Row {
    pub key: u32,
    pub length: u32,
    pub records: Range<usize>,
    /// Set if the slots may also hold records of other cells.
    pub shared: bool,
}

/// The records of a grid: one after the other while they are sorted, then in the form in which they
/// are compared.
pub(crate) trait Lanes: Default + Send + Sync {
    type Record;
    type View<'a>: View
    where
        Self: 'a;
    /// Number of bytes per record.
    const BYTES: usize;

    /// Reserves memory for this many records.
    fn make_room(&mut self, records: usize) -> Result<()>;

    /// Returns the places of the records, until the lanes are filled.
    fn unfilled(&mut self) -> &mut [Self::Record];

    /// Moves the records into lanes, once all are in their places.
    fn fill(&mut self);

    /// Returns the lanes for comparison, once they are filled.
    fn view(&self) -> Self::View<'_>;

    /// Returns the number of bytes held.
    fn bytes(&self) -> usize;
}

/// The records of a grid in the form in which they are compared.
pub(crate) trait View: Copy {
    /// A record whose pairs are searched for, repeated in all lanes.
    type Walker<S: Simd>;
    /// Records whose pairs are searched for together, one per lane.
    type Walkers<S: Simd>;

    /// Returns the id of the record at a position.
    fn id(self, position: usize) -> u32;

    /// Returns the cell key of the record at a position.
    fn key(self, position: usize) -> u32;

    /// Returns [`Record::corners`] of the record at a position.
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
