//! Files with temporary names beside their targets, of this process and of killed ones.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crate::error::Result;
use crate::output::{folder_of, sync_folder, unwritable};

/// The name of a temporary file has the number of its process, a dash and a number of its own
/// between these.
const PREFIX: &str = ".obbligato-";
const SUFFIX: &str = ".tmp";

/// The temporary files of this process. Only the holder of the lock may create, rename and remove
/// them.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

pub(super) fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the temporary files if no thread creates, renames or removes one.
pub(super) fn unfinished_now() -> Option<MutexGuard<'static, Vec<PathBuf>>> {
    match UNFINISHED.try_lock() {
        Ok(unfinished) => Some(unfinished),
        Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// A file with a temporary name, which goes when it is dropped.
pub(super) struct Temporary {
    path: PathBuf,
    target: PathBuf,
    /// Open and locked until the file has its name.
    pub file: File,
}

impl Temporary {
    /// Creates an empty file in the same folder: within one file system, a single rename moves it
    /// into place.
    pub fn beside(target: PathBuf) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut unfinished = unfinished();
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = folder_of(&target).join(format!("{PREFIX}{}-{number}{SUFFIX}", process::id()));
            let file = match create_like(&path, &target) {
                // A killed process with the same id left it behind.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file?,
            };
            unfinished.push(path.clone());
            // On file systems without locks, files that are left behind stay there.
            let _ = file.try_lock();
            return Ok(Self { path, target, file });
        }
    }

    /// Waits until everything that was written is on disk. Some file systems report only then that
    /// they are full.
    pub fn settle(&self) -> io::Result<()> {
        self.file.sync_all()?;
        match self.file.metadata()?.len() == (&self.file).stream_position()? {
            true => Ok(()),
            false => Err(io::Error::other("it is not as long as what was written")),
        }
    }

    pub fn commit(self) -> Result<()> {
        let failed = |error: io::Error| unwritable(&self.target, &error);
        let mut unfinished = unfinished();
        fs::rename(&self.path, &self.target).map_err(failed)?;
        unfinished.retain(|path| *path != self.path);
        drop(unfinished);
        sync_folder(folder_of(&self.target)).map_err(failed)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut unfinished = unfinished();
        if let Some(position) = unfinished.iter().position(|path| *path == self.path) {
            unfinished.swap_remove(position);
            // Ignore a failure: the caller already gets the first error.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Creates a file with the permissions of the one that it is to replace, if any.
fn create_like(path: &Path, target: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if let Some(earlier) = fs::metadata(target).ok().filter(fs::Metadata::is_file) {
        // No other user may open the file before it has its permissions.
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        take_permissions(&file, &earlier);
        return Ok(file);
    }
    let _ = target;
    options.open(path)
}

/// Gives a file the owner, group and mode of another one, as far as this process is allowed to.
#[cfg(unix)]
fn take_permissions(file: &File, earlier: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let Ok(own) = file.metadata() else { return };
    if own.uid() != earlier.uid() {
        // Only the superuser is allowed to.
        let _ = fchown(file, Some(earlier.uid()), None);
    }
    let keeps_group = own.gid() == earlier.gid() || fchown(file, None, Some(earlier.gid())).is_ok();
    let mode = earlier.mode() & 0o777;
    // If the file has another group than the earlier one, that group gets only the permissions of
    // everybody.
    let mode = match keeps_group {
        true => mode,
        false => mode & !0o070 | (mode & 0o007) << 3,
    };
    // On systems without modes there is nothing to preserve.
    let _ = file.set_permissions(fs::Permissions::from_mode(mode));
}

/// Removes the temporary files in a folder that killed processes left behind. Failures are ignored
/// because the files do no harm.
pub(super) fn remove_stale(folder: &Path) {
    let unfinished = unfinished();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_stale = owner_of(&entry.file_name()).is_some_and(has_ended)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && !unfinished.contains(&path);
        // A process elsewhere, perhaps in another container, may have the same number. The lock is
        // held as long as it lives.
        if is_stale
            && let Ok(file) = OpenOptions::new().write(true).open(&path)
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Returns the process that a temporary file belongs to, by its name.
fn owner_of(name: &OsStr) -> Option<u32> {
    let numbers = name.to_str()?.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let (process, number) = numbers.split_once('-')?;
    number.parse::<u64>().ok()?;
    process.parse().ok()
}

/// Returns `true` if no other process has this number, as far as the system knows.
fn has_ended(process: u32) -> bool {
    process == process::id() || !Path::new("/proc").join(process.to_string()).exists()
}
