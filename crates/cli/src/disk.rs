//! Free space on a disk.

use std::path::Path;

/// Returns the number of free bytes on the disk of a folder, if the system knows it.
#[cfg(unix)]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

#[cfg(not(unix))]
pub fn free_bytes(_: &Path) -> Option<u64> {
    None
}
