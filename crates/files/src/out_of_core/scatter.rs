//! Scattering: the boxes of some rows of the file for each tile, as one part on disk.
//!
//! A part has the records of the boxes that meet each tile, each list in the order of the rows;
//! then those of boxes that meet very many tiles, only once. See `part.rs` for its format.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::box_file::BoxFile;
use crate::error::Result;
use crate::out_of_core::folder::{Folder, Name};
use crate::out_of_core::list::{Done, Entry, PartEntry};
use crate::out_of_core::options::Step;
use crate::out_of_core::part::Index;
use crate::out_of_core::plan::Plan;
use crate::scene_rows::form::numbers_of;
use obbligato::{Obb, unstable::limits::widened};
use obbligato_support::{memory, parallel};

/// Label for out-of-memory errors.
const WHAT: &str = "the boxes of a part";

/// The number of tiles above which a box is kept only once: its copies would otherwise outweigh the
/// rest of its part.
const MOST_TILES: usize = 64;

/// Writes all parts that are not done, at most `at_once` at a time, and returns the checksum of
/// each part's index.
pub(super) fn scatter(
    plan: &Plan,
    file: &BoxFile,
    margin: f64,
    (folder, done): (&Folder, &Done),
    at_once: usize,
    progress: &mut (dyn FnMut(Step) + Send),
) -> Result<Vec<u32>> {
    let parts = plan.parts();
    let (there, open): (Vec<usize>, Vec<usize>) = (0..parts.len()).partition(|part| done.parts.contains_key(part));
    let rows = |part: usize| parts[part].end - parts[part].start;
    let total = plan.of.rows;
    let state = Mutex::new((there.into_iter().map(rows).sum::<u64>(), progress));
    let next = AtomicUsize::new(0);
    // One task for each concurrent part: an allocator keeps memory for each thread that has ever
    // read a part.
    let task = |()| -> Result<Vec<PartEntry>> {
        let mut written = Vec::new();
        while let Some(&part) = open.get(next.fetch_add(1, Relaxed)) {
            let outcome = write_part(plan, file, margin, folder, part, parts[part].clone());
            if outcome.is_err() {
                // Stops the other tasks after their current parts.
                next.store(open.len(), Relaxed);
            }
            written.push(outcome?);
            let (done, progress) = &mut *state.lock().unwrap_or_else(PoisonError::into_inner);
            *done += rows(part);
            progress(Step::Scattered(*done, total));
        }
        Ok(written)
    };
    let tasks = at_once.min(open.len());
    let outcomes: Vec<Result<_>> = parallel::map(vec![(); tasks], task);
    let written: Vec<Vec<PartEntry>> = outcomes.into_iter().collect::<Result<_>>()?;
    let mut all = done.parts.clone();
    all.extend(written.into_iter().flatten().map(|part| (part.number, part)));
    Ok(all.into_values().map(|part| part.index).collect())
}

/// The boxes of a part, and their assignment to tiles.
struct Part {
    words: usize,
    /// The records, in the order of the rows.
    records: Vec<u32>,
    /// The list and the record of each entry, in the order of the rows.
    entries: Vec<[u32; 2]>,
}

fn write_part(
    plan: &Plan,
    file: &BoxFile,
    margin: f64,
    folder: &Folder,
    number: usize,
    rows: Range<u64>,
) -> Result<PartEntry> {
    let lists = plan.lists();
    let mut part = Part {
        words: plan.of.record_words(),
        records: Vec::new(),
        entries: Vec::new(),
    };
    let count = (rows.end - rows.start) as usize;
    memory::reserve(&mut part.records, count * part.words, WHAT)?;
    memory::reserve(&mut part.entries, count + count / 8, WHAT)?;
    let mut met = Vec::new();
    file.read(rows, |rows| {
        for (k, obb) in rows.boxes.iter().enumerate() {
            let key = rows.ids.get(k).copied().unwrap_or((rows.first + k as u64) as u32);
            let record = part.add_record(key, obb)?;
            met.clear();
            // A box without bounds is invalid, which is an error when all rows are read.
            if obb.problem().is_none() {
                plan.tiling
                    .each_met(&widened(obb.bounds(), margin), |tile| met.push(tile));
            }
            if met.len() > MOST_TILES {
                met.clear();
                met.push(lists as u32 - 1);
            }
            for &list in &met {
                memory::push(&mut part.entries, [list, record], WHAT)?;
            }
        }
        Ok(())
    })?;
    let (order, begins) = part.by_lists(lists)?;
    let mut index = Index::default();
    folder.write(Name::Part(number), |out| {
        for list in begins.windows(2) {
            let mut checksum = crc32fast::Hasher::new();
            for &record in &order[list[0] as usize..list[1] as usize] {
                let words = &part.records[record as usize * part.words..][..part.words];
                let bytes: &[u8] = bytemuck::cast_slice(words);
                checksum.update(bytes);
                out.write_all(bytes)?;
            }
            index.add(list[1], checksum.finalize());
        }
        index.write(out)
    })?;
    let entry = PartEntry {
        number,
        index: index.checksum(),
    };
    folder.note(&[Entry::Part(entry)])?;
    Ok(entry)
}

impl Part {
    fn add_record(&mut self, key: u32, obb: &Obb) -> Result<u32> {
        let record = (self.records.len() / self.words) as u32;
        memory::push(&mut self.records, key, WHAT)?;
        for number in numbers_of(obb) {
            memory::push(&mut self.records, number.to_bits(), WHAT)?;
        }
        if self.words > 11 {
            memory::push(&mut self.records, obb.memberships, WHAT)?;
            memory::push(&mut self.records, obb.filter, WHAT)?;
        }
        Ok(record)
    }

    /// Returns the records of each list, list by list, and the beginning of each.
    fn by_lists(&self, lists: usize) -> Result<(Vec<u32>, Vec<u64>)> {
        let mut begins: Vec<u64> = memory::filled(lists + 1, 0, WHAT)?;
        for &[list, _] in &self.entries {
            begins[list as usize + 1] += 1;
        }
        for list in 0..lists {
            begins[list + 1] += begins[list];
        }
        let mut next = memory::collect(begins.iter().copied(), WHAT)?;
        let mut order = memory::filled(self.entries.len(), 0, WHAT)?;
        for &[list, record] in &self.entries {
            let place = &mut next[list as usize];
            order[*place as usize] = record;
            *place += 1;
        }
        Ok((order, begins))
    }
}
