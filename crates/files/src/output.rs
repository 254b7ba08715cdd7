//! Files that get their final name only once complete.
//!
//! Data for a regular file, or for a new one, goes to a temporary file next to it. The temporary
//! file then takes its name, and the permissions of an existing file of that name. Both are on disk
//! when the call returns. Links are followed, not replaced. Pipes, devices and the open files of a
//! process (`/dev/stdout`) have readers of their own: they are written directly.
//!
//! A temporary file is locked as long as its process lives, so that other processes can recognize
//! files that were left behind.

mod temporary;

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::output::temporary::{Temporary, remove_stale, unfinished, unfinished_now};
use crate::problem::problem;

/// The number of bytes to collect before each write to the system.
const BUFFER_BYTES: usize = 1 << 20;

/// The maximum length of a chain of links, equal to that of Linux.
const MOST_LINKS: usize = 40;

/// The name of stdout, in addition to those that the system gives it.
const STDOUT: &str = "-";

/// A complete file that still has its temporary name, or output that was written directly. Dropping
/// it without [`Staged::commit`] removes the file.
pub(super) struct Staged(Option<Temporary>);

/// A file that is being written, under a temporary name next to its final path. Dropping it removes
/// the file.
pub(super) struct Unfinished {
    path: PathBuf,
    out: Out,
}

/// Fields are dropped in order, so that the buffer is flushed before the file is removed.
enum Out {
    Stdout(BufWriter<Stdout>),
    Direct(BufWriter<File>),
    File(BufWriter<File>, Temporary),
}

impl Unfinished {
    /// Begins a file. A pipe waits for its reader.
    pub fn begin(path: &Path) -> Result<Self> {
        let failed = |error: io::Error| unwritable(path, &error);
        let buffered = |file: File| BufWriter::with_capacity(BUFFER_BYTES, file);
        let out = match target(path)? {
            Target::Stdout => Out::Stdout(BufWriter::with_capacity(BUFFER_BYTES, io::stdout())),
            Target::Direct => {
                let file = OpenOptions::new().write(true).truncate(true).open(path);
                Out::Direct(buffered(file.map_err(failed)?))
            }
            Target::Descriptor(number) => Out::Direct(buffered(duplicate(number).map_err(failed)?)),
            Target::File(target) => {
                let temporary = Temporary::beside(target).map_err(failed)?;
                Out::File(buffered(temporary.file.try_clone().map_err(failed)?), temporary)
            }
        };
        Ok(Self {
            path: path.to_owned(),
            out,
        })
    }

    /// Writes more to the file.
    pub fn write(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let written = match &mut self.out {
            Out::Stdout(out) => write(out),
            Out::Direct(out) | Out::File(out, _) => write(out),
        };
        written.map_err(|error| self.failed(&error))
    }

    /// Completes the file, so that it can be given its name.
    pub fn finish(mut self) -> Result<Staged> {
        let flushed = match &mut self.out {
            Out::Stdout(out) => out.flush(),
            Out::Direct(out) => out.flush(),
            Out::File(out, temporary) => out.flush().and_then(|()| temporary.settle()),
        };
        match (flushed, self.out) {
            (Ok(()), Out::File(_, temporary)) => Ok(Staged(Some(temporary))),
            (Ok(()), _) => Ok(Staged(None)),
            (Err(error), out) => Err(failure(&self.path, &out, &error)),
        }
    }

    fn failed(&self, error: &io::Error) -> Error {
        failure(&self.path, &self.out, error)
    }
}

#[cfg(any(feature = "bcf", feature = "parquet"))]
impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Out::Stdout(out) => out.write(bytes),
            Out::Direct(out) | Out::File(out, _) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Stdout(out) => out.flush(),
            Out::Direct(out) | Out::File(out, _) => out.flush(),
        }
    }
}

fn failure(path: &Path, out: &Out, error: &io::Error) -> Error {
    match out {
        Out::Stdout(_) if error.kind() == io::ErrorKind::BrokenPipe => Error::ClosedPipe {
            path: "stdout".to_owned(),
        },
        Out::Stdout(_) => problem(
            Path::new("stdout"),
            format!("cannot be written ({error}): free some space or write elsewhere"),
        ),
        _ => unwritable(path, error),
    }
}

/// Writes a file under a temporary name next to its final path.
pub(super) fn stage(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Staged> {
    let mut unfinished = Unfinished::begin(path)?;
    unfinished.write(write)?;
    unfinished.finish()
}

/// Writes a text as `stage` does, and gives the file its name.
pub fn write_text(path: &Path, text: &str) -> Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Writes bytes as `stage` does, and gives the file its name.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    stage(path, |out| out.write_all(bytes)).and_then(Staged::commit)
}

impl Staged {
    /// Gives the file its final name, replacing any existing file.
    pub(super) fn commit(self) -> Result<()> {
        match self.0 {
            Some(temporary) => temporary.commit(),
            None => Ok(()),
        }
    }
}

/// Checks that a file can have this path: its folder exists and accepts new files, and the path is
/// not a folder. Removes temporary files that ended processes left there. Returns the canonical
/// path, which is equal for all paths to the same file.
pub fn check_place(path: &Path) -> Result<PathBuf> {
    let place = match target(path)? {
        Target::Stdout => return Ok(PathBuf::from(STDOUT)),
        // A pipe has no other name.
        Target::Descriptor(_) => fs::canonicalize(path).or_else(|_| Ok(path.to_owned())),
        Target::Direct => fs::canonicalize(path),
        Target::File(target) => {
            let folder = folder_of(&target);
            remove_stale(folder);
            let place = fs::canonicalize(folder).map(|folder| folder.join(target.file_name().unwrap_or_default()));
            Temporary::beside(target).and(place)
        }
    };
    place.map_err(|error| unwritable(path, &error))
}

/// Returns `true` if a path is stdout: `-`, a name that the system gives it, or a link to one.
pub fn is_stdout(path: &Path) -> bool {
    matches!(target(path), Ok(Target::Stdout))
}

/// Returns `true` if a path is not a regular file, so that its extension means nothing and it keeps
/// its name.
pub fn is_written_through(path: &Path) -> bool {
    matches!(
        target(path),
        Ok(Target::Stdout | Target::Direct | Target::Descriptor(_))
    )
}

/// Removes the unfinished files of this process, which is about to end. After this call, no file is
/// begun or finished.
pub fn abandon() {
    let unfinished = unfinished();
    for path in unfinished.iter() {
        // A file that cannot be removed is left for the next process to remove.
        let _ = fs::remove_file(path);
    }
    // Any attempt to begin or finish a file waits for this lock until the process ends.
    std::mem::forget(unfinished);
}

/// Removes the unfinished files of this process like [`abandon`], but where memory has run out:
/// without waiting and without allocating. A file that it cannot remove in this way is left for the
/// next process to remove.
pub fn abandon_at_once() {
    // The standard library allocates for longer paths.
    const LONGEST: usize = 256;
    if let Some(unfinished) = unfinished_now() {
        for path in unfinished.iter().filter(|path| path.as_os_str().len() < LONGEST) {
            let _ = fs::remove_file(path);
        }
        std::mem::forget(unfinished);
    }
}

/// The way in which a path is written.
enum Target {
    /// Through a file next to it, which is renamed to this path; the path is not a link.
    File(PathBuf),
    /// Directly: it is a pipe or a device, or a file that another process has open.
    Direct,
    /// To the file that this process has open as this descriptor, at its current position.
    Descriptor(u32),
    /// To the stdout of this process.
    Stdout,
}

fn target(path: &Path) -> Result<Target> {
    let no_folder = || problem(path, "is in a folder that does not exist: create the folder first");
    if path == Path::new(STDOUT) {
        return Ok(Target::Stdout);
    }
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        // An open file may be regular, and must still not be replaced by another.
        if let Some(open) = open_file(&target) {
            return Ok(open);
        }
        match fs::read_link(&target) {
            Ok(next) => target = folder_of(&target).join(next),
            Err(_) => break,
        }
    }
    if !folder_of(path).is_dir() {
        return Err(no_folder());
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(problem(path, "is a folder: name a file")),
        Ok(found) if !found.is_file() => return Ok(Target::Direct),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unwritable(path, &error)),
        _ => {}
    }
    match folder_of(&target).is_dir() {
        true => Ok(Target::File(target)),
        false => Err(no_folder()),
    }
}

/// Returns the open file that a path names, if any: an entry of `/dev/fd`, or of `fd` below a
/// process in `/proc`. However the path leads there, its folder has one canonical name.
fn open_file(path: &Path) -> Option<Target> {
    let name = path.file_name()?.to_str()?;
    let is_number = name.bytes().all(|digit| digit.is_ascii_digit());
    let number = is_number.then(|| name.parse().ok())??;
    let folder = fs::canonicalize(folder_of(path)).ok()?;
    let of_process = || {
        let processes = folder.strip_prefix("/proc").ok()?;
        let names: Vec<&OsStr> = processes.iter().collect();
        matches!(&names[..], [_, fd] | [_, _, _, fd] if *fd == "fd").then_some(())
    };
    if folder != Path::new("/dev/fd") {
        of_process()?;
        if !fs::canonicalize("/proc/self").is_ok_and(|own| folder.starts_with(own)) {
            return Some(Target::Direct);
        }
    }
    match number {
        1 => Some(Target::Stdout),
        _ => Some(Target::Descriptor(number)),
    }
}

/// Duplicates a descriptor of this process. The duplicate shares its position, and appends if the
/// original does.
#[cfg(unix)]
#[allow(
    unsafe_code,
    reason = "the standard library borrows a descriptor by its number in no other way"
)]
fn duplicate(number: u32) -> io::Result<File> {
    use std::os::fd::{BorrowedFd, RawFd};

    let number = RawFd::try_from(number).map_err(io::Error::other)?;
    // SAFETY: the number is not -1. The parent of this process opened the descriptor, and nothing
    // in the process closes a descriptor that it has not opened. The descriptor is borrowed for one
    // call, which fails if it is not open.
    let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
    borrowed.try_clone_to_owned().map(File::from)
}

#[cfg(not(unix))]
fn duplicate(_: u32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Waits until the names of new files in a folder are on disk, on systems that support it.
#[cfg_attr(not(unix), expect(clippy::unnecessary_wraps, reason = "only Unix can fail to"))]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};

        match File::open(folder).and_then(|folder| folder.sync_all()) {
            // Some file systems have nothing to wait for, and a folder may accept files without
            // being readable.
            Err(error) if ![InvalidInput, PermissionDenied, Unsupported].contains(&error.kind()) => return Err(error),
            Err(_) => {}
            Ok(()) => {
                #[cfg(test)]
                synced::note(folder);
            }
        }
    }
    let _ = folder;
    Ok(())
}

/// The folders that a thread has synced, for tests: nothing else shows on a machine that keeps
/// running.
#[cfg(test)]
#[cfg(unix)]
pub(crate) mod synced {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// A folder, and what its files were when it was synced: their names and lengths.
    pub type Synced = (PathBuf, BTreeMap<String, u64>);

    thread_local! {
        static ALL: RefCell<Vec<Synced>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn note(folder: &Path) {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let files = files.map(|file| {
            let length = file.metadata().map_or(0, |file| file.len());
            (file.file_name().to_string_lossy().into_owned(), length)
        });
        ALL.with_borrow_mut(|all| all.push((folder.to_owned(), files.collect())));
    }

    /// Those since the last call.
    pub fn take() -> Vec<Synced> {
        ALL.take()
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Returns an error for a file that cannot be written.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Error {
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
        let full = |out: &mut dyn Write| {
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

    #[cfg(unix)]
    #[test]
    fn the_folder_is_synced_once_a_file_has_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pairs.csv");
        synced::take();
        let staged = stage(&path, |out| out.write_all(b"a,b")).unwrap();
        assert_eq!(synced::take(), []);
        staged.commit().unwrap();
        let files = [("pairs.csv".to_owned(), 3)].into();
        assert_eq!(synced::take(), [(folder.path().to_owned(), files)]);
    }
}
