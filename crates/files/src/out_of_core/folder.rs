//! The folder of the work, and who owns what is in it.
//!
//! All files of the work are in a folder of their own within the one that the caller names, and their names carry a random
//! token. A file is removed only if the list of the work says, by its token and its plan, that the work wrote it.

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

/// The folder within the caller's.
const OWN: &str = "obbligato-work";
/// The file that says what else in it is the work's.
const LIST: &str = "list";
/// Rounds in which runs may be merged: more than 2^32 runs take.
const ROUNDS: usize = 6;

/// Bytes that are collected before they are written.
const BUFFER_BYTES: usize = 1 << 20;

/// A file of the work.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name {
    /// What some rows of the scene give to all tiles.
    Part(usize),
    /// The pairs of all tiles.
    Pairs,
    /// Pairs that are partly merged, in a round.
    Merged(usize),
}

/// The folder of a work. It is this process's until it is dropped.
pub(super) struct Folder {
    outer: PathBuf,
    path: PathBuf,
    list: Mutex<List>,
    token: String,
    made_folder: bool,
    /// How many parts the plan has.
    parts: usize,
}

/// Work that is in a folder: its plan and what is done, unless it was killed before it had either.
type Found = (Folder, Option<(Plan, Done)>);

impl Folder {
    /// The work in a folder, if there is any. Creates nothing.
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

    /// Begins work where there is none. Returns the plan as it reads back.
    pub fn create(outer: &Path, plan: Plan) -> Result<(Self, Plan)> {
        let made_folder = !outer.exists() || is_left_over(outer);
        let path = outer.join(OWN);
        fs::create_dir_all(&path).map_err(|error| unusable(outer, &error))?;
        let list = List::create(&path.join(LIST))?;
        let mut folder = Self::new(outer, path, list);
        folder.made_folder = made_folder;
        folder.begin(plan)
    }

    /// Begins other work in place of what is there.
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

    /// Where a file is.
    pub fn at(&self, name: Name) -> PathBuf {
        let token = &self.token;
        self.path.join(match name {
            Name::Part(number) => format!("part-{number:06}-{token}"),
            Name::Pairs => format!("pairs-{token}"),
            Name::Merged(round) => format!("merged-{round}-{token}"),
        })
    }

    /// Writes a file, which is on disk when it returns.
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
            // The first error is the one to tell.
            let _ = fs::remove_file(&path);
            unusable(&path, &error)
        })
    }

    /// Notes what is complete, after its files are on disk.
    pub fn note(&self, entries: &[Entry]) -> Result<()> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).note(entries)
    }

    /// Removes all files of the work but its list.
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

    /// Removes a file, if it is there.
    pub fn remove(&self, name: Name) -> Result<()> {
        remove_file(&self.at(name))
    }

    /// Removes the work: its files, its own folder if nothing else is in there, and the outer one if it was created for it.
    pub fn delete(self) -> Result<()> {
        self.clear()?;
        remove_file(&self.path.join(LIST))?;
        // They stay if somebody has put something there.
        if fs::remove_dir(&self.path).is_ok() && self.made_folder {
            let _ = fs::remove_dir(&self.outer);
        }
        Ok(())
    }
}

/// Whether a folder has nothing but that of a work which was killed before it noted anything: then the work has made both.
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
