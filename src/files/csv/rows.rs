//! The rows of one scene, as they are read.

use csv::ByteRecord;

use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::files::csv::columns::Columns;
use crate::files::scene::{Column, SceneFile};
use crate::files::texts::Texts;
use crate::files::unique_ids::UniqueIds;
use crate::shapes::moving::motion::Motion;
use crate::shapes::obb::record::Obb;

/// What memory is for.
const WHAT: &str = "the rows of a CSV file";

/// Why a row is not among the boxes.
pub(super) enum Unread {
    /// It is bad: how.
    Bad(String),
    /// There is no memory for it.
    Failed(Error),
}

impl From<String> for Unread {
    fn from(words: String) -> Self {
        Self::Bad(words)
    }
}

impl From<Error> for Unread {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The boxes of a scene so far.
pub(super) struct SceneRows {
    boxes: Vec<Obb>,
    owners: Vec<u32>,
    worlds: Vec<u32>,
    statics: Vec<bool>,
    motions: Vec<Motion>,
    ids: UniqueIds,
    kept: Vec<Texts>,
}

impl SceneRows {
    pub fn new(columns: &Columns) -> Self {
        Self {
            boxes: Vec::new(),
            owners: Vec::new(),
            worlds: Vec::new(),
            statics: Vec::new(),
            motions: Vec::new(),
            ids: UniqueIds::default(),
            kept: columns.kept.iter().map(|_| Texts::default()).collect(),
        }
    }

    /// Adds a row, or says what is wrong with it. `number` is the row's id if it needs one and has none.
    pub fn add(&mut self, columns: &Columns, record: &ByteRecord, number: Option<u64>) -> Result<(), Unread> {
        let obb = columns.parse_box(record)?;
        let rules = columns.parse_rules(record)?;
        let motion = columns.parse_motion(record)?;
        if let Some(problem) = obb.problem() {
            return Err(problem.to_string().into());
        }
        columns.parse_kept(record).try_for_each(|text| text.map(drop))?;
        if !self.add_id(columns, record, number)? {
            return Err("repeats the id of an earlier row".to_owned().into());
        }
        for (texts, text) in self.kept.iter_mut().zip(columns.parse_kept(record)) {
            texts.push(text?)?;
        }
        if columns.owner.is_some() {
            memory::push(&mut self.owners, rules.owner, WHAT)?;
        }
        if columns.world.is_some() {
            memory::push(&mut self.worlds, rules.world, WHAT)?;
        }
        if columns.is_static.is_some() {
            memory::push(&mut self.statics, rules.is_static, WHAT)?;
        }
        if let Some(motion) = motion {
            memory::push(&mut self.motions, motion, WHAT)?;
        }
        Ok(memory::push(&mut self.boxes, obb, WHAT)?)
    }

    /// Adds the id of a row; false if it is a duplicate.
    fn add_id(&mut self, columns: &Columns, record: &ByteRecord, number: Option<u64>) -> Result<bool, Unread> {
        if let Some(id) = columns.parse_id(record)? {
            return Ok(self.ids.add(id)?);
        }
        match number.map(|number| (number, u32::try_from(number))) {
            None => Ok(true),
            Some((_, Ok(number))) => Ok(self.ids.add_number(number)?),
            Some((row, Err(_))) => Err(format!("is row {row}, which needs an id of its own: add a column id").into()),
        }
    }

    pub fn ids_are_texts(&self) -> bool {
        self.ids.are_texts()
    }

    /// The scene, `named` if its boxes have ids, which are texts if `texts` is set.
    pub fn finish(mut self, columns: &Columns, named: bool, texts: bool) -> Result<SceneFile> {
        if texts {
            self.ids.turn_to_texts()?;
        }
        let names = columns.kept.iter().map(|(name, _)| name.clone());
        Ok(SceneFile {
            boxes: self.boxes,
            ids: named.then(|| self.ids.into_ids()),
            owners: columns.owner.map(|_| self.owners),
            worlds: columns.world.map(|_| self.worlds),
            statics: columns.is_static.map(|_| self.statics),
            motions: columns.motion.map(|_| self.motions),
            columns: names
                .zip(self.kept)
                .map(|(name, values)| Column { name, values })
                .collect(),
        })
    }
}
