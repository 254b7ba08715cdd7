//! Records of the grid in columns: besides the records themselves, each number that a comparison
//! needs in a list of its own, so that as many are compared at a time as a vector has lanes.

use bytemuck::Pod;

use crate::base::error::Result;
use crate::base::parallel::GRAIN;
use crate::base::{memory, parallel};

/// The number of records compared at a time: more than most rows of cells have.
pub(crate) const LANES: usize = 8;

/// A record made of `N` numbers that are compared.
pub(crate) trait Numbers<const N: usize>: Pod + Send + Sync {
    fn numbers(&self) -> [f32; N];
}

/// Records, and their numbers in a list each. The lists end with a few numbers that are NaN.
pub(crate) struct Columns<R, const N: usize> {
    pub records: Vec<R>,
    lists: [Vec<f32>; N],
}

impl<R, const N: usize> Default for Columns<R, N> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
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
        memory::make_scratch(&mut self.records, records, "the grid")?;
        for list in &mut self.lists {
            memory::make_scratch(list, records + LANES, "the grid")?;
            list[records..].fill(f32::NAN);
        }
        Ok(())
    }

    /// Copies the numbers of all records into the lists.
    pub fn fill(&mut self) {
        let Self { records, lists } = self;
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

    /// Returns the numbers of the records from `first` on in one of the lists.
    #[inline(always)]
    pub fn lanes(&self, list: usize, first: usize) -> &[f32] {
        &self.lists[list][first..first + LANES]
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> usize {
        let numbers: usize = self.lists.iter().map(Vec::capacity).sum();
        self.records.capacity() * size_of::<R>() + numbers * size_of::<f32>()
    }
}
