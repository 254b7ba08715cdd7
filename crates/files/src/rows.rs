//! The files of an adjacency, and of neighbours.

use std::path::{Path, PathBuf};

use crate::error::Result;
use obbligato_support::memory;

/// Returns the offsets in 32 bits, if they fit.
pub(super) fn short_offsets(offsets: &[u64]) -> Result<Option<Vec<u32>>> {
    if offsets.last().is_some_and(|&end| u32::try_from(end).is_err()) {
        return Ok(None);
    }
    let offsets = offsets.iter().map(|&offset| offset as u32);
    Ok(memory::collect(offsets, "the offsets of rows").map(Some)?)
}

/// Returns the paths of the offsets and the neighbours.
pub(super) fn paths(path: &Path) -> [PathBuf; 2] {
    [".offsets.npy", ".neighbours.npy"].map(|ending| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        name.into()
    })
}
