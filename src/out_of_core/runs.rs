//! The sorted pairs of each tile, and of all.
//!
//! Runs are merged as in Knuth, "The Art of Computer Programming" 3, section 5.4.1: some at a time, the least first by a heap.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::PathBuf;

use bytemuck::Zeroable;

use crate::base::error::Result;
use crate::geometry::pair::Pair;
use crate::out_of_core::folder::{Folder, unusable};

/// Runs that are merged at once: as many files are open.
const AT_ONCE: usize = 128;
/// Bytes of each that are read at once.
const BUFFER_BYTES: usize = 256 << 10;
/// Pairs that are handed on at once.
const CHUNK: usize = 1 << 20;

/// The name of a tile's pairs.
pub(super) fn run_name(tile: usize) -> String {
    format!("pairs-{tile:06}")
}

/// The name of the pairs of some tiles, in the order of these.
fn merged_name(round: usize, number: usize) -> String {
    format!("pairs-merged-{round}-{number:06}")
}

/// Writes the sorted pairs of a tile.
pub(super) fn write_run(folder: &Folder, tile: usize, pairs: &[Pair]) -> Result<()> {
    folder.write(&run_name(tile), |out| out.write_all(bytemuck::cast_slice(pairs)))
}

/// Calls `each` with all pairs of these runs, sorted, some at a time.
pub(super) fn merge(folder: &Folder, tiles: usize, mut each: impl FnMut(&[Pair]) -> Result<()>) -> Result<()> {
    let mut names: Vec<String> = (0..tiles).map(run_name).collect();
    let mut round = 0;
    let mut merged = Vec::new();
    while names.len() > AT_ONCE {
        let mut next = Vec::new();
        for (number, some) in names.chunks(AT_ONCE).enumerate() {
            let name = merged_name(round, number);
            let mut outcome = Ok(());
            folder.write(&name, |out| {
                outcome = merge_some(folder, some, |pairs| {
                    let written = out.write_all(bytemuck::cast_slice(pairs));
                    written.map_err(|error| unusable(&folder.at(&name), &error))
                });
                Ok(())
            })?;
            outcome?;
            next.push(name);
        }
        merged.extend(next.iter().cloned());
        names = next;
        round += 1;
    }
    merge_some(folder, &names, &mut each)?;
    merged.iter().try_for_each(|name| folder.remove(name))
}

/// A run that is being read.
struct Run {
    path: PathBuf,
    file: BufReader<File>,
}

impl Run {
    /// The next pair, if there is one.
    fn next(&mut self) -> Result<Option<Pair>> {
        let failed = |error: io::Error| unusable(&self.path, &error);
        let mut pair = Pair::zeroed();
        let bytes = bytemuck::bytes_of_mut(&mut pair);
        // A pair is whole, or there is none.
        match self.file.read(&mut bytes[..1]).map_err(failed)? {
            0 => Ok(None),
            _ => {
                self.file.read_exact(&mut bytes[1..]).map_err(failed)?;
                Ok(Some(pair))
            }
        }
    }
}

fn merge_some(folder: &Folder, names: &[String], mut each: impl FnMut(&[Pair]) -> Result<()>) -> Result<()> {
    let mut runs = Vec::new();
    let mut heads = BinaryHeap::new();
    for (number, name) in names.iter().enumerate() {
        let path = folder.at(name);
        let file = File::open(&path).map_err(|error| unusable(&path, &error))?;
        let mut run = Run {
            path,
            file: BufReader::with_capacity(BUFFER_BYTES, file),
        };
        if let Some(pair) = run.next()? {
            heads.push(Reverse((pair.key(), number)));
        }
        runs.push(run);
    }
    let mut chunk = Vec::with_capacity(CHUNK);
    while let Some(mut least) = heads.peek_mut() {
        let Reverse((key, number)) = *least;
        chunk.push(Pair {
            a: (key >> 32) as u32,
            b: key as u32,
        });
        match runs[number].next()? {
            // The heap puts it where it belongs.
            Some(next) => *least = Reverse((next.key(), number)),
            None => {
                std::collections::binary_heap::PeekMut::pop(least);
            }
        }
        if chunk.len() == CHUNK {
            each(&chunk)?;
            chunk.clear();
        }
    }
    each(&chunk)
}
