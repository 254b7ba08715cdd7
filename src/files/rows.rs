//! The adjacency of a set of pairs.

use std::path::{Path, PathBuf};

use crate::{Pair, degrees};

/// The partners of every box: those of box `i` are `neighbours[offsets[i]..offsets[i + 1]]`, ascending.
pub(super) struct Rows {
    pub(super) offsets: Vec<u64>,
    pub(super) neighbours: Vec<u32>,
}

impl Rows {
    pub(super) fn new(boxes: usize, pairs: &[Pair]) -> Self {
        let mut offsets = Vec::with_capacity(boxes + 1);
        offsets.push(0);
        let mut end = 0;
        offsets.extend(degrees(boxes, pairs).into_iter().map(|degree| {
            end += u64::from(degree);
            end
        }));
        let mut next = offsets.clone();
        let mut neighbours = vec![0; 2 * pairs.len()];
        for pair in pairs {
            for (from, to) in [(pair.a, pair.b), (pair.b, pair.a)] {
                let slot = &mut next[from as usize];
                neighbours[*slot as usize] = to;
                *slot += 1;
            }
        }
        for row in offsets.windows(2) {
            neighbours[row[0] as usize..row[1] as usize].sort_unstable();
        }
        Self { offsets, neighbours }
    }

    /// The offsets in 32 bits, if they fit.
    pub(super) fn short_offsets(&self) -> Option<Vec<u32>> {
        u32::try_from(self.neighbours.len()).ok()?;
        Some(self.offsets.iter().map(|&offset| offset as u32).collect())
    }
}

/// The files of the offsets and of the neighbours.
pub(super) fn paths(path: &Path) -> [PathBuf; 2] {
    [".offsets.npy", ".neighbours.npy"].map(|ending| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        name.into()
    })
}
