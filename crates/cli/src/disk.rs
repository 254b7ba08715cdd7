//! The room on a disk.

use std::path::Path;

/// Bytes that are free where a folder is, as far as the system tells.
#[cfg(unix)]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

#[cfg(not(unix))]
pub fn free_bytes(_: &Path) -> Option<u64> {
    None
}
