//! `obbligato track`: the pairs that begin and end from frame to frame.

mod contacts;

use std::time::Instant;

use obbligato::{
    BroadPhase, Checker, Pair,
    report::{Engine, checksum},
    tracking::{Coherence, TrackedFrame, Tracker, TrackerConfig},
};
use obbligato_files as files;
use obbligato_files::{FrameIds, Ids, ReadOptions, ResultFile, SceneFile, Table, output::is_stdout};
use obbligato_support::memory;
use serde_json::{Value, json};

use super::{
    args::track::TrackArguments,
    engine,
    failure::Failure,
    json, output,
    progress::{Progress, stage},
    table::{self, facts, grouped},
};
use contacts::FrameContacts;

/// The totals of all frames.
#[derive(Default)]
struct Totals {
    frames: usize,
    boxes: usize,
    /// The names of the bodies.
    called: [&'static str; 2],
    begin: usize,
    end: usize,
    persist: usize,
    pairs: usize,
    checksum: u64,
    /// Milliseconds to read the file, and to find the pairs and their changes.
    load: f64,
    time: f64,
}

pub fn run(arguments: &TrackArguments) -> Result<(), Failure> {
    let config = arguments.search.config()?;
    let json = arguments.json.as_ref();
    let paths = [arguments.events.as_deref(), arguments.contacts.as_deref()];
    let tables = [(paths[0], Table::Events), (paths[1], Table::TrackedContacts)];
    let taken = (&*arguments.file, &*arguments.search.kept());
    let [mut events, mut contact_rows] = output::begin_tables(tables, arguments.format.format(), json, taken)?;

    let progress = Progress::spinner("reading");
    let start = Instant::now();
    let options = ReadOptions {
        id_column: Some(arguments.id_column.clone()),
        ..ReadOptions::default()
    };
    let frames = files::read_frames(&arguments.file, &options)?;
    let ids = FrameIds::new(&frames)?;
    let mut totals = Totals {
        load: start.elapsed().as_secs_f64() * 1e3,
        ..Totals::default()
    };

    progress.stage("checking");
    let broad_phase = config.broad_phase;
    let checker = Checker::new(config)?;
    let largest = frames.iter().map(|(_, scene)| scene.len()).max();
    let engine = checker.engine_for(largest.unwrap_or(0));
    engine::warn(&checker);
    let mut tracker = Tracker::new(checker, tracker_config(arguments.persist, broad_phase));
    let mut contacts = FrameContacts::default();
    for (index, (number, scene)) in frames.iter().enumerate() {
        progress.stage(stage("checking", index, frames.len()));
        let keys = ids.numbers(index)?;
        let start = Instant::now();
        let found = tracker.update(&keys, scene.set())?;
        totals.time += start.elapsed().as_secs_f64() * 1e3;
        if let Some(out) = &mut events {
            out.events(*number, &ids, found.events)?;
        }
        if let Some(out) = &mut contact_rows {
            contacts.update(scene, &keys, &found)?;
            out.tracked_contacts(*number, &ids, &contacts.rows(found.pairs))?;
        }
        totals.add(scene, &keys, &found)?;
    }
    [events, contact_rows]
        .into_iter()
        .flatten()
        .try_for_each(ResultFile::finish)?;
    drop(progress);

    output::show_beside(
        paths.into_iter().flatten().find(|path| is_stdout(path)),
        json,
        || report(&totals, &engine),
        || summary(&totals, &engine),
    )
}

/// Returns the configuration of the tracker. A requested broad phase finds all pairs, reusing data
/// from frame to frame if it can.
fn tracker_config(persisting: bool, broad_phase: BroadPhase) -> TrackerConfig {
    TrackerConfig {
        persisting,
        coherence: match broad_phase {
            BroadPhase::Auto | BroadPhase::Grid => Coherence::Auto,
            BroadPhase::Sweep => Coherence::SweepLists,
            _ => Coherence::None,
        },
        ..TrackerConfig::default()
    }
}

impl Totals {
    /// Adds a frame, whose boxes are identified by `keys`.
    fn add(&mut self, scene: &SceneFile, keys: &[u32], found: &TrackedFrame<'_>) -> Result<(), Failure> {
        self.frames += 1;
        if self.frames == 1 || scene.len() > scene.boxes.len() {
            self.called = table::bodies(scene);
        }
        self.boxes += scene.len();
        self.begin += found.begin;
        self.end += found.end;
        self.persist += found.persist;
        self.pairs += found.pairs.len();
        self.checksum = self.checksum.wrapping_add(sum(scene, keys, found.pairs)?);
        Ok(())
    }
}

/// Returns the checksum of a frame's pairs as `check --frame` computes it: over their ids or, if
/// these are texts, over their ranks among those of the frame.
fn sum(scene: &SceneFile, keys: &[u32], pairs: &[Pair]) -> Result<u64, Failure> {
    if !matches!(scene.ids, Some(Ids::Texts(_))) {
        return Ok(checksum(pairs));
    }
    let mut sorted = memory::collect(keys.iter().copied(), "the ids of a frame")?;
    sorted.sort_unstable();
    let rank = |key: u32| sorted.partition_point(|&other| other < key) as u32;
    let ranked = |pair: &Pair| checksum(&[Pair::new(rank(pair.a), rank(pair.b))]);
    Ok(pairs.iter().map(ranked).fold(0, u64::wrapping_add))
}

/// Returns the report as text.
fn summary(totals: &Totals, engine: &Engine) -> String {
    let number = |count: usize| grouped(count as u64);
    let lines = [
        ("device", engine::describe(engine)),
        ("frames", number(totals.frames)),
        (totals.called[1], number(totals.boxes)),
        ("colliding pairs", number(totals.pairs)),
        ("begin", number(totals.begin)),
        ("end", number(totals.end)),
        ("persist", number(totals.persist)),
        ("checksum", format!("{:016x}", totals.checksum)),
        (
            "time",
            format!("{:.3} ms, and {:.3} ms to read the file", totals.time, totals.load),
        ),
    ];
    facts(&lines)
}

/// Returns the report as JSON.
fn report(totals: &Totals, engine: &Engine) -> Value {
    json!({
        "frames": totals.frames,
        "boxes": totals.boxes,
        "begin": totals.begin,
        "end": totals.end,
        "persist": totals.persist,
        "pairs": totals.pairs,
        "checksum": json::checksum(totals.checksum),
        "backend": engine::backend(engine),
        "adapter": engine::adapter(engine),
        "driver": engine::driver(engine),
        "timings_ms": {
            "load": json::milliseconds(totals.load),
            "track": json::milliseconds(totals.time),
            "total": json::milliseconds(totals.load + totals.time),
        },
    })
}
