//! Scattering: what some rows of the file give to each tile, as one part on disk.
//!
//! A part is the records of the boxes that meet each tile, tile after tile, each in the order of the rows; then those of boxes that
//! meet very many tiles, once for all; then where each of these lists begins, in records, and where the last one ends.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::files::box_file::BoxFile;
use crate::files::scene_rows::form::numbers_of;
use crate::out_of_core::folder::{Folder, part_name};
use crate::out_of_core::options::Step;
use crate::out_of_core::plan::Plan;
use crate::shapes::obb::record::Obb;
use crate::tiles::tile::widened;

/// What memory is for.
const WHAT: &str = "the boxes of a part";

/// Tiles beyond which a box is kept once for all: then its copies would be more than the rest of its part.
const MOST_TILES: usize = 64;

/// Writes all parts that are not there.
pub(super) fn scatter(
    plan: &Plan,
    file: &BoxFile,
    margin: f32,
    folder: &Folder,
    progress: &mut (dyn FnMut(Step) + Send),
) -> Result<()> {
    let parts = plan.parts();
    let there = |part: &usize| folder.has(&part_name(*part));
    let (done, open): (Vec<usize>, Vec<usize>) = (0..parts.len()).partition(there);
    let rows = |part: usize| parts[part].end - parts[part].start;
    let total = plan.of.rows;
    let state = Mutex::new((done.into_iter().map(rows).sum::<u64>(), progress));
    let failed = AtomicBool::new(false);
    let outcomes: Vec<Result<()>> = parallel::map(open, |part| {
        if failed.load(Relaxed) {
            return Ok(());
        }
        let outcome = write_part(plan, file, margin, folder, part, parts[part].clone());
        failed.fetch_or(outcome.is_err(), Relaxed);
        let (done, progress) = &mut *state.lock().unwrap_or_else(PoisonError::into_inner);
        *done += rows(part);
        progress(Step::Scattered(*done, total));
        outcome
    });
    outcomes.into_iter().collect()
}

/// The boxes of a part, and what each tile has of them.
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
    margin: f32,
    folder: &Folder,
    number: usize,
    rows: Range<u64>,
) -> Result<()> {
    let lists = plan.tiling.len() + 1;
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
            // A box without bounds is a bad one, which is an error when all is read.
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
    folder.write(&part_name(number), |out| {
        for &record in &order {
            let words = &part.records[record as usize * part.words..][..part.words];
            out.write_all(bytemuck::cast_slice(words))?;
        }
        out.write_all(bytemuck::cast_slice(&begins))
    })
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

    /// The records of each list, list after list, and where each begins.
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

/// Where the lists of a part begin, from its end.
pub(super) fn read_begins(file: &mut (impl io::Read + io::Seek), lists: usize) -> io::Result<Vec<u64>> {
    let mut begins = vec![0; lists + 1];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut begins);
    file.seek(io::SeekFrom::End(-(bytes.len() as i64)))?;
    file.read_exact(bytes)?;
    Ok(begins)
}
