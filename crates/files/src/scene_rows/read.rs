//! Reads scenes row by row.

use std::path::Path;

use crate::error::{Error, Result};
use crate::ids::plain_number;
use crate::options::ReadOptions;
use crate::problem::{BadRows, problem};
use crate::scene::SceneFile;
use crate::scene_rows::columns::Columns;
use crate::scene_rows::frames::{Frames, Wanted};
use crate::scene_rows::rows::{SceneRows, Unread};
use crate::table::{Record, Table};
use obbligato_support::memory;

/// Label for out-of-memory errors.
const WHAT: &str = "the frames of a table";

/// Reads a scene: the only frame, or the requested one.
pub(crate) fn read(table: impl Table, path: &Path, options: &ReadOptions) -> Result<SceneFile> {
    let wanted = options.frame.map_or(Wanted::Only, Wanted::One);
    let mut scenes = read_all(table, path, options, wanted)?.into_iter();
    Ok(scenes.next().map(|(_, scene)| scene).unwrap_or_default())
}

/// Reads every frame, in ascending order.
pub(crate) fn read_frames(table: impl Table, path: &Path, options: &ReadOptions) -> Result<Vec<(i64, SceneFile)>> {
    let mut scenes = read_all(table, path, options, Wanted::All)?;
    scenes.sort_by_key(|(frame, _)| *frame);
    Ok(scenes)
}

fn read_all(
    mut table: impl Table,
    path: &Path,
    options: &ReadOptions,
    wanted: Wanted,
) -> Result<Vec<(i64, SceneFile)>> {
    for name in &options.columns {
        let found = table.header().column(name).map_err(|words| problem(path, words))?;
        if found.is_none() {
            table.header().needed(name).map_err(|problem| Error::NoColumn {
                path: path.display().to_string(),
                name: name.clone(),
                problem,
            })?;
        }
    }
    let columns = Columns::find(table.header(), options, wanted).map_err(|words| problem(path, words))?;
    let mut scenes = Scenes::new(columns, wanted);
    let mut bad = BadRows::default();
    while table.next_row()? {
        match scenes.add(table.record()) {
            Ok(()) => {}
            Err(Unread::Bad(words)) => bad.add(|| {
                let id = scenes.columns.id_in_words(table.record());
                format!("{}{id} {words}", table.place())
            }),
            Err(Unread::Failed(error)) => return Err(error),
        }
    }
    scenes.frames.check_unique().map_err(|words| problem(path, words))?;
    bad.check(path)?;
    scenes.frames.check_found().map_err(|words| problem(path, words))?;
    scenes.finish()
}

/// The scenes so far.
struct Scenes {
    columns: Columns,
    wanted: Wanted,
    frames: Frames,
    /// The scene of every frame, if all are wanted; else one scene.
    scenes: Vec<SceneRows>,
    /// The number of rows so far, including those of other frames.
    count: u64,
    /// `true` if a row of another frame has an id that is not a number.
    other_texts: bool,
}

impl Scenes {
    fn new(columns: Columns, wanted: Wanted) -> Self {
        Self {
            wanted,
            frames: Frames::new(wanted),
            scenes: match wanted {
                Wanted::All => Vec::new(),
                Wanted::Only | Wanted::One(_) => vec![SceneRows::new(&columns)],
            },
            columns,
            count: 0,
            other_texts: false,
        }
    }

    /// Adds a row to its scene, or returns a description of its problem.
    fn add(&mut self, record: &impl Record) -> Result<(), Unread> {
        let row = self.count;
        self.count += 1;
        if record.len() != self.columns.count {
            let plural = if record.len() == 1 { "" } else { "s" };
            return Err(format!(
                "has {} column{plural} but the header has {}",
                record.len(),
                self.columns.count
            )
            .into());
        }
        let place = match self.columns.parse_frame(record)? {
            Some(frame) => self.frames.admit(frame)?,
            None => Some(0),
        };
        let Some(place) = place else {
            self.other_texts |= matches!(self.columns.parse_id(record), Ok(Some(id)) if plain_number(&id).is_none());
            return Ok(());
        };
        if place == self.scenes.len() {
            memory::push(&mut self.scenes, SceneRows::new(&self.columns), WHAT)?;
        }
        // Without an id column, the id of a box is its row in the file, which is its position
        // unless there are other frames.
        let number = (self.wanted != Wanted::Only).then_some(row);
        self.scenes[place].add(&self.columns, record, number)
    }

    fn finish(self) -> Result<Vec<(i64, SceneFile)>> {
        let named = self.columns.id.is_some() || self.wanted != Wanted::Only;
        let texts = self.other_texts || self.scenes.iter().any(SceneRows::ids_are_texts);
        let mut scenes = Vec::new();
        memory::reserve(&mut scenes, self.scenes.len(), WHAT)?;
        for (place, rows) in self.scenes.into_iter().enumerate() {
            let frame = self.frames.number(place).unwrap_or_default();
            scenes.push((frame, rows.finish(&self.columns, named, texts)?));
        }
        Ok(scenes)
    }
}
