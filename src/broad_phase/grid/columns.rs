//! Records of the grid in columns: besides the records themselves, each number that a comparison
//! needs in a list of its own, so that as many are compared at a time as a vector has lanes.

use std::ops::Range;

use bytemuck::Pod;
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

/// A record made of `N` numbers that are compared.
pub(crate) trait Numbers<const N: usize>: Pod + Send + Sync {
    fn numbers(&self) -> [f32; N];
}

/// Records, and their numbers in a list each. The lists end with a few numbers that are NaN.
pub(crate) struct Columns<R, const N: usize> {
    /// Empty if there are only `ids`.
    pub records: Vec<R>,
    /// The ids of the records, if these are only numbers. Otherwise empty.
    pub ids: Vec<u32>,
    lists: [Vec<f32>; N],
}

impl<R, const N: usize> Default for Columns<R, N> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
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

impl<R: Numbers<N>, const N: usize> Columns<R, N> {
    /// Number of bytes per record.
    pub const BYTES: usize = size_of::<R>() + N * size_of::<f32>();

    /// Reserves memory for this many records.
    pub fn make_room(&mut self, records: usize) -> Result<()> {
        self.ids.clear();
        memory::make_scratch(&mut self.records, records, WHAT)?;
        self.make_lists(records)
    }

    fn make_lists(&mut self, records: usize) -> Result<()> {
        for list in &mut self.lists {
            memory::make_scratch(list, records + MOST_LANES, WHAT)?;
            list[records..].fill(f32::NAN);
        }
        Ok(())
    }

    /// Reserves memory for the ids and the numbers of this many records, and returns both.
    pub fn numbers_alone(&mut self, records: usize) -> Result<(&mut [u32], [&mut [f32]; N])> {
        self.records.clear();
        memory::make_scratch(&mut self.ids, records, WHAT)?;
        self.make_lists(records)?;
        let lists = self.lists.each_mut().map(|list| &mut list[..records]);
        Ok((&mut self.ids, lists))
    }

    /// Copies the numbers of all records into the lists.
    pub fn fill(&mut self) {
        let Self { records, lists, .. } = self;
        let whole = (0, lists.each_mut().map(|list| &mut list[..records.len()]));
        let chunks = 0..records.len().div_ceil(GRAIN);
        parallel::divide(chunks, whole, &split, &|_, (first, lists): Part<'_, N>| {
            for (k, list) in lists.into_iter().enumerate() {
                for (number, record) in list.iter_mut().zip(&records[first..]) {
                    *number = record.numbers()[k];
                }
            }
        });
    }

    /// Returns the columns for comparison.
    #[inline(always)]
    pub fn view(&self) -> ColumnsView<'_, R, N> {
        // All are as long as the first. This tells the compiler, which then checks a position once.
        let len = self.lists[0].len();
        let mut lists = [&[][..]; N];
        for (view, list) in lists.iter_mut().zip(&self.lists) {
            *view = &list[..len];
        }
        ColumnsView {
            records: &self.records,
            ids: &self.ids,
            lists,
        }
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> usize {
        let numbers: usize = self.ids.capacity() + self.lists.iter().map(Vec::capacity).sum::<usize>();
        self.records.capacity() * size_of::<R>() + numbers * size_of::<f32>()
    }
}

/// [`Columns`] whose records are compared.
#[derive(Clone, Copy)]
pub(crate) struct ColumnsView<'a, R, const N: usize> {
    pub records: &'a [R],
    pub ids: &'a [u32],
    lists: [&'a [f32]; N],
}

impl<'a, R, const N: usize> ColumnsView<'a, R, N> {
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
