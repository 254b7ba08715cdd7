//! The sorted pairs of each tile, and of all.
//!
//! The pairs of all tiles are in one file, a run for each tile. Runs are merged as in Knuth, "The
//! Art of Computer Programming" 3, section 5.4.1: some at a time, with a heap that yields the
//! smallest pair first. Everything that is read is compared with the list: the number of pairs,
//! their ascending order, and their checksum.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bytemuck::Zeroable;

use crate::error::Result;
use crate::out_of_core::fault::{damaged, unusable};
use crate::out_of_core::folder::{Folder, Name};
use crate::out_of_core::list::TileEntry;
use obbligato::Pair;
use obbligato_support::split_mix::SplitMix;

/// The number of runs that are merged at once.
const AT_ONCE: usize = 128;
/// The number of bytes of each run that are read at once.
const BUFFER_BYTES: usize = 128 << 10;
/// The number of pairs that are passed on at once.
const CHUNK: usize = 1 << 19;

/// The location of sorted pairs in a file, and their expected count and checksum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// The offset of their beginning, in bytes.
    at: u64,
    pairs: u64,
    checksum: u64,
}

impl Run {
    /// Returns the run of a tile's pairs.
    pub fn of(tile: &TileEntry) -> Self {
        Self {
            at: tile.at,
            pairs: tile.totals.colliding_pairs,
            checksum: tile.totals.checksum,
        }
    }

    /// Returns the offset of its end, in bytes.
    pub fn end(&self) -> Option<u64> {
        self.pairs
            .checked_mul(size_of::<Pair>() as u64)
            .and_then(|bytes| bytes.checked_add(self.at))
    }

    /// Returns `true` if the pairs are unchanged since they were written. Reads all of them.
    pub fn is_intact(&self, path: &Path) -> bool {
        let read = || -> Result<()> {
            let mut reader = Reader::open(path, *self)?;
            while reader.next()?.is_some() {}
            Ok(())
        };
        self.end().is_some() && (self.pairs == 0 || read().is_ok())
    }
}

/// The file of the pairs of all tiles.
pub(super) struct RunFile {
    path: PathBuf,
    file: File,
    end: u64,
}

impl RunFile {
    /// Opens the file to append after some runs. Anything after them belongs to no run.
    pub fn open(folder: &Folder, runs: impl Iterator<Item = Run>) -> Result<Self> {
        let path = folder.at(Name::Pairs);
        let end = runs.filter_map(|run| run.end()).max().unwrap_or(0);
        let open = || {
            let mut options = File::options();
            let mut file = options.create(true).truncate(false).write(true).open(&path)?;
            file.set_len(end)?;
            file.seek(SeekFrom::Start(end))?;
            Ok(file)
        };
        let file = open().map_err(|error| unusable(&path, &error))?;
        Ok(Self { path, file, end })
    }

    /// Appends the sorted pairs of a tile, and returns the offset of their beginning.
    pub fn append(&mut self, pairs: &[Pair]) -> Result<u64> {
        let bytes: &[u8] = bytemuck::cast_slice(pairs);
        if let Err(error) = self.file.write_all(bytes) {
            // The part that was written belongs to no run. The first error is the one to report.
            let _ = self.file.set_len(self.end);
            return Err(unusable(&self.path, &error));
        }
        let at = self.end;
        self.end += bytes.len() as u64;
        Ok(at)
    }

    /// Waits until everything is on disk.
    pub fn sync(&self) -> Result<()> {
        let is_whole = || {
            self.file.sync_all()?;
            Ok(self.file.metadata()?.len() == self.end)
        };
        match is_whole().map_err(|error: io::Error| unusable(&self.path, &error))? {
            true => Ok(()),
            false => Err(damaged(&self.path)),
        }
    }
}

/// Calls `each` with all pairs of these runs, sorted, in batches.
pub(super) fn merge(folder: &Folder, mut runs: Vec<Run>, mut each: impl FnMut(&[Pair]) -> Result<()>) -> Result<()> {
    let mut from = Name::Pairs;
    let mut round = 0;
    while runs.len() > AT_ONCE {
        let to = Name::Merged(round);
        runs = merge_round(folder, from, to, &runs)?;
        if round > 0 {
            folder.remove(from)?;
        }
        (from, round) = (to, round + 1);
    }
    merge_some(&folder.at(from), &runs, &mut each)?;
    match round {
        0 => Ok(()),
        _ => folder.remove(from),
    }
}

/// Merges runs, some at a time, into runs of another file.
fn merge_round(folder: &Folder, from: Name, to: Name, runs: &[Run]) -> Result<Vec<Run>> {
    let mut merged = Vec::new();
    let mut outcome = Ok(());
    let path = folder.at(to);
    folder.write(to, |out| {
        let mut at = 0;
        for some in runs.chunks(AT_ONCE) {
            let sum = some.iter().fold(Run { at, ..NOTHING }, |sum, run| Run {
                at,
                pairs: sum.pairs + run.pairs,
                checksum: sum.checksum.wrapping_add(run.checksum),
            });
            outcome = merge_some(&folder.at(from), some, |pairs| {
                let written = out.write_all(bytemuck::cast_slice(pairs));
                written.map_err(|error| unusable(&path, &error))
            });
            if outcome.is_err() {
                break;
            }
            merged.push(sum);
            at = sum.end().unwrap_or(u64::MAX);
        }
        Ok(())
    })?;
    outcome.map(|()| merged)
}

/// A run without pairs.
const NOTHING: Run = Run {
    at: 0,
    pairs: 0,
    checksum: 0,
};

/// A run that is being read.
struct Reader<'a> {
    path: &'a Path,
    file: BufReader<File>,
    run: Run,
    /// The number of pairs that are still to be read.
    left: u64,
    /// The checksum and the last of the pairs that were read.
    checksum: u64,
    last: Option<Pair>,
}

impl<'a> Reader<'a> {
    fn open(path: &'a Path, run: Run) -> Result<Self> {
        let open = || {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(run.at))?;
            Ok(file)
        };
        let file = open().map_err(|error: io::Error| unusable(path, &error))?;
        let bytes = (run.pairs as usize).saturating_mul(size_of::<Pair>());
        Ok(Self {
            path,
            file: BufReader::with_capacity(bytes.min(BUFFER_BYTES), file),
            run,
            left: run.pairs,
            checksum: 0,
            last: None,
        })
    }

    /// Returns the next pair, if any.
    fn next(&mut self) -> Result<Option<Pair>> {
        if self.left == 0 {
            return match self.checksum == self.run.checksum {
                true => Ok(None),
                false => Err(damaged(self.path)),
            };
        }
        let mut pair = Pair::zeroed();
        match self.file.read_exact(bytemuck::bytes_of_mut(&mut pair)) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(damaged(self.path)),
            outcome => outcome.map_err(|error| unusable(self.path, &error))?,
        }
        if self.last.is_some_and(|last| last.key() >= pair.key()) {
            return Err(damaged(self.path));
        }
        self.left -= 1;
        // In the same way as `checksum` of a report.
        self.checksum = self.checksum.wrapping_add(SplitMix(pair.key()).next());
        self.last = Some(pair);
        Ok(Some(pair))
    }
}

fn merge_some(path: &Path, runs: &[Run], mut each: impl FnMut(&[Pair]) -> Result<()>) -> Result<()> {
    let mut readers = Vec::new();
    let mut heads = BinaryHeap::new();
    for &run in runs.iter().filter(|run| run.pairs > 0) {
        let mut reader = Reader::open(path, run)?;
        if let Some(pair) = reader.next()? {
            heads.push(Reverse((pair.key(), readers.len())));
        }
        readers.push(reader);
    }
    let mut chunk = Vec::with_capacity(CHUNK);
    while let Some(mut least) = heads.peek_mut() {
        let Reverse((key, number)) = *least;
        chunk.push(Pair {
            a: (key >> 32) as u32,
            b: key as u32,
        });
        match readers[number].next()? {
            // The heap restores its order when the reference is dropped.
            Some(next) => *least = Reverse((next.key(), number)),
            None => {
                PeekMut::pop(least);
            }
        }
        if chunk.len() == CHUNK {
            each(&chunk)?;
            chunk.clear();
        }
    }
    each(&chunk)
}
