//! The format of a part on disk: lists of boxes, and an index of the lists.
//!
//! A part has a list of records for each tile, in their order, and one more for the boxes that meet
//! very many tiles. The index at its end has the end of each list, in records, and the CRC-32 of
//! its bytes. The list of the work has the CRC-32 of the index, so that no byte of a part can
//! change unnoticed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use crate::error::Result;
use crate::out_of_core::fault::{damaged, unusable};

/// The number of bytes that are read at once.
const AT_ONCE: usize = 1 << 20;

/// The index of a part: the end of each list, and its checksum.
#[derive(Default)]
pub(super) struct Index(Vec<[u64; 2]>);

impl Index {
    /// Adds a list that ends at a record.
    pub fn add(&mut self, end: u64, checksum: u32) {
        self.0.push([end, checksum.into()]);
    }

    /// Returns the checksum of the index, for the list of the work.
    pub fn checksum(&self) -> u32 {
        crc32fast::hash(bytemuck::cast_slice(&self.0))
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(bytemuck::cast_slice(&self.0))
    }

    /// Reads the index of a part with `lists` lists of records of `words` words. The index must
    /// have this checksum.
    pub fn read(path: &Path, lists: usize, words: usize, checksum: u32) -> Result<Self> {
        let mut index = Self(vec![[0; 2]; lists]);
        let mut read = || {
            let mut file = File::open(path)?;
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut index.0);
            let there = file.metadata()?.len();
            let Some(begin) = there.checked_sub(bytes.len() as u64) else {
                return Ok(None);
            };
            file.seek(SeekFrom::Start(begin))?;
            file.read_exact(bytes)?;
            Ok(Some(begin))
        };
        let begin = read().map_err(|error| unusable(path, &error))?;
        let records = index.0.last().map_or(0, |list| list[0]);
        let whole = begin == records.checked_mul(4 * words as u64) && begin.is_some();
        match whole && index.checksum() == checksum && index.0.is_sorted_by_key(|list| list[0]) {
            true => Ok(index),
            false => Err(damaged(path)),
        }
    }

    /// Returns the records of a list.
    pub fn records(&self, list: usize) -> Range<u64> {
        let begin = list.checked_sub(1).map_or(0, |before| self.0[before][0]);
        begin..self.0[list][0]
    }

    /// Calls `each` with the records of a list, each of `words` words. Returns an error at the end
    /// if they are not those that were written.
    pub fn read_list(
        &self,
        path: &Path,
        list: usize,
        words: usize,
        mut each: impl FnMut(&[u32]) -> Result<()>,
    ) -> Result<()> {
        let records = self.records(list);
        if records.is_empty() {
            return Ok(());
        }
        let failed = |error: io::Error| unusable(path, &error);
        let mut file = File::open(path).map_err(failed)?;
        file.seek(SeekFrom::Start(records.start * 4 * words as u64))
            .map_err(failed)?;
        let mut left = (records.end - records.start) as usize * words;
        let mut buffer = vec![0u32; left.min(AT_ONCE / 4 / words * words)];
        let mut checksum = crc32fast::Hasher::new();
        while left > 0 {
            let now = left.min(buffer.len());
            let some = &mut buffer[..now];
            file.read_exact(bytemuck::cast_slice_mut(some)).map_err(failed)?;
            checksum.update(bytemuck::cast_slice(some));
            some.chunks_exact(words).try_for_each(&mut each)?;
            left -= now;
        }
        match u64::from(checksum.finalize()) == self.0[list][1] {
            true => Ok(()),
            false => Err(damaged(path)),
        }
    }
}

/// Returns `true` if a part is unchanged since it was written. Reads all of it.
pub(super) fn is_intact(path: &Path, lists: usize, words: usize, checksum: u32) -> bool {
    Index::read(path, lists, words, checksum)
        .is_ok_and(|index| (0..lists).all(|list| index.read_list(path, list, words, |_| Ok(())).is_ok()))
}
