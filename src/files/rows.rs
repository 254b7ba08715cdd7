//! The files of an adjacency.

use std::path::{Path, PathBuf};

use crate::outputs::adjacency_cpu::Adjacency;

/// The offsets in 32 bits, if they fit.
pub(super) fn short_offsets(adjacency: &Adjacency) -> Option<Vec<u32>> {
    u32::try_from(adjacency.neighbours().len()).ok()?;
    Some(adjacency.offsets().iter().map(|&offset| offset as u32).collect())
}

/// The files for the offsets and the neighbours.
pub(super) fn paths(path: &Path) -> [PathBuf; 2] {
    [".offsets.npy", ".neighbours.npy"].map(|ending| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        name.into()
    })
}
