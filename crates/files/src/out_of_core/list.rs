//! The list of the work: its plan and its complete files.
//!
//! The list is a file that only grows. Its first line names the format; each further line is an
//! entry: a CRC-32 in eight hexadecimal digits, a blank, and JSON. A process that is killed leaves
//! at most an unfinished last line, which is dropped; any other line that does not match its
//! checksum is an error. Files in the folder that the list does not name are ignored.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::out_of_core::fault::unusable;
use crate::out_of_core::plan::Plan;
use crate::out_of_core::totals::Totals;
use crate::output::sync_folder;
use crate::problem::problem;

/// The first line. The number is the version of all files in the folder.
const FORMAT: &[u8] = b"obbligato check from disk 2\n";

/// One line of the list.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Entry {
    /// New work. The lines above this one belong to earlier work, whose files have been removed.
    Begin(Begin),
    /// A complete part.
    Part(PartEntry),
    /// A complete tile.
    Tile(TileEntry),
}

/// The plan and the ownership of the work.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Begin {
    /// Part of the names of all files, which distinguishes them from any other files.
    pub token: String,
    /// `true` if the outer folder was created for the work and is removed with it.
    pub made_folder: bool,
    pub plan: Plan,
}

/// A complete part: its number, and the CRC-32 of its index.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartEntry {
    pub number: usize,
    pub index: u32,
}

/// A complete tile: its number, its totals, and the offset of its pairs in the file of pairs, in
/// bytes. The count and checksum of the pairs are those of the totals.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TileEntry {
    pub number: usize,
    pub at: u64,
    pub totals: Totals,
}

/// The complete parts and tiles, by number.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub parts: BTreeMap<usize, PartEntry>,
    pub tiles: BTreeMap<usize, TileEntry>,
}

/// Work, and its complete parts and tiles.
type Work = (Begin, Done);

/// The list, locked until it is dropped.
pub(super) struct List {
    path: PathBuf,
    file: File,
}

impl List {
    /// Creates an empty list.
    pub fn create(path: &Path) -> Result<Self> {
        let file = File::options().read(true).write(true).create_new(true).open(path);
        let mut list = Self::locked(path, file.map_err(|error| unusable(path, &error))?)?;
        list.append(FORMAT)?;
        Ok(list)
    }

    /// Opens the list at a path, if any, with the last work in it, if any.
    pub fn open(path: &Path) -> Result<Option<(Self, Option<Work>)>> {
        let file = match File::options().read(true).write(true).open(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|error| unusable(path, &error))?,
        };
        if !file.metadata().is_ok_and(|found| found.is_file()) {
            return Err(problem(path, "is not a file: name another folder for the work"));
        }
        let mut list = Self::locked(path, file)?;
        let work = list.read()?;
        Ok(Some((list, work)))
    }

    fn locked(path: &Path, file: File) -> Result<Self> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(problem(
                path,
                "belongs to another process that is at work: wait for it, or name another folder",
            )),
            // File systems without locks never lock.
            _ => Ok(Self {
                path: path.to_owned(),
                file,
            }),
        }
    }

    /// Reads all entries, and leaves the file at its end.
    fn read(&mut self) -> Result<Option<Work>> {
        let failed = |error: std::io::Error| unusable(&self.path, &error);
        let mut input = BufReader::new(&self.file);
        let mut line = Vec::new();
        input
            .by_ref()
            .take(FORMAT.len() as u64)
            .read_to_end(&mut line)
            .map_err(failed)?;
        if !FORMAT.starts_with(&line) {
            return Err(problem(
                &self.path,
                "is not the list of a check from disk of this version: name another folder for the work",
            ));
        }
        let mut end = if line.len() == FORMAT.len() {
            line.len() as u64
        } else {
            0
        };
        let mut work: Option<Work> = None;
        for number in 2.. {
            line.clear();
            let length = input.read_until(b'\n', &mut line).map_err(failed)?;
            // The writer of the last line may have been killed.
            if !line.ends_with(b"\n") {
                break;
            }
            let entry = parse(&line).ok_or_else(|| self.damaged(number))?;
            match (entry, &mut work) {
                (Entry::Begin(begin), work) => *work = Some((begin, Done::default())),
                (Entry::Part(part), Some((_, done))) => _ = done.parts.insert(part.number, part),
                (Entry::Tile(tile), Some((_, done))) => _ = done.tiles.insert(tile.number, tile),
                (_, None) => return Err(self.damaged(number)),
            }
            end += length as u64;
        }
        drop(input);
        self.file.set_len(end).map_err(failed)?;
        self.file.seek(SeekFrom::Start(end)).map_err(failed)?;
        if end == 0 {
            self.append(FORMAT)?;
        }
        Ok(work)
    }

    fn damaged(&self, line: usize) -> Error {
        let folder = self.path.parent().unwrap_or(&self.path).display();
        problem(
            &self.path,
            format!("is damaged in line {line}: remove the folder {folder}, and run the check again"),
        )
    }

    /// Appends entries. They and all new files of the folder are on disk when this returns.
    pub fn note(&mut self, entries: &[Entry]) -> Result<()> {
        let mut lines = Vec::new();
        for entry in entries {
            let json = serde_json::to_string(entry).unwrap_or_default();
            lines.extend_from_slice(format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())).as_bytes());
        }
        self.append(&lines)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        // An entry means that its file exists, so the folder is synchronized first.
        let written = sync_folder(self.path.parent().unwrap_or(Path::new(".")))
            .and_then(|()| self.file.write_all(bytes))
            .and_then(|()| self.file.sync_all());
        written.map_err(|error| unusable(&self.path, &error))
    }
}

/// Returns the entry of a line, if it is valid.
fn parse(line: &[u8]) -> Option<Entry> {
    let line = str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (checksum, json) = line.split_once(' ')?;
    let matches = checksum == format!("{:08x}", crc32fast::hash(json.as_bytes()));
    matches.then(|| serde_json::from_str(json).ok())?
}

/// Returns an entry as it reads back after being written, so that its numbers are equal now and
/// when the work resumes.
pub(super) fn read_back(begin: Begin) -> Option<Begin> {
    serde_json::from_str(&serde_json::to_string(&begin).ok()?).ok()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;

    use super::*;
    use crate::output::synced;

    #[test]
    fn the_folder_is_synced_before_an_entry_says_what_is_in_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("list");
        let synced_with = |files: &[(&str, usize)]| {
            let files = files.iter().map(|&(name, length)| (name.to_owned(), length as u64));
            vec![(folder.path().to_owned(), files.collect())]
        };
        synced::take();
        let mut list = List::create(&path).expect("a new list");
        assert_eq!(synced::take(), synced_with(&[("list", 0)]));
        fs::write(folder.path().join("part"), b"boxes").expect("a file");
        let part = PartEntry { number: 0, index: 7 };
        list.note(&[Entry::Part(part)]).expect("a list");
        assert_eq!(synced::take(), synced_with(&[("list", FORMAT.len()), ("part", 5)]));
        assert!(fs::metadata(&path).expect("a file").len() > FORMAT.len() as u64);
    }
}
