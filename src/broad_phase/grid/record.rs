//! What the grid of the CPU asks of its records: bounds, or bodies whose comparison is worth more than that of their bounds.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use wide::f32x4;

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::broad_phase::grid::course::coordinates;
use crate::broad_phase::hits::{Found, WalkHits};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;

/// A record of the grid.
///
/// A walk goes by the bounds of records, however they are compared: where two collide, or need a test, their bounds overlap.
pub(crate) trait Record: Pod + Send + Sync {
    /// Where the records are, in the form in which they are compared.
    type Lanes: Lanes<Record = Self>;
    /// What goes along with a body while bodies are sorted by bucket. The rest is fetched when its record is made.
    type Taken: Copy + Zeroable + Send + Sync;
    /// Edges of cells that are larger than the largest record, in its sizes, and how crowded such cells may be ([`Level::crowding`]), the
    /// best first. There are more records to compare in them, and fewer rows to look up: a walk begins a record before its own, and
    /// not a cell.
    ///
    /// [`Level::crowding`]: crate::broad_phase::grid::layout::Level::crowding
    const CELLS: &[(f32, f32)];

    /// Position of the body in the caller's numbering.
    fn id(&self) -> u32;

    /// The cell key.
    fn key(&self) -> u32;

    /// The low and the high corner of its bounds, in the first three lanes. The fourth lanes hold anything.
    fn corners(&self) -> [f32x4; 2];
}

/// A row of cells: the key of the first and their number, and the records in their slots.
pub(crate) struct Row {
    pub key: u32,
    pub length: u32,
    pub records: Range<usize>,
}

/// The records of a grid: one after the other while they are sorted, then in lanes.
pub(crate) trait Lanes: Default + Send + Sync {
    type Record;
    /// A record whose pairs are sought, repeated in all lanes.
    type Walker<S: Simd>;
    /// Bytes a record.
    const BYTES: usize;

    /// Makes room for so many records.
    fn make_room(&mut self, records: usize) -> Result<()>;

    /// The places of the records, and perhaps more, until the lanes are filled.
    fn unfilled(&mut self) -> &mut [Self::Record];

    /// Puts the records into lanes, once so many are in their places.
    fn fill(&mut self, records: usize) -> Result<()>;

    /// The record at a position, once the lanes are filled.
    fn record(&self, position: usize) -> Self::Record;

    /// Bytes held.
    fn bytes(&self) -> usize;

    fn walker<S: Simd>(simd: S, record: &Self::Record) -> Self::Walker<S>;

    /// Adds what a walker, the record with this number, meets of those that lie in the row.
    fn meet<S: Simd>(
        &self,
        walker: &Self::Walker<S>,
        number: u32,
        row: Row,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    );
}

/// Where the bounds of a body are, and how large.
pub(crate) struct Place {
    /// Their low corner, in the first three lanes.
    pub low: f32x4,
    /// The bin of their [`Bounds::size`](crate::geometry::bounds::Bounds::size).
    pub bin: u32,
    /// Position of the body in the caller's numbering.
    pub id: u32,
}

/// Bodies to be sorted into the grid.
pub(crate) trait Source: Sync {
    type Record: Record;

    fn len(&self) -> usize;

    fn place(&self, position: usize) -> Place;

    /// What to take along of a body, given its key.
    fn take(&self, position: usize, key: u32) -> <Self::Record as Record>::Taken;

    /// The record of a body.
    fn record(&self, position: usize, taken: <Self::Record as Record>::Taken) -> Self::Record;
}

/// Bounds whose tags are their bins. Only the keys are taken along.
impl Source for [Bounds] {
    type Record = Bounds;

    fn len(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn place(&self, position: usize) -> Place {
        let Bounds { tag, id, .. } = self[position];
        let [low, _] = self[position].corners();
        Place {
            low: coordinates(low),
            bin: tag,
            id,
        }
    }

    #[inline(always)]
    fn take(&self, _: usize, key: u32) -> u32 {
        key
    }

    #[inline(always)]
    fn record(&self, position: usize, key: u32) -> Bounds {
        let mut record = self[position];
        record.tag = key;
        record
    }
}
