//! The records that the CPU's grid can hold: bounds, or bodies whose direct comparison is better
//! than that of their bounds.

use std::ops::Range;

use bytemuck::{Pod, cast};
use wide::{f32x4, i32x4, u32x4};

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::broad_phase::grid::layout::{KEY_BITS, KEY_MASK};
use crate::broad_phase::hits::{Found, LANES, WalkHits};
use crate::geometry::bounds::Bounds;
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

    /// Set if runs of records can be met without the keys of their rows ([`Lanes::meet_runs`]).
    const MEETS_RUNS: bool = false;

    /// Returns the position of the body in the caller's numbering.
    fn id(&self) -> u32;

    /// Returns the bin of its bounds' [`Bounds::size`], unless it has a key.
    fn bin(&self) -> u32;

    /// Returns the cell key.
    fn key(&self) -> u32;

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

impl Row {
    /// Returns a mask of the records whose cells are in the row, one bit each.
    #[inline(always)]
    pub fn mask(&self, records: &[Bounds; LANES]) -> usize {
        let (start, length) = (u32x4::splat(self.key), i32x4::splat(self.length as i32));
        let key = u32x4::new(records.each_ref().map(|record| record.tag));
        let same_row = ((key ^ start) >> KEY_BITS).simd_eq(u32x4::splat(0));
        let along: i32x4 = cast((key - start) & u32x4::splat(KEY_MASK));
        let in_row: u32x4 = cast(along.simd_lt(length));
        (same_row & in_row).to_bitmask() as usize
    }
}

/// Consecutive records: the position of the first, and their number.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub first: u32,
    pub count: u32,
}

/// The records of a grid: one after the other while they are sorted, then in the form in which they
/// are compared.
pub(crate) trait Lanes: Default + Send + Sync {
    type Record;
    /// A record whose pairs are searched for, repeated in all lanes.
    type Walker<S: Simd>;
    /// Number of bytes per record.
    const BYTES: usize;

    /// Reserves memory for this many records.
    fn make_room(&mut self, records: usize) -> Result<()>;

    /// Returns the places of the records, and possibly more, until the lanes are filled.
    fn unfilled(&mut self) -> &mut [Self::Record];

    /// Moves the records into lanes, once this many are in their places.
    fn fill(&mut self, records: usize) -> Result<()>;

    /// Returns the record at a position, once the lanes are filled.
    fn record(&self, position: usize) -> Self::Record;

    /// Returns the number of bytes held.
    fn bytes(&self) -> usize;

    fn walker<S: Simd>(simd: S, record: &Self::Record) -> Self::Walker<S>;

    /// Adds the records in the row that a walker meets. The walker is the record with this number.
    fn meet<S: Simd>(
        &self,
        walker: &Self::Walker<S>,
        number: u32,
        row: Row,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    );

    /// Adds the records in these runs that a walker meets, if the records allow that
    /// ([`Record::MEETS_RUNS`]).
    #[inline(always)]
    fn meet_runs<S: Simd, const RUNS: usize>(
        &self,
        _: &Self::Walker<S>,
        _: u32,
        _: [Run; RUNS],
        _: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) {
    }
}
