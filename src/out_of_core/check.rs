//! The check from disk, from the file to the totals.

use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::thread;

use crate::base::config::{Config, Output, Precision};
use crate::base::engine::Engine;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::timings::Timings;
use crate::broad_phase::choice::BroadPhaseChoice;
use crate::checker::Checker;
use crate::files::box_file::BoxFile;
use crate::files::problem::problem;
use crate::geometry::pair::Pair;
use crate::out_of_core::folder::Folder;
use crate::out_of_core::gather::{Parts, TileBoxes};
use crate::out_of_core::options::{OutOfCore, Step};
use crate::out_of_core::plan::{Plan, Subject};
use crate::out_of_core::runs;
use crate::out_of_core::scatter::scatter;
use crate::out_of_core::totals::Totals;
use crate::outputs::report::checksum;
use crate::outputs::sort_pairs_cpu::sort_pairs;
use crate::tiles::tile::{Tile, widened};
use crate::tiles::tiling::Tiling;

/// What memory is for.
const PAIRS: &str = "the pairs of a tile";

/// What a check from disk has found, and the folder that has it.
pub struct Checked {
    /// The numbers of all tiles.
    pub totals: Totals,
    /// How many tiles there are.
    pub tiles: usize,
    /// How many of them an earlier check had done.
    pub tiles_before: usize,
    /// Where the last tile was checked; `None` if all were before.
    pub engine: Option<Engine>,
    /// What found the candidate pairs of the last tile.
    pub broad_phase: Option<BroadPhaseChoice>,
    /// How long the checks of tiles took in all, those of an earlier check aside. The next tile is read in the meantime.
    pub timings: Timings,
    folder: Folder,
    pairs: bool,
}

/// Finds the pairs of a file of boxes, NPY or Parquet, within the memory that the options allow. `progress` hears how far it is.
///
/// A box goes by its id or, in files without ids, its row, from 0. The pairs are those of [`Checker::check`], whatever the tiles are.
///
/// # Errors
/// [`Error::File`] for a file that cannot be read or is no such file, for bad rows, for ids that repeat, and for a folder that cannot be
/// used; [`Error::OutOfMemory`] if the memory is less than [`OutOfCore::LEAST_MEMORY`], or than what the boxes around one place take;
/// those of [`Checker::check`]. What is complete by then stays in the folder.
pub fn check(
    path: &Path,
    config: &Config,
    options: &OutOfCore,
    progress: &mut (dyn FnMut(Step) + Send),
) -> Result<Checked> {
    let config = Config {
        output: Output::Pairs,
        max_pairs: None,
        list_touching: false,
        ..config.clone()
    };
    let file = BoxFile::open(path)?;
    let subject = Subject::new(path, &file, &config, options)?;
    let folder = Folder::open(&options.folder)?;
    let _limited = memory::limit_to(options.memory);
    let plan = plan(&folder, &subject, &file, &config, options)?;
    let tiles = plan.tiling.tiles();
    let done: Vec<Option<Totals>> = (0..tiles.len()).map(|tile| totals_of(&folder, tile)).collect();
    let open: Vec<usize> = (0..tiles.len()).filter(|&tile| done[tile].is_none()).collect();
    let missing = plan.missing_rows(&folder);
    progress(Step::Planned {
        boxes: plan.of.rows,
        tiles: tiles.len(),
        disk_bytes: if open.is_empty() {
            0
        } else {
            missing * 4 * plan.of.record_words() as u64 * 9 / 8
        },
    });
    let exact = config.precision == Precision::Exact;
    let mut totals = Totals::none(plan.of.rows, exact);
    done.iter().flatten().for_each(|tile| totals.add(tile));
    let mut checked = Checked {
        totals,
        tiles: tiles.len(),
        tiles_before: tiles.len() - open.len(),
        engine: None,
        broad_phase: None,
        timings: Timings::default(),
        folder,
        pairs: options.pairs,
    };
    if open.is_empty() {
        return Ok(checked);
    }
    plan.check_ids(&file)?;
    scatter(&plan, &file, config.margin, &checked.folder, progress)?;
    let parts = Parts::open(&plan, config.margin, &checked.folder)?;
    let mut worker = Worker::new(config, &checked.folder, options.pairs)?;
    let mut count = checked.tiles_before;
    let mut sum = checked.totals;
    gathered(
        &open,
        |tile| parts.tile(tile, &tiles[tile]),
        |tile, boxes| {
            sum.add(&worker.check(tile, &tiles[tile], boxes)?);
            count += 1;
            progress(Step::Checked(count, tiles.len()));
            Ok(())
        },
    )?;
    let Worker {
        engine,
        broad_phase,
        timings,
        ..
    } = worker;
    (checked.engine, checked.broad_phase, checked.timings) = (engine, broad_phase, timings);
    checked.totals = sum;
    Ok(checked)
}

impl Checked {
    /// Calls `each` with all pairs, sorted by (a, b), some at a time. They are of ids, or of rows.
    ///
    /// # Errors
    /// [`Error::Unavailable`] unless [`OutOfCore::pairs`] was set; [`Error::File`] if the folder cannot be read; those of `each`.
    pub fn pairs(&self, each: impl FnMut(&[Pair]) -> Result<()>) -> Result<()> {
        match self.pairs {
            true => runs::merge(&self.folder, self.tiles, each),
            false => Err(Error::Unavailable {
                what: "the pairs",
                hint: "they were counted and not kept: set `OutOfCore::pairs`",
            }),
        }
    }

    /// Removes all that is in the folder, and the folder if nothing else is in it.
    ///
    /// # Errors
    /// [`Error::File`] if that is not possible.
    pub fn remove(self) -> Result<()> {
        self.folder.delete()
    }
}

/// The plan that the folder has, which is made if there is none of this subject.
fn plan(folder: &Folder, subject: &Subject, file: &BoxFile, config: &Config, options: &OutOfCore) -> Result<Plan> {
    let noted = || folder.plan().and_then(|text| Plan::noted(&text, subject));
    if let Some(plan) = noted() {
        return Ok(plan);
    }
    let plan = Plan::new(subject.clone(), file, config, options)?;
    folder.begin(&serde_json::to_string(&plan).unwrap_or_default())?;
    // Numbers are those that were read back, now and whenever the work goes on.
    noted().ok_or_else(|| {
        problem(
            folder.path(),
            "does not give back what was written there: name another folder",
        )
    })
}

/// The name of what is known of a tile.
fn tile_name(tile: usize) -> String {
    format!("tile-{tile:06}.json")
}

/// The numbers of a tile, if it is done.
fn totals_of(folder: &Folder, tile: usize) -> Option<Totals> {
    serde_json::from_str(
        &folder
            .has(&tile_name(tile))
            .then(|| folder.read(&tile_name(tile)).ok())??,
    )
    .ok()
}

/// Calls `check` with what `gather` finds for each tile, which another thread does for the next one in the meantime.
fn gathered(
    tiles: &[usize],
    gather: impl Fn(usize) -> Result<TileBoxes> + Sync,
    mut check: impl FnMut(usize, TileBoxes) -> Result<()>,
) -> Result<()> {
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(0);
        let gather = &gather;
        let ahead = move || {
            for &tile in tiles {
                // Nobody receives any more after an error.
                if sender.send((tile, gather(tile))).is_err() {
                    return;
                }
            }
        };
        match thread::Builder::new().spawn_scoped(scope, ahead) {
            Ok(_) => receiver.iter().try_for_each(|(tile, boxes)| check(tile, boxes?)),
            // The system lets no thread start: one after the other, then.
            Err(_) => tiles.iter().try_for_each(|&tile| check(tile, gather(tile)?)),
        }
    })
}

/// Checks tiles, and writes what it finds.
struct Worker<'a> {
    config: Config,
    checker: Checker,
    folder: &'a Folder,
    keeps_pairs: bool,
    engine: Option<Engine>,
    broad_phase: Option<BroadPhaseChoice>,
    timings: Timings,
}

impl<'a> Worker<'a> {
    fn new(config: Config, folder: &'a Folder, keeps_pairs: bool) -> Result<Self> {
        Ok(Self {
            checker: Checker::new(config.clone())?,
            config,
            folder,
            keeps_pairs,
            engine: None,
            broad_phase: None,
            timings: Timings::default(),
        })
    }

    fn check(&mut self, number: usize, tile: &Tile, boxes: TileBoxes) -> Result<Totals> {
        let mut pairs = Vec::new();
        let mut totals = Totals::none(0, self.config.precision == Precision::Exact);
        let cuts = self.find(tile, boxes, &mut totals, &mut pairs)?;
        if cuts > 0 {
            sort_pairs(&mut pairs)?;
        }
        totals.checksum = checksum(&pairs);
        if self.keeps_pairs {
            runs::write_run(self.folder, number, &pairs)?;
        }
        let text = serde_json::to_string(&totals).unwrap_or_default();
        self.folder
            .write(&tile_name(number), |out| out.write_all(text.as_bytes()))?;
        Ok(totals)
    }

    /// Adds the pairs of a tile, and cuts it where it takes more memory than there is. Returns how often.
    fn find(&mut self, tile: &Tile, mut boxes: TileBoxes, totals: &mut Totals, pairs: &mut Vec<Pair>) -> Result<usize> {
        let problem = match self.checker.check_tile(tile, &boxes.boxes) {
            Ok(report) => {
                totals.add(&Totals::of(&report));
                self.engine = Some(report.engine.clone());
                self.broad_phase = report.broad_phase;
                self.timings.add(&report.timings);
                let found = report.into_pairs()?;
                memory::reserve(pairs, found.len(), PAIRS)?;
                pairs.extend(found.into_iter().map(|pair| Pair {
                    a: boxes.keys[pair.a as usize],
                    b: boxes.keys[pair.b as usize],
                }));
                return Ok(0);
            }
            Err(problem @ (Error::OutOfMemory { .. } | Error::OutOfDeviceMemory { .. })) => problem,
            Err(other) => return Err(other),
        };
        // What the checker has taken so far is given back.
        self.checker = Checker::new(self.config.clone())?;
        let Some([first, second]) = self.cut(tile, &boxes)? else {
            return Err(problem);
        };
        let of_first = self.some(&first, &boxes)?;
        if of_first.boxes.len() == boxes.boxes.len() {
            return Err(problem);
        }
        let mut cuts = 1 + self.find(&first, of_first, totals, pairs)?;
        boxes = self.some(&second, &boxes)?;
        cuts += self.find(&second, boxes, totals, pairs)?;
        Ok(cuts)
    }

    /// The two parts of a tile that have about as many boxes; `None` if all boxes are in one place.
    fn cut(&self, tile: &Tile, boxes: &TileBoxes) -> Result<Option<[Tile; 2]>> {
        let inside = boxes.boxes.iter().filter(|obb| tile.contains(obb.center));
        // Some thousands tell where the middle is.
        let step = (boxes.boxes.len() >> 16).max(1);
        let sample: Vec<_> = inside.step_by(step).copied().collect();
        let tiles = Tiling::of_sample(&sample, 2)?.tiles();
        let within = |part: &Tile| Tile {
            low: part.low.max(tile.low),
            high: part.high.min(tile.high),
        };
        match &tiles[..] {
            [first, second] => Ok(Some([within(first), within(second)])),
            _ => Ok(None),
        }
    }

    /// Those of the boxes that a part of their tile needs.
    fn some(&self, tile: &Tile, boxes: &TileBoxes) -> Result<TileBoxes> {
        let mut some = TileBoxes::default();
        for (&key, obb) in boxes.keys.iter().zip(&boxes.boxes) {
            if tile.meets(&widened(obb.bounds(), self.config.margin)) {
                some.push(key, *obb)?;
            }
        }
        Ok(some)
    }
}
