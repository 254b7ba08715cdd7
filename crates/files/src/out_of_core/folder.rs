//! The folder of the work, and the ownership of its files.
//!
//! All files of the work are in a folder of their own within the one that the caller names, and
//! their names have a random token. A file is removed only if the list of the work shows, by its
//! token and its plan, that the work wrote it.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::Result;
use crate::out_of_core::fault::unusable;
use crate::out_of_core::list::{Begin, Done, Entry, List, read_back};
use crate::out_of_core::plan::Plan;
use crate::problem::problem;

/// The name of the folder within the caller's.
const OWN: &str = "obbligato-work";
/// The name of the file that lists the other files of the work.
const LIST: &str = "list";
/// The largest number of rounds in which runs are merged: more than 2^32 runs need.
const ROUNDS: usize = 6;

/// The number of bytes to collect before each write.
const BUFFER_BYTES: usize = 1 << 20;

/// A file of the work.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name {
    /// The boxes of some rows of the scene for all tiles.
    Part(usize),
    /// The pairs of all tiles.
    Pairs,
    /// Partly merged pairs of a round.
    Merged(usize),
}

/// The folder of a work. It belongs to this process until it is dropped.
pub(super) struct Folder {
    outer: PathBuf,
    path: PathBuf,
    list: Mutex<List>,
    token: String,
    made_folder: bool,
    /// The number of parts in the plan.
    parts: usize,
}

/// Work in a folder: its plan and what is done, unless it was killed before it had either.
type Found = (Folder, Option<(Plan, Done)>);

impl Folder {
    /// Returns the work in a folder, if any. Creates nothing.
    pub fn find(outer: &Path) -> Result<Option<Found>> {
        let path = outer.join(OWN);
        let Some((list, work)) = List::open(&path.join(LIST))? else {
            return Ok(None);
        };
        let mut folder = Self::new(outer, path, list);
        let Some((begin, done)) = work else {
            folder.made_folder = is_left_over(outer);
            return Ok(Some((folder, None)));
        };
        folder.adopt(&begin);
        Ok(Some((folder, Some((begin.plan, done)))))
    }

    /// Begins work in a folder without any. Returns the plan as it reads back.
    pub fn create(outer: &Path, plan: Plan) -> Result<(Self, Plan)> {
        let made_folder = !outer.exists() || is_left_over(outer);
        let path = outer.join(OWN);
        fs::create_dir_all(&path).map_err(|error| unusable(outer, &error))?;
        let list = List::create(&path.join(LIST))?;
        let mut folder = Self::new(outer, path, list);
        folder.made_folder = made_folder;
        folder.begin(plan)
    }

    /// Begins other work in place of the existing one.
    pub fn replace(self, plan: Plan) -> Result<(Self, Plan)> {
        self.clear()?;
        self.begin(plan)
    }

    fn new(outer: &Path, path: PathBuf, list: List) -> Self {
        Self {
            outer: outer.to_owned(),
            path,
            list: Mutex::new(list),
            token: String::new(),
            made_folder: false,
            parts: 0,
        }
    }

    fn adopt(&mut self, begin: &Begin) {
        self.token.clone_from(&begin.token);
        self.made_folder = begin.made_folder;
        self.parts = begin.plan.parts().len();
    }

    fn begin(mut self, plan: Plan) -> Result<(Self, Plan)> {
        let begin = Begin {
            token: format!("{:016x}", RandomState::new().hash_one(std::process::id())),
            made_folder: self.made_folder,
            plan,
        };
        let begin = read_back(begin).ok_or_else(|| problem(&self.path, "cannot hold the plan of the check"))?;
        self.adopt(&begin);
        let entries = [Entry::Begin(begin)];
        self.note(&entries)?;
        let [Entry::Begin(Begin { plan, .. })] = entries else {
            unreachable!("it was put there");
        };
        Ok((self, plan))
    }

    /// Returns the path of a file.
    pub fn at(&self, name: Name) -> PathBuf {
        let token = &self.token;
        self.path.join(match name {
            Name::Part(number) => format!("part-{number:06}-{token}"),
            Name::Pairs => format!("pairs-{token}"),
            Name::Merged(round) => format!("merged-{round}-{token}"),
        })
    }

    /// Writes a file, which is on disk when this returns.
    pub fn write(&self, name: Name, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let path = self.at(name);
        let file = || {
            let mut out = BufWriter::with_capacity(BUFFER_BYTES, File::create(&path)?);
            write(&mut out)?;
            let mut file = out.into_inner()?;
            file.sync_all()?;
            match file.metadata()?.len() == file.stream_position()? {
                true => Ok(()),
                false => Err(io::Error::other("it is not as long as what was written")),
            }
        };
        file().map_err(|error| {
            // The first error is the one to report.
            let _ = fs::remove_file(&path);
            unusable(&path, &error)
        })
    }

    /// Records what is complete, after its files are on disk.
    pub fn note(&self, entries: &[Entry]) -> Result<()> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).note(entries)
    }

    /// Removes all files of the work except its list.
    fn clear(&self) -> Result<()> {
        if self.token.is_empty() {
            return Ok(());
        }
        let parts = (0..self.parts).map(Name::Part);
        let merged = (0..ROUNDS).map(Name::Merged);
        parts
            .chain(merged)
            .chain([Name::Pairs])
            .try_for_each(|name| self.remove(name))
    }

    /// Removes a file, if it exists.
    pub fn remove(&self, name: Name) -> Result<()> {
        remove_file(&self.at(name))
    }

    /// Removes the work: its files, its own folder if nothing else is in it, and the outer one if
    /// it was created for it.
    pub fn delete(self) -> Result<()> {
        self.clear()?;
        remove_file(&self.path.join(LIST))?;
        // They stay if they contain other files.
        if fs::remove_dir(&self.path).is_ok() && self.made_folder {
            let _ = fs::remove_dir(&self.outer);
        }
        Ok(())
    }
}

/// Returns `true` if a folder has only the folder of a work that was killed before it recorded
/// anything: such work created both.
fn is_left_over(outer: &Path) -> bool {
    let only = |folder: &Path, name: &str| {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries.flatten().all(|entry| entry.file_name() == name)
    };
    let own = outer.join(OWN);
    own.exists() && only(outer, OWN) && only(&own, LIST)
}

fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unusable(path, &error)),
        _ => Ok(()),
    }
}
