//! Plans the work: the rows of each part, and the tiles.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::box_file::BoxFile;
use crate::error::Result;
use crate::out_of_core::options::OutOfCore;
use crate::problem::problem;
use obbligato::{Config, Obb, Precision, report::MemoryEstimate, tiles::Tiling};
use obbligato_support::{memory, parallel};

/// Label for out-of-memory errors.
const WHAT: &str = "a sample of the scene";

/// The number of boxes of the sample: for each tile, and at most.
const SAMPLE_OF_TILE: usize = 4096;
const MOST_SAMPLE: usize = 1 << 21;
/// The number of boxes of the sample that are read together.
const RUN: u64 = 8192;

/// The bytes that the program needs apart from its lists.
const BESIDES: u64 = 96 << 20;
/// The bytes that scattering needs for each row of a thread: its record, its order, and room to
/// grow.
const SCATTERED_BYTES: u64 = 176;
/// The bytes that a thread needs to read rows, mainly for compressed columns.
const READING_BYTES: u64 = 12 << 20;
/// The number of rows of a part: enough for each tile to be read in one go, few enough for all
/// threads to have work.
const PART_ROWS: Range<u64> = 1 << 14..4 << 20;
/// The largest size of a part, in tiles: a part has at most as many rows as this number of tiles
/// has boxes. If those fit, it fits.
const TILES_OF_PART: u64 = 4;
/// The bytes that a tile needs for each box in addition to its check: the box and its id, and both
/// again for the next tile.
const GATHERED_BYTES: u64 = 2 * (size_of::<Obb>() as u64 + 4);
/// The number of pairs per box for which a tile has room. If there are more, the tile is cut.
const PAIRS_OF_BOX: u64 = 3;

/// The work, as it is recorded on disk.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    pub of: Subject,
    /// The number of rows of a part.
    pub part_rows: u64,
    pub tiling: Tiling,
}

/// The input and options of a check: the work for another subject cannot be used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Subject {
    path: PathBuf,
    bytes: u64,
    /// The time of the last change of the file, in nanoseconds.
    changed: u64,
    pub rows: u64,
    pub has_ids: bool,
    pub has_groups: bool,
    precision: Precisely,
    /// The bits of the margin.
    margin: u64,
    pairs: bool,
    tile_boxes: Option<usize>,
}

/// [`Precision`], as it is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Precisely {
    Exact,
    Fast,
    Conservative,
}

impl Subject {
    pub fn new(path: &Path, file: &BoxFile, config: &Config, options: &OutOfCore) -> Result<Self> {
        let unreadable = |error: std::io::Error| problem(path, format!("cannot be read ({error}): check the path"));
        let metadata = fs::metadata(path).map_err(unreadable)?;
        let changed = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Self {
            path: fs::canonicalize(path).map_err(unreadable)?,
            bytes: metadata.len(),
            changed: changed.map_or(0, |since| since.as_nanos() as u64),
            rows: file.rows(),
            has_ids: file.has_ids(),
            has_groups: file.has_groups(),
            precision: match config.precision {
                Precision::Exact => Precisely::Exact,
                Precision::Fast => Precisely::Fast,
                Precision::Conservative => Precisely::Conservative,
            },
            margin: config.margin.to_bits(),
            pairs: options.pairs,
            tile_boxes: options.tile_boxes,
        })
    }

    /// Returns the number of 32-bit words in the record of a box on disk: its id, the ten of the
    /// box, and its groups.
    pub const fn record_words(&self) -> usize {
        match self.has_groups {
            true => 13,
            false => 11,
        }
    }
}

impl Plan {
    /// Plans the work for this subject from a sample of the file.
    pub fn new(of: Subject, file: &BoxFile, config: &Config, options: &OutOfCore) -> Result<Self> {
        let usable = usable(options)?;
        let tile_boxes = options
            .tile_boxes
            .unwrap_or_else(|| boxes_within(usable, config))
            .max(1);
        let tiles = of.rows.div_ceil(tile_boxes as u64).max(1) as usize;
        let part_rows = (usable / parallel::threads() as u64).saturating_sub(READING_BYTES) / SCATTERED_BYTES;
        let part_rows = part_rows.min(TILES_OF_PART.saturating_mul(tile_boxes as u64));
        let tiling = match tiles {
            1 => Tiling::whole(),
            _ => Tiling::of_sample(&sample(file, tiles)?, tiles)?,
        };
        Ok(Self {
            part_rows: part_rows.clamp(PART_ROWS.start, PART_ROWS.end),
            tiling,
            of,
        })
    }

    /// Returns the number of lists of a part: one for each tile, and one for boxes that meet very
    /// many tiles.
    pub fn lists(&self) -> usize {
        self.tiling.len() + 1
    }

    /// Returns the number of parts that may be written at once.
    pub fn parts_at_once(&self, usable: u64) -> usize {
        (usable / (self.part_rows * SCATTERED_BYTES + READING_BYTES)).clamp(1, parallel::threads() as u64) as usize
    }

    /// Returns the number of rows in parts that are not done.
    pub fn rows_but(&self, is_done: impl Fn(usize) -> bool) -> u64 {
        let parts = self.parts().into_iter().enumerate();
        let missing = parts.filter(|(part, _)| !is_done(*part));
        missing.map(|(_, rows)| rows.end - rows.start).sum()
    }

    /// Returns the rows of each part.
    pub fn parts(&self) -> Vec<Range<u64>> {
        let begins = (0..self.of.rows).step_by(self.part_rows.max(1) as usize);
        begins
            .map(|begin| begin..(begin + self.part_rows).min(self.of.rows))
            .collect()
    }
}

/// Returns the bytes for lists: the memory limit minus the needs of the program.
pub(super) fn usable(options: &OutOfCore) -> Result<u64> {
    match options.memory < OutOfCore::LEAST_MEMORY {
        true => Err(memory::OutOfMemory {
            what: "a check from disk",
            needed: OutOfCore::LEAST_MEMORY,
        })?,
        false => Ok(options.memory - BESIDES - memory::MARGIN),
    }
}

/// Returns the largest number of boxes that fit into a check, with the usual number of pairs.
fn boxes_within(usable: u64, config: &Config) -> usize {
    let fits = |boxes: u64| {
        let pairs = (PAIRS_OF_BOX * boxes) as usize;
        let check = MemoryEstimate::on_cpu(config, boxes as usize, pairs).host_bytes;
        check.saturating_add(GATHERED_BYTES * boxes) <= usable
    };
    let (mut low, mut high) = (1, 1 << 32);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match fits(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    low as usize
}

/// Returns boxes from all over the file, enough for `tiles` tiles.
fn sample(file: &BoxFile, tiles: usize) -> Result<Vec<Obb>> {
    let wanted = SAMPLE_OF_TILE.saturating_mul(tiles).min(MOST_SAMPLE) as u64;
    let runs = wanted.div_ceil(RUN).min(file.rows().div_ceil(RUN)).max(1);
    let mut boxes = Vec::new();
    for run in 0..runs {
        // In u128 because the product may exceed 64 bits.
        let begin = (u128::from(run) * u128::from(file.rows()) / u128::from(runs)) as u64;
        file.read(begin..(begin + RUN).min(file.rows()), |rows| {
            Ok(memory::extend(&mut boxes, &rows.boxes, WHAT)?)
        })?;
    }
    Ok(boxes)
}
