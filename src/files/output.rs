//! Files that get their final name only once complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::error::{Error, Result};
use crate::files::problem::problem;

/// Bytes to collect before each write to the system.
const BUFFER_BYTES: usize = 1 << 20;

/// A complete file that still has its temporary name. Dropping it without [`Staged::commit`] removes the file.
pub(super) struct Staged {
    temporary: PathBuf,
    path: PathBuf,
    committed: bool,
}

/// Writes a file under a temporary name beside its final place.
pub(super) fn stage(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<Staged> {
    check_place(path)?;
    let (temporary, file) = create_beside(path).map_err(|error| unwritable(path, &error))?;
    let staged = Staged {
        temporary,
        path: path.to_owned(),
        committed: false,
    };
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, file);
    write(&mut out)
        .and_then(|()| out.flush())
        .map_err(|error| unwritable(path, &error))?;
    Ok(staged)
}

impl Staged {
    /// Gives the file its final name, replacing any existing file.
    pub(super) fn commit(mut self) -> Result<()> {
        fs::rename(&self.temporary, &self.path).map_err(|error| unwritable(&self.path, &error))?;
        self.committed = true;
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.committed {
            // Ignore a failure: the caller already gets the first error.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Checks that a file can have this path: its folder exists, and the path is not a folder itself.
pub(super) fn check_place(path: &Path) -> Result<()> {
    if path.is_dir() {
        Err(problem(path, "is a folder: name a file"))
    } else if !folder_of(path).is_dir() {
        Err(problem(
            path,
            "is in a folder that does not exist: create the folder first",
        ))
    } else {
        Ok(())
    }
}

/// Creates an empty file in the same folder: within one file system, a single rename puts it into place.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = folder_of(path).join(format!(".obbligato-{}-{number}.tmp", std::process::id()));
        match File::create_new(&temporary) {
            // A killed process with the same id left it behind.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            result => return result.map(|file| (temporary, file)),
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    problem(
        path,
        format!("cannot be written ({error}): check the folder, its permissions and the free space"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_leaves_the_old_file_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("obbligato-output-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("pairs.csv");
        stage(&path, |out| out.write_all(b"old"))
            .and_then(Staged::commit)
            .unwrap();
        let full = |out: &mut BufWriter<File>| {
            out.write_all(b"new")?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        };
        let error = stage(&path, full).map(drop).unwrap_err().to_string();
        assert!(
            error.contains("pairs.csv: cannot be written (no storage space)"),
            "{error}"
        );
        drop(stage(&path, |out| out.write_all(b"never committed")).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        stage(&path, |out| out.write_all(b"new"))
            .and_then(Staged::commit)
            .unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        fs::remove_dir_all(&folder).unwrap();
    }
}
