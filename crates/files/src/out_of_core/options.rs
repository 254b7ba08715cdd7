//! How a scene is checked from disk.

use std::path::PathBuf;

/// How much memory and which folder to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfCore {
    /// Bytes of the machine's memory to stay below: of all that this process has, the GPU's memory aside. At least
    /// [`OutOfCore::LEAST_MEMORY`]. Tiles are as large as it allows, and a tile that turns out to need more is cut. What a
    /// process has is only known on Linux; elsewhere the estimate has to do.
    pub memory: u64,
    /// Where the work is kept, some 50 bytes a box and 8 a pair: in a folder `obbligato-work` within this one. Both are created
    /// if they are not there. What an earlier check of the same file left there is used; what one of another file left there
    /// is removed. Nothing else in the folder is touched.
    pub folder: PathBuf,
    /// Boxes of a tile, where they are not to follow from the memory.
    pub tile_boxes: Option<usize>,
    /// Whether to keep the pairs, and not only to count them.
    pub pairs: bool,
}

impl OutOfCore {
    /// The least memory that will do, in bytes: 256 MB.
    pub const LEAST_MEMORY: u64 = 256_000_000;

    /// 4 GiB, and all pairs.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self {
            memory: 4 << 30,
            folder: folder.into(),
            tile_boxes: None,
            pairs: true,
        }
    }
}

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// The work is planned: so many boxes in so many tiles, and bytes that the folder will hold, but for pairs.
    Planned {
        /// The boxes of the file.
        boxes: u64,
        /// The tiles.
        tiles: usize,
        /// Bytes that are still to be written for the boxes, about.
        disk_bytes: u64,
    },
    /// So many rows out of all are on disk.
    Scattered(u64, u64),
    /// So many tiles out of all are checked.
    Checked(usize, usize),
}
