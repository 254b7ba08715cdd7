//! The folder of the work: what is complete has its name, all else has another ending.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::base::error::{Error, Result};
use crate::base::excerpt::excerpt;
use crate::files::problem::problem;

/// What a file is called while it is written.
const UNFINISHED: &str = "unfinished";
/// The file that a process locks while it works here.
const LOCK: &str = "lock";
/// What is planned.
const PLAN: &str = "plan.json";

/// The name of the part of a number.
pub(super) fn part_name(part: usize) -> String {
    format!("part-{part:06}")
}

/// The folder, which is this process's as long as it is not dropped.
pub(super) struct Folder {
    path: PathBuf,
    /// Locked.
    _lock: File,
}

impl Folder {
    /// Creates it, if it is not there.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |error: io::Error| unusable(path, &error);
        fs::create_dir_all(path).map_err(failed)?;
        let mut options = OpenOptions::new();
        let lock = options
            .create(true)
            .truncate(false)
            .write(true)
            .open(path.join(LOCK))
            .map_err(failed)?;
        match lock.try_lock() {
            Err(fs::TryLockError::WouldBlock) => Err(problem(
                path,
                "is where another process is at work: wait for it, or name another folder",
            )),
            // On file systems without locks there are none.
            _ => Ok(Self {
                path: path.to_owned(),
                _lock: lock,
            }),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text of the plan, if there is one.
    pub fn plan(&self) -> Option<String> {
        fs::read_to_string(self.path.join(PLAN)).ok()
    }

    /// Removes what other work has left here, files of these names alone, and notes the plan.
    pub fn begin(&self, plan: &str) -> Result<()> {
        self.clear()?;
        self.write(PLAN, |out| out.write_all(plan.as_bytes()))
    }

    /// Where the file of a name is.
    pub fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether a file is there, and so complete.
    pub fn has(&self, name: &str) -> bool {
        self.at(name).is_file()
    }

    /// Writes a file, and gives it its name once all of it is there.
    pub fn write(&self, name: &str, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let path = self.at(name);
        let unfinished = path.with_extension(UNFINISHED);
        let file = || {
            let mut out = io::BufWriter::with_capacity(1 << 20, File::create(&unfinished)?);
            write(&mut out)?;
            out.into_inner()?;
            fs::rename(&unfinished, &path)
        };
        file().map_err(|error| {
            // Nothing else can be done about it.
            let _ = fs::remove_file(&unfinished);
            unusable(&path, &error)
        })
    }

    /// The text of a file.
    pub fn read(&self, name: &str) -> Result<String> {
        let path = self.at(name);
        fs::read_to_string(&path).map_err(|error| unusable(&path, &error))
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, name: &str) -> Result<()> {
        match fs::remove_file(self.at(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unusable(&self.at(name), &error)),
            _ => Ok(()),
        }
    }

    /// Removes all files of the work.
    fn clear(&self) -> Result<()> {
        let failed = |error: io::Error| unusable(&self.path, &error);
        // The plan goes first: without it nothing else means anything.
        self.remove(PLAN)?;
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let ours = ["part-", "tile-", "pairs-"].iter().any(|start| name.starts_with(start));
            if ours || path.extension().is_some_and(|ending| ending == UNFINISHED) {
                fs::remove_file(&path).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Removes the work, and the folder if nothing else is in it.
    pub fn delete(self) -> Result<()> {
        self.clear()?;
        self.remove(LOCK)?;
        // Whoever put something else there keeps it.
        let _ = fs::remove_dir(&self.path);
        Ok(())
    }
}

/// An error about a file of the folder, or the folder itself.
pub(super) fn unusable(path: &Path, error: &io::Error) -> Error {
    problem(
        path,
        format!(
            "cannot be used for work ({}): check the folder, its permissions and the free space",
            excerpt(&error.to_string())
        ),
    )
}
