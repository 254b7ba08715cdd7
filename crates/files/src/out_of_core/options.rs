//! Options of a check from disk.

use std::path::PathBuf;

/// The memory and the folder to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfCore {
    /// The limit on the memory of this process, in bytes, without GPU memory. At least
    /// [`OutOfCore::LEAST_MEMORY`]. Tiles are as large as it allows, and a tile that turns out to
    /// need more is cut. The memory of a process can be measured only on Linux; elsewhere an
    /// estimate is used.
    pub memory: u64,
    /// The folder that holds the work, about 50 bytes per box and 8 per pair, in a folder
    /// `obbligato-work` within this one. Both are created if they do not exist. The work of an
    /// earlier check of the same file is reused; that of another file is removed. Nothing else in
    /// the folder is touched.
    pub folder: PathBuf,
    /// The number of boxes of a tile, if it is not to follow from the memory.
    pub tile_boxes: Option<usize>,
    /// Set to keep the pairs, and not only to count them.
    pub pairs: bool,
}

impl OutOfCore {
    /// The smallest possible memory limit, in bytes: 256 MB.
    pub const LEAST_MEMORY: u64 = 256_000_000;

    /// Returns options with 4 GiB of memory that keep all pairs.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self {
            memory: 4 << 30,
            folder: folder.into(),
            tile_boxes: None,
            pairs: true,
        }
    }
}

/// The progress of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// The work is planned: the boxes, the tiles, and the bytes that the folder will hold, without
    /// pairs.
    Planned {
        /// The boxes of the file.
        boxes: u64,
        /// The tiles.
        tiles: usize,
        /// The approximate number of bytes that are still to be written for the boxes.
        disk_bytes: u64,
    },
    /// The number of rows on disk, out of all rows.
    Scattered(u64, u64),
    /// The number of tiles checked, out of all tiles.
    Checked(usize, usize),
}
