//! The columns of a scene, and the fields of its rows.

use std::borrow::Cow;
use std::ops::Range;

use glam::Vec3;

use crate::options::ReadOptions;
use crate::scene_rows::body::{BodyColumns, ShapeName};
use crate::scene_rows::form::MOTION_COLUMNS;
use crate::scene_rows::frames::Wanted;
use crate::scene_rows::plane::check_motion;
use crate::table::Record;
use crate::table::header::Header;
use crate::table::parse::{A_WORD, AN_OWNER, parse, parse_finite, parse_flag, parse_frame, text};
use obbligato::{motion::Motion, query::NO_OWNER};
use obbligato_support::excerpt::excerpt;

/// The range of [`MOTION_COLUMNS`] that holds the angular velocity.
const TURNING: Range<usize> = 3..6;

/// The column of ids, unless another one is named.
pub(crate) const ID: &str = "id";

/// The positions of the columns in use.
pub(super) struct Columns {
    /// The number of columns in the header, and so in every row.
    pub count: usize,
    pub body: BodyColumns,
    pub id: Option<usize>,
    /// The name of the column of ids.
    id_name: String,
    /// Columns that are kept as text.
    pub kept: Vec<(String, usize)>,
    pub frame: Option<usize>,
    pub owner: Option<usize>,
    pub world: Option<usize>,
    pub is_static: Option<usize>,
    /// The columns of motions, if they are read; a file may have any of them.
    pub motion: Option<[Option<usize>; 9]>,
}

impl Columns {
    pub fn find(header: &Header, options: &ReadOptions, frames: Wanted) -> Result<Self, String> {
        let frame = header.column("frame")?;
        let body = BodyColumns::find(header, options.f64)?;
        match (frame, frames) {
            (None, Wanted::One(_)) => return Err("has no column frame: leave --frame out".into()),
            (None, Wanted::All) => return Err("has no column frame: add one that numbers the frames".into()),
            _ => {}
        }
        let place = |name: &String| Ok((name.clone(), header.needed(name)?));
        let kept = options.columns.iter().map(place);
        Ok(Self {
            count: header.len(),
            body,
            id: match &options.id_column {
                Some(name) => Some(header.needed(name)?),
                None => header.column(ID)?,
            },
            id_name: options.id_column.as_deref().unwrap_or(ID).to_owned(),
            kept: kept.collect::<Result<_, String>>()?,
            frame,
            owner: header.column("owner")?,
            world: header.column("world")?,
            is_static: header.column("static")?,
            motion: match options.motions {
                true => Some(motion_columns(header)?),
                false => None,
            },
        })
    }

    /// Returns the frame of a row, if the file has frames.
    pub fn parse_frame(&self, record: &impl Record) -> Result<Option<i64>, String> {
        self.frame.map(|column| parse_frame(record, column)).transpose()
    }

    /// Returns the id of a row, if the file has ids.
    pub fn parse_id<'r>(&self, record: &'r impl Record) -> Result<Option<Cow<'r, str>>, String> {
        let Some(column) = self.id else { return Ok(None) };
        let id = text(record, column, &self.id_name)?;
        match id.is_empty() {
            true => Err(format!("has no id in column {}", excerpt(&self.id_name))),
            false => Ok(Some(id)),
        }
    }

    /// Returns the fields to keep, in order.
    pub fn parse_kept<'r>(&self, record: &'r impl Record) -> impl Iterator<Item = Result<Cow<'r, str>, String>> {
        self.kept.iter().map(|(name, column)| text(record, *column, name))
    }

    /// Returns a row's rules for its box; a missing column means the default.
    pub fn parse_rules(&self, record: &impl Record) -> Result<RowRules, String> {
        let owner = match self.owner {
            Some(column) if record.cell(column).is_empty() => NO_OWNER,
            Some(column) => match parse(record, column, "owner", AN_OWNER)? {
                NO_OWNER => return Err(format!("has {NO_OWNER} in column owner instead of {AN_OWNER}")),
                owner => owner,
            },
            None => NO_OWNER,
        };
        Ok(RowRules {
            owner,
            world: self
                .world
                .map_or(Ok(0), |column| parse(record, column, "world", A_WORD))?,
            is_static: match self.is_static {
                Some(column) => parse_flag(record, column, "static")?,
                None => false,
            },
        })
    }

    /// Returns the motion of a row's body, if motions are read; a missing column or an empty field
    /// means 0. The angular velocity of a sphere is ignored because rotation does not change the
    /// points that it covers.
    pub fn parse_motion(&self, record: &impl Record, shape: ShapeName) -> Result<Option<Motion>, String> {
        let Some(columns) = self.motion else { return Ok(None) };
        let mut numbers = [0.0; 9];
        for (i, number) in numbers.iter_mut().enumerate() {
            if let Some(column) = columns[i].filter(|_| shape != ShapeName::Sphere || !TURNING.contains(&i)) {
                *number = parse_finite(record, column, MOTION_COLUMNS[i])?;
            }
        }
        if self.body.are_in_plane() {
            check_motion(numbers, MOTION_COLUMNS)?;
        }
        let [vx, vy, vz, wx, wy, wz, ax, ay, az] = numbers;
        let motion = Motion::linear(Vec3::new(vx, vy, vz)).turning(Vec3::new(wx, wy, wz));
        Ok(Some(motion.accelerated(Vec3::new(ax, ay, az))))
    }

    /// Returns a row's id for an error message; empty if it has none.
    pub fn id_in_words(&self, record: &impl Record) -> String {
        let column = self.id.filter(|&column| column < record.len());
        match column.map(|column| record.cell(column)) {
            Some(id) if !id.is_empty() => format!(" (id {})", id.excerpt()),
            _ => String::new(),
        }
    }
}

/// Returns the positions of the columns of motions in a header.
fn motion_columns(header: &Header) -> Result<[Option<usize>; 9], String> {
    let mut columns = [None; 9];
    for (place, name) in columns.iter_mut().zip(MOTION_COLUMNS) {
        *place = header.column(name)?;
    }
    Ok(columns)
}

/// A row's rules for its box.
pub(super) struct RowRules {
    pub owner: u32,
    pub world: u32,
    pub is_static: bool,
}
