//! The check from disk, from the file to the totals.

use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

use crate::box_file::BoxFile;
use crate::error::{Error, Result};
use crate::out_of_core::folder::{Folder, Name};
use crate::out_of_core::gather::{Parts, TileBoxes};
use crate::out_of_core::ids::expect_unique_ids;
use crate::out_of_core::list::{Done, Entry, TileEntry};
use crate::out_of_core::options::{OutOfCore, Step};
use crate::out_of_core::part;
use crate::out_of_core::plan::{Plan, Subject, usable};
use crate::out_of_core::runs::{self, Run, RunFile};
use crate::out_of_core::scatter::scatter;
use crate::out_of_core::totals::Totals;
use obbligato::{
    Checker, Config, Error as EngineError, Output, Pair, Precision, Report,
    query::TileQuery,
    report::{BroadPhaseChoice, Engine, Timings, checksum, sort_pairs},
    tiles::{Tile, Tiling},
    unstable::limits::widened,
};
use obbligato_support::{memory, parallel};

/// Label for out-of-memory errors.
const PAIRS: &str = "the pairs of a tile";

/// The longest time for which finished tiles wait to be recorded: the most that a kill loses, apart
/// from the current tile.
const NOTED_EVERY: Duration = Duration::from_secs(1);

/// The results of a check from disk, and the folder that holds them.
pub struct Checked {
    /// The totals of all tiles.
    pub totals: Totals,
    /// The number of tiles.
    pub tiles: usize,
    /// The number of tiles that an earlier check had finished.
    pub tiles_before: usize,
    /// The engine that checked the last tile; `None` if all were checked before.
    pub engine: Option<Engine>,
    /// The broad phase that found the candidate pairs of the last tile.
    pub broad_phase: Option<BroadPhaseChoice>,
    /// The total time of the checks of tiles, without those of an earlier check. The next tile is
    /// read meanwhile.
    pub timings: Timings,
    folder: Folder,
    /// The pairs of each tile, if they were kept.
    runs: Option<Vec<Run>>,
}

/// Finds the pairs of a file of boxes, NPY or Parquet, within the memory limit of the options.
/// `progress` is called with each step.
///
/// A box is named by its id or, in files without ids, by its row, from 0. The pairs are those of
/// [`Checker::check`], whatever the tiles are.
///
/// # Errors
/// [`Error::File`] for a file that cannot be read or is not a file of boxes, for bad rows, for ids
/// that repeat, and for a folder that cannot be used;
/// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory) if the memory limit is less than
/// [`OutOfCore::LEAST_MEMORY`], or than the boxes around one place need; those of
/// [`Checker::check`]. Finished work stays in the folder, unless the file caused the error.
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
    let checker = Checker::new(config.clone())?;
    let file = BoxFile::open(path)?;
    let subject = Subject::new(path, &file, &config, options)?;
    let usable = usable(options)?;
    let _limited = memory::limit_to(options.memory);
    let (folder, plan, mut done) = work(subject, &file, &config, options)?;
    keep_intact(&folder, &plan, options.pairs, &mut done);
    let missing = match done.tiles.len() == plan.tiling.len() {
        true => 0,
        false => plan.rows_but(|part| done.parts.contains_key(&part)),
    };
    progress(Step::Planned {
        boxes: plan.of.rows,
        tiles: plan.tiling.len(),
        disk_bytes: missing * 4 * plan.of.record_words() as u64 * 9 / 8,
    });
    let exact = config.precision == Precision::Exact;
    let mut checked = Checked::by_now(folder, &plan, &done, exact, options.pairs);
    if checked.tiles_before == checked.tiles {
        return Ok(checked);
    }
    let scattered = expect_unique_ids(&file, path, usable / 2).and_then(|()| {
        let at_once = plan.parts_at_once(usable);
        scatter(&plan, &file, config.margin, (&checked.folder, &done), at_once, progress)
    });
    let parts = match scattered {
        Ok(checksums) => Parts::open(&plan, config.margin, &checked.folder, &checksums)?,
        Err(error) => return Err(give_up(checked, path, error)),
    };
    let mut worker = Worker::new(config, checker, &checked.folder, options.pairs, &done)?;
    let totals = worker.check_all(&plan, &parts, &done, progress)?;
    let (engine, broad_phase, timings, runs) = (worker.engine, worker.broad_phase, worker.timings, worker.runs);
    (checked.engine, checked.broad_phase, checked.timings) = (engine, broad_phase, timings);
    checked.totals.add(&totals);
    if let Some(all) = &mut checked.runs {
        all.extend(runs);
    }
    Ok(checked)
}

/// Returns the work in a folder, or new work if that in the folder has another subject.
fn work(subject: Subject, file: &BoxFile, config: &Config, options: &OutOfCore) -> Result<(Folder, Plan, Done)> {
    let earlier = match Folder::find(&options.folder)? {
        Some((folder, Some((plan, done)))) if plan.of == subject => return Ok((folder, plan, done)),
        Some((folder, _)) => Some(folder),
        None => None,
    };
    let plan = Plan::new(subject, file, config, options)?;
    let (folder, plan) = match earlier {
        Some(folder) => folder.replace(plan)?,
        None => Folder::create(&options.folder, plan)?,
    };
    Ok((folder, plan, Done::default()))
}

/// Removes damaged files from the finished work, so that they are made again. Reads everything that
/// is still needed.
fn keep_intact(folder: &Folder, plan: &Plan, pairs: bool, done: &mut Done) {
    let tiles = plan.tiling.len();
    done.tiles.retain(|&tile, _| tile < tiles);
    if pairs {
        let path = folder.at(Name::Pairs);
        let all: Vec<TileEntry> = done.tiles.values().copied().collect();
        let intact = parallel::map(all, |tile| {
            Run::of(&tile).is_intact(&path).then_some((tile.number, tile))
        });
        done.tiles = intact.into_iter().flatten().collect();
    }
    let parts = plan.parts().len();
    done.parts.retain(|&part, _| part < parts);
    if done.tiles.len() < tiles {
        let intact = parallel::map(done.parts.values().copied().collect(), |entry| {
            let path = folder.at(Name::Part(entry.number));
            let words = plan.of.record_words();
            part::is_intact(&path, plan.lists(), words, entry.index).then_some((entry.number, entry))
        });
        done.parts = intact.into_iter().flatten().collect();
    }
}

/// Returns the error that ends a check whose file is not yet divided into parts. If the file caused
/// it and no tile is done, the work is useless and is removed.
fn give_up(checked: Checked, path: &Path, error: Error) -> Error {
    let of_file = matches!(&error, Error::File { path: of, .. } if *of == path.display().to_string());
    if of_file && checked.tiles_before == 0 {
        // The first error is the one to report.
        let _ = checked.remove();
    }
    error
}

impl Checked {
    /// Returns the results so far.
    fn by_now(folder: Folder, plan: &Plan, done: &Done, exact: bool, pairs: bool) -> Self {
        let mut totals = Totals::none(plan.of.rows, exact);
        done.tiles.values().for_each(|tile| totals.add(&tile.totals));
        Self {
            totals,
            tiles: plan.tiling.len(),
            tiles_before: done.tiles.len(),
            engine: None,
            broad_phase: None,
            timings: Timings::default(),
            folder,
            runs: pairs.then(|| done.tiles.values().map(Run::of).collect()),
        }
    }

    /// Calls `each` with all pairs, sorted by (a, b), in batches. They are pairs of ids, or of
    /// rows.
    ///
    /// # Errors
    /// [`Error::Unavailable`](obbligato::Error::Unavailable) unless [`OutOfCore::pairs`] was set;
    /// [`Error::File`] if the folder cannot be read or does not hold the pairs that were found;
    /// those of `each`.
    pub fn pairs(&self, each: impl FnMut(&[Pair]) -> Result<()>) -> Result<()> {
        match &self.runs {
            Some(runs) => runs::merge(&self.folder, runs.clone(), each),
            None => Err(Error::Engine(EngineError::Unavailable {
                what: "the pairs",
                hint: "they were counted and not kept: set `OutOfCore::pairs`",
            })),
        }
    }

    /// Removes everything that checks have written to the folder, and the folder if they created it
    /// and nothing else is in it.
    ///
    /// # Errors
    /// [`Error::File`] if that is not possible.
    pub fn remove(self) -> Result<()> {
        self.folder.delete()
    }
}

/// Calls `check` with the result of `gather` for each tile, while another thread gathers the next
/// one.
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
                // After an error, there is no receiver.
                if sender.send((tile, gather(tile))).is_err() {
                    return;
                }
            }
        };
        match thread::Builder::new().spawn_scoped(scope, ahead) {
            Ok(_) => receiver.iter().try_for_each(|(tile, boxes)| check(tile, boxes?)),
            // The system cannot start a thread, so the tiles are processed sequentially.
            Err(_) => tiles.iter().try_for_each(|&tile| check(tile, gather(tile)?)),
        }
    })
}

/// Checks tiles and writes the results.
pub(super) struct Worker<'a> {
    config: Config,
    checker: Checker,
    folder: &'a Folder,
    /// The file for pairs, if they are kept, and the runs written to it.
    file: Option<RunFile>,
    runs: Vec<Run>,
    /// Tiles that are finished but not yet recorded, and the time when tiles were last recorded.
    unnoted: Vec<Entry>,
    noted: Instant,
    engine: Option<Engine>,
    broad_phase: Option<BroadPhaseChoice>,
    timings: Timings,
}

impl<'a> Worker<'a> {
    fn new(config: Config, checker: Checker, folder: &'a Folder, pairs: bool, done: &Done) -> Result<Self> {
        let file = pairs.then(|| RunFile::open(folder, done.tiles.values().map(Run::of)));
        Ok(Self {
            config,
            checker,
            folder,
            file: file.transpose()?,
            runs: Vec::new(),
            unnoted: Vec::new(),
            noted: Instant::now(),
            engine: None,
            broad_phase: None,
            timings: Timings::default(),
        })
    }

    /// Checks all tiles that are not done, and returns their totals.
    fn check_all(
        &mut self,
        plan: &Plan,
        parts: &Parts,
        done: &Done,
        progress: &mut (dyn FnMut(Step) + Send),
    ) -> Result<Totals> {
        let tiles = plan.tiling.tiles();
        let open: Vec<usize> = (0..tiles.len()).filter(|tile| !done.tiles.contains_key(tile)).collect();
        let mut count = done.tiles.len();
        let mut sum = Totals::none(0, self.config.precision == Precision::Exact);
        let outcome = gathered(
            &open,
            |tile| parts.tile(tile, &tiles[tile]),
            |tile, boxes| {
                sum.add(&self.check(tile, &tiles[tile], boxes)?);
                count += 1;
                progress(Step::Checked(count, tiles.len()));
                Ok(())
            },
        );
        // Whatever is complete is recorded even after an error.
        let noted = self.note();
        outcome.and(noted).map(|()| sum)
    }

    fn check(&mut self, number: usize, tile: &Tile, boxes: TileBoxes) -> Result<Totals> {
        let mut pairs = Vec::new();
        let mut totals = Totals::none(0, self.config.precision == Precision::Exact);
        let cuts = self.find(tile, boxes, &mut totals, &mut pairs)?;
        let mut entry = TileEntry { number, at: 0, totals };
        if let Some(file) = &mut self.file {
            if cuts > 0 {
                sort_pairs(&mut pairs)?;
            }
            entry.at = file.append(&pairs)?;
            self.runs.push(Run::of(&entry));
        }
        self.unnoted.push(Entry::Tile(entry));
        if self.noted.elapsed() >= NOTED_EVERY {
            self.note()?;
        }
        Ok(totals)
    }

    /// Records the finished tiles, once their pairs are on disk.
    fn note(&mut self) -> Result<()> {
        if !self.unnoted.is_empty() {
            if let Some(file) = &self.file {
                file.sync()?;
            }
            self.folder.note(&self.unnoted)?;
            self.unnoted.clear();
        }
        self.noted = Instant::now();
        Ok(())
    }

    pub(super) fn checker(&mut self) -> &mut Checker {
        &mut self.checker
    }

    /// Replaces the checker to release its memory.
    pub(super) fn begin_anew(&mut self) -> Result<()> {
        self.checker = Checker::new(self.config.clone())?;
        Ok(())
    }

    /// Returns the totals of a check without the checksum, and records its engine and times.
    pub(super) fn noted(&mut self, report: &Report) -> Totals {
        self.engine = Some(report.engine.clone());
        self.broad_phase = report.broad_phase;
        self.timings.add(&report.timings);
        Totals::of(report)
    }

    /// Adds the totals of a tile and, if they are kept, its pairs. Cuts the tile if it needs more
    /// memory than is available. Returns the number of cuts.
    fn find(&mut self, tile: &Tile, mut boxes: TileBoxes, totals: &mut Totals, pairs: &mut Vec<Pair>) -> Result<usize> {
        let problem = match self.checker.check(TileQuery::new(tile, &boxes.boxes)) {
            Ok(report) => {
                totals.add(&self.noted(&report));
                let mut found = report.into_pairs()?;
                for pair in &mut found {
                    *pair = Pair {
                        a: boxes.keys[pair.a as usize],
                        b: boxes.keys[pair.b as usize],
                    };
                }
                totals.checksum = totals.checksum.wrapping_add(checksum(&found));
                if self.file.is_some() {
                    memory::extend(pairs, &found, PAIRS)?;
                }
                return Ok(0);
            }
            Err(problem @ (EngineError::OutOfMemory { .. } | EngineError::OutOfDeviceMemory { .. })) => problem,
            Err(other) => return Err(other.into()),
        };
        self.begin_anew()?;
        let cut = self.cut(tile, &boxes)?.map(|[first, second]| {
            let of_first = self.some(&first, &boxes)?;
            Ok::<_, Error>((first, of_first, second))
        });
        let cut = cut.transpose()?;
        let Some((first, of_first, second)) = cut.filter(|(_, some, _)| some.boxes.len() < boxes.boxes.len()) else {
            if self.file.is_some() {
                return Err(problem.into());
            }
            self.count_in_pieces(tile, &boxes, totals, problem)?;
            return Ok(1);
        };
        let mut cuts = 1 + self.find(&first, of_first, totals, pairs)?;
        boxes = self.some(&second, &boxes)?;
        cuts += self.find(&second, boxes, totals, pairs)?;
        Ok(cuts)
    }

    /// Returns the two parts of a tile that have about the same number of boxes; `None` if all
    /// boxes are in one place.
    fn cut(&self, tile: &Tile, boxes: &TileBoxes) -> Result<Option<[Tile; 2]>> {
        let inside = boxes.boxes.iter().filter(|obb| tile.contains(obb.center));
        // A sample of thousands of boxes is enough to find the middle.
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

    /// Returns those of the boxes that a part of their tile needs.
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
