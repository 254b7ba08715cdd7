//! The columns of a scene, and the fields of its rows.

use std::str::FromStr;

use csv::ByteRecord;
use glam::{Quat, Vec3};

use crate::base::excerpt::excerpt;
use crate::files::csv::form::{Form, MOTION_COLUMNS, column, wanted_column};
use crate::files::csv::frames::Wanted;
use crate::files::options::ReadOptions;
use crate::rules::model::NO_OWNER;
use crate::shapes::moving::motion::Motion;
use crate::shapes::obb::record::Obb;
use crate::shapes::upright::record::Upright;

/// What a column should hold, for error messages.
pub(super) const A_NUMBER: &str = "a number";
const A_FINITE_NUMBER: &str = "a finite number, or nothing";
const A_WHOLE_NUMBER: &str = "a whole number";
const A_WORD: &str = "a whole number from 0 to 4294967295";
const AN_OWNER: &str = "a whole number from 0 to 4294967294, or nothing";
const A_FLAG: &str = "0 or 1";

/// The column of ids, unless another one is named.
pub(super) const ID: &str = "id";

/// The positions of the columns in use.
pub(super) struct Columns {
    /// Columns in the header, and so in every row.
    pub count: usize,
    form: Form,
    numbers: [usize; 10],
    pub id: Option<usize>,
    /// What the column of ids is called.
    id_name: String,
    /// Columns that are kept as they stand.
    pub kept: Vec<(String, usize)>,
    pub frame: Option<usize>,
    memberships: Option<usize>,
    filter: Option<usize>,
    pub owner: Option<usize>,
    pub world: Option<usize>,
    pub is_static: Option<usize>,
    /// The columns that say how a box moves, if they are read; a file may have any of them.
    pub motion: Option<[Option<usize>; 9]>,
}

impl Columns {
    pub fn find(header: &ByteRecord, options: &ReadOptions, frames: Wanted) -> Result<Self, String> {
        let frame = column(header, "frame")?;
        let (form, numbers) = Form::find(header)?;
        match (frame, frames) {
            (None, Wanted::One(_)) => return Err("has no column frame: leave --frame out".into()),
            (None, Wanted::All) => return Err("has no column frame: add one that numbers the frames".into()),
            _ => {}
        }
        let place = |name: &String| Ok((name.clone(), wanted_column(header, name)?));
        let kept = options.columns.iter().map(place);
        Ok(Self {
            count: header.len(),
            form,
            numbers,
            id: match &options.id_column {
                Some(name) => Some(wanted_column(header, name)?),
                None => column(header, ID)?,
            },
            id_name: options.id_column.as_deref().unwrap_or(ID).to_owned(),
            kept: kept.collect::<Result<_, String>>()?,
            frame,
            memberships: column(header, "memberships")?,
            filter: column(header, "filter")?,
            owner: column(header, "owner")?,
            world: column(header, "world")?,
            is_static: column(header, "static")?,
            motion: match options.motions {
                true => Some(motion_columns(header)?),
                false => None,
            },
        })
    }

    /// The frame of a row, if the file has frames.
    pub fn parse_frame(&self, record: &ByteRecord) -> Result<Option<i64>, String> {
        self.frame.map(|column| parse_frame(record, column)).transpose()
    }

    /// The id of a row, if the file has ids.
    pub fn parse_id<'r>(&self, record: &'r ByteRecord) -> Result<Option<&'r str>, String> {
        let Some(column) = self.id else { return Ok(None) };
        match text(record, column, &self.id_name)? {
            "" => Err(format!("has no id in column {}", excerpt(&self.id_name))),
            id => Ok(Some(id)),
        }
    }

    /// The fields to keep, in order.
    pub fn parse_kept<'r>(&self, record: &'r ByteRecord) -> impl Iterator<Item = Result<&'r str, String>> {
        self.kept.iter().map(|(name, column)| text(record, *column, name))
    }

    pub fn parse_box(&self, record: &ByteRecord) -> Result<Obb, String> {
        let obb = match self.form {
            Form::Oriented => {
                let [cx, cy, cz, hx, hy, hz, qx, qy, qz, qw] = self.parse_numbers(record)?;
                let rotation = Quat::from_xyzw(qx, qy, qz, qw);
                Obb::new(Vec3::new(cx, cy, cz), Vec3::new(hx, hy, hz), rotation)
            }
            Form::Upright => {
                let [x0, y0, x1, y1, x2, y2, x3, y3, z_min, z_max] = self.parse_numbers(record)?;
                let corners = [[x0, y0], [x1, y1], [x2, y2], [x3, y3]];
                let cuboid = Upright::from_corners(corners, z_min, z_max);
                cuboid.map_err(|problem| problem.to_string())?.into()
            }
        };
        let groups = |column: Option<usize>, name| match column {
            Some(column) => parse(record, column, name, A_WORD),
            None => Ok(u32::MAX),
        };
        Ok(obb.with_groups(groups(self.memberships, "memberships")?, groups(self.filter, "filter")?))
    }

    /// The ten numbers of a row, each rounded once.
    fn parse_numbers<T: FromStr + Default + Copy>(&self, record: &ByteRecord) -> Result<[T; 10], String> {
        let names = self.form.names();
        let mut numbers = [T::default(); 10];
        for (i, number) in numbers.iter_mut().enumerate() {
            *number = parse(record, self.numbers[i], names[i], A_NUMBER)?;
        }
        Ok(numbers)
    }

    /// A row's rules for its box; a missing column means the default.
    pub fn parse_rules(&self, record: &ByteRecord) -> Result<RowRules, String> {
        let owner = match self.owner {
            Some(column) if record[column].trim_ascii().is_empty() => NO_OWNER,
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

    /// How a row's box moves, if that is read; a missing column or an empty field means 0.
    pub fn parse_motion(&self, record: &ByteRecord) -> Result<Option<Motion>, String> {
        let Some(columns) = self.motion else { return Ok(None) };
        let mut numbers = [0.0; 9];
        for (i, number) in numbers.iter_mut().enumerate() {
            if let Some(column) = columns[i] {
                *number = parse_finite(record, column, MOTION_COLUMNS[i])?;
            }
        }
        let [vx, vy, vz, wx, wy, wz, ax, ay, az] = numbers;
        let motion = Motion::linear(Vec3::new(vx, vy, vz)).turning(Vec3::new(wx, wy, wz));
        Ok(Some(motion.accelerated(Vec3::new(ax, ay, az))))
    }

    /// A row's id for an error message; empty if it has none.
    pub fn id_in_words(&self, record: &ByteRecord) -> String {
        let field = self.id.and_then(|column| record.get(column));
        match field.map(|field| String::from_utf8_lossy(field.trim_ascii())) {
            Some(id) if !id.is_empty() => format!(" (id {})", excerpt(&id)),
            _ => String::new(),
        }
    }
}

/// Where a header has the columns of motions.
fn motion_columns(header: &ByteRecord) -> Result<[Option<usize>; 9], String> {
    let mut columns = [None; 9];
    for (place, name) in columns.iter_mut().zip(MOTION_COLUMNS) {
        *place = column(header, name)?;
    }
    Ok(columns)
}

/// A row's rules for its box.
pub(super) struct RowRules {
    pub owner: u32,
    pub world: u32,
    pub is_static: bool,
}

/// The number of a frame.
pub(super) fn parse_frame(record: &ByteRecord, column: usize) -> Result<i64, String> {
    parse(record, column, "frame", A_WHOLE_NUMBER)
}

/// A field as it stands, but for blanks around it.
pub(super) fn text<'r>(record: &'r ByteRecord, column: usize, name: &str) -> Result<&'r str, String> {
    let field = record[column].trim_ascii();
    std::str::from_utf8(field).map_err(|_| {
        let text = String::from_utf8_lossy(field);
        format!(
            "has {:?} in column {}, which is not UTF-8 text",
            excerpt(&text),
            excerpt(name)
        )
    })
}

/// Parses a field as a number; `wanted` describes it for the error message.
pub(super) fn parse<T: FromStr>(record: &ByteRecord, column: usize, name: &str, wanted: &str) -> Result<T, String> {
    let field = record[column].trim_ascii();
    let parsed = std::str::from_utf8(field).ok().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| {
        let text = String::from_utf8_lossy(field);
        let mark = match has_decimal_comma(field) {
            true => " (the decimal mark is a point)",
            false => "",
        };
        format!("has {:?} in column {name} instead of {wanted}{mark}", excerpt(&text))
    })
}

/// Whether a field is a number but for a comma where the point should be.
fn has_decimal_comma(field: &[u8]) -> bool {
    let text = String::from_utf8_lossy(field);
    text.contains(',') && text.replacen(',', ".", 1).parse::<f64>().is_ok()
}

/// Parses a field that is a number, neither NaN nor infinite, or empty, which is 0.
fn parse_finite(record: &ByteRecord, column: usize, name: &str) -> Result<f32, String> {
    let field = record[column].trim_ascii();
    if field.is_empty() {
        return Ok(0.0);
    }
    let number: f32 = parse(record, column, name, A_FINITE_NUMBER)?;
    match number.is_finite() {
        true => Ok(number),
        false => {
            let text = String::from_utf8_lossy(field);
            Err(format!(
                "has {:?} in column {name} instead of {A_FINITE_NUMBER}",
                excerpt(&text)
            ))
        }
    }
}

/// Parses a field that is 0 or 1.
fn parse_flag(record: &ByteRecord, column: usize, name: &str) -> Result<bool, String> {
    match parse::<u8>(record, column, name, A_FLAG)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("has {other} in column {name} instead of {A_FLAG}")),
    }
}
