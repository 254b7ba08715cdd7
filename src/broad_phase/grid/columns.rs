//! Records of the grid in columns: each number that a comparison needs in a list of its own, so
//! that as many are compared at a time as a vector has lanes.

use std::ops::Range;

use fearless_simd::prelude::*;

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::base::parallel::GRAIN;
use crate::base::{memory, parallel};
use crate::broad_phase::bounded::MOST_LANES;

/// The number of records compared at a time: more than most rows of cells have.
pub(crate) const LANES: usize = 8;

/// Label for out-of-memory errors.
const WHAT: &str = "the grid";

/// The number of lists of bounds: the coordinates of the low corner, those of the high corner, and
/// the bits of the keys.
pub(crate) const OF_BOUNDS: usize = 7;
/// The number of lists of spheres: the coordinates of the center, the radius and the bits of the
/// keys.
pub(crate) const OF_SPHERES: usize = 5;

/// The ids of records, and the `N` numbers of each that are compared, in a list each. The last list
/// has the bits of the keys. The lists end with a few numbers that are NaN.
pub(crate) struct Columns<const N: usize> {
    pub ids: Vec<u32>,
    lists: [Vec<f32>; N],
}

impl<const N: usize> Default for Columns<N> {
    fn default() -> Self {
        Self {
            ids: Vec::new(),
            lists: [const { Vec::new() }; N],
        }
    }
}

/// A part of the lists, and the number of entries before it in each.
type Part<'a, const N: usize> = (usize, [&'a mut [f32]; N]);

/// Splits a part at the start of a chunk.
fn split<const N: usize>((first, mut rest): Part<'_, N>, chunk: usize) -> (Part<'_, N>, Part<'_, N>) {
    let end = chunk * GRAIN;
    let before = rest.each_mut().map(|list| list.split_off_mut(..end - first));
    ((first, before.map(Option::unwrap_or_default)), (end, rest))
}

impl<const N: usize> Columns<N> {
    /// Number of bytes per record.
    pub const BYTES: usize = (N + 1) * size_of::<f32>();

    /// Reserves memory for this many records, and returns their ids and lists.
    pub fn make_room(&mut self, records: usize) -> Result<(&mut [u32], [&mut [f32]; N])> {
        memory::make_scratch(&mut self.ids, records, WHAT)?;
        for list in &mut self.lists {
            memory::make_scratch(list, records + MOST_LANES, WHAT)?;
            list[records..].fill(f32::NAN);
        }
        let lists = self.lists.each_mut().map(|list| &mut list[..records]);
        Ok((&mut self.ids, lists))
    }

    /// Returns all ids, and all lists with the NaN at their ends.
    pub fn all_mut(&mut self) -> (&mut [u32], &mut [Vec<f32>; N]) {
        (&mut self.ids, &mut self.lists)
    }

    /// Fills the columns with the numbers and the ids of records.
    pub fn fill<R: Sync>(&mut self, records: &[R], of: impl Fn(&R) -> ([f32; N], u32) + Sync + Send) -> Result<()> {
        let (ids, lists) = self.make_room(records.len())?;
        parallel::fill(ids, |k| of(&records[k]).1);
        let chunks = 0..records.len().div_ceil(GRAIN);
        parallel::divide(chunks, (0, lists), &split, &|_, (first, lists): Part<'_, N>| {
            for (k, list) in lists.into_iter().enumerate() {
                for (number, record) in list.iter_mut().zip(&records[first..]) {
                    *number = of(record).0[k];
                }
            }
        });
        Ok(())
    }

    /// Returns the columns for comparison.
    #[inline(always)]
    pub fn view(&self) -> ColumnsView<'_, N> {
        // All are as long as the first. This tells the compiler, which then checks a position once.
        let len = self.lists[0].len();
        let mut lists = [&[][..]; N];
        for (view, list) in lists.iter_mut().zip(&self.lists) {
            *view = &list[..len];
        }
        ColumnsView { lists }
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> usize {
        let numbers: usize = self.ids.capacity() + self.lists.iter().map(Vec::capacity).sum::<usize>();
        numbers * size_of::<f32>()
    }
}

/// [`Columns`] whose records are compared.
#[derive(Clone, Copy)]
pub(crate) struct ColumnsView<'a, const N: usize> {
    lists: [&'a [f32]; N],
}

impl<'a, const N: usize> ColumnsView<'a, N> {
    /// Returns columns for comparison, which end with any numbers for the lanes of the last record.
    #[inline(always)]
    pub fn of(lists: [&'a [f32]; N]) -> Self {
        Self { lists }
    }

    /// Returns the numbers of the records from `first` on in one of the lists.
    #[inline(always)]
    pub fn lanes(self, list: usize, first: usize) -> &'a [f32] {
        &self.lists[list][first..first + LANES]
    }

    /// Returns the numbers of a run of records in one of the lists.
    #[inline(always)]
    pub fn run(self, list: usize, run: &Range<usize>) -> &'a [f32] {
        &self.lists[list][run.clone()]
    }

    /// Returns the numbers of the records from `first` on in one of the lists, one per lane.
    #[inline(always)]
    pub fn vector<S: Simd>(self, simd: S, list: usize, first: usize) -> S::f32s {
        S::f32s::from_slice(simd, &self.lists[list][first..first + S::f32s::LEN])
    }

    /// Returns a number of a record.
    #[inline(always)]
    pub fn number(self, list: usize, position: usize) -> f32 {
        self.lists[list][position]
    }
}
